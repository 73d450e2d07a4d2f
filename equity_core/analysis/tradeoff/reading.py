"""Reading the paths: the best policy within a loss limit, what beats the current one, what the
other kind of policy gives instead.

Pure functions of the frames of :mod:`equity_core.analysis.tradeoff.paths`; a missing NDCG (no test
part) gives None, never a wrong choice.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

CLOSE = 5e-4
"""Differences below this do not show at three decimals and decide nothing."""


def loss(path: pd.DataFrame, own: float, column: str = "ndcg") -> pd.Series:
    """The share of NDCG lost against the recommender's own lists; negative is a gain. NaN where
    either is unknown or own is 0."""
    return (
        1.0 - path[column] / own
        if own and not math.isnan(own)
        else pd.Series(np.nan, index=path.index)
    )


def best_within(path: pd.DataFrame, limit: float, own: float) -> pd.Series | None:
    """The most equal policy of a path that loses at most ``limit`` (0.1 = 10 %) of NDCG, on the
    part that policies are chosen on.

    Equals (at three decimals): the one with the higher NDCG. None if no policy keeps the limit, or
    NDCG is unknown. ``own``: NDCG of the own lists on that part.
    """
    allowed = path[loss(path, own, "chosen_ndcg") <= limit + 1e-9]
    if allowed.empty:
        return None
    top = allowed[allowed["equality"] >= allowed["equality"].max() - CLOSE]
    best: pd.Series = top.loc[top["chosen_ndcg"].idxmax()]
    return best


def dominating(paths: pd.DataFrame, ndcg: float, equality: float) -> pd.DataFrame:
    """The policies that are at least as good in NDCG and in equality, and clearly better in one;
    the most equal first."""
    if math.isnan(ndcg) or math.isnan(equality):
        return paths.iloc[:0]
    scale = max(abs(ndcg) * 0.005, 1e-6)
    kept, equal = (paths[name].to_numpy(dtype=np.float64) for name in ("ndcg", "equality"))
    better = (kept > ndcg + scale) | (equal > equality + CLOSE)
    found = np.flatnonzero((kept >= ndcg - 1e-12) & (equal >= equality - 1e-12) & better)
    return paths.iloc[found[np.argsort(-equal[found], kind="stable")]]


def crossing(path: pd.DataFrame, at: float, column: str, wanted: str) -> float:
    """``wanted`` where the path, drawn as a line, has ``column`` = ``at``; the highest if it passes
    there more than once. NaN if never."""
    x, y = path[column].to_numpy(dtype=np.float64), path[wanted].to_numpy(dtype=np.float64)
    x0, x1, y0, y1 = x[:-1], x[1:], y[:-1], y[1:]
    across = np.flatnonzero((x0 != x1) & (np.minimum(x0, x1) <= at) & (at <= np.maximum(x0, x1)))
    x0, x1, y0, y1 = x0[across], x1[across], y0[across], y1[across]
    found = np.concatenate([y[x == at], y0 + (y1 - y0) * (at - x0) / (x1 - x0)])
    return float(found.max()) if len(found) else math.nan


def like_consistency(path: pd.DataFrame, consistency: float) -> dict[str, float]:
    """NDCG and equality of a path where its mean consistency is the one given."""
    return {
        wanted: crossing(path, consistency, "consistency", wanted)
        for wanted in ("ndcg", "equality")
    }


def steepest(path: pd.DataFrame, own: float, reach: float = 0.05) -> tuple[float, float]:
    """The largest share of NDCG that a step of ``reach`` in λ can cost, and where that step begins.
    (0, NaN) if NDCG never falls."""
    values, kept = path["value"].to_numpy(), path["ndcg"].to_numpy(dtype=np.float64)
    if not own or math.isnan(own) or len(values) < 2:
        return 0.0, math.nan
    starts = values[values <= values[-1] - reach + 1e-9]
    falls = [
        (
            float(np.interp(start, values, kept) - np.interp(start + reach, values, kept)) / own,
            float(start),
        )
        for start in starts
    ]
    best = max(falls, default=(0.0, math.nan))
    return best if best[0] > 0 else (0.0, math.nan)
