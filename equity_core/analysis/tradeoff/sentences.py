"""Generated sentences of Overview and Trade-off: by rule, true on any data. Markdown; the first
clause is bold.

A difference is called clear when its 95 % interval leaves out 0. Words never say more than the
figures: more equal, less accurate, no clear difference.
"""

from __future__ import annotations

import math
from typing import cast

import pandas as pd

from equity_core.analysis.words import count, decimal, percent, signed

SMALL, LARGE = 0.10, 0.30
"""Shares of NDCG up to which a loss is called small, and from which it is called large."""


def name(kind: str, value: float) -> str:
    """A policy in words: "Floor 0.65", "λ = 0.9", "own lists"."""
    if kind == "floor":
        return f"Floor {value:.3f}".rstrip("0").rstrip(".")
    return (
        "The recommender's own lists" if value == 0 else f"λ = {value:.3f}".rstrip("0").rstrip(".")
    )


def clear(row: pd.Series, change: str = "change") -> int:
    """1 for a clear rise, −1 for a clear fall, 0 where the interval covers 0 or is unknown."""
    low, high = float(row[f"{change}_low"]), float(row[f"{change}_high"])
    return 1 if low > 0 else -1 if high < 0 else 0


def interval(low: float, high: float, *, share: bool = False, digits: int = 3) -> str:
    """``−12.5 % to −4.8 %``, ``+0.032 to +0.034``; unknown ends are said to be unknown."""
    if math.isnan(low) or math.isnan(high):
        return "unknown"
    if share:
        return " to ".join(
            f"{end:+.1%}".replace("%", " %").replace("-", "−") for end in (low, high)
        )
    return f"{signed(low, digits)} to {signed(high, digits)}"


def _price(row: pd.Series) -> str:
    """What a change costs in NDCG, in words."""
    relative = float(row["relative"])
    if math.isnan(float(row["value"])) or math.isnan(relative):
        return "at a price in NDCG that this data set cannot tell"
    if clear(row) == 0:
        return "at no clear cost in NDCG"
    if clear(row) > 0:
        return "and NDCG rises"
    return (
        f"at a {'small' if -relative <= SMALL else 'large' if -relative >= LARGE else 'moderate'}"
        " price"
    )


def _row(found: pd.DataFrame, measure: str) -> pd.Series:
    return cast(pd.Series, found.loc[measure])


def verdict(found: pd.DataFrame, kind: str, value: float) -> str:
    """The first, bold clause: what the policy does to equality, and at what price. ``found``:
    metrics.intervals with before and after."""
    if kind == "lam" and value == 0:
        return "**These are the recommender's own lists: nothing changes.**"
    equality, subject = clear(_row(found, "equality")), name(kind, value)
    if equality > 0:
        return f"**{subject} makes the lists more equal {_price(_row(found, 'ndcg'))}:**"
    if equality < 0:
        return f"**{subject} makes the lists less equal, {_price(_row(found, 'ndcg'))}:**"
    return f"**{subject} makes no clear difference to equality:**"


def figures(found: pd.DataFrame) -> str:
    """What equality, NDCG and consistency do, in figures."""
    parts = []
    for measure, words, digits in (
        ("equality", "equality", 3),
        ("consistency", "mean consistency", 3),
    ):
        row = _row(found, measure)
        if math.isnan(float(row["value"])):
            parts.append(f"{words} is unknown")
        elif float(f"{row['change']:.{digits}f}") == 0:
            parts.append(f"{words} stays at {decimal(row['value'], digits)}")
        else:
            parts.append(
                f"{words} {'rises' if row['change'] > 0 else 'falls'}"
                f" {abs(row['change']):.{digits}f} to {decimal(row['value'], digits)}"
            )
    row = _row(found, "ndcg")
    if math.isnan(float(row["value"])):
        parts.insert(1, "NDCG is unknown (nothing to find in the test part)")
    elif math.isnan(float(row["relative"])) or abs(row["relative"]) < 5e-4:
        parts.insert(1, f"NDCG stays at {decimal(row['value'], 4)}")
    else:
        unclear = "" if clear(row) else " (no clear difference)"
        parts.insert(
            1,
            f"NDCG {'rises' if row['relative'] > 0 else 'falls'}"
            f" {abs(row['relative']):.1%}{unclear}".replace("%", " %"),
        )
    return ", ".join(parts) + "."


def reach(floor: float | None, kept: int, unreached: int, learners: int) -> str:
    """Who keeps the list, and who cannot reach the floor."""
    text = (
        f" {kept:,} of {count(learners, 'learner')} keep{'s' if kept == 1 else ''} the list as"
        " it is"
    )
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


def other_kind(kind: str, equality_there: float, equality: float) -> str:
    """What the other kind of policy gives at the same NDCG; nothing where its path does not pass
    there."""
    if math.isnan(equality_there) or math.isnan(equality):
        return ""
    who = "One λ for all" if kind == "floor" else "A floor"
    if abs(equality_there - equality) < 5e-4:
        return f" {who} is as equal at the same NDCG."
    return f" {who} at the same NDCG has equality {equality_there:.3f}."


def like(consistency: float, there: dict[str, float], ndcg: float, equality: float) -> str:
    """Both sides of the truth: what one λ gives at the floor's mean consistency."""
    if math.isnan(there["ndcg"]) or math.isnan(ndcg):
        return (
            "A floor helps those below it; one λ moves every list, also those that meet the"
            " principles already."
        )
    gap = there["ndcg"] - ndcg
    about = (
        "about the same NDCG"
        if abs(gap) <= 0.03 * max(ndcg, 1e-9)
        else f"{'more' if gap > 0 else 'less'} NDCG"
    )
    return (
        f"At a like mean consistency ({consistency:.3f}) one λ has {about} ({there['ndcg']:.4f}"
        f" against {ndcg:.4f}) and equality {there['equality']:.3f} against {equality:.3f}. A floor"
        " helps those below it; one λ moves every list."
    )


def worst_off(before: float, after: float, others: float) -> str:
    """The worst-off tenth before and after, against the rest now."""
    if math.isnan(before) or math.isnan(after):
        return "No learner has a list."
    if abs(after - before) < 5e-4:
        return (
            f"The tenth of learners with the lowest consistency stays at {after:.3f}; the others"
            f" have {decimal(others, 3)}."
        )
    verb = "rises" if after > before else "falls"
    return (
        f"The tenth of learners that is worst off today {verb} from {before:.3f} to {after:.3f};"
        f" the others have {decimal(others, 3)}."
    )
