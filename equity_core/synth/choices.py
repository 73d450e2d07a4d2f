"""What synthetic learners take, when, and how they like it.

Time runs in quarters. In each, a course draws by its appeal, by what learners took before
(popularity feeds on itself) and by its age; a learner thinks of an interest, of its category, or of
nothing in particular, looks at SHOWN courses there, and takes one by taste: hidden traits, level,
price, crowd. So neighbours share more than popularity does, and text tells the topic but not all of
the taste.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from equity_core.bundle.interactions import SPLITS
from equity_core.bundle.splitting import split_by_time
from equity_core.synth.catalogue import DAY, NOW, Catalogue, Floats, Ints, subtopic_category
from equity_core.synth.learners import BROWSING, BUZZ, INTERESTS, Tastes, category_buzz
from equity_core.synth.titles import vocabulary

SPLIT_AT = np.datetime64("2017-07-01", "s")
"""Train and valid up to this moment, test after it."""
LEAST = {"train": 4, "valid": 2, "test": 1}
"""Interactions that every learner has: exactly this many in valid, the last ones before the split,
and at least this many in the others."""
LATE = 0.3
"""Share of further interactions that fall after the split."""

SHOWN = 12
"""Courses that a learner looks at before taking one."""
WANDERING = 0.38
"""Mean share of choices from the whole category of an interest."""
APPEAL = 1.2
"""Weight of a course's own appeal in the log of its draw."""
FEEDBACK = 0.5
"""Weight of what was taken before: log of 1 + the course's count over the mean count."""
TRAIT_PULL = 0.8
"""Weight of the hidden traits in a learner's liking."""
LEVEL_PULL = 0.8
"""Weight of the distance between the course's level and the one sought."""
UNRATED = 0.4
"""Share of interactions without stars."""
CHUNK = 65_536
"""Choices made at once, to bound the memory."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """Interactions by position, ordered by learner, then time; no (learner, course) twice."""

    learner: npt.NDArray[np.int32]
    course: npt.NDArray[np.int32]
    seconds: Ints
    split: npt.NDArray[np.int8]
    """Position in equity_core.bundle.interactions.SPLITS: train, valid, test."""
    stars: npt.NDArray[np.float32]
    """NaN: not rated."""

    def __len__(self) -> int:
        return len(self.learner)


def counts_per_learner(learners: int, courses: int, mean: float, rng: np.random.Generator) -> Ints:
    """Interactions of each learner, summing to round(learners · mean): long-tailed above the least,
    at most a fifth of the catalogue."""
    least, total = sum(LEAST.values()), round(learners * mean)
    if mean < least:
        raise ValueError(
            f"interactions_per_learner is {mean:g}; give {least} or more: every learner has at"
            f" least {LEAST}"
        )
    if courses < 10 * mean:
        raise ValueError(
            f"{courses} courses are too few for {mean:g} interactions per learner; give"
            f" {np.ceil(10 * mean):.0f} or more"
        )
    weight = np.exp(rng.standard_normal(learners))
    cap = courses // 5 - least
    extra = np.zeros(learners, dtype=np.int64)
    left = total - least * learners
    while left:
        room = extra < cap
        step = np.floor(np.where(room, weight, 0.0) / weight[room].sum() * left).astype(np.int64)
        if not step.any():
            step[np.flatnonzero(room)[np.argsort(-weight[room], kind="stable")[:left]]] = 1
        extra = np.minimum(extra + step, cap)
        left = total - least * learners - int(extra.sum())
    return extra + least


def make_pairs(
    catalogue: Catalogue, joined: Ints, tastes: Tastes, counts: Ints, rng: np.random.Generator
) -> Pairs:
    """Every learner's interactions; nobody takes a course twice."""
    learner = np.repeat(np.arange(len(joined)), counts)
    seconds = _times(learner, joined, counts, rng)
    thoughts = _thoughts(learner, tastes, rng)
    course = _choose(catalogue, tastes, learner, seconds, thoughts, rng)
    stars = _stars(catalogue, tastes, learner, course, rng)
    order = np.lexsort((course, seconds, learner))
    log = pd.DataFrame(
        {
            "learner_id": learner[order],
            "course_id": course[order],
            "timestamp": seconds[order].astype("datetime64[s]"),
        }
    )
    cut, _ = split_by_time(
        log, str(SPLIT_AT), min_train=LEAST["train"], min_test=LEAST["test"], valid=LEAST["valid"]
    )
    split = pd.Categorical(cut["split"], categories=list(SPLITS)).codes
    return Pairs(
        learner[order].astype(np.int32),
        course[order].astype(np.int32),
        seconds[order],
        split,
        stars[order],
    )


