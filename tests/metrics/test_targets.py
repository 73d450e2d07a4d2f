"""How a policy's principles and targets meet a data set's own."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import equity_core as eq
from equity_core.metrics.targets import judged, learner_targets, targets_of
from tests.helpers.worlds import tiny_frames

IDS = ["u1", "u2", "u3", "u4", "u5", "u6"]
OWN = pd.DataFrame({"learner_id": IDS[:4], "quality": [0.5, 0.9, 1.0, 0.6], "variety": 0.3})
NAMES = [principle.name for principle in eq.SEVEN]
SHORT = eq.Principle("short", "mean", "hours", better="low")


@pytest.fixture(scope="module")
def bundle() -> eq.Bundle:
    courses, log, scores = tiny_frames()
    return eq.Bundle.from_frames(courses.assign(hours=range(12)), log, scores, targets=OWN)


def column(rows: np.ndarray, name: str) -> list[float]:
    return np.broadcast_to(rows, (6, 7))[:, NAMES.index(name)].tolist()


def test_without_targets_of_a_policy_the_learners_own_are_in_force(bundle: eq.Bundle) -> None:
    rows = targets_of(bundle, eq.Policy())
    assert column(rows, "quality") == [0.5, 0.9, 1.0, 0.6, 1.0, 1.0]
    assert column(rows, "variety") == [0.3, 0.3, 0.3, 0.3, 1.0, 1.0]
    assert column(rows, "validity") == [1.0] * 6


@pytest.mark.parametrize("value", [0.8, 1.0])
def test_a_target_for_all_replaces_the_learners_own_of_that_principle_only(
    bundle: eq.Bundle, value: float
) -> None:
    rows = targets_of(bundle, eq.Policy(targets={"quality": value, "validity": 0.7}))
    assert column(rows, "quality") == [value] * 6
    assert column(rows, "validity") == [0.7] * 6
    assert column(rows, "variety") == [0.3, 0.3, 0.3, 0.3, 1.0, 1.0]


def test_targets_of_single_learners_in_a_policy_replace_theirs_only(bundle: eq.Bundle) -> None:
    given = pd.DataFrame({"learner_id": ["u1"], "quality": [0.1]})
    rows = targets_of(bundle, eq.Policy(targets=given))
    assert column(rows, "quality") == [0.1, 0.9, 1.0, 0.6, 1.0, 1.0]
    assert column(rows, "variety") == [0.3, 0.3, 0.3, 0.3, 1.0, 1.0]


def test_a_target_for_every_principle_is_one_row_for_all(bundle: eq.Bundle) -> None:
    assert targets_of(bundle, eq.Policy(targets=dict.fromkeys(NAMES, 0.4))).shape == (1, 7)


def test_which_principles_have_targets_of_learners(bundle: eq.Bundle) -> None:
    assert learner_targets(bundle) == {"variety": 4, "quality": 3}
    assert learner_targets(bundle.with_principles([SHORT])) == {}
    courses, log, scores = tiny_frames()
    assert learner_targets(eq.Bundle.from_frames(courses, log, scores)) == {}


def test_a_policys_principles_give_what_the_bundle_with_them_gives(bundle: eq.Bundle) -> None:
    principles = (SHORT, bundle.principles[4], bundle.principles[2])
    other, policy = bundle.with_principles(principles), eq.Policy(floor=0.6, k=4)
    asked = policy.but(principles=principles)
    run, same = eq.rerank(bundle, "userknn", asked), eq.rerank(other, "userknn", policy)
    np.testing.assert_array_equal(run.courses, same.courses)
    found, expected = eq.evaluate(bundle, run, asked), eq.evaluate(other, same, policy)
    assert found.names == ("short", "quality", "learnability")
    assert (found.ndcg, found.consistency, found.equality) == (
        expected.ndcg,
        expected.consistency,
        expected.equality,
    )
    for one, two in (
        (
            eq.sweep(bundle, "userknn", asked, lams=[0.5, 0.9]),
            eq.sweep(other, "userknn", policy, lams=[0.5, 0.9]),
        ),
        (
            eq.floor_sweep(bundle, "userknn", asked, floors=[0.6]),
            eq.floor_sweep(other, "userknn", policy, floors=[0.6]),
        ),
    ):
        pd.testing.assert_frame_equal(one, two)


def test_a_bundle_is_judged_once_and_knows_where_it_comes_from(bundle: eq.Bundle) -> None:
    asked = eq.Policy(principles=[SHORT])
    once = judged(bundle, asked)
    assert judged(bundle, asked) is once
    assert judged(once, asked) is once
    assert judged(bundle, eq.Policy()) is bundle
    assert once.with_principles(bundle.principles) is bundle
    assert once.relevance("userknn") is bundle.relevance("userknn")


@pytest.mark.parametrize(
    ("principle", "message"),
    [
        (eq.Principle("deep", "mean", "depth"), "do not fit this data set: .*'deep'.*'depth'"),
        (eq.Principle("topical", "mean", "category"), "'topical'.*'category'.*numbers"),
    ],
)
def test_principles_that_do_not_fit_are_named(
    bundle: eq.Bundle, principle: eq.Principle, message: str
) -> None:
    asked = eq.Policy(principles=[principle])
    own = eq.rerank(bundle, "userknn", eq.Policy())
    with pytest.raises(ValueError, match=message):
        eq.rerank(bundle, "userknn", asked)
    with pytest.raises(ValueError, match=message):
        eq.evaluate(bundle, own, asked)
