"""Random little platforms for the tests of recommenders."""

from __future__ import annotations

import numpy as np
import pandas as pd

from equity_core.recommenders.base import Training
from equity_core.recommenders.precompute import prepare

SEVEN = ("random", "toppopular", "userknn", "itemknn", "p3alpha", "rp3beta", "itemknncb")
"""The algorithms that need no neural network."""

WORDS = (
    "python",
    "web",
    "data",
    "music",
    "piano",
    "jazz",
    "yoga",
    "health",
    "food",
    "plan",
    "market",
    "master",
    "art",
    "draw",
    "photo",
)


def platform(
    seed: int = 0, learners: int = 40, courses: int = 30
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Courses (some without a description) and interactions in three splits; course c0 is in no
    interaction, and rows repeat."""
    rng = np.random.default_rng(seed)
    titles = [" ".join(rng.choice(WORDS, 3)) for _ in range(courses)]
    described = [
        " ".join(rng.choice(WORDS, 5)) if rng.random() < 0.5 else None for _ in range(courses)
    ]
    names = [f"c{number}" for number in range(courses)]
    catalogue = pd.DataFrame(
        {
            "course_id": names,
            "title": titles,
            "description": described,
            "category": rng.choice(["a", "b"], courses),
        }
    )
    appeal = np.arange(courses - 1, 0, -1)
    rows = []
    for learner in rng.permutation(learners):
        taken = 1 + rng.choice(
            courses - 1, rng.integers(4, 9), replace=False, p=appeal / appeal.sum()
        )
        for place, course in enumerate(taken):
            rows.append(
                (
                    f"u{learner:02d}",
                    f"c{course}",
                    ("test", "valid")[place] if place < 2 else "train",
                )
            )
    log = pd.DataFrame(rows, columns=["learner_id", "course_id", "split"])
    return catalogue, pd.concat([log, log.iloc[::7]], ignore_index=True)


def training(seed: int = 0, learners: int = 40, courses: int = 30) -> Training:
    return prepare(*platform(seed, learners, courses), seed)[0]
