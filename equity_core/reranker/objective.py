"""One learner's objective, course by course, in plain NumPy: what the re-ranker maximises, in a
form that can be taken apart.

The objective of a list L is

    F(L) = (1 − λ) Σ_{i in L} R_i + λ Consistency(p, q_L | w)

so the course that the greedy picks, the one with the highest (1 − λ) R_i + λ Consistency(L +
i), is the one with the highest increment F(L + i) − F(L). The empty list achieves nothing: its q is
0 for every principle, and its Consistency 1 − mean(w p).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from equity_core.metrics.evaluate import consistency
from equity_core.metrics.kernels import balance_value, match_value
from equity_core.metrics.targets import judged
from equity_core.reranker.kernels_prepare import MINMAX, NONE, RANK, scaled_relevance

if TYPE_CHECKING:
    from collections.abc import Sequence

    from equity_core.bundle import Bundle
    from equity_core.reranker.api import Run

Floats = npt.NDArray[np.float64]

# The kernels' own formulas as plain Python: no compiler to wait for on a click.
_balance, _match, _relevance = balance_value.py_func, match_value.py_func, scaled_relevance.py_func


def _row(rows: Floats, u: int) -> Floats:
    """The learner's row of targets or weights, which have one row for all, or one per learner."""
    row: Floats = rows[u if len(rows) > 1 else 0]
    return row


class Objective:
    """The objective of one learner under the policy of a run."""

    def __init__(self, bundle: Bundle, run: Run, learner: int) -> None:
        bundle = judged(bundle, run.policy)
        self.bundle, self.learner = bundle, learner
        self.lam = float(run.lam[learner])
        self.targets, self.weights = _row(run.targets, learner), _row(run.weights, learner)
        self.candidates, scaled, self.unscored = self._scores(bundle, run, learner)
        self._relevance = dict(zip(self.candidates.tolist(), scaled.tolist(), strict=True))
        self._place = {
            course: place for place, course in enumerate(self.candidates.tolist(), start=1)
        }
        encoded, past = bundle.encoded, bundle.past.row(learner)
        self.past_counts = [
            np.bincount(encoded.labels[past, m], minlength=size) if match else None
            for m, (size, match) in enumerate(zip(encoded.sizes, encoded.is_match, strict=True))
        ]

    @staticmethod
    def _scores(
        bundle: Bundle, run: Run, learner: int
    ) -> tuple[npt.NDArray[np.int32], Floats, float]:
        stored = bundle.relevance(run.algorithm)
        start, end = int(stored.indptr[learner]), int(stored.indptr[learner + 1])
        scaled = np.empty(end - start)
        scale = {"minmax": MINMAX, "rank": RANK, "none": NONE}[run.policy.relevance_scale]
        low = float(_relevance(stored.scores, start, end, scale, scaled))
        return stored.courses[start:end], scaled, low

    def relevance(self, course: int) -> float:
        """R: the scaled relevance; a course without a stored score has the lowest value of the
        scale."""
        return float(self._relevance.get(course, self.unscored))

    def relevances(self, courses: npt.NDArray[np.integer]) -> Floats:
        """R of many courses."""
        return np.array(
            [self._relevance.get(course, self.unscored) for course in courses.tolist()],
            dtype=np.float64,
        )

    def place(self, course: int) -> int | None:
        """Where the recommender had the course, from 1; None without a stored score."""
        return self._place.get(course)

    def values(self, courses: Sequence[int]) -> Floats:
        """q of a list by each principle, in the bundle's order; 0 everywhere for the empty list."""
        encoded, out = self.bundle.encoded, np.zeros(len(self.bundle.principles))
        if not len(courses):
            return out
        listed = np.asarray(courses, dtype=np.int64)
        out[encoded.mean_of] = encoded.means[listed].mean(axis=0)
        for m, principle in enumerate(encoded.cat_of):
            out[principle] = self.value(m, courses)
        return out

    def value(self, m: int, courses: Sequence[int]) -> float:
        """q of a list (not empty) by the categorical principle number m of the encoded ones."""
        encoded = self.bundle.encoded
        labels, size, past = (
            encoded.labels[np.asarray(courses, dtype=np.int64), m],
            int(encoded.sizes[m]),
            self.past_counts[m],
        )
        counts = np.bincount(labels[labels >= 0], minlength=size).astype(np.float64)
        if past is not None:
            return float(_match(float(np.sqrt(past / past.sum() * counts).sum()), len(labels)))
        return float(
            _balance(
                float(np.abs(counts[:, None] - counts[None, :]).sum()) / 2.0,
                int(counts.sum()),
                size,
            )
        )

    def __call__(self, courses: Sequence[int]) -> float:
        """F of a list."""
        reached = float(
            consistency(self.targets[None], self.values(courses)[None], self.weights[None])[0]
        )
        return (1.0 - self.lam) * sum(
            self.relevance(course) for course in courses
        ) + self.lam * reached

    def parts(self, courses: Sequence[int], course: int) -> Floats:
        """The increment F(L + i) − F(L) in parts: relevance first, then one part per principle,

        λ w_m (|p_m − q_m(L)| − |p_m − q_m(L + i)|) / |C|. They sum to the increment; a negative
        part is a step away from a target.
        """
        closer = self._closer(courses, course)
        return np.concatenate(
            [
                [(1.0 - self.lam) * self.relevance(course)],
                self.lam * self.weights * closer / len(closer),
            ]
        )

    def floor_parts(self, courses: Sequence[int], course: int) -> Floats:
        """What a course brings under a least-loss floor, which has no λ: its relevance R first,
        then one part per principle of what it adds to Consistency with all weights 1,
        (|p_m − q_m(L)| − |p_m − q_m(L + i)|) / |C|.
        """
        closer = self._closer(courses, course)
        return np.concatenate([[self.relevance(course)], closer / len(closer)])

    def _closer(self, courses: Sequence[int], course: int) -> Floats:
        """By how much each principle comes closer to its target when a course is added."""
        before, after = self.values(courses), self.values([*courses, course])
        closer: Floats = np.abs(self.targets - before) - np.abs(self.targets - after)
        return closer
