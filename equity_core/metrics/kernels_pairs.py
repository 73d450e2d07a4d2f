"""The compiled half of correlations over pairs of learners: both differences of every pair, as
steps."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from equity_core.jit import njit

Floats = npt.NDArray[np.float64]


@njit
def count_range(
    x: Floats, y: Floats, per_x: float, per_y: float, lo: int, hi: int, table: npt.NDArray[np.int64]
) -> None:
    """Count the pairs of the learners ``lo … hi`` with everybody after them, by the steps of their
    two differences. ``per_x``, ``per_y``: steps per unit."""
    for i in range(lo, hi):
        for j in range(i + 1, x.size):
            a = int(abs(x[i] - x[j]) * per_x + 0.5)
            b = int(abs(y[i] - y[j]) * per_y + 0.5)
            table[a, b] += 1


@njit
def sum_range(
    x: Floats,
    y: Floats,
    per_x: float,
    per_y: float,
    tables: Floats,
    lo: int,
    hi: int,
    out: Floats,
) -> None:
    """For each of the learners ``lo … hi``, the sum over all others of f[a] · g[b] + s[a] + t[b],
    where a and b are the steps of the two differences and f, g, s, t the rows of ``tables``."""
    for i in range(lo, hi):
        total = 0.0
        for j in range(x.size):
            if j != i:
                a = int(abs(x[i] - x[j]) * per_x + 0.5)
                b = int(abs(y[i] - y[j]) * per_y + 0.5)
                total += tables[0, a] * tables[1, b] + tables[2, a] + tables[3, b]
        out[i] = total
