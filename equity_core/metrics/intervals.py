"""How sure a figure is: bootstrap intervals over learners, and a paired permutation test.

Learners are drawn with replacement, as many as there are; before and after are measured on the same
draw, so that intervals of a change are paired. A draw is held as counts per learner. Gini needs
sorted values: they are sorted once, and every draw is then a sum over the sorted values with its
counts,

    Gini = Σ_i c_i (C_{i−1} + C_i − N) x_(i) / (N Σ_i c_i x_(i)),   C_i = c_1 + … + c_i,  N = C_n.

Seeded: the same seed gives the same intervals, whatever the number of threads.
"""

from __future__ import annotations

import math
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from equity_core import threads

if TYPE_CHECKING:
    from equity_core.metrics.evaluate import Evaluation

Floats = npt.NDArray[np.float64]

RESAMPLES = 1000
LEVEL = 0.95
MEASURES = ("ndcg", "consistency", "equality")
_BLOCK = 65_536
"""Numbers worked on at once: what stays in a core's own cache."""
_ALONE = 2_500_000
"""Draws × learners that one thread measures in a few milliseconds: handing half of it over saves
nothing beside a busy browser."""
_STREAMS = 16
"""Streams of random numbers; each makes its share of the draws, so that threads do not change the
result."""
_lock = threading.Lock()
_kept: weakref.WeakKeyDictionary[Evaluation, dict[tuple[int, int], Floats]] = (
    weakref.WeakKeyDictionary()
)


@dataclass(frozen=True)
class Sorted:
    """Values of 0 or more in rising order (NaN left out), and the learners they belong to."""

    values: Floats
    order: npt.NDArray[np.int64]

    @classmethod
    def of(cls, values: Floats) -> Sorted:
        known = np.flatnonzero(~np.isnan(values))
        order = known[np.argsort(values[known], kind="stable")]
        return cls(np.maximum(values[order], 0.0), order)

    def equality(self, counts: Floats) -> Floats:
        """1 − Gini of each row of counts (draws × learners). Nobody drawn: NaN; all zero: 1."""
        drawn = np.take(counts, self.order, axis=1)
        upto = np.cumsum(drawn, axis=1)
        size = upto[:, -1:] if upto.shape[1] else np.zeros((len(counts), 1))
        weighted = drawn * self.values
        total = weighted.sum(axis=1)
        # C_{i−1} + C_i = 2 C_i − c_i
        above = ((2.0 * upto - drawn - size) * weighted).sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            gini = np.where(total > 0, np.maximum(above, 0.0) / (size[:, 0] * total), 0.0)
        return np.where(size[:, 0] > 0, 1.0 - gini, np.nan)


@lru_cache(maxsize=2)
def drawn_counts(count: int, resamples: int, seed: int) -> npt.NDArray[np.uint8]:
    """How often each learner is in each draw (resamples × learners). Kept: a slider asks for the
    same draws again and again."""
    out = np.empty((resamples, count), dtype=np.uint8)

    def stream(at: int) -> None:
        rng = np.random.default_rng([seed, at])
        for row in range(at, resamples, _STREAMS):
            out[row] = np.minimum(
                np.bincount(rng.integers(0, count, size=count), minlength=count), 255
            )

    with ThreadPoolExecutor(threads.count()) as pool:
        list(pool.map(stream, range(_STREAMS)))
    out.flags.writeable = False
    return out


def drawn_measures(evaluation: Evaluation, resamples: int, seed: int) -> Floats:
    """(3, resamples): NDCG, consistency and equality on every draw; kept as long as the evaluation
    lives."""
    with _lock:
        kept = _kept.get(evaluation, {}).get((resamples, seed))
    if kept is not None:
        return kept
    from equity_core.metrics.kernels_draws import draws_range

    counts = drawn_counts(len(evaluation.per_learner_consistency), resamples, seed)
    rated = np.flatnonzero(~np.isnan(evaluation.per_learner_ndcg))
    gains, by_size = (
        evaluation.per_learner_ndcg[rated],
        Sorted.of(evaluation.per_learner_consistency),
    )
    out = np.empty((len(MEASURES), resamples))
    few = _ALONE // max(len(by_size.values), 1)
    threads.over_ranges(
        lambda lo, hi: draws_range(
            counts, rated, gains, by_size.order, by_size.values, lo, hi, out
        ),
        resamples,
        few,
    )
    with _lock:
        _kept.setdefault(evaluation, {})[resamples, seed] = out
    return out


def ends(draws: Floats, level: float) -> tuple[float, float]:
    """The percentile interval; NaN where no draw has a value."""
    low, high = _ends(draws[None], level)[0]
    return float(low), float(high)


