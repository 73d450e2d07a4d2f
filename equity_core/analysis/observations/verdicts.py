"""The verdict on one of the paper's observations: its parts, each with an interval and a verdict of
its own, and the verdict of all parts together.

One rule for every part. A statistic has a threshold (``line``) and a claimed side of it:

    holds            the whole 95 % interval is on the claimed side
    does not hold    the whole interval is on the other side
    not clear here   neither

Where the unit is the recommender there are only a few of them, and an interval over learners says
nothing about that. So a part of this kind also has a ``chance``: the share of all ways to shuffle
the recommenders that give a result at least as extreme in the same direction. Above CHANCE the part
is not clear.

An observation holds if every part does; it does not hold if any part does not; otherwise it is not
clear, or cannot be checked.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import pandas as pd

from equity_core.analysis.words import decimal, join, percent, signed

Verdict = Literal["holds", "does not hold", "not clear here", "cannot be checked"]
VERDICTS: tuple[Verdict, ...] = ("holds", "does not hold", "not clear here", "cannot be checked")
Side = Literal["above", "below"]
Form = Literal["difference", "correlation", "level", "share"]
CHANCE = 0.05
"""A result that shuffling gives more often than this is not clear."""
_WORST_FIRST: tuple[Verdict, ...] = (
    "does not hold",
    "cannot be checked",
    "not clear here",
    "holds",
)


@dataclass(frozen=True)
class Part:
    """One claim with one statistic. ``form``: differences and correlations are shown with a sign, a
    level without one, a share in per cent."""

    name: str
    """What this part claims."""
    what: str
    """What the statistic is."""
    value: float
    low: float
    high: float
    line: float = 0.0
    """The threshold."""
    side: Side = "above"
    form: Form = "difference"
    chance: float = math.nan
    """NaN where the unit is the learner."""

    @property
    def verdict(self) -> Verdict:
        """The verdict on this part alone, by the rule above."""
        if math.isnan(self.value) or math.isnan(self.low) or math.isnan(self.high):
            return "cannot be checked"
        below, above = self.high < self.line, self.low > self.line
        if not (below or above) or self.chance > CHANCE:
            return "not clear here"
        return "holds" if above == (self.side == "above") else "does not hold"

    def text(self, value: float) -> str:
        """A value of the statistic as text, in its form."""
        if math.isnan(value):
            return "unknown"
        if self.form == "share":
            return f"{signed(100 * value, 1)} %"
        digits = 2 if self.form == "correlation" else 4 if self.high - self.low < 0.003 else 3
        return decimal(value, digits) if self.form == "level" else signed(value, digits)

    @property
    def words(self) -> str:
        """``+0.012 (95 % interval +0.010 to +0.014)``"""
        if self.verdict == "cannot be checked":
            return self.text(self.value)
        by_chance = (
            "" if math.isnan(self.chance) else f"; by chance in {percent(self.chance)} of cases"
        )
        return (
            f"{self.text(self.value)} (95 % interval {self.text(self.low)} to"
            f" {self.text(self.high)}{by_chance})"
        )

    @property
    def clearance(self) -> float:
        """How far inside the claimed side the nearer end of the interval is, in widths of the
        interval; the part that decides has the smallest."""
        near = self.low - self.line if self.side == "above" else self.line - self.high
        return -math.inf if math.isnan(near) else near / max(self.high - self.low, 1e-12)


@dataclass(frozen=True)
class Figure:
    """Where to find a figure: the screen, one of its tabs ("" for none), and the figure's title."""

    screen: str
    tab: str
    title: str


@dataclass(frozen=True, eq=False)
class Observation:
    """One of the eight observations, checked. ``frame``: what the statistics come from."""

    number: int
    claim: str
    verdict: Verdict
    reason: str
    """Why it cannot be checked, or which parts fail; empty if it holds."""
    parts: tuple[Part, ...]
    sentence: str
    frame: pd.DataFrame
    figure: Figure

    @property
    def statistic(self) -> Part | None:
        """The part that decides: the one with the worst verdict and, among those, with the interval
        least inside the claimed side."""
        return min(
            self.parts,
            key=lambda part: (_WORST_FIRST.index(part.verdict), part.clearance),
            default=None,
        )


def overall_verdict(parts: Sequence[Part]) -> Verdict:
    """The verdict of all parts together."""
    return min(
        (part.verdict for part in parts), key=_WORST_FIRST.index, default="cannot be checked"
    )


def failing_parts(parts: Sequence[Part]) -> str:
    """Which parts fail, are not clear or are unknown; empty if all hold."""
    words = {
        "does not hold": "Fails",
        "not clear here": "Not clear",
        "cannot be checked": "Unknown",
    }
    sentences = []
    for verdict in _WORST_FIRST[:-1]:
        names = [f"“{part.name}”" for part in parts if part.verdict == verdict]
        if names:
            sentences.append(f"{words[verdict]}: {join(names)}.")
    return " ".join(sentences)


def checked_observation(
    number: int,
    claim: str,
    parts: Sequence[Part],
    sentence: str,
    frame: pd.DataFrame,
    figure: Figure,
) -> Observation:
    """An observation with the verdict that its parts give."""
    return Observation(
        number,
        claim,
        overall_verdict(parts),
        failing_parts(parts),
        tuple(parts),
        sentence,
        frame,
        figure,
    )


def unchecked_observation(
    number: int, claim: str, reason: str, frame: pd.DataFrame, figure: Figure
) -> Observation:
    """An observation that cannot be checked on this data set, with the reason."""
    return Observation(
        number,
        claim,
        "cannot be checked",
        reason,
        (),
        f"Cannot be checked here: {reason}.",
        frame,
        figure,
    )
