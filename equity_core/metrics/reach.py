"""How high a list of k courses can get by each principle: a target above that can never be met."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from equity_core.metrics.kernels import balance_value

if TYPE_CHECKING:
    from equity_core.bundle import Bundle

# The kernel's own formula as plain Python: no compiler to wait for.
_balance = balance_value.py_func


def best_balance(k: int, available: Sequence[int], unknown: int = 0) -> float:
    """The highest 1 − normalised Gini that a list of k courses can have, where ``available``
    says how many courses there are of each value.

    Courses are spread as evenly as the catalogue allows. Up to ``unknown`` places may go to courses
    without a value, which do not count: 8 courses spread evenly over 4 values and 2 unknown ones
    score 1, where 10 known ones cannot.
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


def _there(bundle: Bundle) -> npt.NDArray[np.bool_]:
    """The courses that a list can hold: all but those that are hidden; all, if no other is left."""
    hidden = bundle.future.hidden
    return hidden if hidden.all() else ~hidden


def balance_reach(bundle: Bundle, name: str, k: int) -> tuple[float, float]:
    """For a balance principle: the highest value of any list of k courses, and the highest of those
    without a course of unknown value."""
    encoded, there = bundle.encoded, _there(bundle)
    names = [principle.name for principle in bundle.principles]
    column = encoded.cat_of.tolist().index(names.index(name))
    labels, size = encoded.labels[there, column], int(encoded.sizes[column])
    available = np.bincount(labels[labels >= 0], minlength=size).tolist()
    return best_balance(k, available, int((labels < 0).sum())), best_balance(k, available)


def reachable(bundle: Bundle, k: int) -> dict[str, float]:
    """The highest value that any list of k courses of the catalogue can have by each principle (of
    all courses, where the catalogue has fewer than k).

    mean: the mean of the k best courses. balance: as many courses of each value as possible, with
    courses of unknown value, which do not count, wherever that leaves the others more even. match:
    1, which no list exceeds; whether it is reached depends on the learner's past.
    """
    encoded, there, out = bundle.encoded, _there(bundle), {}
    for at, principle in enumerate(bundle.principles):
        if principle.kind == "mean":
            values = np.sort(encoded.means[there, encoded.mean_of.tolist().index(at)])[::-1]
            out[principle.name] = float(values[:k].mean())
        elif principle.kind == "balance":
            out[principle.name] = balance_reach(bundle, principle.name, k)[0]
        else:
            out[principle.name] = 1.0
    return out