def _ends(draws: Floats, level: float) -> Floats:
    """The percentile interval of each row, as (rows, 2)."""
    marks = [(1 - level) / 2, (1 + level) / 2]
    out = np.full((len(draws), 2), np.nan)
    missing = np.isnan(draws)
    whole = ~missing.any(axis=1)
    out[whole] = np.quantile(draws[whole], marks, axis=1).T if whole.any() else np.nan
    for row in np.flatnonzero(~whole & ~missing.all(axis=1)):
        out[row] = np.quantile(draws[row, ~missing[row]], marks)
    return out


def intervals(
    after: Evaluation,
    before: Evaluation | None = None,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
    level: float = LEVEL,
) -> pd.DataFrame:
    """Percentile bootstrap intervals of NDCG, consistency and equality: one row each, with value,
    low and high.

    With ``before``, also before, before_low, before_high; change, change_low, change_high (paired);
    and the same as a share of before (relative, relative_low, relative_high; NaN where before is
    0). ``n``: learners that have a value.
    """
    count = len(after.per_learner_consistency)
    if before is not None and len(before.per_learner_consistency) != count:
        raise ValueError(
            "before and after must be of the same learners, not"
            f" {len(before.per_learner_consistency)} and {count}"
        )
    drawn: dict[str, Floats] = {"": drawn_measures(after, resamples, seed)}
    if before is not None:
        drawn["before_"] = was = drawn_measures(before, resamples, seed)
        drawn["change_"] = drawn[""] - was
        drawn["relative_"] = (
            np.divide(drawn[""], was, out=np.full_like(was, np.nan), where=was > 0) - 1.0
        )
    found = _ends(np.concatenate(list(drawn.values())), level).reshape(len(drawn), len(MEASURES), 2)
    rows = []
    for m, name in enumerate(MEASURES):
        known = after.per_learner_ndcg if name == "ndcg" else after.per_learner_consistency
        value, there = getattr(after, name), math.nan if before is None else getattr(before, name)
        row = {"value": value, "n": int((~np.isnan(known)).sum())}
        if before is not None:
            row |= {
                "before": there,
                "change": value - there,
                "relative": value / there - 1.0 if there > 0 else math.nan,
            }
        for at, part in enumerate(drawn):
            row[f"{part}low"], row[f"{part}high"] = map(float, found[at, m])
        rows.append(row)
    return pd.DataFrame(rows, index=pd.Index(MEASURES, name="measure"))


def permutation_test(
    after: Evaluation,
    before: Evaluation,
    measure: str,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> float:
    """The p-value of "no difference" between two sets of lists of the same learners.

    If nothing differed, each learner's two values could as well be the other way round: they are
    swapped with probability ½, and p is the share of swaps (the observed one included) whose
    change is at least as large. Learners without both values are left out; nobody left: NaN.
    """
    if measure not in MEASURES:
        raise ValueError(f"measure is {measure!r}; use one of {', '.join(MEASURES)}")
    column = "per_learner_ndcg" if measure == "ndcg" else "per_learner_consistency"
    a, b = getattr(after, column), getattr(before, column)
    known = ~(np.isnan(a) | np.isnan(b))
    a, b = a[known], b[known]
    if not a.size:
        return math.nan
    changes = _swapped_means(a - b) if measure != "equality" else _swapped_equalities(a, b)
    seen = abs(changes(np.ones((1, a.size)))[0])
    rng, hits, block = np.random.default_rng(seed), 0, max(1, _BLOCK // a.size)
    for start in range(0, resamples, block):
        kept = rng.integers(
            0, 2, size=(min(block, resamples - start), a.size), dtype=np.int8
        ).astype(np.float64)
        # Rounding must not make an equal change smaller.
        hits += int((np.abs(changes(kept)) >= seen - 1e-12).sum())
    return (hits + 1) / (resamples + 1)


def _swapped_means(differences: Floats) -> Callable[[Floats], Floats]:
    # A plain product and sum: matrix products have threads of their own, which at this shape only
    # wait for each other.
    return lambda kept: ((2.0 * kept - 1.0) * differences).sum(axis=1) / differences.size


def _swapped_equalities(a: Floats, b: Floats) -> Callable[[Floats], Floats]:
    both = Sorted.of(np.concatenate([a, b]))  # sorted once; a swap is 0s and 1s over both
    return lambda kept: (
        both.equality(np.hstack([kept, 1.0 - kept])) - both.equality(np.hstack([1.0 - kept, kept]))
    )
