"""A synthetic world: catalogue, learners and what they took, in the bundle's format and as
positions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pandas as pd

from equity_core.bundle.interactions import SPLITS
from equity_core.synth import choices
from equity_core.synth.catalogue import NOW, OPENED, Catalogue, frame, make_catalogue
from equity_core.synth.choices import LEAST, SPLIT_AT, Pairs
from equity_core.synth.learners import Tastes, make_learners
from equity_core.synth.titles import vocabulary


@dataclass(frozen=True, eq=False)
class SyntheticWorld:
    """Everything that a bundle needs except relevance; nobody in it exists.

    Frames hold ids (``L0001``, ``C0001``), whose order is that of the positions; ``pairs`` holds
    positions, for worlds so large that frames of ids would be in the way.
    """

    name: str
    description: str
    courses: pd.DataFrame
    learners: pd.DataFrame
    pairs: Pairs
    catalogue: Catalogue
    tastes: Tastes
    seed: int
    synthetic: bool = True
    now: np.datetime64 = NOW
    opened: np.datetime64 = OPENED
    split_at: np.datetime64 = SPLIT_AT
    rating_scale: tuple[float, float] = (1.0, 5.0)

    @cached_property
    def interactions(self) -> pd.DataFrame:
        """learner_id, course_id, split, timestamp, rating; split is a category."""
        pairs = self.pairs
        return pd.DataFrame(
            {
                "learner_id": self.learners["learner_id"].to_numpy()[pairs.learner],
                "course_id": self.courses["course_id"].to_numpy()[pairs.course],
                "split": pd.Categorical.from_codes(pairs.split, categories=pd.Index(SPLITS)),
                "timestamp": pairs.seconds.astype("datetime64[s]"),
                "rating": pairs.stars.astype(np.float64),
            }
        )

    def past(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
        """The training courses as indptr and sorted course positions."""
        train = self.pairs.split == 0
        learner, course = self.pairs.learner[train], self.pairs.course[train]
        order = np.lexsort((course, learner))
        indptr = np.concatenate(
            [[0], np.cumsum(np.bincount(learner, minlength=len(self.learners)))]
        ).astype(np.int64)
        return indptr, course[order]


def synthesise(
    learners: int = 2000,
    courses: int = 1500,
    seed: int = 0,
    interactions_per_learner: float = 12.3,
    name: str = "Synthetic platform",
) -> SyntheticWorld:
    """A world of any size, vectorised: the paper's 43,021 learners × 24,321 courses with 12.316
    interactions each takes seconds.

    Cut at one moment (split_by_time): every learner has at least 4 training and 1 test interaction
    and exactly 2 for validation, the last two before the moment. The number of interactions is
    round(learners · interactions_per_learner). The same seed gives the same world on any machine,
    as far as NumPy's generator and floating-point functions agree there; no order of a hash or set
    enters.
    """
    if learners < 1 or courses < 60:
        raise ValueError(
            f"a world needs at least 1 learner and 60 courses, not {learners} and {courses}"
        )
    streams = [np.random.default_rng(part) for part in np.random.SeedSequence(seed).spawn(5)]
    catalogue = make_catalogue(courses, streams[0])
    supplied = np.bincount(catalogue.subtopic, minlength=len(vocabulary())) > 0
    last_joined = int((SPLIT_AT - np.timedelta64(30, "D")).astype(np.int64))
    people, joined, tastes = make_learners(learners, last_joined, supplied, streams[1])
    counts = choices.counts_per_learner(learners, courses, interactions_per_learner, streams[2])
    pairs = choices.make_pairs(catalogue, joined, tastes, counts, streams[3])
    taken = np.bincount(pairs.course[pairs.split == 0], minlength=courses)
    return SyntheticWorld(
        name=name,
        description=(
            f"Synthetic: {learners:,} invented learners and {courses:,} invented courses (seed"
            f" {seed}). Shares and medians in the catalogue follow those of a real platform from"
            " 2012 to 2017, but none of these people and courses exist. Every learner has"
            f" {LEAST['train']} or more training courses, {LEAST['valid']} for validation and"
            f" {LEAST['test']} or more for testing. By construction, plan, region, device and year"
            " of joining are related to tastes: differences between such groups show what the"
            " dashboard can do; they say nothing about people."
        ),
        courses=frame(catalogue, taken, streams[4]),
        learners=people,
        pairs=pairs,
        catalogue=catalogue,
        tastes=tastes,
        seed=seed,
    )
