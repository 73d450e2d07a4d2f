"""Synthetic relevance: plausible scores in seconds, without fitting a recommender. For benchmarks
only; the demo uses the real ten."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

from equity_core.bundle.relevance import Relevance
from equity_core.synth.catalogue import Catalogue, Floats, Ints, make_catalogue, subtopic_category
from equity_core.synth.choices import APPEAL, SPLIT_AT
from equity_core.synth.learners import Tastes, make_learners
from equity_core.synth.titles import vocabulary
from equity_core.synth.world import SyntheticWorld

SPARE = 40
"""Candidates drawn beyond those asked for, to make up for courses of the past."""
NOISE = 0.7
BLOCK = 2048


def synthetic_relevance(
    world: SyntheticWorld | tuple[int, int], candidates: int = 200, seed: int = 0
) -> Relevance:
    """Candidates as positions, best first, the past left out: what a bundle's
    ``relevance(algorithm)`` returns.

    ``world``: a world, or (learners, courses) of one that is never made; then there is no past to
    leave out. score = exp(half of the log appeal + a bonus for the learner's interests and their
    categories + noise): a few high, a long tail. Candidates are drawn for each first interest by
    systematic sampling (inclusion probabilities of at most 1, one uniform number per learner),
    so that none occurs twice. A row is shorter than asked for only if the past takes more than the
    spare ones, or the catalogue is too small.
    """
    learners, courses = (
        (len(world.learners), len(world.courses)) if isinstance(world, SyntheticWorld) else world
    )
    if candidates < 1 or learners < 1 or courses < 1:
        raise ValueError(
            f"learners ({learners}), courses ({courses}) and candidates ({candidates}) must be 1 or"
            " more"
        )
    streams = [np.random.default_rng(part) for part in np.random.SeedSequence((seed, 7)).spawn(3)]
    if isinstance(world, SyntheticWorld):
        catalogue, tastes, (past_ptr, past) = world.catalogue, world.tastes, world.past()
    else:
        catalogue = make_catalogue(courses, streams[0])
        tastes = make_learners(
            learners,
            int(SPLIT_AT.astype(np.int64)),
            np.ones(len(vocabulary()), dtype=bool),
            streams[1],
        )[2]
        past_ptr, past = np.zeros(learners + 1, dtype=np.int64), np.zeros(0, dtype=np.int32)
    drawn = min(courses, candidates + SPARE)
    edges = _inclusion(catalogue, drawn)
    kept = min(drawn, candidates)
    out_courses, out_scores = np.empty((learners, kept), dtype=np.int32), np.empty((learners, kept))
    lengths = np.empty(learners, dtype=np.int64)
    for start in range(0, learners, BLOCK):
        rows = np.arange(start, min(start + BLOCK, learners))
        shown = _draw(edges, tastes.interests[rows, 0], drawn, streams[2])
        scores = _scores(catalogue, tastes, rows, shown, streams[2])
        seen = np.zeros((len(rows), courses), dtype=bool)
        mine = past[past_ptr[start] : past_ptr[rows[-1] + 1]]
        seen[np.repeat(np.arange(len(rows)), np.diff(past_ptr[start : rows[-1] + 2])), mine] = True
        gone = np.take_along_axis(seen, shown, axis=1)
        scores[gone] = -np.inf
        order = np.argsort(-scores, axis=1, kind="stable")[
            :, :kept
        ]  # shown is ascending: ties go by position
        out_courses[rows], out_scores[rows] = (
            np.take_along_axis(shown, order, axis=1),
            np.take_along_axis(scores, order, axis=1),
        )
        lengths[rows] = np.minimum(drawn - gone.sum(axis=1), kept)
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    if int(indptr[-1]) == out_courses.size:
        return Relevance(indptr, out_courses.reshape(-1), out_scores.reshape(-1))
    real = np.arange(kept)[None, :] < lengths[:, None]
    return Relevance(indptr, out_courses[real], out_scores[real])


def relevance_frame(world: SyntheticWorld, relevance: Relevance) -> pd.DataFrame:
    """The same as learner_id, course_id, score (float32), as a bundle stores it."""
    learners = world.learners["learner_id"].to_numpy().repeat(np.diff(relevance.indptr))
    courses = world.courses["course_id"].to_numpy()[relevance.courses]
    return pd.DataFrame(
        {"learner_id": learners, "course_id": courses, "score": relevance.scores.astype(np.float32)}
    )


def _inclusion(catalogue: Catalogue, drawn: int) -> Floats:
    """(subtopics, courses + 1): edges of the inclusion probabilities for learners of each first
    interest; the last edge is ``drawn``."""
    home = subtopic_category()
    appeal = np.exp(APPEAL * catalogue.appeal)
    same_category = home[:, None] == catalogue.category[None, :]
    same_subtopic = np.arange(len(home))[:, None] == catalogue.subtopic[None, :]
    chance = (1.0 + 8.0 * same_category + 40.0 * same_subtopic) * appeal[None, :]
    full = np.zeros(chance.shape, dtype=bool)
    while True:  # what would exceed 1 is taken for sure, and the rest shares what is left
        left = drawn - full.sum(axis=1, keepdims=True)
        free = np.where(full, 0.0, chance)
        scaled = np.where(
            full, 1.0, free * (left / np.maximum(free.sum(axis=1, keepdims=True), 1e-300))
        )
        over = (scaled >= 1.0) & ~full
        if not over.any():
            break
        full |= over
    edges = np.zeros((len(home), len(catalogue) + 1))
    np.cumsum(scaled, axis=1, out=edges[:, 1:])
    return edges


def _draw(
    edges: Floats, group: Ints, drawn: int, rng: np.random.Generator
) -> npt.NDArray[np.int32]:
    """(rows, drawn) distinct course positions, ascending."""
    courses = edges.shape[1] - 1
    reach = rng.random(len(group))[:, None] + np.arange(drawn)[None, :]
    shown = np.empty(reach.shape, dtype=np.int32)
    for which in np.unique(group):
        mine = group == which
        # A hair inside [0, 1): rounding in the running sum must not let one course hold two of the
        # steps.
        shown[mine] = np.searchsorted(edges[which], reach[mine] * (1 - 1e-12), side="right") - 1
    np.minimum(shown, courses - 1, out=shown)
    repeated = shown[:, 1:] <= shown[:, :-1]
    if repeated.any():
        for row in np.flatnonzero(repeated.any(axis=1)):
            once = np.unique(shown[row])
            others = np.setdiff1d(np.arange(courses, dtype=np.int32), once)[: drawn - len(once)]
            shown[row] = np.sort(np.concatenate([once, others]))
    return shown


def _scores(
    catalogue: Catalogue,
    tastes: Tastes,
    rows: Ints,
    shown: npt.NDArray[np.int32],
    rng: np.random.Generator,
) -> Floats:
    home = subtopic_category()
    subtopic = catalogue.subtopic[shown]
    log = (0.5 * APPEAL * catalogue.appeal)[shown] + NOISE * rng.standard_normal(
        shown.shape, dtype=np.float32
    )
    category = home[subtopic]
    for at in range(tastes.interests.shape[1]):
        interest, share = tastes.interests[rows, at][:, None], tastes.shares[rows, at][:, None]
        log += share * (2.0 * (subtopic == interest) + 1.0 * (category == home[interest]))
    return np.asarray(np.exp(log), dtype=np.float64)
