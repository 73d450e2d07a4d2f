"""Lists looked up after a search are those that the re-ranker makes, to the last course."""

from __future__ import annotations

import numpy as np
import pytest

import equity_core as eq
from equity_core.reranker import search as lam_search
from tests.helpers.audited import make

POLICIES = {
    "glob": eq.Policy(k=5),
    "pers": eq.Policy(k=3, strategy="pers", relevance_scale="rank"),
    "catalogue": eq.Policy(k=5, pool="catalogue", targets={"quality": 0.7}),
    "long": eq.Policy(k=30),
}
FLOORS = [0.0, 0.3, 0.5, 0.5678, 0.61, 0.7, 0.823, 1.0]


def check(
    bundle: eq.Bundle, algorithm: str, policy: eq.Policy, lams: list[float], floors: list[float]
) -> None:
    looked_up, plain = (
        lam_search.search(bundle, algorithm, policy).session,
        eq.Session(bundle, algorithm, policy),
    )
    assert looked_up.remembers
    pairs = [(looked_up.at_lam(lam), plain.at_lam(lam)) for lam in lams] + [
        (looked_up.at_floor(tau), plain.at_floor(tau)) for tau in floors
    ]
    for mine, expected in pairs:
        assert mine.courses.dtype == expected.courses.dtype
        for field in ("courses", "lam", "reached", "targets", "weights"):
            np.testing.assert_array_equal(
                getattr(mine, field), getattr(expected, field), err_msg=field
            )


@pytest.mark.parametrize("name", POLICIES)
@pytest.mark.parametrize(
    "algorithm", ["userknn", "mine"]
)  # "mine" leaves a learner without candidates
def test_on_the_grid_beside_it_and_at_any_floor(name: str, algorithm: str) -> None:
    check(
        make(),
        algorithm,
        POLICIES[name],
        [*np.arange(0, 1001, 13) / 1000, 0.05, 0.80625, 0.12345, 1.0],
        FLOORS,
    )


def test_with_more_courses_than_a_short_number_counts() -> None:
    bundle = make(learners=8, courses=60_000)
    check(bundle, "userknn", eq.Policy(k=5), [0.0, 0.4, 0.9, 1.0], [0.5, 0.7])
    assert (
        eq.rerank(bundle, "userknn", eq.Policy(k=5)).courses.max() > np.iinfo(np.int16).max
    )  # else this would show nothing


def test_on_the_demo() -> None:
    check(
        eq.load_bundle("data/demo"),
        "userknn",
        eq.Policy(),
        [0.0, 0.3, 0.801, 0.85, 0.932, 1.0],
        [0.55, 0.61, 0.719, 0.9],
    )
