"""Published methods beside the paths of the policy: the frame behind their lines, and the sentence
that compares them at the same loss of NDCG."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pandas as pd

from equity_core.analysis.tradeoff.headline import policy_kind
from equity_core.analysis.words import join, percent, same
from equity_core.bundle import Bundle
from equity_core.metrics.evaluate import Evaluation
from equity_core.policy import Policy
from equity_core.progress import Progress, report
from equity_core.published.problem import Problem
from equity_core.published.registry import METHODS, VALUES, applicable
from equity_core.published.sweep import measured, order_of
from equity_core.reranker.sampling import SampledSession, session_for

LIMIT = 0.05
"""The loss of NDCG at which methods are compared where the current policy has none."""
LEAST = 0.0005
"""A smaller loss than this counts as none."""
OURS = {"lam": "one λ for all", "floor": "the floor"}


def published_paths(
    bundle: Bundle,
    algorithm: str,
    policy: Policy,
    split: str = "test",
    progress: Progress | None = None,
) -> pd.DataFrame:
    """The paths of all published methods that apply to the data set, in the policy's order.

    One row per method and trade-off: kind (the method's name), name (its label), value, ndcg,
    consistency, equality, and a column per principle. For many learners, they are taken on the same
    sample as the policy's own paths (``attrs["learners"]``).
    """
    session = session_for(bundle, algorithm, policy.but(strategy="glob", weights=None))
    blocks = session.blocks if isinstance(session, SampledSession) else None
    problem = Problem.of(bundle, algorithm, policy, blocks)
    names, order, rows = applicable(bundle), order_of(policy), list[dict[str, object]]()
    for name in names:
        for row in measured(problem, name, VALUES, split, order):
            rows.append({"kind": row.pop("method"), "name": METHODS[name].label, **row})
            report(progress, len(rows), len(names) * len(VALUES))
    frame = pd.DataFrame(rows)
    frame.attrs["learners"] = int(problem.learners().sum())
    return frame


def equality_at_loss(path: pd.DataFrame, loss: float, own: float) -> float:
    """The highest equality of a path, drawn as a line, where it loses no more than this share of
    NDCG; NaN where it always loses more. ``own``: NDCG of the own lists, on the same learners."""
    x, y = (path[name].to_numpy(dtype=np.float64) for name in ("ndcg", "equality"))
    least = own * (1.0 - loss)
    inside = x >= least - 1e-12
    found = list(y[inside])
    for at in np.flatnonzero(inside[1:] != inside[:-1]):
        share = (least - x[at]) / (x[at + 1] - x[at])
        found.append(y[at] + share * (y[at + 1] - y[at]))
    known = [value for value in found if not math.isnan(value)]
    return max(known, default=math.nan)


def at_the_same_loss(
    published: pd.DataFrame, ours: Mapping[str, pd.DataFrame], loss: float
) -> dict[str, float]:
    """How equal each published method, one λ and the floor are at a loss of NDCG, by the name that
    a sentence has for it. Those that always lose more are left out."""
    own = float(ours["lam"]["ndcg"].iloc[0])
    out = {OURS[kind]: equality_at_loss(path, loss, own) for kind, path in ours.items()}
    for name, path in published.groupby("name", sort=False):
        out[str(name)] = equality_at_loss(path, loss, float(path["ndcg"].iloc[0]))
    return {name: value for name, value in out.items() if not math.isnan(value)}


def published_sentence(
    published: pd.DataFrame,
    ours: Mapping[str, pd.DataFrame],
    policy: Policy,
    own: Evaluation,
    now: Evaluation,
) -> str:
    """Which of the published methods and of our policies is the most equal at the same loss.

    That is the current policy's loss, with the current policy itself in place of the path that it
    lies on; 5 % where it has none. ``ours``: the paths of λ and of the floor.
    """
    if math.isnan(own.ndcg) or own.ndcg <= 0.0 or math.isnan(now.equality):
        return "NDCG is unknown or 0 here, so nothing can be compared at the same loss of NDCG."
    loss = 1.0 - now.ndcg / own.ndcg
    if loss < LEAST:
        found, where = at_the_same_loss(published, ours, LIMIT), "At a loss of 5 % of NDCG"
    else:
        found = at_the_same_loss(published, ours, loss)
        found.pop(OURS[policy_kind(policy)[0]], None)
        found["the current policy"] = now.equality
        where = f"At the current policy's loss of NDCG ({percent(loss)})"
    ranked = sorted(found, key=lambda name: -found[name])
    top = [name for name in ranked if same(found[name], found[ranked[0]])]
    rest = [f"{name} {found[name]:.3f}" for name in ranked if name not in top]
    text = (
        f"{where}, {join(top)} {'is' if len(top) == 1 else 'are'} the most equal"
        f" ({found[ranked[0]]:.3f})"
    )
    return f"{text}; then {join(rest)}." if rest else f"{text}."
