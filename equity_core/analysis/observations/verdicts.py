"""The verdict on one of the paper's observations: its parts, each with an interval and a verdict of
its own, and the verdict of all parts together.

One rule for every part. A statistic has a threshold (``line``) and a claimed side of it:

    holds            the whole 95 % interval is on the claimed side
    does not hold    the whole interval is on the other side
    not clear here   neither

and four refinements:

    holds, but negligible   it holds, and the effect is smaller than ``negligible``
    holds in part           a claim about every λ that clearly holds at some of them only
    not comparable          the statistic rests on a column that is not what the paper measured
    cannot be checked       the statistic is unknown

Where the unit is the recommender there are only a few of them, and an interval over learners says
nothing about that. So a part of this kind also has a ``chance``: the share of all ways to shuffle
the recommenders that give a result at least as extreme, in either direction. Above CHANCE the part
is not clear.

An observation holds if every part does, and in part if one does (a part that also holds where
nothing happens at all, a ``condition``, is not enough for that). Otherwise the worst part decides.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import pandas as pd

from equity_core.analysis.words import decimal, join, percent, signed

Verdict = Literal[
    "holds",
    "holds, but negligible",
    "holds in part",
    "does not hold",
    "not clear here",
    "not comparable",
    "cannot be checked",
]
VERDICTS: tuple[Verdict, ...] = (
    "holds",
    "holds, but negligible",
    "holds in part",
    "does not hold",
    "not clear here",
    "not comparable",
    "cannot be checked",
)
Side = Literal["above", "below"]
Form = Literal["difference", "correlation", "level", "share"]
CHANCE = 0.05
"""A result that shuffling gives more often than this is not clear."""
NEGLIGIBLE = 0.1
"""A rank correlation over learners smaller than this is called negligible (below Cohen's "small"),
however sure it is."""
_WORST_FIRST: tuple[Verdict, ...] = (
    "does not hold",
    "cannot be checked",
    "not clear here",
    "not comparable",
    "holds in part",
    "holds, but negligible",
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
    negligible: float = 0.0
    """An effect smaller than this is called negligible; 0: none is."""
    at: tuple[float, ...] = ()
    """For a claim about every λ: those where it clearly holds."""
    condition: bool = False
    """Whether the part holds, too, where nothing happens at all."""
    incomparable: str = ""
    """Why the figure cannot be compared with the paper's; empty if it can."""

    @property
    def verdict(self) -> Verdict:
        """The verdict on this part alone, by the rule above."""
        if self.incomparable:
            return "not comparable"
        if math.isnan(self.value) or math.isnan(self.low) or math.isnan(self.high):
            return "cannot be checked"
        below, above = self.high < self.line, self.low > self.line
        clear = (below or above) and not self.chance > CHANCE
        if clear and above == (self.side == "above"):
            small = round(abs(self.value - self.line), 2) < self.negligible
            return "holds, but negligible" if small else "holds"
        if self.at:
            return "holds in part"
        return "does not hold" if clear else "not clear here"

    @property
    def proviso(self) -> str:
        """Why this part is not comparable, or where it holds if only in part; else empty."""
        if self.verdict == "holds in part":
            return f"at λ = {join([f'{lam:g}' for lam in self.at])}"
        return self.incomparable

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
        if math.isnan(self.value) or math.isnan(self.low) or math.isnan(self.high):
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
    """Why it cannot be checked, or which parts do not hold in full; empty if all do."""
    parts: tuple[Part, ...]
    sentence: str
    frame: pd.DataFrame
    figure: Figure
    note: str = ""
    """What to know beside the statistic: what it depends on."""

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
    each: list[Verdict] = [part.verdict for part in parts] or ["cannot be checked"]
    worst = min(each, key=_WORST_FIRST.index)
    if worst in ("holds", "holds, but negligible"):
        return worst
    if any(part.verdict in ("holds", "holds in part") and not part.condition for part in parts):
        return "holds in part"
    return worst


def failing_parts(parts: Sequence[Part]) -> str:
    """Which parts fail, hold at some λ only, are negligible, not clear, not comparable or unknown;
    empty if all hold."""
    words = {
        "does not hold": "Fails",
        "cannot be checked": "Unknown",
        "not clear here": "Not clear",
        "not comparable": "Not comparable",
        "holds in part": "Only in part",
        "holds, but negligible": "Negligible",
    }
    sentences = []
    for verdict in _WORST_FIRST[:-1]:
        those = [part for part in parts if part.verdict == verdict]
        if not those:
            continue
        if verdict == "holds in part":
            names = [
                f"“{part.name}” (at λ = {join([f'{a:g}' for a in part.at])})" for part in those
            ]
            sentences.append(f"Only in part: {join(names)}.")
        elif verdict == "not comparable":
            names = [f"“{part.name}” ({part.proviso})" for part in those]
            sentences.append(f"Not comparable: {join(names)}.")
        else:
            sentences.append(f"{words[verdict]}: {join([f'“{part.name}”' for part in those])}.")
    return " ".join(sentences)


def checked_observation(
    number: int,
    claim: str,
    parts: Sequence[Part],
    sentence: str,
    frame: pd.DataFrame,
    figure: Figure,
    note: str = "",
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
        note,
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
