"""Which targets can be met at all: the best value that any list of k courses can have, by
principle."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from equity_core.metrics.kernels import balance_value
from equity_core.metrics.targets import targets_of

if TYPE_CHECKING:
    from equity_core.bundle import Bundle
    from equity_core.policy import Policy

_balance = balance_value.py_func

SEEN = 5e-4
"""A target missed by less than three decimals show counts as met."""


def best_balance(k: int, available: Sequence[int], unknown: int = 0) -> float:
    """The highest 1 − normalised Gini that a list of k courses can have, with so many courses
    ``available`` of each value.

    Courses are spread as evenly as they last. Up to ``unknown`` places may go to courses without a
    value, which do not count: 8 courses spread evenly over 4 values and 2 unknown ones score 1,
    where 10 known ones cannot.
    """
    counts, room, best = (
        np.zeros(len(available), dtype=np.int64),
        np.array(available, dtype=np.int64),
        0.0,
    )
    for known in range(1, min(k, int(room.sum())) + 1):
        free = np.flatnonzero(counts < room)
        counts[free[counts[free].argmin()]] += 1
        if known >= min(k - unknown, int(room.sum())):
            spread = float(np.abs(counts[:, None] - counts[None, :]).sum()) / 2.0
            best = max(best, float(_balance(spread, known, len(available))))
    return best


def reachable(bundle: Bundle, policy: Policy) -> pd.DataFrame:
    """A row a principle: kind, target (the highest of all learners), best, met (whether a list
    could meet the target), and why.

    mean: the k best courses of the catalogue. balance: k courses spread as evenly as possible.
    match: 1, where the past's shares can be had with k courses; no bound is computed, because it
    differs from learner to learner (NaN).
    """
    encoded, k = bundle.encoded, policy.k
    targets = targets_of(bundle, policy).max(axis=0)
    rows = []
    for at, principle in enumerate(bundle.principles):
        if principle.kind == "mean":
            values = np.sort(encoded.means[:, encoded.mean_of.tolist().index(at)])[::-1][:k]
            best, why = (
                float(values.mean()),
                f"the {min(k, len(values)):,} best courses of the catalogue",
            )
        elif principle.kind == "balance":
            column = encoded.cat_of.tolist().index(at)
            labels, size = encoded.labels[:, column], int(encoded.sizes[column])
            available, unknown = (
                np.bincount(labels[labels >= 0], minlength=size).tolist(),
                int((labels < 0).sum()),
            )
            best, plain = best_balance(k, available, unknown), best_balance(k, available)
            why = f"{k} courses over {size} values as evenly as possible: {plain:.3f}"
            why += (
                f"; with courses of unknown {principle.column}, which do not count: {best:.3f}"
                if best > plain + 1e-9
                else ""
            )
        else:
            best, why = (
                float("nan"),
                "differs by learner: 1 only if k courses can have the shares of the past",
            )
        rows.append(
            (
                principle.name,
                principle.kind,
                float(targets[at]),
                best,
                bool(np.isnan(best) or best >= targets[at] - SEEN),
                why,
            )
        )
    return pd.DataFrame(
        rows, columns=["principle", "kind", "target", "best", "met", "why"]
    ).set_index("principle")


def sentence(frame: pd.DataFrame, k: int) -> str:
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
