"""The chooser's answers in sentences: by rule, from the figures of the answer, true on any data.
Markdown; the first clause is bold."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from equity_core.analysis.choosing.limits import Answer, NoneBelow, Within
from equity_core.analysis.choosing.minimums import AtLeast
from equity_core.analysis.tradeoff import sentences
from equity_core.analysis.words import count, decimal, join, percent, signed
from equity_core.policy import Policy

PARTS = {"valid": "validation", "test": "test", "train": "training"}


def part(split: str) -> str:
    """A part of the data as it is written on screens."""
    return f"the {PARTS.get(split, split)} part"


def share(value: float, digits: int = 1) -> str:
    """``12.5 %``, without a sign; whole numbers without decimals."""
    text = f"{abs(value) * 100:.{digits}f}"
    return (text[: -digits - 1] if text.endswith("." + "0" * digits) else text) + " %"


def name(policy: Policy) -> str:
    """A policy by its λ or floor: "Floor 0.652", "λ = 0.9", "λ = 0"."""
    if policy.floor is not None:
        return sentences.name("floor", policy.floor)
    return "λ = 0 (the own lists)" if policy.lam == 0 else sentences.name("lam", policy.lam)


def weighing(policy: Policy) -> str:
    """The strategy in words, with the weights that differ from 1."""
    if policy.strategy != "custom":
        return f"strategy {policy.strategy}"
    if not isinstance(policy.weights, Mapping):
        return "your own weights"
    counting = {name: weight for name, weight in policy.weights.items() if weight > 0}
    if 0.0 in policy.weights.values():
        return f"only {join([f'{name} ({weight:g})' for name, weight in counting.items()])} weighed"
    others = {name: weight for name, weight in counting.items() if weight != 1.0}
    return (
        f"weights {', '.join(f'{name} {weight:g}' for name, weight in others.items())}, others 1"
        if others
        else "all weights 1"
    )


def full_name(policy: Policy, current: Policy) -> str:
    """A policy by its λ or floor, and by its strategy where that is not the current one's."""
    if (policy.strategy, policy.weights) == (current.strategy, current.weights) or (
        policy.floor is None and policy.lam == 0
    ):
        return name(policy)
    return f"{name(policy)}, {'weighted' if policy.strategy == 'custom' else policy.strategy}"


def _price(answer: Answer, split: str) -> str:
    """What happens to NDCG on the part that is reported, with its interval."""
    row = answer.row("ndcg")
    if math.isnan(answer.loss):
        return "what it costs in NDCG is unknown here"
    if abs(answer.loss) < 5e-4:
        return f"NDCG stays as it is on {part(split)}"
    ends = sentences.interval(float(row["relative_low"]), float(row["relative_high"]), share=True)
    clear = "" if sentences.clear(row) else ", no clear difference"
    return (
        f"NDCG {'falls' if answer.loss > 0 else 'rises'} {share(answer.loss)} on {part(split)} (95"
        f" %: {ends}{clear})"
    )


def _gain(row: pd.Series, what: str) -> str:
    """What happens to equality or consistency, with its interval."""
    change = float(row["change"])
    if math.isnan(change):
        return f"{what} is unknown"
    if float(f"{change:.3f}") == 0:
        return f"{what} stays at {decimal(float(row['value']), 3)}"
    ends = sentences.interval(float(row["change_low"]), float(row["change_high"]))
    clear = "" if sentences.clear(row) else ", no clear difference"
    return (
        f"{what} {'rises' if change > 0 else 'falls'} {abs(change):.3f} to"
        f" {decimal(float(row['value']), 3)} (95 %: {ends}{clear})"
    )


def _short(answer: Answer) -> str:
    """``λ = 0.741: equality 0.952, NDCG −9.6 %``; said, too, where that is not clearly another
    equality than that of the own lists."""
    ndcg = "NDCG unknown" if math.isnan(answer.loss) else f"NDCG {signed(-answer.loss * 100, 1)} %"
    row = answer.row("equality")
    clear = (
        ""
        if math.isnan(float(row["change"])) or sentences.clear(row)
        else " (no clear difference from the own lists)"
    )
    return f"{name(answer.policy)}: equality {decimal(answer.equality, 3)}{clear}, {ndcg}"


