"""Rank correlation over all pairs of learners: whether two learners who differ more in one measure
differ more in another."""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equity_core import threads

Floats = npt.NDArray[np.float64]
STEPS = 1024
"""Differences are rounded to this many steps between 0 and the largest one; a pair is then counted
in a table instead of being sorted among millions."""
MOST = 6000
"""With more learners, all pairs of a fixed sample of this many: 18 million."""
_ALONE = 512
"""Learners whose pairs one thread counts in a few milliseconds."""


@dataclass(frozen=True, eq=False)
class PairCorrelation:
    """Spearman's correlation of two differences over pairs of learners."""

    rho: float
    """NaN for fewer than three pairs, or if all differences of one kind are equal."""
    pairs: int
    used: npt.NDArray[np.bool_]
    """Which learners' pairs were counted."""
    influence: Floats
    """By learner: how far one more learner like this one would move rho, times the number of
    learners. They add up to 0; 0 for learners who were not used."""

    def on_draws(self, counts: Floats) -> Floats:
        """(draws, 1): rho on draws of learners (draws × learners), to first order: rho plus the
        drawn learners' mean influence. NaN where no learner in use was drawn."""
        size = counts @ self.used.astype(np.float64)
        with np.errstate(invalid="ignore", divide="ignore"):
            moved = np.where(size > 0, (counts @ self.influence) / np.maximum(size, 1.0), np.nan)
        return (self.rho + moved)[:, None]


def pair_correlation(
    x: Floats, y: Floats, most: int = MOST, steps: int = STEPS, seed: int = 0
) -> PairCorrelation:
    """Spearman's correlation of |x_i − x_j| with |y_i − y_j| over all pairs of the learners that
    have both.

    With F and G the mid-ranks of the two differences, as shares, rho = cov(F, G) / √(var F var G).
    A learner moves it in two ways: by the pairs that they are part of, and because these pairs move
    the ranks of all others. With A(d) the mean of G over all pairs, where pairs with a first
    difference equal to d count half and those with a smaller one not at all, and B likewise, the
    influence on the covariance is 2 · (mean_j [F G + A + B] − its mean over learners). Equal
    differences make the variances depend on the learner, too: var F = (1 − Σ p³) / 12, where p are
    the shares of equal differences.
    """
    known = np.flatnonzero(~(np.isnan(x) | np.isnan(y)))
    if len(known) > most:
        known = np.sort(np.random.default_rng(seed).choice(known, most, replace=False))
    used = np.zeros(len(x), dtype=np.bool_)
    used[known] = True
    n, influence = len(known), np.zeros(len(x))
    pairs = n * (n - 1) // 2
    one, two = (np.ascontiguousarray(values[known], dtype=np.float64) for values in (x, y))
    unknown = PairCorrelation(math.nan, pairs, used, influence)
    if pairs < 3 or np.ptp(one) <= 1e-12 or np.ptp(two) <= 1e-12:
        return unknown
    per = tuple((steps - 1) / float(np.ptp(values)) for values in (one, two))
    share = _table(one, two, per, steps) / pairs
    p, r = share.sum(axis=1), share.sum(axis=0)
    f, g = (np.cumsum(margin) - margin / 2 for margin in (p, r))
    spread = [(1.0 - float((margin**3).sum())) / 12.0 for margin in (p, r)]
    if min(spread) <= 1e-12:
        return unknown
    scale = math.sqrt(spread[0] * spread[1])
    rho = float(f @ share @ g - 0.25) / scale
    a, b = _from_above(share @ g), _from_above(f @ share)
    tables = np.stack(
        [
            f,
            g * (2.0 / scale),
            a * (2.0 / scale) + rho * p**2 / (4.0 * spread[0]),
            b * (2.0 / scale) + rho * r**2 / (4.0 * spread[1]),
        ]
    )
    influence[known] = _sums(one, two, per, tables) / (n - 1)
    influence[known] -= influence[known].mean()
    return PairCorrelation(rho, pairs, used, influence)


def _from_above(values: Floats) -> Floats:
    """For each step: the sum of all later values, and half its own."""
    out: Floats = np.cumsum(values[::-1])[::-1] - values / 2
    return out


def _table(x: Floats, y: Floats, per: tuple[float, ...], steps: int) -> npt.NDArray[np.int64]:
    """How many pairs have each combination of steps."""
    from equity_core.metrics.kernels_pairs import count_range

    table, lock = np.zeros((steps, steps), dtype=np.int64), threading.Lock()

    def part(lo: int, hi: int) -> None:
        counted = np.zeros((steps, steps), dtype=np.int64)
        count_range(x, y, per[0], per[1], lo, hi, counted)
        with lock:
            np.add(table, counted, out=table)

    threads.over_ranges(part, len(x), _ALONE)
    return table


def _sums(x: Floats, y: Floats, per: tuple[float, ...], tables: Floats) -> Floats:
    """The tables' sum over the pairs of each learner."""
    from equity_core.metrics.kernels_pairs import sum_range

    out = np.empty(len(x))
    threads.over_ranges(
        lambda lo, hi: sum_range(x, y, per[0], per[1], tables, lo, hi, out), len(x), _ALONE
    )
    return out
