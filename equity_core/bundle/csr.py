"""Ragged data: one sorted row of positions per learner."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, eq=False)
class Csr:
    """Rows of course positions: row i is ``indices[indptr[i]:indptr[i + 1]]``."""

    indptr: npt.NDArray[np.int64]
    indices: npt.NDArray[np.int32]

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.indptr) - 1

    def row(self, i: int) -> npt.NDArray[np.int32]:
        """The positions of row i."""
        if not 0 <= i < len(self):
            raise IndexError(f"row {i} of {len(self)}")
        return self.indices[self.indptr[i] : self.indptr[i + 1]]


def pointers(rows: npt.NDArray[np.int32], count: int) -> npt.NDArray[np.int64]:
    """The indptr of data that is sorted by row."""
    indptr = np.zeros(count + 1, dtype=np.int64)
    np.cumsum(np.bincount(rows, minlength=count), out=indptr[1:])
    return indptr
