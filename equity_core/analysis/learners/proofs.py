"""What sentences and frames about proven shares have in common."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pandas as pd

from equity_core.analysis.words import count
from equity_core.metrics.intervals import LEVEL, RESAMPLES

Floats = npt.NDArray[np.float64]

TIME_LIMIT = 5.0
"""The most seconds spent on one search on screen."""
BAR_WIDTHS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1)
MOST_BARS = 16
"""The bars of the histogram have the smallest width that needs no more bars than this."""


def proven_share(ratio: float) -> str:
    """A proven ratio in per cent, rounded down: a proof must not be rounded up."""
    if math.isnan(ratio):
        return "an unknown share"
    return f"{math.floor(ratio * 1000 + 1e-6) / 10:.1f} %".replace("-", "−")


def drawn_words(drawn: int, learners: int) -> str:
    """Who is in a sample: ``20 learners drawn from 2,000``."""
    if drawn < learners:
        return f"{count(drawn, 'learner')} drawn from {learners:,}"
    return f"all {learners:,} learners" if learners > 1 else "the only learner"


def out_of_time_words(stopped: int) -> str:
    """A sentence, with a leading space, about searches that the time limit stopped; else ""."""
    if not stopped:
        return ""
    return (
        f" {count(stopped, 'search', 'searches')} ran out of time: the true shares may be higher."
    )


def ratio_interval(above: Floats, below: Floats, seed: int = 0) -> tuple[float, float]:
    """The percentile bootstrap interval of Σ above / Σ below over the learners of a sample. Of a
    mean: below is 1 for everybody."""
    if not above.size or not below.sum() > 0:
        return math.nan, math.nan
    draws = np.random.default_rng(seed).integers(0, above.size, size=(RESAMPLES, above.size))
    sums = below[draws].sum(axis=1)
    ratios = above[draws].sum(axis=1)[sums > 0] / sums[sums > 0]
    low, high = np.quantile(ratios, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


def share_bars(shares: dict[str, Floats]) -> pd.DataFrame:
    """One row per stage and bar of a histogram: stage, low, high, learners, share.

    The bars are equally wide, and the last one ends at 1. All shares below 0 are in one bar, left
    of 0.
    """
    known = np.concatenate([np.zeros(0), *shares.values()])
    known = known[~np.isnan(known)]
    lowest = float(np.clip(known.min(), 0.0, 1.0)) if known.size else 1.0
    step = next((size for size in BAR_WIDTHS if (1.0 - lowest) / size <= MOST_BARS), BAR_WIDTHS[-1])
    pieces = max(1, math.ceil((1.0 - lowest) / step - 1e-9)) + int((known < 0.0).any())
    edges = 1.0 - step * np.arange(pieces, -1, -1)
    # 1 − 10 · 0.1 is not quite 0, and it is 0 that parts gain from loss.
    edges[np.abs(edges) < 1e-9] = 0.0
    rows = []
    for stage, values in shares.items():
        mine = values[~np.isnan(values)]
        found, _ = np.histogram(np.clip(mine, edges[0], 1.0), bins=edges)
        for low, high, number in zip(edges[:-1], edges[1:], found.tolist(), strict=True):
            rows.append((stage, float(low), float(high), int(number), number / max(mine.size, 1)))
    return pd.DataFrame(rows, columns=["stage", "low", "high", "learners", "share"])
