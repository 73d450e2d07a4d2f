"""Sparse products that keep the best n of each row: how neighbours are found and how courses are
scored. Through sparse-dot-topn.

Each row is computed by one thread, so the number of threads changes no bit of any result.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import numpy.typing as npt
from scipy import sparse

from equity_core import threads
from equity_core.recommenders.base import Training, require
from equity_core.recommenders.topn import Top, ragged_top, stack

Matrix = sparse.csr_matrix[np.float32]
Counts = npt.NDArray[np.integer[Any] | np.floating[Any]]
Factors = npt.NDArray[np.float64]


def scaled(matrix: Matrix, rows: Factors | None = None, columns: Factors | None = None) -> Matrix:
    """The matrix with each row and each column multiplied by its factor."""
    data = matrix.data.astype(np.float64)
    if rows is not None:
        data *= np.repeat(rows, np.diff(matrix.indptr))
    if columns is not None:
        data *= columns[matrix.indices]
    return sparse.csr_matrix(
        (data.astype(np.float32), matrix.indices, matrix.indptr), shape=matrix.shape
    )


def transposed(matrix: Matrix) -> Matrix:
    """The transpose, again with rows compressed and sorted."""
    return matrix.T.tocsr()


def power(counts: Counts, exponent: float) -> Factors:
    """counts ** exponent, and 0 where the count is 0: a learner or course without interactions
    reaches nobody."""
    out = np.zeros(len(counts))
    np.power(counts.astype(np.float64), exponent, out=out, where=counts > 0)
    return out


def neighbours(left: Matrix, right: Matrix, n: int) -> Matrix:
    """The n largest entries of each row of ``left @ right`` (square), the diagonal left out,
    largest first.

    One more is asked for than is kept, because the diagonal may be among them. Which of several
    equal entries at the end of the n is kept is up to the library; it is the same one each time.
    """
    found = require("sparse_dot_topn").sp_matmul_topn(
        left, right, top_n=n + 1, sort=True, n_threads=threads.count()
    )
    lengths = np.diff(found.indptr)
    row = np.repeat(np.arange(found.shape[0]), lengths)
    other = found.indices[: len(row)] != row
    before = np.concatenate([[0], np.cumsum(other)])
    rank = before[:-1] - before[found.indptr[:-1]][row]
    keep = other & (rank < n)
    indptr = np.concatenate(
        [[0], np.cumsum(np.bincount(row[keep], minlength=len(lengths)))]
    ).astype(np.int32)
    return sparse.csr_matrix(
        (found.data[: len(row)][keep], found.indices[: len(row)][keep], indptr), shape=found.shape
    )


@dataclass(frozen=True, eq=False)
class Product:
    """A trained recommender whose scores are ``left @ right``: learners × something, something ×
    courses."""

    training: Training
    left: Matrix
    right: Matrix
    block: int = 1024

    def top(self, rows: slice, n: int) -> Top:
        """The best n of each learner; see :meth:`equity_core.recommenders.base.Fitted.top`."""
        bounds = [
            (a, min(a + self.block, rows.stop)) for a in range(rows.start, rows.stop, self.block)
        ]
        return stack([self._block(a, b, n) for a, b in bounds], n)

    def _block(self, start: int, stop: int, n: int) -> Top:
        """Ask for enough that n are left without what is barred, and one more: where that one ties
        with the n-th, take the whole row.

        The library does not promise which of several equal scores it keeps; we promise the first of
        the catalogue.
        """
        library = require("sparse_dot_topn")
        left, past = self.left[start:stop], self.training.barred(slice(start, stop))
        asked = n + int(np.diff(past.indptr).max(initial=0)) + 1
        found = cast(
            Matrix, library.sp_matmul_topn(left, self.right, top_n=asked, n_threads=threads.count())
        )
        positions, scores = ragged_top(found, past, n)
        full = np.flatnonzero(np.diff(found.indptr) >= asked)
        lowest = found.data[found.indptr[full, None] + np.arange(asked)].min(axis=1)
        tied = full[scores[full, n - 1] <= lowest]
        if len(tied):
            whole = cast(
                Matrix, library.sp_matmul(left[tied], self.right, n_threads=threads.count())
            )
            positions[tied], scores[tied] = ragged_top(whole, past[tied], n)
        return positions, scores
