"""The worst-off and the best-off tenth of the learners: who they are has its one home here."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def size(count: int) -> int:
    """Learners in a tenth: a tenth of those that have a value, rounded up, so that the tenth is
    never empty unless nobody has one."""
    return -(-count // 10)


def lowest(values: Floats) -> npt.NDArray[np.bool_]:
    """The tenth with the lowest values; equals by position, NaN (no list) left out."""
    out = np.zeros(len(values), dtype=np.bool_)
    known = np.flatnonzero(~np.isnan(values))
    out[known[np.argsort(values[known], kind="stable")[: size(len(known))]]] = True
    return out


def highest(values: Floats) -> npt.NDArray[np.bool_]:
    """The tenth with the highest values; equals by position, NaN (no list) left out."""
    return lowest(-values)


def mean(values: Floats) -> float:
    """The mean of what is known; NaN if nothing is."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if known.size else float("nan")