def _times(learner: Ints, joined: Ints, counts: Ints, rng: np.random.Generator) -> Ints:
    """The moment of each interaction; a third of them follows within the hour on another of the
    same learner."""
    place = np.arange(len(learner)) - np.repeat(np.cumsum(counts) - counts, counts)
    after = rng.random(len(learner)) < LATE
    after[place < sum(LEAST.values())] = False
    after[place < LEAST["test"]] = True
    split, now = int(SPLIT_AT.astype(np.int64)), int(NOW.astype(np.int64))
    start = np.where(after, split + 1, joined[learner])
    length = np.where(after, now, split) - start - DAY
    seconds = start + (rng.random(len(learner)) ** np.where(after, 1.0, 0.8) * length).astype(
        np.int64
    )
    order = np.lexsort((rng.random(len(learner)), after, learner))
    follows = np.zeros(len(learner), dtype=bool)
    same = 2 * learner[order] + after[order]
    follows[1:] = (rng.random(len(learner) - 1) < 1 / 3) & (same[1:] == same[:-1])
    leader = np.maximum.accumulate(np.where(follows, 0, np.arange(len(learner))))
    moment = seconds[order][leader] + np.where(
        follows, (rng.random(len(learner)) * 3600).astype(np.int64), 0
    )
    seconds[order] = moment
    return np.asarray(seconds, dtype=np.int64)


