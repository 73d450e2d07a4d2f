"""Whether scores belong to the learners that they are given to: a check that notices an order that
was shuffled on the way.

A recommender's scores know their learner: courses that the learner took are missing from the
candidates (they were filtered out) or stand high (they were learned from), and so do, more often
than by chance, the courses that were held out. If the scores are dealt out to other learners, all
of this is gone. So the agreement of each learner with their own scores is compared with the
agreement of every learner with everybody's scores.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

if TYPE_CHECKING:
    from equity_core.bundle import Bundle

LEAST = 30
"""With fewer learners (or courses) nothing is said: chance could look like either."""
MOST = 400
"""So many learners, and courses, are looked at; more would not change the answer."""
CLEAR = 4.0
"""Standard deviations from chance; below it, nothing tells the order from a shuffled one."""


@dataclass(frozen=True)
class Alignment:
    """How far the agreement is from that of a shuffled order, in standard deviations of it; None
    where the data cannot tell (too few, or everybody has the same scores).
    """

    learners: float | None
    courses: float | None

    @property
    def strength(self) -> float | None:
        """The learners' agreement; where all learners have the same scores, the courses'."""
        return self.courses if self.learners is None else self.learners

    @property
    def shuffled(self) -> bool:
        """Whether the order looks no better than a shuffled one."""
        return self.strength is not None and self.strength < CLEAR


def alignment(bundle: Bundle, scores: pd.DataFrame) -> Alignment:
    """The agreement of scores (learner_id, course_id, score) with the interactions of a bundle."""
    from scipy import sparse

    log = bundle.interactions
    scored = pd.Index(bundle.learner_ids).get_indexer(pd.Index(scores["learner_id"].unique()))
    learners = np.intersect1d(scored[scored >= 0], log["learner"].unique())
    learners = some(learners)
    if len(learners) < LEAST:
        return Alignment(None, None)
    mine = scores[scores["learner_id"].isin(bundle.learner_ids[learners])]
    row = pd.Index(bundle.learner_ids[learners]).get_indexer(pd.Index(mine["learner_id"]))
    column = pd.Index(bundle.course_ids).get_indexer(pd.Index(mine["course_id"]))
    known = column >= 0
    row, column = row[known], column[known]
    shape = (len(learners), len(bundle.course_ids))
    place = mine.loc[known, "score"].groupby(row).rank(pct=True).to_numpy(dtype=np.float64)
    there = sparse.csr_matrix((np.ones(len(row)), (row, column)), shape=shape)
    rank = sparse.csr_matrix((place, (row, column)), shape=shape)

    chosen = log[log["learner"].isin(learners)]
    at = np.searchsorted(learners, chosen["learner"].to_numpy())
    past = (chosen["split"] == "train").to_numpy()
    taken = [
        sparse.csr_matrix(
            (np.ones(int(part.sum())), (at[part], chosen["course"].to_numpy()[part])), shape=shape
        )
        for part in (past, ~past)
    ]
    pairs = [(taken[0], there), (taken[0], rank), (taken[1], rank)]
    courses = some(np.unique(chosen["course"].to_numpy()))
    by_course = [(one[:, courses].T, other[:, courses].T) for one, other in pairs]
    return Alignment(_strongest(pairs), _strongest(by_course) if len(courses) >= LEAST else None)


def some(positions: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """At most MOST of them, spread evenly, so that the same data always give the same answer."""
    if len(positions) <= MOST:
        return positions
    return positions[np.linspace(0, len(positions) - 1, MOST).astype(np.int64)]


def _strongest(pairs: list[tuple[Any, Any]]) -> float | None:
    found = [
        strength
        for one, other in pairs
        if (strength := _strength(np.asarray((one @ other.T).todense()))) is not None
    ]
    return max(found) if found else None


def _strength(agreement: npt.NDArray[np.float64]) -> float | None:
    """How far the diagonal's sum is from its mean over all permutations, in their standard
    deviations; None where every permutation has the same sum.

    ``agreement[u, v]`` is that of learner u with the scores of v. Mean and variance over all
    permutations are exact: Σ/n, and the sum of the squared doubly centred entries over n − 1.
    """
    size = len(agreement)
    centred = (
        agreement
        - agreement.mean(axis=0)
        - agreement.mean(axis=1, keepdims=True)
        + agreement.mean()
    )
    spread = float((centred**2).sum()) / (size - 1)
    largest = float(np.abs(agreement).max())
    if spread <= 1e-18 * max(1.0, largest) ** 2 * size:
        return None
    return abs(float(np.trace(centred))) / float(np.sqrt(spread))