def chosen_on(split: str, choosing: str) -> str:
    """Which part the choice was made on; a warning where it is the part that is reported."""
    if choosing != split:
        return f"Chosen on {part(choosing)}, reported on {part(split)}."
    return (
        f"There is no validation part: chosen and reported on {part(split)}, which flatters the"
        " choice."
    )


def sampled(learners: int, everybody: int) -> str:
    """That a sample was searched, where it was."""
    return (
        ""
        if learners >= everybody
        else f"Searched on a sample of {learners:,} learners, checked on all {everybody:,}."
    )


def within(found: Within, split: str) -> str:
    """The answer to "at most so much loss"."""
    best, limit = found.best, share(found.limit)
    if best is None:
        return "**There is no answer.**"
    other = found.lam if best.kind == "floor" else found.floor
    if best.kind == "lam" and best.value == 0:
        text = f"**Nothing is more equal than the own lists within a loss of {limit}.**"
    else:
        text = (
            f"**{name(best.policy)} is the most equal within a loss of {limit}:**"
            f" {_gain(best.row('equality'), 'equality')}, "
        )
        text += f"{_price(best, split)}."
    if other is not None:
        who = "One λ for all" if other.kind == "lam" else "A floor"
        if other.equality == best.equality:
            text += f" {who} is as equal: {_short(other)}."
        else:
            text += f" {who} gets less within it: {_short(other)}."
    return text


def broken(found: Within, split: str, choosing: str) -> str:
    """Where the limit held on the part chosen on and does not hold on the part reported: said
    plainly; else ""."""
    over = [
        answer
        for answer in (found.floor, found.lam)
        if answer is not None and answer.loss > found.limit + 1e-9
    ]
    if choosing == split or not over:
        return ""
    parts = [f"{name(answer.policy)} loses {share(answer.loss)}" for answer in over]
    kept = (
        f"The limit of {share(found.limit)} is kept on {part(choosing)}, where it was chosen, but"
        f" not on {part(split)}"
    )
    return f"{kept}: {join(parts)} there."


def no_answer(ndcg: float, limit: float) -> str:
    """Why no loss can be limited."""
    if math.isnan(ndcg):
        return "NDCG is unknown here (no test part), so that no loss can be limited."
    if ndcg == 0:
        return (
            "The own lists find nothing on the part that is chosen on (NDCG 0), so that there is no"
            " NDCG to lose."
        )
    return f"No policy keeps the loss within {share(limit)} on the part that is chosen on."


def none_below(found: NoneBelow, split: str, learners: int) -> str:
    """The answer to "no learner below τ"."""
    tau, floor = f"{found.tau:g}", found.floor
    listed = learners - found.without
    if not listed:
        return "**No learner has a list**, so that there is nothing to lift."
    reach = f" The highest floor that everybody reaches is {found.everybody:g}."
    if found.below:
        who = f"{count(found.below, 'learner')} of {listed:,} ({percent(found.below / listed)})"
        text = f"**{who} stay{'s' if found.below == 1 else ''} below {tau}:** "
        text += (
            "no λ that the floor tries brings them there, and they get the best list found. The"
            f" price: {_price(floor, split)}.{reach}"
        )
    else:
        text = (
            f"**No learner below {tau} {_cost(floor, split)};"
            f" {_gain(floor.row('equality'), 'equality')}."
        )
        text += f" Everybody reaches it.{reach if found.everybody > found.tau else ''}"
    if found.lam is None:
        return text + f" No single λ has nobody below {tau}."
    if found.lam.value == 0:
        return text + " The own lists have nobody below it already."
    return (
        text + f" One λ for all needs {name(found.lam.policy)} for that:"
        f" {_short(found.lam).partition(': ')[2]}."
    )


def _cost(answer: Answer, split: str) -> str:
    """The price, after "no learner below τ"; the bold type ends in it."""
    row = answer.row("ndcg")
    if math.isnan(answer.loss):
        return f"can be had:** {_price(answer, split)}"
    if not sentences.clear(row) or abs(answer.loss) < 5e-4:
        return f"has no clear price in NDCG:** {_price(answer, split)}"
    ends = sentences.interval(float(row["relative_low"]), float(row["relative_high"]), share=True)
    what = (
        f"costs {share(answer.loss)} of NDCG"
        if answer.loss > 0
        else f"even raises NDCG by {share(answer.loss)}"
    )
    return f"{what}** on {part(split)} (95 %: {ends})"


