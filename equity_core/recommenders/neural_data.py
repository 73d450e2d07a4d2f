"""What the neural recommenders train on: the positives, negatives drawn again in each epoch, and a
validation part cut from train.

All of it is NumPy with generators passed in, so that the same seed gives the same batches on any
machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict

import numpy as np
import numpy.typing as npt
from scipy import sparse

from equity_core.recommenders.base import Training

FEWEST = 4
"""Training interactions that a learner needs before one of them goes to validation."""

DRAWS = 5
"""How often a negative that hits the learner's own past is drawn again; one that still does counts
nothing."""


class Batches(TypedDict):
    """One epoch: (steps, width) learners; (steps, width, 1 + negatives) courses, the positive
    first, and what each pair counts, 1 or 0."""

    learner: npt.NDArray[np.int32]
    courses: npt.NDArray[np.int32]
    weight: npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Positives:
    """The training pairs as two columns, and as one sorted key each to look a pair up."""

    learner: npt.NDArray[np.int64]
    course: npt.NDArray[np.int64]
    keys: npt.NDArray[np.int64]
    catalogue: int

    @classmethod
    def of(cls, matrix: sparse.csr_matrix[np.float32]) -> Positives:
        """The pairs of a matrix with sorted indices."""
        learner = np.repeat(np.arange(matrix.shape[0], dtype=np.int64), np.diff(matrix.indptr))
        course = matrix.indices.astype(np.int64)
        return cls(learner, course, learner * matrix.shape[1] + course, int(matrix.shape[1]))

    def hit(
        self, learner: npt.NDArray[np.int64], course: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.bool_]:
        """Which of the pairs are positives."""
        keys = learner * self.catalogue + course
        at = np.searchsorted(self.keys, keys)
        return np.asarray(self.keys[np.minimum(at, len(self.keys) - 1)] == keys)


@dataclass(frozen=True)
class Shape:
    """How an epoch is cut into steps: ``steps`` batches of at most ``width`` positives.

    It is taken from all of train and kept for the search on a part of it: the same compiled epoch
    serves both, and the weight decay, which acts once per step, acts equally often in both.
    """

    steps: int
    width: int

    @classmethod
    def of(cls, positives: int, batch: int) -> Shape:
        """As many steps as batches of that size take."""
        steps = -(-positives // batch)
        return cls(steps, -(-positives // steps))


def batches(
    positives: Positives, shape: Shape, negatives: int, rng: np.random.Generator
) -> Batches:
    """One epoch: every positive once, in random order, spread evenly over the steps, each with its
    own uniform negatives."""
    count = len(positives.keys)
    order = rng.permutation(count)
    learner, positive = positives.learner[order], positives.course[order]
    drawn = rng.integers(positives.catalogue, size=(count, negatives))
    rows, columns = np.nonzero(positives.hit(learner[:, None], drawn))
    for _ in range(DRAWS):
        if not len(rows):
            break
        drawn[rows, columns] = rng.integers(positives.catalogue, size=len(rows))
        again = positives.hit(learner[rows], drawn[rows, columns])
        rows, columns = rows[again], columns[again]
    weight = np.ones((count, 1 + negatives), np.float32)
    weight[rows, 1 + columns] = 0.0
    courses = np.concatenate(
        [positive[:, None], drawn], axis=1, dtype=np.int32, casting="same_kind"
    )

    ends = np.arange(shape.steps + 1) * count // shape.steps
    slots = ends[:-1, None] + np.arange(shape.width)
    real = slots < ends[1:, None]
    slots = np.minimum(slots, count - 1)
    return Batches(
        learner=learner[slots].astype(np.int32),
        courses=courses[slots],
        weight=weight[slots] * real[:, :, None],
    )


@dataclass(frozen=True, eq=False)
class Validation:
    """A training part with one interaction per learner held out: what is kept, and who is asked for
    which course.

    ``past`` gives the kept courses of each learner asked, padded with the number of courses.
    """

    kept: sparse.csr_matrix[np.float32]
    learner: npt.NDArray[np.int32]
    course: npt.NDArray[np.int32]
    past: npt.NDArray[np.int32]


def hold_out(training: Training, most: int, rng: np.random.Generator) -> Validation:
    """Hold out the last training interaction of each learner with at least four; ask at most
    ``most`` of those learners, drawn at random.

    Where there are no times, or equal ones, chance decides which interaction is the last.
    """
    matrix = training.matrix
    lengths = np.diff(matrix.indptr)
    learner = np.repeat(np.arange(training.learners), lengths)
    times = getattr(training, "times", None)
    when = (
        np.zeros(matrix.nnz)
        if times is None
        else np.nan_to_num(np.asarray(times, np.float64), nan=-np.inf)
    )
    order = np.lexsort((rng.random(matrix.nnz), when, learner))
    able = np.flatnonzero(lengths >= FEWEST)
    held = order[matrix.indptr[able + 1] - 1]

    left = np.ones(matrix.nnz, bool)
    left[held] = False
    indptr = np.concatenate(
        [[0], np.cumsum(np.bincount(learner[left], minlength=training.learners))]
    ).astype(np.int32)
    kept = sparse.csr_matrix((matrix.data[left], matrix.indices[left], indptr), shape=matrix.shape)

    asked = np.sort(rng.permutation(len(able))[:most])
    able, held = able[asked], held[asked]
    width = int(np.diff(kept.indptr)[able].max(initial=1))
    past = np.full((len(able), width), training.catalogue, np.int32)
    for row, who in enumerate(able):
        courses = kept.indices[kept.indptr[who] : kept.indptr[who + 1]]
        past[row, : len(courses)] = courses
    return Validation(kept, able.astype(np.int32), matrix.indices[held].astype(np.int32), past)
