"""Which targets can be met at all: the best value that any list of k courses can have, by
principle."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from equity_core.metrics.reach import balance_reach, reachable
from equity_core.metrics.targets import judged, targets_of

if TYPE_CHECKING:
    from equity_core.bundle import Bundle
    from equity_core.policy import Policy

SEEN = 5e-4
"""A target missed by less than three decimals show counts as met."""


def reach_frame(bundle: Bundle, policy: Policy) -> pd.DataFrame:
    """One row per principle: kind, target (the highest of all learners), best, met (whether a list
    could meet the target), and why.

    match: no bound is given, because it differs from learner to learner (NaN).
    """
    bundle = judged(bundle, policy)
    k, best = policy.k, reachable(bundle, policy.k)
    targets = targets_of(bundle, policy).max(axis=0)
    rows = []
    for at, principle in enumerate(bundle.principles):
        highest = best[principle.name]
        if principle.kind == "mean":
            listed = min(k, len(bundle.course_ids))
            why = f"the {listed:,} best courses of the catalogue"
        elif principle.kind == "balance":
            size = int(bundle.encoded.sizes[bundle.encoded.cat_of.tolist().index(at)])
            _, known_only = balance_reach(bundle, principle.name, k)
            why = f"{k} courses over {size} values as evenly as possible: {known_only:.3f}"
            why += (
                f"; with courses of unknown {principle.column}, which do not count: {highest:.3f}"
                if highest > known_only + 1e-9
                else ""
            )
        else:
            highest = float("nan")
            why = "differs by learner: 1 only if k courses can have the shares of the past"
        met = bool(np.isnan(highest) or highest >= targets[at] - SEEN)
        rows.append((principle.name, principle.kind, float(targets[at]), highest, met, why))
    return pd.DataFrame(
        rows, columns=["principle", "kind", "target", "best", "met", "why"]
    ).set_index("principle")


def reach_sentence(frame: pd.DataFrame, k: int) -> str:
    """Which targets no list can meet."""
    out = [
        f"{name} (at best {row['best']:.3f}, target {row['target']:g})"
        for name, row in frame.iterrows()
        if not row["met"]
    ]
    head = f"With lists of {k} courses from this catalogue, no "
    if not out:
        return (
            f"{head}target is out of reach by itself; meeting all of them at once is another"
            " matter."
        )
    return (
        f"{head}list can meet the target of {'; '.join(out)}. Consistency 1 is then out of reach"
        " for everybody."
    )
