"""What Overview and Trade-off say of the current policy: the cards, and the answer in a sentence.

Sentences are made by rule and true on any data; Markdown, the first clause is bold. They never say
more than the figures: a difference is called clear when its 95 % interval leaves out 0
(:func:`equity_core.analysis.words.clear_change`).
"""

from __future__ import annotations

import math
from typing import Any, cast

import numpy as np
import pandas as pd

from equity_core.analysis.words import clear_change, count, decimal, interval_text, percent, signed
from equity_core.metrics.evaluate import Evaluation
from equity_core.metrics.intervals import intervals
from equity_core.policy import Policy
from equity_core.reranker.api import Run

MEANINGS = {
    "ndcg": "higher: more of the courses taken later",
    "consistency": "higher: closer to the targets",
    "equality": "higher: learners are served more equally",
}
"""What a higher value of each measure means."""
MEASURE_NAMES = {"ndcg": "NDCG@{k}", "consistency": "Consistency", "equality": "Equality"}
DIGITS = {"ndcg": 4, "consistency": 3, "equality": 3}
SMALL, LARGE = 0.10, 0.30
"""Shares of NDCG up to which a loss is called small, and from which it is called large."""


def policy_kind(policy: Policy) -> tuple[str, float]:
    """The kind of a policy and its one number: ("floor", τ) or ("lam", λ)."""
    return ("lam", policy.lam) if policy.floor is None else ("floor", policy.floor)


def policy_name(kind: str, value: float) -> str:
    """A policy in words: "Floor 0.65", "λ = 0.9", "The recommender's own lists"."""
    if kind == "floor":
        return f"Floor {value:.3f}".rstrip("0").rstrip(".")
    return (
        "The recommender's own lists" if value == 0 else f"λ = {value:.3f}".rstrip("0").rstrip(".")
    )


def policy_name_inside(name: str) -> str:
    """A policy's name within a sentence: in lower case, unless it is a λ."""
    return name if name.startswith("λ") else name[0].lower() + name[1:]


def compare(after: Evaluation, before: Evaluation) -> pd.DataFrame:
    """One row per measure (ndcg, consistency, equality): both values with their 95 % intervals, and
    the paired change; the columns are those of
    :func:`equity_core.metrics.intervals.intervals`."""
    return intervals(after, before)


def changed_ndcg(after: Evaluation, before: Evaluation) -> int:
    """How many learners' NDCG differs between the two; unknown NDCG do not count."""
    return int((np.abs(after.per_learner_ndcg - before.per_learner_ndcg) > 1e-12).sum())


def cards(compared: pd.DataFrame, k: int) -> list[dict[str, Any]]:
    """One card per measure of :func:`compare`: its words (heading, value, change, interval, what
    higher means), its tone, and the numbers of its strip."""
    out = []
    for measure, row in compared.iterrows():
        name, digits = str(measure), DIGITS[str(measure)]
        change = float(row["relative"] if name == "ndcg" else row["change"])
        clear, share = clear_change(row), name == "ndcg"
        if math.isnan(change):
            text, detail = "", "unknown here"
        else:
            size = signed(change * 100, 1) + " %" if share else signed(change, 3)
            arrow = "▲" if change > 0 else "▼"
            same = size.lstrip("+−").strip(" %").strip("0.") == ""
            text = f"{'=' if same else arrow} {size} from {decimal(float(row['before']), digits)}"
            ends = ("relative_low", "relative_high") if share else ("change_low", "change_high")
            span = interval_text(float(row[ends[0]]), float(row[ends[1]]), share=share)
            detail = f"95 % interval {span}" if clear else f"95 %: {span} · no clear difference"
        out.append(
            {
                "words": (
                    MEASURE_NAMES[name].format(k=k),
                    decimal(float(row["value"]), digits),
                    text,
                    detail,
                    MEANINGS[name],
                ),
                "tone": "good" if clear > 0 else "bad" if clear < 0 else "same",
                "strip": (
                    float(row["before"]),
                    float(row["value"]),
                    (
                        (float(row["before_low"]), float(row["before_high"])),
                        (float(row["low"]), float(row["high"])),
                    ),
                ),
            }
        )
    return out


def kept_lists(own: Run, now: Run) -> int:
    """Learners whose list is the recommender's own, course by course."""
    return int((own.courses == now.courses).all(axis=1).sum())


def answer_sentence(compared: pd.DataFrame, policy: Policy, own: Run, now: Run) -> str:
    """The answer at the top of Overview and Trade-off: is the policy worth it?"""
    kind, value = policy_kind(policy)
    text = verdict(compared, kind, value)
    if kind == "lam" and value == 0:
        return text
    missed, learners = int((~now.reached).sum()), len(now.courses)
    kept = kept_sentence(policy.floor, kept_lists(own, now), missed, learners)
    return f"{text} {measures_sentence(compared)}{kept}"


