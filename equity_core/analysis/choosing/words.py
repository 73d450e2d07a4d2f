"""The chooser's answers in sentences: by rule, from the figures of the answer, true on any data.
Markdown; the first clause is bold."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from equity_core.analysis.choosing.limits import Answer, LearnerMinimum, MaximumLoss
from equity_core.analysis.choosing.minimums import PrincipleMinimums
from equity_core.analysis.tradeoff import headline
from equity_core.analysis.tradeoff.headline import policy_name_inside
from equity_core.analysis.words import (
    STRATEGIES,
    clear_change,
    count,
    decimal,
    interval_text,
    join,
    percent,
    signed,
)
from equity_core.policy import Policy

PARTS = {"valid": "validation", "test": "test", "train": "training"}


def part_name(split: str) -> str:
    """A part of the data as it is written on screens."""
    return f"the {PARTS.get(split, split)} part"


def share_text(value: float, digits: int = 1) -> str:
    """``12.5 %``, without a sign; whole numbers without decimals."""
    text = f"{abs(value) * 100:.{digits}f}"
    return (text[: -digits - 1] if text.endswith("." + "0" * digits) else text) + " %"


def policy_name(policy: Policy) -> str:
    """A policy by its λ or floor: "Floor 0.652", "λ = 0.9", "λ = 0 (the own lists)"."""
    kind, value = headline.policy_kind(policy)
    if (kind, value) == ("lam", 0):
        return "λ = 0 (the own lists)"
    return headline.policy_name(kind, value)


def weights_text(policy: Policy) -> str:
    """The strategy in words, with the weights that differ from 1."""
    if policy.strategy != "custom":
        return STRATEGIES[policy.strategy]
    if not isinstance(policy.weights, Mapping):
        return "your weights"
    counting = {name: weight for name, weight in policy.weights.items() if weight > 0}
    if 0.0 in policy.weights.values():
        only = join([f"{name} ({weight:g})" for name, weight in counting.items()])
        return f"weighting only {only}"
    others = {name: weight for name, weight in counting.items() if weight != 1.0}
    return (
        f"weights {', '.join(f'{name} {weight:g}' for name, weight in others.items())}, others 1"
        if others
        else "all weights 1"
    )


def policy_name_beside(policy: Policy, current: Policy) -> str:
    """A policy by its λ or floor, and by its strategy where that is not the current one's.

    The strategy's short name: this stands on buttons, in table heads and in the picture, where the
    full one finds no room.
    """
    if (policy.strategy, policy.weights) == (current.strategy, current.weights) or (
        policy.floor is None and policy.lam == 0
    ):
        return policy_name(policy)
    strategy = "weighted" if policy.strategy == "custom" else policy.strategy
    return f"{policy_name(policy)}, {strategy}"


def answer_name(policy: Policy, current: Policy, kind: str = "") -> str:
    """A policy as an answer's name: "Safe: floor 0.652" (``kind``: :func:`answer_kind`), else as
    beside the current one."""
    name = policy_name_beside(policy, current)
    return f"{kind.capitalize()}: {policy_name_inside(name)}" if kind else name


def _price(answer: Answer, split: str) -> str:
    """What happens to NDCG on the part that is reported, with its interval."""
    row = answer.row("ndcg")
    if math.isnan(answer.loss):
        return "its cost in NDCG is unknown here"
    if abs(answer.loss) < 5e-4:
        return f"NDCG does not change on {part_name(split)}"
    ends = interval_text(float(row["relative_low"]), float(row["relative_high"]), share=True)
    clear = "" if clear_change(row) else ", no clear difference"
    return (
        f"NDCG {'falls' if answer.loss > 0 else 'rises'} by {share_text(answer.loss)} on"
        f" {part_name(split)} (95 % interval: {ends}{clear})"
    )


def _gain(row: pd.Series, what: str) -> str:
    """What happens to equality or consistency, with its interval."""
    change = float(row["change"])
    if math.isnan(change):
        return f"{what} is unknown"
    if float(f"{change:.3f}") == 0:
        return f"{what} stays at {decimal(float(row['value']), 3)}"
    ends = interval_text(float(row["change_low"]), float(row["change_high"]))
    clear = "" if clear_change(row) else ", no clear difference"
    return (
        f"{what} {'rises' if change > 0 else 'falls'} by {abs(change):.3f} to"
        f" {decimal(float(row['value']), 3)} (95 % interval: {ends}{clear})"
    )


def _short(answer: Answer) -> str:
    """``λ = 0.741: equality 0.952, NDCG −9.6 %``; with a note where the equality is not clearly
    different from that of the own lists."""
    ndcg = "NDCG unknown" if math.isnan(answer.loss) else f"NDCG {signed(-answer.loss * 100, 1)} %"
    row = answer.row("equality")
    clear = (
        ""
        if math.isnan(float(row["change"])) or clear_change(row)
        else " (no clear difference from the own lists)"
    )
    return f"{policy_name(answer.policy)}: equality {decimal(answer.equality, 3)}{clear}, {ndcg}"


NO_LIMIT = (
    "Whether that holds depends on the lists alone, so it needs no test; the loss of NDCG is not"
    " limited."
)
"""Beside answers to the questions that have no limit on the loss."""


def chosen_on_sentence(split: str, choosing: str, wanted: str = "valid") -> str:
    """Which part was used for choosing; a warning where it is the part that is reported.
    ``wanted``: the part that would have been used if there were one."""
    if choosing != split:
        return f"Chosen on {part_name(choosing)}, reported on {part_name(split)}."
    same = f"chosen and reported on {part_name(split)}, which flatters the choice."
    if wanted == choosing:
        return _capital(same)
    return f"There is no {PARTS.get(wanted, wanted)} part: {same}"


def sample_sentence(learners: int, everybody: int) -> str:
    """That a sample was searched, where it was."""
    return (
        ""
        if learners >= everybody
        else f"Searched on a sample of {learners:,} learners, checked on all {everybody:,}."
    )


def maximum_loss_sentence(result: MaximumLoss, split: str, choosing: str) -> str:
    """The answer to "maximum loss": the safe policy first, then the bold one and what the other
    kind of policy gives."""
    safe, bold, limit = result.safe, result.bold, share_text(result.limit)
    if safe is None or bold is None:
        return "**There is no answer.**"
    sure = f"with {share_text(result.confidence)} confidence"
    if is_own(safe) and is_own(bold):
        return f"**Within a loss of {limit}, nothing is more equal than the own lists.**"
    if is_own(safe):
        text = (
            f"**No policy that keeps the loss within {limit} {sure} is more equal than the own"
            f" lists.** Tested on the {count(result.learners, 'learner')} with a course to find in"
            f" {part_name(choosing)}."
        )
    else:
        text = (
            f"**{policy_name(safe.policy)} is the most equal policy that keeps the loss within"
            f" {limit} {sure}** for learners like these; later behaviour may differ."
            f" {_capital(_gain(safe.row('equality'), 'equality'))}, {_price(safe, split)}."
        )
    if bold.policy == safe.policy:
        text += " Nothing within that limit is more equal, even without that confidence."
    elif bold.equality > safe.equality:
        text += f" Bold, without that confidence: {_short(bold)}."
    else:
        text += f" Bold, without that confidence, is no more equal: {_short(bold)}."
    other = result.safe_other
    if other is not None and is_own(other):
        text += " With one λ for all, nothing as sure is more equal than the own lists."
    elif other is not None and not is_own(safe):
        who = "One λ for all" if other.kind == "lam" else "A floor"
        how = "just as equal" if other.equality == safe.equality else "less equal"
        text += f" {who} is {how} with the same confidence: {_short(other)}."
    return text


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def is_own(answer: Answer) -> bool:
    """Whether an answer is the own lists, by that name."""
    return answer.kind == "lam" and answer.value == 0


def time_sentence(later: str, choosing: str, reported: str) -> str:
    """That a confidence does not cover what changes with time, where the two parts differ in it
    (``later``: :func:`equity_core.analysis.choosing.timing.later_part`); else ""."""
    if not later:
        return ""
    earlier = choosing if later == reported else reported
    return (
        f"{_capital(part_name(later))} is later than {part_name(earlier)}: what changed in between"
        " is not covered by the confidence."
    )


def limit_exceeded_sentence(result: MaximumLoss, split: str, choosing: str) -> str:
    """That the limit held on the part used for choosing but does not hold on the part reported,
    where that is so; else ""."""
    over = [answer for answer in result.answers if answer.loss > result.limit + 1e-9]
    if choosing == split or not over:
        return ""
    parts = [
        f"{policy_name(answer.policy)} ({answer_kind(result, answer)}) loses"
        f" {share_text(answer.loss)}"
        for answer in over
    ]
    kept = (
        f"The limit of {share_text(result.limit)} is kept on {part_name(choosing)}, which was used"
        f" for choosing, but not on {part_name(split)}"
    )
    return f"{kept}: {join(parts)} there."


def answer_kind(result: object, answer: Answer) -> str:
    """``safe`` or ``bold``, for an answer to "maximum loss"; "" for the others."""
    if not isinstance(result, MaximumLoss):
        return ""
    return "safe" if answer is result.answers[0] else "bold"


def no_answer_sentence(ndcg: float, limit: float) -> str:
    """Why no loss can be limited."""
    if math.isnan(ndcg):
        return "NDCG is unknown here (no test part), so no loss can be limited."
    if ndcg == 0:
        return (
            "The own lists find nothing on the part used for choosing (NDCG 0), so there is no NDCG"
            " to lose."
        )
    return f"No policy keeps the loss within {share_text(limit)} on the part used for choosing."


def learner_minimum_sentence(result: LearnerMinimum, split: str, learners: int) -> str:
    """The answer to "minimum for every learner"."""
    tau, floor = f"{result.tau:g}", result.floor
    listed = learners - result.without_list
    if not listed:
        return "**No learner has a list**, so there is nothing to improve."
    reach = f" The highest floor that everybody reaches is {result.highest_floor:g}."
    if result.below:
        who = f"{count(result.below, 'learner')} of {listed:,} ({percent(result.below / listed)})"
        text = f"**{who} stay{'s' if result.below == 1 else ''} below {tau}:** "
        text += (
            "no list was found that lifts them there, and they get the most consistent one found."
            f" The price: {_price(floor, split)}.{reach}"
        )
    else:
        text = (
            f"**Having no learner below {tau} {_cost(floor, split)};"
            f" {_gain(floor.row('equality'), 'equality')}."
        )
        text += f" Everybody reaches it.{reach if result.highest_floor > result.tau else ''}"
    if result.lam is None:
        return text + f" No single λ leaves nobody below {tau}."
    if result.lam.value == 0:
        return text + " The own lists already leave nobody below it."
    return (
        text + f" One λ for all needs {policy_name(result.lam.policy)} for that:"
        f" {_short(result.lam).partition(': ')[2]}."
    )


def _cost(answer: Answer, split: str) -> str:
    """The price, after "having no learner below τ"; the bold type ends in it."""
    row = answer.row("ndcg")
    if math.isnan(answer.loss):
        return f"is possible:** {_price(answer, split)}"
    if not clear_change(row) or abs(answer.loss) < 5e-4:
        return f"has no clear cost in NDCG:** {_price(answer, split)}"
    ends = interval_text(float(row["relative_low"]), float(row["relative_high"]), share=True)
    what = (
        f"costs {share_text(answer.loss)} of NDCG"
        if answer.loss > 0
        else f"even raises NDCG by {share_text(answer.loss)}"
    )
    return f"{what}** on {part_name(split)} (95 % interval: {ends})"


def principle_minimums_sentence(result: PrincipleMinimums, split: str) -> str:
    """The answer to "minimum per principle"; or that there is none, and what is missing."""
    asked = join([f"{name} ≥ {value:g}" for name, value in result.asked.items()])
    if result.answer is None:
        return (
            f"**None of {result.policies_searched:,} policies has"
            f" {asked}**{' together' if len(result.asked) > 1 else ''}. {_missing(result)}"
        )
    answer, means = result.answer, result.answer.evaluation.principles["mean"]
    if is_own(answer):
        return (
            "**The own lists already have it:**"
            f" {join([f'{name} {means.loc[name]:.3f}' for name in result.asked])}."
        )
    reached = join([f"{name} {float(means.loc[name]):.3f}" for name in result.asked])
    return (
        f"**The cheapest of {result.policies_searched:,} policies with {asked} is"
        f" {policy_name_inside(policy_name(answer.policy))}, {weights_text(answer.policy)}:**"
        f" {_price(answer, split)}; on average {reached};"
        f" {_gain(answer.row('equality'), 'equality')}."
    )


def _missing(result: PrincipleMinimums) -> str:
    """How far each principle asked for can get alone."""
    parts, short = [], False
    for name_, value in result.asked.items():
        if name_ not in result.highest:
            return "No learner has a list."
        top, policy = result.highest[name_]
        if top < value - 1e-9:
            short = True
            parts.append(
                f"{name_} reaches at most {math.floor(top * 1000) / 1000:.3f}"
                f" ({policy_name_inside(policy_name(policy))}, {weights_text(policy)})"
            )
        else:
            parts.append(f"{name_} alone is possible (up to {math.floor(top * 1000) / 1000:.3f})")
    text = join(parts)
    return (
        text[0].upper()
        + text[1:]
        + ("." if short else ": each is within reach alone, but not all at once.")
    )


def answers_table(
    answers: list[Answer], split: str, choosing: str, k: int
) -> list[tuple[str, list[tuple[str, str, str]]]]:
    """The figures of some answers side by side: one row per measure, and in it the value, the
    change from the own lists and the tone for each answer."""

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
        tone = {1: "good", -1: "bad", 0: "same"}[clear_change(row)]
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


def answer_marks(
    answers: list[Answer], current: Policy, kinds: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """The answers as the main picture marks them, the one to use first: kind, ndcg, equality,
    text. ``kinds``: what each is, where that is to be said (:func:`answer_kind`)."""
    out = []
    for place, answer in enumerate(answers):
        text = (
            "own lists"
            if is_own(answer)
            else policy_name_inside(policy_name_beside(answer.policy, current))
        )
        head = "Answer:" if not place else "or"
        text = f"{kinds[place].capitalize() + ':' if any(kinds) else head} {text}"
        out.append(
            {
                "kind": answer.kind,
                "ndcg": answer.evaluation.ndcg,
                "equality": answer.equality,
                "text": text,
            }
        )
    return out
