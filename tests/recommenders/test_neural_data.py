"""What the nets train on: a validation part from train alone, and batches that hold every positive
and no false negative."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from equity_core.recommenders.base import Training
from equity_core.recommenders.neural_data import Positives, Shape, batches, hold_out

PASTS = [[0, 1, 2, 3], [4, 5, 6], [0, 2, 4, 6, 8], [9], [], list(range(10))]
COURSES = 10


@dataclass(frozen=True, eq=False)
class Timed(Training):
    """A training part whose interactions have times, one an entry of the matrix."""

    times: np.ndarray | None = None


def matrix(pasts: list[list[int]]) -> sparse.csr_matrix:
    indptr = np.cumsum([0, *map(len, pasts)]).astype(np.int32)
    indices = np.array([course for past in pasts for course in past], np.int32)
    return sparse.csr_matrix(
        (np.ones(len(indices), np.float32), indices, indptr), shape=(len(pasts), COURSES)
    )


def training(times: np.ndarray | None = None) -> Timed:
    return Timed(matrix(PASTS), pd.DataFrame({"course_id": range(COURSES)}), times=times)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def held(times: np.ndarray | None = None, seed: int = 0, most: int = 100) -> dict[int, int]:
    out = hold_out(training(times), most, rng(seed))
    return dict(zip(out.learner.tolist(), out.course.tolist(), strict=True))


def test_the_last_interaction_of_learners_with_at_least_four_is_held_out() -> None:
    times = np.arange(23, dtype=float)
    times[1] = 100  # learner 0 took course 1 last
    times[9] = np.nan  # an unknown time is never the last
    times[12:] = -times[12:]
    assert held(times) == {0: 1, 2: 8, 5: 0}


def test_an_unknown_time_is_never_the_last() -> None:
    times = np.arange(23, dtype=float)
    times[[3, 11]] = np.nan
    assert held(times) == {0: 2, 2: 6, 5: 9}


def test_without_times_chance_decides_and_the_seed_decides_chance() -> None:
    assert held().keys() == {0, 2, 5}
    assert held(seed=1) == held(seed=1)
    assert len({tuple(held(seed=seed).values()) for seed in range(20)}) > 5
    assert all(
        course in PASTS[learner]
        for seed in range(20)
        for learner, course in held(seed=seed).items()
    )


def test_what_is_kept_and_what_is_held_out_make_up_train() -> None:
    out = hold_out(training(), 100, rng())
    both = out.kept.toarray()
    assert (both[out.learner, out.course] == 0).all()
    both[out.learner, out.course] = 1
    np.testing.assert_array_equal(both, matrix(PASTS).toarray())
    assert out.kept.has_sorted_indices
    for learner, past in zip(out.learner, out.past, strict=True):
        assert past[past < COURSES].tolist() == np.flatnonzero(out.kept.toarray()[learner]).tolist()


def test_at_most_so_many_learners_are_asked_but_all_give_one_up() -> None:
    out = hold_out(training(), 2, rng())
    assert len(out.learner) == len(out.course) == len(out.past) == 2
    assert out.kept.nnz == matrix(PASTS).nnz - 3


def test_nobody_with_four_is_no_validation() -> None:
    small = Training(matrix([[0, 1, 2], [3]]), pd.DataFrame({"course_id": range(COURSES)}))
    out = hold_out(small, 100, rng())
    assert len(out.learner) == 0
    assert out.kept.nnz == 4


@pytest.mark.parametrize("batch", [1, 4, 7, 100])
def test_an_epoch_holds_every_positive_once_and_no_false_negative(batch: int) -> None:
    positives = Positives.of(matrix(PASTS))
    shape = Shape.of(23, batch)
    drawn = batches(positives, shape, 4, rng())
    assert drawn["learner"].shape == (shape.steps, shape.width)
    assert drawn["courses"].shape == drawn["weight"].shape == (shape.steps, shape.width, 5)
    real = drawn["weight"][:, :, 0] == 1
    pairs = list(
        zip(drawn["learner"][real].tolist(), drawn["courses"][real][:, 0].tolist(), strict=True)
    )
    assert sorted(pairs) == [
        (learner, course) for learner, past in enumerate(PASTS) for course in past
    ]
    per_step = real.sum(axis=1)
    assert per_step.max() - per_step.min() <= 1
    assert per_step.max() <= batch
    taken = matrix(PASTS).toarray()
    hits = taken[drawn["learner"][:, :, None], drawn["courses"][:, :, 1:]] > 0
    assert not (hits & (drawn["weight"][:, :, 1:] > 0)).any()
    assert (drawn["weight"][~real] == 0).all()


def test_who_has_the_whole_catalogue_has_no_negative_and_others_have_theirs() -> None:
    drawn = batches(Positives.of(matrix(PASTS)), Shape.of(23, 23), 4, rng())
    everything = drawn["learner"] == 5
    assert (drawn["weight"][everything][:, 1:] == 0).all()
    assert (drawn["weight"][everything][:, 0] == 1).all()
    few = np.isin(drawn["learner"], [1, 3])
    assert drawn["weight"][few].mean() > 0.99


def test_the_shape_of_all_of_train_holds_a_part_of_it() -> None:
    positives = Positives.of(hold_out(training(), 100, rng()).kept)
    drawn = batches(positives, Shape.of(23, 4), 2, rng())
    assert drawn["learner"].shape == (6, 4)
    assert drawn["weight"][:, :, 0].sum() == 20
    assert (drawn["weight"][:, :, 0].sum(axis=1) > 0).all()


def test_negatives_are_drawn_from_the_whole_catalogue_and_anew_each_epoch() -> None:
    positives, one = Positives.of(matrix(PASTS)), rng()
    first, second = (batches(positives, Shape.of(23, 8), 4, one) for _ in range(2))
    assert set(first["courses"][:, :, 1:].ravel()) == set(range(COURSES))
    assert not np.array_equal(first["courses"], second["courses"])
    again = batches(positives, Shape.of(23, 8), 4, rng())
    for name in ("learner", "courses", "weight"):
        np.testing.assert_array_equal(first[name], again[name])
