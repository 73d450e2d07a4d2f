"""The paths of the trade-off: what every λ, and every floor, gives; and what can be read off them.
The frames behind the curves.

One row per λ or floor: kind ("lam" or "floor"), value, ndcg, chosen_ndcg (on the part that policies
are chosen on), consistency, equality, unreached (learners below the floor, 0 without one),
mean_lam, and a column per principle. Every measure has its 95 % bootstrap interval over learners
beside it (ndcg_low, ndcg_high, …), and that of its paired change from the own lists
(ndcg_relative_low, as a share; consistency_change_low, equality_change_low, …); every principle has
the normal interval of its mean (quality_low, quality_high).

For more learners than ``sampling.LARGE`` the paths are taken on a fixed sample of them, so that
they do not keep anybody waiting; the frame's ``attrs["learners"]`` says how many. The figures of
the policy itself always come from all learners.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from equity_core.bundle import Bundle
from equity_core.metrics.evaluate import Evaluation, measure, ndcg
from equity_core.metrics.inequality import known_mean
from equity_core.metrics.intervals import MEASURES, intervals
from equity_core.policy import Policy
from equity_core.progress import Progress, report
from equity_core.reranker.api import Run, Session
from equity_core.reranker.sampling import SampledSession, session_for

LAMS = (
    0.0,
    0.1,
    0.2,
    0.3,
    0.4,
    0.5,
    0.6,
    0.65,
    0.7,
    0.75,
    0.8,
    0.825,
    0.85,
    0.875,
    0.9,
    0.92,
    0.94,
    0.95,
    0.96,
    0.97,
    0.98,
    0.99,
    1.0,
)
"""The λ of a path: closer together towards the upper end, where most happens."""
MOST_FLOORS = 32
"""Floors on a path, at most."""
CLOSE = 5e-4
"""Differences below this do not show at three decimals and decide nothing."""
Z = 1.959963984540054
"""Half a 95 % interval of a mean, in standard errors."""


def _everybody(session: Session) -> npt.NDArray[np.bool_]:
    return (
        session.chosen
        if isinstance(session, SampledSession)
        else np.ones(len(session.bundle.learner_ids), dtype=np.bool_)
    )


def _measured(session: Session, run: Run, split: str) -> Evaluation:
    found = measure(
        session.bundle, run.courses, session.targets, session.weights, session.policy.k, split
    )
    chosen = _everybody(session)
    if chosen.all():
        return found
    return replace(
        found,
        per_learner_ndcg=np.where(chosen, found.per_learner_ndcg, np.nan),
        per_learner_consistency=np.where(chosen, found.per_learner_consistency, np.nan),
        per_learner_weighted=np.where(chosen, found.per_learner_weighted, np.nan),
    )


def _of_its_learners(session: Session, found: Evaluation) -> Evaluation:
    """The measures of the path's own learners alone, which intervals are drawn from."""
    chosen = _everybody(session)
    if chosen.all():
        return found
    return replace(
        found,
        learner_ids=found.learner_ids[chosen],
        values=found.values[chosen],
        per_learner_ndcg=found.per_learner_ndcg[chosen],
        per_learner_consistency=found.per_learner_consistency[chosen],
        per_learner_weighted=found.per_learner_weighted[chosen],
    )


def _ends(session: Session, found: Evaluation, own: Evaluation) -> dict[str, float]:
    """The interval columns of a row; ``own``: the measures of the own lists, drawn
    (:func:`_drawn`)."""
    sure = intervals(_of_its_learners(session, found), own).to_dict("index")
    out = {f"{name}_{end}": float(sure[name][end]) for name in MEASURES for end in ("low", "high")}
    for name, change in (("ndcg", "relative"), ("consistency", "change"), ("equality", "change")):
        out |= {
            f"{name}_{change}_{end}": float(sure[name][f"{change}_{end}"])
            for end in ("low", "high")
        }
    listed = int((~np.isnan(found.per_learner_consistency)).sum())
    half = Z * found.principles["sd"] / np.sqrt(max(listed, 1))
    for sign, end in ((-1.0, "low"), (1.0, "high")):
        out |= {
            f"{name}_{end}": float(value)
            for name, value in (found.principles["mean"] + sign * half).items()
        }
    return out


def _row(
    session: Session, run: Run, kind: str, value: float, split: str, choosing: str, own: Evaluation
) -> dict[str, Any]:
    found = _measured(session, run, split)
    chosen_ndcg = found.ndcg
    if choosing != split:
        values = ndcg(session.bundle, run.courses, session.policy.k, choosing)
        chosen_ndcg = known_mean(np.where(_everybody(session), values, np.nan))
    used = run.lam[~np.isnan(run.lam)]
    return {
        "kind": kind,
        "value": value,
        "ndcg": found.ndcg,
        "chosen_ndcg": chosen_ndcg,
        "consistency": found.consistency,
        "equality": found.equality,
        "unreached": int((~run.reached).sum()),
        "mean_lam": float(used.mean()) if used.size else float("nan"),
        **found.principles["mean"],
        **_ends(session, found, own),
    }