def _thoughts(learner: Ints, tastes: Tastes, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """First and last + 1 of the subtopics that the learner looks through: an interest, its
    category, or everything."""
    edges = np.cumsum(tastes.shares, axis=1)[learner]
    which = np.minimum((edges <= rng.random(len(learner))[:, None]).sum(axis=1), INTERESTS - 1)
    own = tastes.interests[learner, which]
    starts = np.concatenate(
        [[0], np.cumsum(np.bincount(subtopic_category()))]
    )  # subtopics of a category stand together
    home = subtopic_category()[own]
    u = rng.random(len(learner))
    breadth = tastes.breadth[learner]
    browsing, wandering = u < BROWSING * breadth, u < (BROWSING + WANDERING) * breadth
    low = np.where(browsing, 0, np.where(wandering, starts[home], own))
    return low, np.where(browsing, starts[-1], np.where(wandering, starts[home + 1], own + 1))


def _choose(
    catalogue: Catalogue,
    tastes: Tastes,
    learner: Ints,
    seconds: Ints,
    thoughts: tuple[Ints, Ints],
    rng: np.random.Generator,
) -> Ints:
    """The course of each interaction, quarter by quarter."""
    quarter = (seconds.astype("datetime64[s]").astype("datetime64[M]").astype(np.int64)) // 3
    order = np.argsort(quarter, kind="stable")
    cuts = np.searchsorted(quarter[order], np.arange(quarter.min(), quarter.max() + 2))
    course = np.full(len(learner), -1, dtype=np.int64)
    taken = np.zeros(0, dtype=np.int64)  # learner · courses + course, sorted
    crowd = np.zeros(len(catalogue))
    for begin, end, first in zip(
        cuts[:-1], cuts[1:], range(int(quarter.min()), int(quarter.max()) + 1), strict=True
    ):
        rows = order[begin:end]
        if not len(rows):
            continue
        last_second = int(
            np.datetime64(3 * (first + 1), "M").astype("datetime64[s]").astype(np.int64)
        )
        shelf = Shelf(catalogue, crowd, last_second)
        waiting, tries = rows, 0
        while len(waiting):
            parts = [waiting[at : at + CHUNK] for at in range(0, len(waiting), CHUNK)]
            picks = (
                shelf.pick(
                    tastes, learner[p], seconds[p], (thoughts[0][p], thoughts[1][p]), tries, rng
                )
                for p in parts
            )
            picked = np.concatenate(list(picks))
            keys = learner[waiting] * len(catalogue) + picked
            fresh = (picked >= 0) & ~contains(taken, keys)
            _, firsts = np.unique(np.where(fresh, keys, -1), return_index=True)
            once = np.zeros(len(waiting), dtype=bool)
            once[firsts] = True
            good = fresh & once
            course[waiting[good]] = picked[good]
            taken = np.concatenate([taken, keys[good]])
            taken.sort(kind="stable")  # merges two sorted runs
            waiting, tries = waiting[~good], tries + 1
        crowd += np.bincount(course[rows], minlength=len(catalogue))
    return course


def contains(ordered: Ints, keys: Ints) -> npt.NDArray[np.bool_]:
    """Which keys are among the ordered ones."""
    if not len(ordered):
        return np.zeros(len(keys), dtype=bool)
    return np.asarray(ordered[np.minimum(np.searchsorted(ordered, keys), len(ordered) - 1)] == keys)


class Shelf:
    """The courses of one quarter, subtopic by subtopic, with what draws learners to them."""

    def __init__(self, catalogue: Catalogue, crowd: Floats, last_second: int) -> None:
        self.catalogue = catalogue
        self.order = np.argsort(catalogue.subtopic, kind="stable")
        self.starts = np.concatenate(
            [[0], np.cumsum(np.bincount(catalogue.subtopic, minlength=len(vocabulary())))]
        )
        age = (last_second - catalogue.published) / (365 * DAY)
        novelty = 0.3 + np.exp(-np.maximum(age, 0) / 1.2)
        seen = crowd / max(crowd.mean(), 1e-9) if crowd.any() else crowd
        self.log_draw = (
            APPEAL * catalogue.appeal
            + FEEDBACK * np.log1p(seen)
            + np.log(novelty)
            + BUZZ * category_buzz()[catalogue.category]
        )
        weight = np.where(age > 0, np.exp(self.log_draw), 0.0)
        self.edges = np.concatenate([[0.0], np.cumsum(weight[self.order])])
        self.anywhere = np.flatnonzero(age > 0)

    def pick(
        self,
        tastes: Tastes,
        learner: Ints,
        seconds: Ints,
        thoughts: tuple[Ints, Ints],
        tries: int,
        rng: np.random.Generator,
    ) -> Ints:
        """One course for each row, −1 where nothing shown was published yet.

        After 6 tries the whole shelf is open to all, after 12 every course that is out by the
        quarter's end, after 60 any course: so every interaction finds a course, however small the
        catalogue.
        """
        shape = (len(learner), SHOWN)
        if tries < 12:
            low, high = self.starts[thoughts[0]], self.starts[thoughts[1]]
            empty = (self.edges[high] <= self.edges[low]) | (tries >= 6)
            low, high = np.where(empty, 0, low), np.where(empty, len(self.order), high)
            reach = (
                self.edges[low][:, None]
                + rng.random(shape) * (self.edges[high] - self.edges[low])[:, None]
            )
            found = np.searchsorted(self.edges, reach, side="right") - 1
            shown = self.order[np.clip(found, low[:, None], high[:, None] - 1)]
        else:
            pool = self.anywhere if tries < 60 else np.arange(len(self.order))
            shown = pool[(rng.random(shape) * len(pool)).astype(np.int64)]
        pull = np.exp(self.liking(tastes, learner, shown))
        if tries < 60:
            pull = np.where(self.catalogue.published[shown] <= seconds[:, None], pull, 0.0)
        edges = np.cumsum(pull, axis=1)
        which = (edges <= (rng.random(len(learner)) * edges[:, -1])[:, None]).sum(axis=1)
        picked = shown[np.arange(len(learner)), np.minimum(which, SHOWN - 1)]
        return np.where(edges[:, -1] > 0, picked, -1)

    def liking(self, tastes: Tastes, learner: Ints, shown: Ints) -> Floats:
        """Hidden traits, level (courses for all levels suit all), price and crowd, as the exponent
        of the pull."""
        courses = self.catalogue
        affinity = np.einsum("rd,rcd->rc", tastes.traits[learner], courses.traits[shown]).astype(
            np.float64
        )
        level = courses.level[shown]
        distance = np.where(level == 0, 0.7, np.abs(level - 1 - tastes.skill[learner][:, None]))
        price = tastes.price[learner][:, None] * courses.price[shown] / 200.0
        crowd = tastes.crowd[learner][:, None] * self.log_draw[shown]
        return np.asarray(TRAIT_PULL * affinity - LEVEL_PULL * distance - price + crowd)


def _stars(
    catalogue: Catalogue, tastes: Tastes, learner: Ints, course: Ints, rng: np.random.Generator
) -> npt.NDArray[np.float32]:
    """1 to 5, mostly 4 and 5: the course's quality, the learner's generosity, chance; UNRATED of
    them are missing."""
    mind = (
        4.35
        + 0.3 * catalogue.quality[course]
        + tastes.generosity[learner]
        + 0.7 * rng.standard_normal(len(learner))
    )
    stars = np.clip(np.round(mind), 1, 5).astype(np.float32)
    stars[rng.random(len(learner)) < UNRATED] = np.nan
    return stars
