"""Curves: the measures over many λ, or over many floors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from equity_core.metrics.evaluate import Evaluation, measure
from equity_core.policy import Policy
from equity_core.progress import Progress, report
from equity_core.reranker.api import Run, Session

if TYPE_CHECKING:
    from equity_core.bundle import Bundle

LAMS = (0.0, 0.25, 0.5, 0.75, 0.99)
"""The paper's λ."""
FLOORS = (0.6, 0.65, 0.7)
"""The floors that are tried unless others are given."""


def _checked(values: Iterable[float], what: str) -> list[float]:
    out = [float(value) for value in values]
    if bad := [value for value in out if not 0.0 <= value <= 1.0]:
        raise ValueError(f"{what} must be between 0 and 1, not {bad[0]:g}")
    return out


def _measured(session: Session, run: Run, split: str) -> Evaluation:
    return measure(
        session.bundle, run.courses, session.targets, session.weights, session.policy.k, split
    )


def _headline(evaluation: Evaluation) -> dict[str, Any]:
    return {
        "ndcg": evaluation.ndcg,
        "consistency": evaluation.consistency,
        "equality": evaluation.equality,
    }


def sweep(
    bundle: Bundle,
    algorithm: str,
    policy: Policy,
    lams: Iterable[float] = LAMS,
    split: str = "test",
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Measure the lists at each of several λ.

    Parameters
    ----------
    bundle : Bundle
        The data set.
    algorithm : str
        One of the bundle's algorithms.
    policy : Policy
        How to re-rank; its own λ and floor are ignored.
    lams : iterable of float, default (0, 0.25, 0.5, 0.75, 0.99)
        The λ to try; the default is the paper's.
    split : {"test", "valid", "train"}, default "test"
        The split that NDCG is measured on.
    progress : callable or None, default None
        Called as progress(done, total) after each λ; returning False cancels.

    Returns
    -------
    pandas.DataFrame
        One row per λ: lam, ndcg, consistency, equality, and the mean of each principle.

    Raises
    ------
    KeyError
        If the bundle has no such algorithm.
    ValueError
        If a λ is not between 0 and 1, or the policy or the split does not fit the bundle.
    Cancelled
        If the callback returned False.

    Examples
    --------
    >>> import equity_core as eq
    >>> bundle = eq.load_bundle("data/demo")
    >>> curve = eq.sweep(bundle, "userknn", eq.Policy(), lams=(0, 0.5, 0.9))
    >>> list(curve.columns[:4])
    ['lam', 'ndcg', 'consistency', 'equality']
    >>> bool(curve["consistency"].is_monotonic_increasing)
    True
    """
    grid, session, rows = _checked(lams, "λ"), Session(bundle, algorithm, policy), []
    names = [principle.name for principle in session.bundle.principles]
    report(progress, 0, len(grid))
    for done, lam in enumerate(grid, 1):
        evaluation = _measured(session, session.at_lam(lam), split)
        rows.append({"lam": lam, **_headline(evaluation), **evaluation.principles["mean"]})
        report(progress, done, len(grid))
    return pd.DataFrame(rows, columns=["lam", "ndcg", "consistency", "equality", *names])


def floor_sweep(
    bundle: Bundle,
    algorithm: str,
    policy: Policy,
    floors: Iterable[float] = FLOORS,
    split: str = "test",
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Measure the lists at each of several floors.

    Parameters
    ----------
    bundle : Bundle
        The data set.
    algorithm : str
        One of the bundle's algorithms.
    policy : Policy
        How to re-rank; its own λ and floor are ignored.
    floors : iterable of float, default (0.6, 0.65, 0.7)
        The floors to try.
    split : {"test", "valid", "train"}, default "test"
        The split that NDCG is measured on.
    progress : callable or None, default None
        Called as progress(done, total) after each floor; returning False cancels.

    Returns
    -------
    pandas.DataFrame
        One row per floor: floor, ndcg, consistency, equality, unreached (learners whose list does
        not meet the floor), mean_lam, and the mean of each principle.

    Raises
    ------
    KeyError
        If the bundle has no such algorithm.
    ValueError
        If a floor is not between 0 and 1, or the policy or the split does not fit the bundle.
    Cancelled
        If the callback returned False.

    Examples
    --------
    >>> import equity_core as eq
    >>> bundle = eq.load_bundle("data/demo")
    >>> table = eq.floor_sweep(bundle, "userknn", eq.Policy(), floors=[0.7])
    >>> int(table["unreached"].iloc[0])
    0
    """
    grid, session, rows = _checked(floors, "the floor"), Session(bundle, algorithm, policy), []
    names = [principle.name for principle in session.bundle.principles]
    report(progress, 0, len(grid))
    for done, floor in enumerate(grid, 1):
        run = session.at_floor(floor)
        evaluation = _measured(session, run, split)
        used = run.lam[~np.isnan(run.lam)]
        extra = {
            "unreached": int((~run.reached).sum()),
            "mean_lam": float(used.mean()) if used.size else float("nan"),
        }
        rows.append(
            {"floor": floor, **_headline(evaluation), **extra, **evaluation.principles["mean"]}
        )
        report(progress, done, len(grid))
    return pd.DataFrame(
        rows, columns=["floor", "ndcg", "consistency", "equality", "unreached", "mean_lam", *names]
    )
