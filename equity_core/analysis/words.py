"""Words that generated sentences share: counts, shares, ranks, lists of names, strategies."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd

STRATEGIES = {
    "glob": "Same for all (glob)",
    "user": "Population's gaps (user)",
    "pers": "Learner's gaps (pers)",
    "custom": "Your weights (custom)",
}
"""The strategies as every screen names them, with the paper's name in brackets."""
ENOUGH_LEARNERS = 200
"""With fewer learners, percentile bootstrap intervals are too narrow (docs/methods.md, by
simulation)."""
ENOUGH_CHANGES = 20
"""With fewer learners whose NDCG changes, the interval of its change is too narrow, however many
learners there are (docs/methods.md, by simulation)."""
_ORDINALS = {1: "st", 2: "nd", 3: "rd"}


def count(number: int, one: str, many: str | None = None) -> str:
    """``1 learner``, ``3,478 learners``."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def percent(share: float) -> str:
    """A share in whole per cent; "under 1 %" and "over 99 %" where rounding would give 0 or 100."""
    if math.isnan(share):
        return "an unknown share"
    if 0.0 < share < 0.005:
        return "under 1 %"
    if 0.995 <= share < 1.0:
        return "over 99 %"
    return f"{share:.0%}".replace("%", " %")


def decimal(value: float, digits: int = 2) -> str:
    """A value with a fixed number of decimals; "unknown" for NaN."""
    return "unknown" if math.isnan(value) else f"{value:.{digits}f}"


def amount(value: float) -> str:
    """A number from a catalogue: two decimals, or none if it is whole or at least 1000."""
    return f"{value:,.0f}" if abs(value) >= 1000 or value == round(value) else f"{value:,.2f}"


def signed(value: float, digits: int = 2) -> str:
    """A difference with its sign; no sign if it rounds to zero."""
    text = f"{value:+.{digits}f}".replace("-", "−")
    return f"{0:.{digits}f}" if float(f"{value:.{digits}f}") == 0 else text


def ordinal(rank: int) -> str:
    """``1st``, ``2nd``, ``11th``."""
    return f"{rank:,}{'th' if rank % 100 in (11, 12, 13) else _ORDINALS.get(rank % 10, 'th')}"


def join(names: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    return (
        names[0]
        if len(names) == 1
        else f"{', '.join(names[:-1])} and {names[-1]}"
        if names
        else "none"
    )


def day(moment: pd.Timestamp) -> str:
    """``8 June 2017``."""
    return f"{moment.day} {moment:%B %Y}"


def same(a: float, b: float) -> bool:
    """Whether two measures are equal to the three decimals that sentences show."""
    return round(a, 3) == round(b, 3)


def rank(values: Sequence[float], value: float) -> int:
    """The rank of a value among others, highest first; equal ones (see :func:`same`) share the
    better rank. NaN are not ranked."""
    return 1 + sum(
        1 for other in values if not math.isnan(other) and other > value and not same(other, value)
    )


def few_learners_note(learners: int, changed: int | None = None) -> str:
    """A warning, with a leading space, if there are too few learners for intervals, or too few
    whose NDCG changes for the interval of its change; else "". ``changed``: their number, where
    such a change is shown."""
    if learners < ENOUGH_LEARNERS:
        return (
            f" With fewer than {ENOUGH_LEARNERS} learners, these intervals are somewhat too narrow."
        )
    if changed is not None and 0 < changed < ENOUGH_CHANGES:
        whose = "one learner" if changed == 1 else f"{changed} learners"
        return f" NDCG changes for only {whose}, so the interval of its change is too narrow."
    return ""


def clear_change(row: pd.Series, change: str = "change") -> int:
    """1 for a clear rise, −1 for a clear fall, 0 where the 95 % interval covers 0 or is unknown.

    ``row``: a measure of :func:`equity_core.metrics.intervals.intervals`, or any row that has the
    ends of an interval as ``change_low`` and ``change_high``.
    """
    low, high = float(row[f"{change}_low"]), float(row[f"{change}_high"])
    return 1 if low > 0 else -1 if high < 0 else 0


def interval_text(low: float, high: float, *, share: bool = False, digits: int = 3) -> str:
    """``+0.032 to +0.034``, or ``−12.5 % to −4.8 %`` (``share``); "unknown" if an end is NaN."""
    if math.isnan(low) or math.isnan(high):
        return "unknown"
    if share:
        return " to ".join(
            f"{end:+.1%}".replace("%", " %").replace("-", "−") for end in (low, high)
        )
    return f"{signed(low, digits)} to {signed(high, digits)}"
