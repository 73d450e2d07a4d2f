"""The curve of a published method: the measures over its own trade-off."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from equity_core.metrics.evaluate import measure
from equity_core.metrics.targets import judged
from equity_core.progress import Progress, report
from equity_core.published.problem import Problem
from equity_core.published.registry import METHODS, VALUES, missing

if TYPE_CHECKING:
    from equity_core.bundle import Bundle
    from equity_core.policy import Policy

Order = Literal["relevance", "greedy"]


def order_of(policy: Policy, order: Order | None = None) -> Order:
    """Return the order that lists are shown in: the one given, else the policy's.

    A policy without an order shows lists as they were picked.

    Raises
    ------
    ValueError
        If there is no such order.
    """
    chosen: Order = policy.order if order is None else order
    if chosen not in ("relevance", "greedy"):
        raise ValueError(f"the order is 'relevance' or 'greedy', not {chosen!r}")
    return chosen


def measured(
    problem: Problem, name: str, values: Iterable[float], split: str, order: Order
) -> Iterator[dict[str, Any]]:
    """Yield one row of :func:`published_sweep` per trade-off."""
    weights = np.ones((1, len(problem.bundle.principles)))
    for value in values:
        lists = METHODS[name].lists(problem, value)
        if order == "relevance":
            lists = problem.in_own_order(lists)
        found = measure(problem.bundle, lists, problem.targets, weights, problem.policy.k, split)
        ndcg = found.per_learner_ndcg[problem.learners()]
        known = ndcg[~np.isnan(ndcg)]
        yield {
            "method": name,
            "value": value,
            "ndcg": float(known.mean()) if known.size else float("nan"),
            "consistency": found.consistency,
            "equality": found.equality,
            **found.principles["mean"],
        }


def published_sweep(
    bundle: Bundle,
    algorithm: str,
    policy: Policy,
    method: str,
    values: Iterable[float] | None = None,
    split: str = "test",
    progress: Progress | None = None,
    *,
    order: Order | None = None,
) -> pd.DataFrame:
    """Measure the lists of a published method at each of several trade-offs.

    The methods are there to compare a policy with. They get the same candidates (past courses are
    never recommended), the same scaled relevance and the same k, and are measured in the same way.

    Parameters
    ----------
    bundle : Bundle
        The data set.
    algorithm : str
        One of the bundle's algorithms.
    policy : Policy
        Length, targets, relevance scale, pool and order. Its λ, floor, strategy and weights are
        ignored: a method has a trade-off of its own.
    method : str
        One of ``PUBLISHED_METHODS``: "steck-category" and "steck-level" (calibrated
        recommendations), "mmr" (maximal marginal relevance), "xquad" (explicit query aspect
        diversification), "gini-welfare" (generalised Gini welfare of relevance and consistency).
    values : iterable of float or None, default None
        The trade-offs to try, from 0 (the recommender's own lists) to 1; None takes sixteen.
    split : {"test", "valid", "train"}, default "test"
        The split that NDCG is measured on.
    progress : callable or None, default None
        Called as progress(done, total) after each trade-off; returning False cancels.
    order : {"relevance", "greedy"} or None, default None
        How a list is shown: in the recommender's order, or in the order in which the method picked
        the courses. None takes the policy's, so that NDCG is compared like with like. Consistency
        and equality do not depend on it.

    Returns
    -------
    pandas.DataFrame
        One row per trade-off: method, value, ndcg, consistency, equality, and the mean of each
        principle.

    Raises
    ------
    KeyError
        If the bundle has no such algorithm, or there is no such method.
    ValueError
        If a trade-off is not between 0 and 1, the order is unknown, the bundle lacks what the
        method needs, or the policy or the split does not fit the bundle.
    Cancelled
        If the callback returned False.

    Examples
    --------
    >>> import equity_core as eq
    >>> bundle = eq.load_bundle("data/demo")
    >>> curve = eq.published_sweep(bundle, "userknn", eq.Policy(), "mmr", values=(0, 0.5))
    >>> list(curve.columns[:5])
    ['method', 'value', 'ndcg', 'consistency', 'equality']
    """
    bundle = judged(bundle, policy)
    if lacks := missing(bundle, method):
        raise ValueError(f"{method} needs {lacks}, which this data set does not have")
    grid = [float(value) for value in (VALUES if values is None else values)]
    if bad := [value for value in grid if not 0.0 <= value <= 1.0]:
        raise ValueError(f"a trade-off must be between 0 and 1, not {bad[0]:g}")
    shown, problem, rows = order_of(policy, order), Problem.of(bundle, algorithm, policy), []
    report(progress, 0, len(grid))
    for done, row in enumerate(measured(problem, method, grid, split, shown), 1):
        rows.append(row)
        report(progress, done, len(grid))
    names = [principle.name for principle in bundle.principles]
    return pd.DataFrame(
        rows, columns=["method", "value", "ndcg", "consistency", "equality", *names]
    )
