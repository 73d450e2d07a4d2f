"""Relevance of one algorithm: the candidates of each learner, best first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from equity_core.bundle.csr import Csr
from equity_core.bundle.faults import Faults


@dataclass(frozen=True, eq=False)
class Relevance:
    """Per learner the candidates by raw score, highest first, then by course position; the
    learner's past is dropped."""

    indptr: npt.NDArray[np.int64]
    courses: npt.NDArray[np.int32]
    scores: npt.NDArray[np.float64]

    def __len__(self) -> int:
        """Number of learners."""
        return len(self.indptr) - 1

    def row(self, i: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]]:
        """The candidates of learner i and their scores."""
        if not 0 <= i < len(self):
            raise IndexError(f"row {i} of {len(self)}")
        part = slice(self.indptr[i], self.indptr[i + 1])
        return self.courses[part], self.scores[part]


@dataclass(frozen=True, eq=False)
class Rows:
    """Relevance as it comes, by positions; −1 is a learner without a past. The arrays are ours:
    settling works in them."""

    learners: npt.NDArray[np.int32]
    courses: npt.NDArray[np.int32]
    scores: npt.NDArray[np.float64]

    @classmethod
    def empty(cls, size: int) -> Rows:
        """Room for rows."""
        return cls(
            np.empty(size, dtype=np.int32),
            np.empty(size, dtype=np.int32),
            np.empty(size, dtype=np.float64),
        )

    @classmethod
    def join(cls, parts: Sequence[Rows]) -> Rows:
        """Rows of several parts, one after the other."""
        return cls(
            *(
                np.concatenate([getattr(part, name) for part in parts])
                for name in ("learners", "courses", "scores")
            )
        )

    def part(self, start: int, stop: int) -> Rows:
        """A view of some of the rows."""
        return Rows(self.learners[start:stop], self.courses[start:stop], self.scores[start:stop])


def report_repeats(rows: Rows, n_courses: int, file: str, faults: Faults) -> None:
    """A fault for pairs of learner and course that have been there before; rows that are unknown
    (−1) in either do not count."""
    pairs = pd.Series(rows.learners.astype(np.int64) * n_courses + rows.courses)
    again = pairs.duplicated().to_numpy() & (rows.learners >= 0) & (rows.courses >= 0)
    if again.any():
        faults.add(
            file,
            "this pair of learner and course is there already",
            "Keep one row a pair",
            column="course_id",
            rows=again,
        )


def settle(
    rows: Rows, past: Csr, n_courses: int, file: str, faults: Faults
) -> tuple[Relevance, dict[str, int]] | None:
    """Checked rows sorted and without the past, and counts of what was dropped; None after a fault
    (a pair twice)."""
    from equity_core.bundle import kernels  # numba loads here, not with the tables

    indptr, ordered = kernels.group(rows.learners, len(past))
    courses, scores = (
        (rows.courses, rows.scores)
        if ordered
        else kernels.gather(rows.learners, rows.courses, rows.scores, indptr)
    )
    if kernels.has_repeats(indptr, courses, n_courses):
        report_repeats(rows, n_courses, file, faults)
        return None
    kept = int(indptr[-1])
    indptr, of_past = kernels.settle(indptr, courses, scores, past.indptr, past.indices, n_courses)
    end = int(indptr[-1])
    counts = {
        "relevance_without_past": len(rows.learners) - kept,
        "relevance_of_past_courses": int(of_past),
    }
    return Relevance(indptr, courses[:end], scores[:end]), counts
