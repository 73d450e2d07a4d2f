"""How high a list can get by each principle: against every list there is."""

from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest

import equity_core as eq
from equity_core.metrics.evaluate import achieved
from equity_core.metrics.reach import best_balance, reachable
from tests.helpers.worlds import tiny_frames

PRINCIPLES = (
    eq.Principle("quality", "mean", "rating"),
    eq.Principle("cheapness", "mean", "price", better="low"),
    eq.Principle("learnability", "balance", "level"),
    eq.Principle("variety", "balance", "category"),
    eq.Principle("familiarity", "match", "category"),
)


def random_bundle(seed: int) -> eq.Bundle:
    """Up to eight courses; labels are often unknown, and often all the same."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 9))
    levels = rng.choice(["beginner", "expert", "all", None], count, p=rng.dirichlet([1, 1, 1, 2]))
    categories = rng.choice(["code", "music", "art", None], count, p=rng.dirichlet([2, 1, 1, 1]))
    if all(level is None for level in levels):
        levels[0] = "beginner"
    if all(category is None for category in categories):
        categories[0] = "code"
    courses = pd.DataFrame(
        {
            "course_id": range(count),
            "title": [f"course {position}" for position in range(count)],
            "category": categories,
            "level": levels,
            "price": np.where(rng.random(count) < 0.2, np.nan, rng.uniform(0, 100, count)),
            "rating": rng.uniform(1, 5, count),
        }
    )
    if courses["price"].isna().all():
        courses.loc[0, "price"] = 1.0
    pairs = [(u, c) for u in range(4) for c in rng.permutation(count)[: rng.integers(1, count + 1)]]
    log = pd.DataFrame(pairs, columns=["learner_id", "course_id"]).assign(split="train")
    return eq.Bundle.from_frames(courses, log, principles=PRINCIPLES)


def best_of_all(bundle: eq.Bundle, k: int) -> npt.NDArray[np.float64]:
    """(learners, principles): the best of every list of k courses, or of the one of all courses
    where there are fewer. Only NumPy arrays and the measures: none of the code that is tested."""
    learners, count = len(bundle.learner_ids), len(bundle.course_ids)
    best = np.full((learners, len(bundle.principles)), -np.inf)
    for listed in itertools.combinations(range(count), min(k, count)):
        rows = np.full((learners, k), -1, dtype=np.int32)
        rows[:, : len(listed)] = listed
        best = np.maximum(best, achieved(bundle, rows))
    return best


@pytest.mark.parametrize("seed", range(40))
def test_no_list_is_better_and_one_is_as_good(seed: int) -> None:
    bundle = random_bundle(seed)
    for k in (1, 2, 3, 4, 6, 10):
        found, best = reachable(bundle, k), best_of_all(bundle, k)
        assert list(found) == [principle.name for principle in bundle.principles]
        for at, principle in enumerate(bundle.principles):
            if principle.kind == "match":
                assert found[principle.name] == 1.0
                assert (best[:, at] <= 1.0).all()
            else:  # the same for every learner
                assert found[principle.name] == pytest.approx(best[0, at], abs=1e-12)


def test_the_random_catalogues_are_of_every_sort() -> None:
    """Else the test above would show less than it says."""
    bundles = [random_bundle(seed) for seed in range(40)]
    assert {len(bundle.course_ids) for bundle in bundles} >= {2, 8}
    unknown = [(bundle.encoded.labels[:, 0] < 0).sum() for bundle in bundles]
    assert min(unknown) == 0
    assert max(unknown) >= 3
    assert {int(bundle.encoded.sizes[0]) for bundle in bundles} == {1, 2, 3}
    match = [best_of_all(bundle, 3)[:, 4].max() for bundle in bundles]
    assert max(match) == 1.0  # the bound of a match is reached


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_in_the_tiny_world(k: int) -> None:
    courses, log, scores = tiny_frames()
    bundle = eq.Bundle.from_frames(courses, log, relevance=scores)
    found, best = reachable(bundle, k), best_of_all(bundle, k)
    for at, principle in enumerate(bundle.principles):
        if principle.kind != "match":
            assert found[principle.name] == pytest.approx(best[0, at], abs=1e-12)


def test_ten_courses_over_four_levels() -> None:
    """The figure that formulas and Methods name."""
    assert best_balance(10, [100] * 4) == pytest.approx(0.867, abs=5e-4)
    assert best_balance(8, [100] * 4) == 1.0
    assert best_balance(10, [100] * 4, unknown=2) == 1.0
    assert best_balance(10, [100]) == 1.0
    assert best_balance(3, [100, 0]) == 0.0
