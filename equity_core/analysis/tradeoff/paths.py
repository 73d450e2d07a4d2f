"""The paths of the trade-off: what every λ, and every floor, gives. The frames behind the curves,
and behind the chooser.

A row a value: kind ("lam" or "floor"), value, ndcg, chosen_ndcg (on the part that policies are
chosen on), consistency, equality, unreached (learners below the floor, 0 without one), mean_lam,
and a column per principle. Every measure has its 95 % bootstrap interval over learners beside it
(ndcg_low, ndcg_high, …), and that of its paired change against the own lists (ndcg_relative_low, as
a share; consistency_change_low, equality_change_low, …); every principle the normal interval of its
mean (quality_low, quality_high).

For more learners than ``sampling.LARGE`` the paths are taken on a fixed sample of them, so that
they do not keep anybody waiting; the frame's ``attrs["learners"]`` says how many. The figures of
the policy itself are always of all learners.
"""

from __future__ import annotations

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
"""Closer towards the upper end, where most happens."""
MOST_FLOORS = 32
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


def _drawn(session: Session, found: Evaluation) -> Evaluation:
    """The measures of the learners of the path alone: what intervals are drawn from."""
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
    sure = intervals(_drawn(session, found), own).to_dict("index")
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
    own = _drawn(session, _measured(session, session.at_lam(0.0), split))
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
    """The path of the floor, over the range where it does anything."""
    session = session_for(bundle, algorithm, policy)
    return _path(session, "floor", floors_for(session, split), split, choosing or split, progress)


def floors_for(session: Session, split: str) -> list[float]:
    """Floors from what nearly every list reaches by itself (1st percentile at λ = 0) to what hardly
    any reaches at λ = 1 (99th).

    Round numbers, at most MOST_FLOORS of them. Nobody has a list: one floor, 1.
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


def joined(lam: pd.DataFrame, floor: pd.DataFrame) -> pd.DataFrame:
    """Both paths under each other."""
    out = pd.concat([lam, floor], ignore_index=True)
    out.attrs = dict(lam.attrs)
    return out
