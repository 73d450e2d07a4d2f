"""How unequal a measure is over learners: Gini and equality, other indices, the Lorenz curve, and
the worst-off and best-off tenth.

All take one value per learner; NaN (a learner without a list) is left out, and a population without
any value gives NaN. The indices need values of 0 or more.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Values = npt.ArrayLike


def _known(values: Values) -> npt.NDArray[np.float64]:
    array = np.asarray(values, dtype=np.float64).ravel()
    array = array[~np.isnan(array)]
    if (array < 0).any():
        raise ValueError("inequality indices need values of 0 or more")
    return array


def known_mean(values: npt.NDArray[np.float64]) -> float:
    """The mean over learners that have a value; NaN if none has."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if known.size else float("nan")


def gini(values: Values) -> float:
    """Mean absolute difference / (2 · mean), not normalised (at most 1 − 1/n). All zero: 0."""
    array = np.sort(_known(values))
    n, total = array.size, array.sum()
    if n == 0:
        return float("nan")
    if total == 0:
        return 0.0
    # Σ_ij |x_i − x_j| = 2 Σ_i (2i − n − 1) x_(i) over the sorted values, i from 1.
    return max(0.0, float(((2.0 * np.arange(1, n + 1) - n - 1.0) * array).sum() / (n * total)))


def equality(values: Values) -> float:
    """1 − Gini: 1 when all learners have the same."""
    return 1.0 - gini(values)


def theil(values: Values) -> float:
    """Theil's T: mean of (x / mean) · ln(x / mean), with 0 · ln 0 = 0. From 0 (all equal) to ln n.
    All zero: 0."""
    array = _known(values)
    if array.size == 0:
        return float("nan")
    mean = array.mean()
    if mean == 0:
        return 0.0
    share = array[array > 0] / mean
    return max(0.0, float((share * np.log(share)).sum() / array.size))


def atkinson(values: Values, aversion: float = 0.5) -> float:
    """Atkinson's index: 1 − (the equal value that is worth as much) / mean, for an aversion ε > 0
    (ε = 1: geometric mean). All zero: 0."""
    if not aversion > 0:
        raise ValueError(f"Atkinson's aversion must be above 0, not {aversion}")
    array = _known(values)
    if array.size == 0:
        return float("nan")
    mean = array.mean()
    if mean == 0:
        return 0.0
    if aversion >= 1 and (array == 0).any():
        return 1.0
    share = array / mean
    if aversion == 1:
        equivalent = np.exp(np.log(share).mean())
    else:
        equivalent = (share ** (1.0 - aversion)).mean() ** (1.0 / (1.0 - aversion))
    return min(1.0, max(0.0, float(1.0 - equivalent)))


def ratio_90_10(values: Values) -> float:
    """The 90th percentile over the 10th (linear between values). Both 0: 1; only the 10th 0:
    infinite."""
    array = _known(values)
    if array.size == 0:
        return float("nan")
    low, high = np.quantile(array, [0.1, 0.9])
    if low == 0:
        return 1.0 if high == 0 else float("inf")
    return float(high / low)


def share_below(values: Values, floor: float) -> float:
    """The share of learners below a floor (by more than rounding, 1e-9)."""
    array = _known(values)
    return float((array < floor - 1e-9).mean()) if array.size else float("nan")


def lorenz(values: Values) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """The Lorenz curve: shares of learners (worst-off first) and their share of the total, both
    from 0 to 1. All zero: the diagonal."""
    array = np.sort(_known(values))
    learners = np.linspace(0.0, 1.0, array.size + 1)
    total = array.sum()
    if total == 0:
        return learners, learners.copy()
    return learners, np.concatenate([[0.0], np.cumsum(array) / total])


def tenth_size(count: int) -> int:
    """How many learners a tenth has: a tenth of those that have a value, rounded up, so that it is
    never empty unless nobody has one."""
    return -(-count // 10)


def lowest_tenth(values: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Who is in the tenth with the lowest values; ties go by position, NaN (no list) is left
    out."""
    out = np.zeros(len(values), dtype=np.bool_)
    known = np.flatnonzero(~np.isnan(values))
    out[known[np.argsort(values[known], kind="stable")[: tenth_size(len(known))]]] = True
    return out


def highest_tenth(values: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Who is in the tenth with the highest values; ties go by position, NaN (no list) is left
    out."""
    return lowest_tenth(-values)