def verdict(compared: pd.DataFrame, kind: str, value: float) -> str:
    """The first, bold clause of the answer: what the policy does to equality, and at what price."""
    if kind == "lam" and value == 0:
        return "**These are the recommender's own lists: nothing changes.**"
    equality, subject = clear_change(_row(compared, "equality")), policy_name(kind, value)
    if equality > 0:
        return f"**{subject} makes the lists more equal {_price(_row(compared, 'ndcg'))}:**"
    if equality < 0:
        return f"**{subject} makes the lists less equal, {_price(_row(compared, 'ndcg'))}:**"
    return f"**{subject} makes no clear difference to equality:**"


def _row(compared: pd.DataFrame, measure: str) -> pd.Series:
    return cast(pd.Series, compared.loc[measure])


def _price(row: pd.Series) -> str:
    """What a change costs in NDCG, in words."""
    relative = float(row["relative"])
    if math.isnan(float(row["value"])) or math.isnan(relative):
        return "at an unknown cost in NDCG"
    if clear_change(row) == 0:
        return "at no clear cost in NDCG"
    if clear_change(row) > 0:
        return "and NDCG rises"
    return (
        f"at a {'small' if -relative <= SMALL else 'large' if -relative >= LARGE else 'moderate'}"
        " price"
    )


def measures_sentence(compared: pd.DataFrame) -> str:
    """How equality, NDCG and consistency change, in figures."""
    parts = []
    for measure, words, digits in (
        ("equality", "equality", 3),
        ("consistency", "mean consistency", 3),
    ):
        row = _row(compared, measure)
        if math.isnan(float(row["value"])):
            parts.append(f"{words} is unknown")
        elif float(f"{row['change']:.{digits}f}") == 0:
            parts.append(f"{words} stays at {decimal(row['value'], digits)}")
        else:
            parts.append(
                f"{words} {'rises' if row['change'] > 0 else 'falls'} by"
                f" {abs(row['change']):.{digits}f} to {decimal(row['value'], digits)}"
            )
    row = _row(compared, "ndcg")
    if math.isnan(float(row["value"])):
        parts.insert(1, "NDCG is unknown (there is nothing to find in the test part)")
    elif math.isnan(float(row["relative"])) or abs(row["relative"]) < 5e-4:
        parts.insert(1, f"NDCG stays at {decimal(row['value'], 4)}")
    else:
        unclear = "" if clear_change(row) else " (no clear difference)"
        parts.insert(
            1,
            f"NDCG {'rises' if row['relative'] > 0 else 'falls'} by"
            f" {abs(row['relative']):.1%}{unclear}".replace("%", " %"),
        )
    return ", ".join(parts) + "."


def kept_sentence(floor: float | None, kept: int, unreached: int, learners: int) -> str:
    """Who keeps the list, and who cannot reach the floor. It starts with a space, to follow another
    sentence."""
    text = f" {kept:,} of {count(learners, 'learner')} keep{'s' if kept == 1 else ''} the same list"
    if floor is None:
        return text + "."
    if unreached == 0:
        return text + "; everybody else reaches the floor."
    if unreached == learners:
        return (
            text + "; **nobody reaches this floor**: with these candidates it is out of reach, and"
            " everybody gets the best list found."
        )
    return (
        text
        + f"; {unreached:,} ({percent(unreached / learners)}) cannot reach it and get the best list"
        " found."
    )


def other_kind_sentence(kind: str, equality_there: float, equality: float) -> str:
    """What the other kind of policy gives at the same NDCG; "" where its path does not pass there.
    It starts with a space, to follow another sentence."""
    if math.isnan(equality_there) or math.isnan(equality):
        return ""
    other = "one λ for all" if kind == "floor" else "a floor"
    if abs(equality_there - equality) < 5e-4:
        return f" At the same NDCG, {other} is just as equal."
    return f" At the same NDCG, {other} has equality {equality_there:.3f}."


def differences_sentence(compared: pd.DataFrame) -> str:
    """Two policies compared in a sentence: each difference with its interval, or called not
    clear."""
    parts = []
    for measure, row in compared.iterrows():
        name = "NDCG" if measure == "ndcg" else str(measure)
        if math.isnan(float(row["change"])):
            parts.append(f"{name} unknown")
        elif clear_change(row):
            digits = DIGITS[str(measure)]
            ends = interval_text(float(row["change_low"]), float(row["change_high"]), digits=digits)
            parts.append(f"{name} {signed(float(row['change']), digits)} (95 % interval {ends})")
        else:
            parts.append(f"no clear difference in {name}")
    return ", ".join(parts) + "."
