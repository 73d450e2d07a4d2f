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
    """The candidates of each learner, by raw score, highest first, then by course position.

    The courses of the learner's past are dropped, and so are those from the future, where the
    bundle masks them.
    """

    indptr: npt.NDArray[np.int64]
    """Where each learner's candidates start, and the end of the last."""
    courses: npt.NDArray[np.int32]
    """The candidates' course positions, one learner after another."""
    scores: npt.NDArray[np.float64]
    """The candidates' scores."""

    def __len__(self) -> int:
        """Return the number of learners."""
        return len(self.indptr) - 1

    def row(self, i: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]]:
        """Return the candidates of one learner and their scores.

        Parameters
        ----------
        i : int
            The position of the learner.

        Returns
        -------
        courses : numpy.ndarray
            Course positions, best first.
        scores : numpy.ndarray
            Their scores.

        Raises
        ------
        IndexError
            If there is no such learner.
        """
        if not 0 <= i < len(self):
            raise IndexError(f"row {i} of {len(self)}")
        part = slice(self.indptr[i], self.indptr[i + 1])
        return self.courses[part], self.scores[part]


@dataclass(frozen=True, eq=False)
class Rows:
    """Relevance as it comes, by positions; −1 is a learner without a past.

    The arrays belong to us: sorting and dropping happen in place.
    """

    learners: npt.NDArray[np.int32]
    courses: npt.NDArray[np.int32]
    scores: npt.NDArray[np.float64]

    @classmethod
    def empty(cls, size: int) -> Rows:
        """Make room for rows."""
        return cls(
            np.empty(size, dtype=np.int32),
            np.empty(size, dtype=np.int32),
            np.empty(size, dtype=np.float64),
        )

    @classmethod
    def join(cls, parts: Sequence[Rows]) -> Rows:
        """Join the rows of several parts."""
        return cls(
            *(
                np.concatenate([getattr(part, name) for part in parts])
                for name in ("learners", "courses", "scores")
            )
        )

    def part(self, start: int, stop: int) -> Rows:
        """Return a view of some of the rows."""
        return Rows(self.learners[start:stop], self.courses[start:stop], self.scores[start:stop])


def report_repeats(rows: Rows, n_courses: int, file: str, faults: Faults) -> None:
    """Add a fault for pairs of learner and course that occur more than once.

    Rows that are unknown (−1) in either do not count.
    """
    pairs = pd.Series(rows.learners.astype(np.int64) * n_courses + rows.courses)
    again = pairs.duplicated().to_numpy() & (rows.learners >= 0) & (rows.courses >= 0)
    if again.any():
        faults.add(
            file,
            "this pair of learner and course is listed already",
            "Keep one row per pair",
            column="course_id",
            rows=again,
        )


def settle(
    rows: Rows, past: Csr, hidden: npt.NDArray[np.bool_], file: str, faults: Faults
) -> tuple[Relevance, dict[str, int]] | None:
    """Sort checked rows, drop the past and hidden courses, and count what was dropped.

    Returns None after a fault (a pair that occurs twice).
    """
    from equity_core.bundle import kernels  # numba loads here, not with the tables

    n_courses = len(hidden)
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
    indptr, of_past, of_hidden = kernels.settle(
        indptr, courses, scores, past.indptr, past.indices, hidden
    )
    end = int(indptr[-1])
    counts = {
        "relevance_without_past": len(rows.learners) - kept,
        "relevance_of_past_courses": int(of_past),
    }
    if hidden.any():
        counts["relevance_of_future_courses"] = int(of_hidden)
    return Relevance(indptr, courses[:end], scores[:end]), counts