def at_least(found: AtLeast, split: str) -> str:
    """The answer to "each principle at least …", or the word that none does and what is missing."""
    asked = join([f"{name} ≥ {value:g}" for name, value in found.asked.items()])
    if found.answer is None:
        return (
            f"**None of {found.searched:,} policies has"
            f" {asked}**{' together' if len(found.asked) > 1 else ''}. {_missing(found)}"
        )
    answer, means = found.answer, found.answer.evaluation.principles["mean"]
    if answer.kind == "lam" and answer.value == 0:
        return (
            "**The own lists have it already:**"
            f" {join([f'{name} {means.loc[name]:.3f}' for name in found.asked])}."
        )
    reached = join([f"{name} {float(means.loc[name]):.3f}" for name in found.asked])
    return (
        f"**The cheapest of {found.searched:,} policies with {asked} is"
        f" {_inside(name(answer.policy))}, {weighing(answer.policy)}:** {_price(answer, split)}; on"
        f" average {reached}; {_gain(answer.row('equality'), 'equality')}."
    )


def _inside(text: str) -> str:
    """A policy's name within a sentence."""
    return text if text.startswith("λ") else text[0].lower() + text[1:]


def _missing(found: AtLeast) -> str:
    """How far each principle asked for can get alone."""
    parts, short = [], False
    for name_, value in found.asked.items():
        if name_ not in found.highest:
            return "No learner has a list."
        top, policy = found.highest[name_]
        if top < value - 1e-9:
            short = True
            parts.append(
                f"{name_} gets to {math.floor(top * 1000) / 1000:.3f} at most"
                f" ({_inside(name(policy))}, {weighing(policy)})"
            )
        else:
            parts.append(f"{name_} alone can be had (up to {math.floor(top * 1000) / 1000:.3f})")
    text = join(parts)
    return (
        text[0].upper()
        + text[1:]
        + ("." if short else ": each alone is in reach, not all at once.")
    )


def table(
    answers: list[Answer], split: str, choosing: str, k: int
) -> list[tuple[str, list[tuple[str, str, str]]]]:
    """The figures of some answers side by side: a row a measure, and in it value, change against
    the own lists and tone for each answer."""

    def cell(answer: Answer, measure: str, digits: int) -> tuple[str, str, str]:
        row = answer.row(measure)
        change = float(row["relative"]) * 100 if measure == "ndcg" else float(row["change"])
        text = (
            ""
            if math.isnan(change)
            else signed(change, 1) + " %"
            if measure == "ndcg"
            else signed(change, 3)
        )
        tone = {1: "good", -1: "bad", 0: "same"}[sentences.clear(row)]
        return decimal(float(row["value"]), digits), text, tone

    rows = [
        (f"NDCG@{k}, {PARTS.get(split, split)}", [cell(answer, "ndcg", 4) for answer in answers])
    ]
    if choosing != split:
        losses = [answer.chosen_loss for answer in answers]
        rows.append(
            (
                PARTS.get(choosing, choosing),
                [
                    ("", "unknown" if math.isnan(loss) else signed(-loss * 100, 1) + " %", "same")
                    for loss in losses
                ],
            )
        )
    rows += [
        (name.capitalize(), [cell(answer, name, 3) for answer in answers])
        for name in ("equality", "consistency")
    ]
    return rows


def marks(answers: list[Answer], current: Policy) -> list[dict[str, Any]]:
    """The answers as the main picture marks them, the one to use first."""
    out = []
    for place, answer in enumerate(answers):
        text = (
            "own lists"
            if answer.kind == "lam" and answer.value == 0
            else _inside(full_name(answer.policy, current))
        )
        text = f"Answer: {text}" if not place else f"or {text}"
        out.append(
            {
                "kind": answer.kind,
                "ndcg": answer.evaluation.ndcg,
                "equality": answer.equality,
                "text": text,
            }
        )
    return out
