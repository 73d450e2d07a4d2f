"""The best n of each row: highest score first, ties by position, exact whatever the block or the
number of threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from scipy import sparse

Top = tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]
"""Positions (rows, n), −1 where there is no course, and their scores, 0 where there is no
course."""

_NONE = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
"""The key of "no course": above each real key."""


def _keys(scores: npt.NDArray[np.float32], positions: npt.NDArray[Any]) -> npt.NDArray[np.uint64]:
    """One integer a course that sorts by score, highest first, then by position: the score's bits
    upside down, then the position.

    A positive float's bits grow with it and a negative one's fall, so flipping all but the sign of
    the positive ones gives a falling order.
    """
    bits = (scores + np.float32(0)).view(np.uint32)  # + 0 turns −0 into 0
    falling = np.where(bits >> 31 == 1, bits, bits ^ np.uint32(0x7FFF_FFFF))
    return (falling.astype(np.uint64) << np.uint64(32)) | positions.astype(np.uint64)


def _decode(keys: npt.NDArray[np.uint64]) -> Top:
    falling = (keys >> np.uint64(32)).astype(np.uint32)
    scores = np.where(falling >> 31 == 1, falling, falling ^ np.uint32(0x7FFF_FFFF)).view(
        np.float32
    )
    gone = keys == _NONE
    positions = np.where(gone, np.uint64(0), keys & np.uint64(0xFFFF_FFFF)).astype(np.int32)
    return np.where(gone, np.int32(-1), positions), np.where(gone, np.float32(0), scores)


def _best(
    keys: npt.NDArray[np.uint64], indptr: npt.NDArray[np.integer[Any]], n: int, chunk: int = 64
) -> Top:
    """Decode the n smallest keys of each row; row r has ``keys[indptr[r] : indptr[r + 1]]``."""
    lengths = np.diff(indptr)
    positions, scores = (
        np.full((len(lengths), n), -1, np.int32),
        np.zeros((len(lengths), n), np.float32),
    )
    by_length = np.argsort(
        lengths, kind="stable"
    )  # rows of similar length are padded together, so that little is padded
    for start in range(0, len(lengths), chunk):
        rows = by_length[start : start + chunk]
        columns = np.arange(lengths[rows].max())
        inside = columns < lengths[rows][:, None]
        padded: npt.NDArray[np.uint64] = np.full(inside.shape, _NONE)
        padded[inside] = keys[(indptr[rows][:, None] + columns)[inside]]
        if len(columns) > n:
            padded = np.partition(padded, n - 1, axis=1)[:, :n]
        positions[rows, : padded.shape[1]], scores[rows, : padded.shape[1]] = _decode(
            np.sort(padded, axis=1)
        )
    return positions, scores


def _rows(indptr: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.int64]:
    """The row of each entry."""
    return np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))


def dense_top(
    scores: npt.NDArray[np.floating[Any]], past: sparse.csr_matrix[np.float32], n: int
) -> Top:
    """The best n of a block of scores (rows, courses), without the entries of ``past`` (same
    shape). Not finite: ValueError."""
    if not np.isfinite(scores).all():
        raise ValueError(
            "a score is not a finite number: the training of this recommender diverged with"
            " these settings"
        )
    scores = np.array(scores, dtype=np.float32)
    scores[_rows(past.indptr), past.indices] = -np.inf
    rows, width = scores.shape
    least = np.full((rows, 1), np.finfo(np.float32).min)
    if width > n:  # the n-th best; what ties with it stays in, and the keys decide
        np.maximum(least, np.partition(scores, width - n, axis=1)[:, [width - n]], out=least)
    row, column = np.nonzero(scores >= least)
    return _best(_keys(scores[row, column], column), np.searchsorted(row, np.arange(rows + 1)), n)


def ragged_top(
    scores: sparse.csr_matrix[np.float32], past: sparse.csr_matrix[np.float32], n: int
) -> Top:
    """The best n of each row of a sparse block, without the entries of ``past`` (same shape) and
    without scores that are not above 0."""
    taken = np.zeros(scores.shape, dtype=bool)
    taken[_rows(past.indptr), past.indices] = True
    rows = _rows(scores.indptr)
    data, indices = scores.data[: len(rows)], scores.indices[: len(rows)]
    keys = _keys(data, indices)
    keys[taken[rows, indices] | ~(data > 0)] = _NONE
    return _best(keys, scores.indptr, n)


def filled(top: Top, past: sparse.csr_matrix[np.float32], order: npt.NDArray[np.int64]) -> Top:
    """Rows that end early are filled up with score 0: the first courses of ``order`` that are
    neither in the row nor in ``past``.

    ``order`` is a permutation of the courses. What is filled in has one score, so it stands in the
    order of the catalogue. A row stays short only where the catalogue is used up.
    """
    positions, scores = top
    short = np.flatnonzero((positions < 0).any(axis=1))
    if not len(short):
        return top
    few, before = positions[short], past[short]
    missing = (few < 0).sum(axis=1)
    longest = int(np.diff(before.indptr).max(initial=0))
    width = min(
        len(order), few.shape[1] + longest
    )  # among this many courses enough are free, whatever is taken
    rank = np.full(len(order), width)
    rank[order[:width]] = np.arange(width)
    taken = np.zeros(
        (len(short), width + 1), dtype=bool
    )  # the last column takes what does not matter
    taken[np.arange(len(short))[:, None], np.where(few < 0, width, rank[few])] = True
    taken[_rows(before.indptr), rank[before.indices]] = True
    free = ~taken[:, :width]
    row, column = np.nonzero(free & (np.cumsum(free, axis=1) <= missing[:, None]))
    place = few.shape[1] - missing[row] + np.arange(len(row)) - np.searchsorted(row, row)
    keys = _keys(scores[short], few)
    keys[few < 0] = _NONE
    keys[row, place] = _keys(np.zeros(len(row), np.float32), order[column])
    positions[short], scores[short] = _decode(np.sort(keys, axis=1))
    return positions, scores


def stack(tops: Sequence[Top], n: int) -> Top:
    """Blocks of learners, one under the other."""
    if not tops:
        return np.empty((0, n), np.int32), np.empty((0, n), np.float32)
    return np.concatenate([t[0] for t in tops]), np.concatenate([t[1] for t in tops])
