"""The compiled half of the bootstrap: the three measures on draws of learners, in one pass per
draw."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from equity_core.jit import njit


@njit
def draws_range(
    counts: npt.NDArray[np.uint8],
    rated: npt.NDArray[np.int64],
    gains: npt.NDArray[np.float64],
    order: npt.NDArray[np.int64],
    values: npt.NDArray[np.float64],
    lo: int,
    hi: int,
    out: npt.NDArray[np.float64],
) -> None:
    """Mean NDCG, mean consistency and equality on the draws ``lo … hi``, into ``out`` (3 × draws).

    ``counts``: how often each learner is in each draw. ``rated``, ``gains``: the learners that have
    an NDCG, and it. ``order``, ``values``: the learners that have a list, by rising consistency,
    and it. Nobody drawn: NaN; nothing but zeros: equality 1.
    """
    for draw in range(lo, hi):
        drawn = counts[draw]
        size, total = 0, 0.0
        for at in range(rated.size):
            c = drawn[rated[at]]
            size += c
            total += c * gains[at]
        out[0, draw] = total / size if size > 0 else np.nan

        size, total, above = 0, 0.0, 0.0
        for at in range(order.size):
            c = drawn[order[at]]
            weighted = c * values[at]
            above += (2 * size + c) * weighted
            total += weighted
            size += c
        if size == 0:
            out[1, draw], out[2, draw] = np.nan, np.nan
        else:
            out[1, draw] = total / size
            out[2, draw] = (
                1.0 - max(above - size * total, 0.0) / (size * total) if total > 0.0 else 1.0
            )
