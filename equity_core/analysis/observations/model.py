"""What a check of one of the paper's observations says: its parts, each with an interval and a
verdict, and the verdict of all.

One rule for every part. A statistic has a line that decides and a side that is claimed:

    holds            the whole 95 % interval is on the claimed side
    does not hold    the whole interval is on the other side
    not clear here   neither

Where the unit is the recommender there are few of them, and an interval over learners says nothing
about that. So a part of this kind has a ``chance``, too: the share of all ways to deal the
recommenders out that go as far in the same direction. Above CHANCE it is not clear.

An observation holds if every part does; it does not hold if any part does not; else it is not
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
CHANCE = 0.05
_WORST_FIRST: tuple[Verdict, ...] = (
    "does not hold",
    "cannot be checked",
    "not clear here",
    "holds",
)


@dataclass(frozen=True)
class Part:
    """One claim with one statistic. ``form``: difference and correlation have a sign, a level has
    none, a share is in per cent."""

    name: str
    """The claim of this part."""
    what: str
    """What the statistic is."""
    value: float
    low: float
    high: float
    line: float = 0.0
    side: Literal["above", "below"] = "above"
    form: Literal["difference", "correlation", "level", "share"] = "difference"
    chance: float = math.nan
    """NaN where the unit is the learner."""

    @property
    def verdict(self) -> Verdict:
        if math.isnan(self.value) or math.isnan(self.low) or math.isnan(self.high):
            return "cannot be checked"
        below, above = self.high < self.line, self.low > self.line
        if not (below or above) or self.chance > CHANCE:
            return "not clear here"
        return "holds" if above == (self.side == "above") else "does not hold"

    def text(self, value: float) -> str:
        """A value on the statistic's scale, in its form."""
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
        """How far inside the claimed side the interval's nearer end is, in widths of the interval:
        what decides has the least."""
        near = self.low - self.line if self.side == "above" else self.line - self.high
        return -math.inf if math.isnan(near) else near / max(self.high - self.low, 1e-12)


@dataclass(frozen=True)
class Figure:
    """Where the figure is: a screen, one of its tabs ("" for none), and the figure's title
    there."""

    screen: str
    tab: str
    title: str


@dataclass(frozen=True, eq=False)
class Observation:
    """One of the eight, checked. ``frame``: what the statistics come from."""

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
        """The part that decides: the worst verdict, and of those the interval that is least inside
        the claimed side."""
        return min(
            self.parts,
            key=lambda part: (_WORST_FIRST.index(part.verdict), part.clearance),
            default=None,
        )


def together(parts: Sequence[Part]) -> Verdict:
    """The verdict of all parts."""
    return min(
        (part.verdict for part in parts), key=_WORST_FIRST.index, default="cannot be checked"
    )


def why(parts: Sequence[Part]) -> str:
    """Which parts fail, and how; nothing if all hold."""
    words = {
        "does not hold": "Fails",
        "not clear here": "Not clear",
        "cannot be checked": "Unknown",
    }
    found = []
    for verdict in _WORST_FIRST[:-1]:
        names = [f"“{part.name}”" for part in parts if part.verdict == verdict]
        if names:
            found.append(f"{words[verdict]}: {join(names)}.")
    return " ".join(found)


def checked(
    number: int,
    claim: str,
    parts: Sequence[Part],
    sentence: str,
    frame: pd.DataFrame,
    figure: Figure,
) -> Observation:
    """An observation from its parts."""
    return Observation(
        number, claim, together(parts), why(parts), tuple(parts), sentence, frame, figure
    )


def impossible(
    number: int, claim: str, reason: str, frame: pd.DataFrame, figure: Figure
) -> Observation:
    """An observation that this data set cannot show, with the reason."""
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
