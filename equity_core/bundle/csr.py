"""Ragged data: one sorted row of positions per learner."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, eq=False)
class Csr:
    """Rows of course positions: row i is ``indices[indptr[i]:indptr[i + 1]]``."""

    indptr: npt.NDArray[np.int64]
    """Where each row starts in ``indices``, and the end of the last."""
    indices: npt.NDArray[np.int32]
    """The course positions of all rows, one row after another."""

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.indptr) - 1

    def row(self, i: int) -> npt.NDArray[np.int32]:
        """Return the positions of one row.

        Parameters
        ----------
        i : int
            The position of the learner.

        Returns
        -------
        numpy.ndarray
            Course positions, sorted.

        Raises
        ------
        IndexError
            If there is no such row.
        """
        if not 0 <= i < len(self):
            raise IndexError(f"row {i} of {len(self)}")
        return self.indices[self.indptr[i] : self.indptr[i + 1]]


def pointers(rows: npt.NDArray[np.int32], count: int) -> npt.NDArray[np.int64]:
    """Return the indptr of data that is sorted by row."""
    indptr = np.zeros(count + 1, dtype=np.int64)
    np.cumsum(np.bincount(rows, minlength=count), out=indptr[1:])
    return indptr
