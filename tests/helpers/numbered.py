"""A platform whose ids are numbers: as text their order is 1, 10, 100, 2, which is not how anybody
counts. The scores know their learners, and leave out what a learner took, as most recommenders
do."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

import equity_core as eq


@dataclass(frozen=True)
class Numbered:
    """Tables with ids as text, and a matrix whose rows and columns are in the order of the
    numbers."""

    courses: pd.DataFrame
    interactions: pd.DataFrame
    scores: npt.NDArray[np.float64]
    learners: int

    def bundle(self) -> eq.Bundle:
        return eq.Bundle.from_frames(self.courses, self.interactions, principles=eq.SEVEN[:1])

    def frame(self) -> pd.DataFrame:
        """The scores with their ids, as they are meant."""
        row, column = np.nonzero(np.isfinite(self.scores))
        return pd.DataFrame(
            {
                "learner_id": (row + 1).astype(str),
                "course_id": (column + 1).astype(str),
                "score": self.scores[row, column],
            }
        )


def numbered(learners: int = 150, courses: int = 60, seed: int = 0) -> Numbered:
    """Learners with 8 courses each, the last two held out, mostly of the topic that they like."""
    rng = np.random.default_rng(seed)
    topic = rng.integers(0, 4, courses)
    liked = rng.integers(0, 4, learners)
    scores = np.where(topic == liked[:, None], 1.0, 0.0) + rng.random((learners, courses))
    rows = []
    for learner in range(learners):
        weight = np.where(topic == liked[learner], 8.0, 1.0)
        taken = rng.choice(courses, 8, replace=False, p=weight / weight.sum())
        scores[learner, taken[:6]] = -np.inf
        rows += [
            (str(learner + 1), str(course + 1), "train" if at < 6 else "test")
            for at, course in enumerate(taken)
        ]
    table = pd.DataFrame(
        {
            "course_id": [str(course + 1) for course in range(courses)],
            "title": [f"Course {course + 1}" for course in range(courses)],
            "category": [f"topic {one}" for one in topic],
        }
    )
    log = pd.DataFrame(rows, columns=["learner_id", "course_id", "split"])
    return Numbered(table, log, scores, learners)
