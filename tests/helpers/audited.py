"""A random bundle with a table of learners, for tests of frames and charts; small enough for brute
force."""

from __future__ import annotations

import numpy as np
import pandas as pd

import equity_core as eq

ALGORITHMS = ("random", "userknn", "mine")


def make(
    learners: int = 60, courses: int = 40, seed: int = 0, algorithms: tuple[str, ...] = ALGORITHMS
) -> eq.Bundle:
    """Learners with 1 to 8 past courses, some without a test course; one learner (the last) has no
    candidate with "mine"."""
    rng = np.random.default_rng(seed)
    catalogue = pd.DataFrame(
        {
            "course_id": [f"c{at:03d}" for at in range(courses)],
            "title": [f"Course {at}" for at in range(courses)],
            "category": rng.choice(
                ["code", "music", "health", "law"], courses, p=[0.5, 0.2, 0.2, 0.1]
            ),
            "level": rng.choice(["beginner", "expert", None], courses, p=[0.6, 0.3, 0.1]),
            "last_update": pd.Timestamp("2015-01-01")
            + pd.to_timedelta(rng.integers(0, 1000, courses), unit="D"),
            "price": np.where(rng.random(courses) < 0.2, 0.0, rng.integers(5, 200, courses)),
            "enrolled": rng.integers(1, 5000, courses).astype(float),
            "rating": np.where(rng.random(courses) < 0.1, np.nan, rng.uniform(2, 5, courses)),
            "assets": rng.choice(["video", "video|article", "video|quiz|article", None], courses),
        }
    )
    log, rows = [], {name: [] for name in algorithms}
    for u in range(learners):
        taken = rng.permutation(courses)[: int(rng.integers(3, 13))]
        cut = max(1, len(taken) - int(rng.integers(0, 4)))
        for at, course in enumerate(taken):
            when = pd.Timestamp("2016-01-01") + pd.Timedelta(
                days=int(rng.integers(0, 200)) + (400 if at >= cut else 0)
            )
            log.append(
                (
                    f"u{u:03d}",
                    f"c{course:03d}",
                    "train" if at < cut else "test",
                    when,
                    float(rng.integers(1, 6)),
                )
            )
        for name in algorithms:
            if name == "mine" and u == learners - 1:
                continue
            for course in rng.permutation(courses)[:25]:
                rows[name].append((f"u{u:03d}", f"c{course:03d}", float(rng.random())))
    people = pd.DataFrame(
        {
            "learner_id": [f"u{u:03d}" for u in range(learners)],
            "region": rng.choice(["north", "south", "east"], learners),
            "age": rng.integers(18, 70, learners),
            "joined": pd.Timestamp("2014-06-01")
            + pd.to_timedelta(rng.integers(0, 900, learners), unit="D"),
        }
    )
    return eq.Bundle.from_frames(
        catalogue,
        pd.DataFrame(log, columns=["learner_id", "course_id", "split", "timestamp", "rating"]),
        relevance={
            name: pd.DataFrame(found, columns=["learner_id", "course_id", "score"])
            for name, found in rows.items()
        },
        learners=people,
        name="random world",
        synthetic=True,
    )


def own(
    bundle: eq.Bundle, k: int = 5, split: str = "test", **settings: object
) -> tuple[dict[str, eq.Run], dict[str, eq.Evaluation]]:
    """The recommenders' own lists and their measures."""
    policy = eq.Policy(lam=0.0, k=k, **settings)  # type: ignore[arg-type]
    runs = {name: eq.rerank(bundle, name, policy) for name in bundle.algorithms}
    return runs, {name: eq.evaluate(bundle, run, policy, split) for name, run in runs.items()}