def _path(
    session: Session,
    kind: str,
    values: Iterable[float],
    split: str,
    choosing: str,
    progress: Progress | None,
) -> pd.DataFrame:
    grid, rows = [float(value) for value in values], []
    at: Callable[[float], Run] = session.at_lam if kind == "lam" else session.at_floor
    own = _of_its_learners(session, _measured(session, session.at_lam(0.0), split))
    for done, value in enumerate(grid):
        report(progress, done, len(grid))
        rows.append(_row(session, at(value), kind, value, split, choosing, own))
    report(progress, len(grid), len(grid))
    frame = pd.DataFrame(rows)
    frame.attrs["learners"] = int(_everybody(session).sum())
    return frame


def lam_path(
    bundle: Bundle,
    algorithm: str,
    policy: Policy,
    split: str = "test",
    choosing: str | None = None,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """The path of one λ for all, from the recommender's own lists (λ = 0) to the principles alone
    (λ = 1)."""
    return _path(
        session_for(bundle, algorithm, policy), "lam", LAMS, split, choosing or split, progress
    )


def floor_path(
    bundle: Bundle,
    algorithm: str,
    policy: Policy,
    split: str = "test",
    choosing: str | None = None,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """The path of the floor, over the range where it has an effect."""
    session = session_for(bundle, algorithm, policy)
    return _path(session, "floor", floors_for(session, split), split, choosing or split, progress)


def floors_for(session: Session, split: str) -> list[float]:
    """The floors of a path: from what nearly every list reaches by itself (1st percentile at λ = 0)
    to what hardly any reaches at λ = 1 (99th).

    Round numbers, at most MOST_FLOORS of them. If nobody has a list: one floor, 1.
    """
    ends = []
    for lam, share in ((0.0, 0.01), (1.0, 0.99)):
        found = _measured(session, session.at_lam(lam), split).per_learner_consistency
        known = found[~np.isnan(found)]
        ends.append(float(np.quantile(known, share)) if known.size else 1.0)
    low, high = max(0.0, min(ends)), min(1.0, max(ends))
    for step in (0.005, 0.01, 0.02, 0.05):
        first, last = int(np.floor(low / step + 1e-9)), int(np.ceil(high / step - 1e-9))
        if last - first < MOST_FLOORS:
            break
    return [round(number * step, 3) for number in range(first, last + 1)]


def both_in_one(lam: pd.DataFrame, floor: pd.DataFrame) -> pd.DataFrame:
    """Both paths in one frame, the path of λ first."""
    out = pd.concat([lam, floor], ignore_index=True)
    out.attrs = dict(lam.attrs)
    return out


# -------------------------------------------------------------------------------------------------
# reading the paths: pure functions of their frames. A missing NDCG (no test part) gives None or
# NaN, never a wrong choice.


def loss(path: pd.DataFrame, own: float, column: str = "ndcg") -> pd.Series:
    """The share of NDCG lost compared with the recommender's own lists (``own``); negative is a
    gain. NaN where either is unknown or own is 0."""
    return (
        1.0 - path[column] / own
        if own and not math.isnan(own)
        else pd.Series(np.nan, index=path.index)
    )


def best_within(path: pd.DataFrame, limit: float, own: float) -> pd.Series | None:
    """The most equal policy of a path that loses at most ``limit`` (0.1 = 10 %) of NDCG, on the
    part that policies are chosen on.

    Ties (at three decimals) go to the higher NDCG. None if no policy keeps the limit, or NDCG is
    unknown. ``own``: NDCG of the own lists on that part.
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
    """The value of ``wanted`` where the path, drawn as a line, has ``column`` = ``at``; the highest
    if it passes there more than once, NaN if it never does."""
    x, y = path[column].to_numpy(dtype=np.float64), path[wanted].to_numpy(dtype=np.float64)
    x0, x1, y0, y1 = x[:-1], x[1:], y[:-1], y[1:]
    across = np.flatnonzero((x0 != x1) & (np.minimum(x0, x1) <= at) & (at <= np.maximum(x0, x1)))
    x0, x1, y0, y1 = x0[across], x1[across], y0[across], y1[across]
    found = np.concatenate([y[x == at], y0 + (y1 - y0) * (at - x0) / (x1 - x0)])
    return float(found.max()) if len(found) else math.nan


def at_consistency(path: pd.DataFrame, consistency: float) -> dict[str, float]:
    """NDCG and equality of a path where its mean consistency is the one given."""
    return {
        wanted: crossing(path, consistency, "consistency", wanted)
        for wanted in ("ndcg", "equality")
    }


def steepest_fall(path: pd.DataFrame, own: float, reach: float = 0.05) -> tuple[float, float]:
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
