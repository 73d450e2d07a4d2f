"""The tables on Methods: which targets are out of reach, what each principle's scale means, and how
unequal lists can be."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import equity_core as eq
from equity_core.analysis.data import provenance
from equity_core.analysis.methods import (
    any_order_bound,
    bounds_frame,
    bounds_sentence,
    one_list_bound,
    reach_frame,
    reach_sentence,
    replaced_courses,
)
from equity_core.metrics.inequality import gini
from equity_core.metrics.reach import reachable
from tests.helpers.audited import make, own
from tests.helpers.awkward import BUNDLES
from tests.helpers.worlds import tiny_frames


@pytest.mark.parametrize("k", [1, 4, 10])
def test_best_is_what_the_sidebar_says_too(k):
    courses, log, scores = tiny_frames()
    bundle = eq.Bundle.from_frames(courses, log, relevance=scores)
    frame, found = reach_frame(bundle, eq.Policy(k=k)), reachable(bundle, k)
    for name, kind in frame["kind"].items():
        best = frame.loc[name, "best"]
        assert np.isnan(best) if kind == "match" else best == found[name]


def test_learnability_of_the_demo_is_not_limited_by_ten_places():
    """Ten courses over four levels give 0.867 at best, but two places can go to courses of unknown
    level, which do not count."""
    bundle = eq.load_bundle("data/demo")
    row = reach_frame(bundle, eq.Policy(k=10)).loc["learnability"]
    assert row["best"] == 1.0
    assert "0.867; with courses of unknown level, which do not count: 1.000" in row["why"]


def test_sentence_names_what_is_out_of_reach():
    courses, log, scores = tiny_frames()
    bundle = eq.Bundle.from_frames(courses, log, relevance=scores)
    text = reach_sentence(reach_frame(bundle, eq.Policy(k=4)), 4)
    assert "variety (at best " in text
    low = eq.Policy(k=4, targets={principle.name: 0.1 for principle in bundle.principles})
    assert "no target is out of reach by itself" in reach_sentence(reach_frame(bundle, low), 4)


@pytest.mark.parametrize("name", BUNDLES)
def test_awkward_data(name):
    bundle = BUNDLES[name]()
    frame = reach_frame(bundle, eq.Policy(k=50))
    assert frame.index.tolist() == [principle.name for principle in bundle.principles]
    assert frame["best"].dropna().between(0, 1 + 1e-12).all()
    table = provenance.principle_scales(bundle)
    assert table.index.tolist() == frame.index.tolist()
    assert (table["scores_1"].str.len() > 0).all()


def test_scales_say_what_scores_one():
    courses, log, scores = tiny_frames()
    bundle = eq.Bundle.from_frames(courses, log, relevance=scores)
    table = provenance.principle_scales(bundle)
    assert table.loc["affordability", ["scores_0", "scores_1"]].tolist() == ["199.99", "0"]
    assert table.loc["quality", ["scores_0", "scores_1"]].tolist() == ["1", "5"]
    assert table.loc["validity", ["scores_0", "scores_1"]].tolist() == [
        "9 September 2013",
        "1 June 2017",
    ]
    assert table.loc["affordability", "share_filled"] == pytest.approx(1 / 12)


def lists_like_one(seed, learners, k, replaced, courses, short=0):
    """The same list for all, with some courses replaced by others."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(courses)
    lists = np.tile(order[:k], (learners, 1)).astype(np.int32)
    for row in lists:
        some = rng.permutation(k)[: rng.integers(0, replaced + 1)]
        row[some] = rng.permutation(order[k:])[: len(some)]
    if short:
        lists[:short, k - 1 :] = -1
    return lists


@given(
    st.integers(0, 10_000), st.integers(1, 8), st.integers(0, 8), st.integers(0, 2), st.booleans()
)
@settings(max_examples=60, deadline=None)
def test_equality_is_never_below_its_bounds(seed, k, replaced, short, known):
    """Known labels or not, whole lists or not, any targets that all learners share."""
    bundle = make(learners=25, seed=seed % 7)
    if known:
        others = [p for p in bundle.principles if p.kind != "balance"]
        evenly = eq.Principle("evenly", kind="balance", column="category")
        bundle = bundle.with_principles([*others, evenly])
        assert bundle.coverage.loc["evenly", "filled"] == 0
    rng = np.random.default_rng(seed)
    targets = {p.name: float(rng.choice([1.0, rng.random()])) for p in bundle.principles}
    policy = eq.Policy(lam=0.0, k=k, targets=targets)
    lists = lists_like_one(seed, 25, k, min(replaced, k), 40, short if k > 1 else 0)
    found = eq.evaluate(bundle, lists, policy)
    assert one_list_bound(bundle, lists, found) <= found.equality + 1e-12
    assert any_order_bound(found) <= found.equality + 1e-12


def test_one_list_for_all_has_the_proofs_bound():
    bundle = make(learners=60)
    lists = np.tile(np.arange(5, dtype=np.int32), (60, 1))
    found = eq.evaluate(bundle, lists, eq.Policy(lam=0.0, k=5))
    assert replaced_courses(lists, 40).tolist() == [0.0] * 60
    assert one_list_bound(bundle, lists, found) == pytest.approx(1 - 1 / (28 * found.consistency))
    others = [p for p in bundle.principles if p.kind != "match"]
    same = bundle.with_principles(others)
    equal = eq.evaluate(same, lists, eq.Policy(lam=0.0, k=5))
    assert one_list_bound(same, lists, equal) == pytest.approx(1.0)
    assert equal.equality == pytest.approx(1.0)


def test_the_papers_figure_for_one_list():
    """What docs/methods.md proves: with C = 0.516 equality is at least 0.931; 0.795 would need 0.70
    replaced courses of ten per learner, each changing everything as much as it can."""
    assert pytest.approx(0.931, abs=5e-4) == 1 - 1 / (28 * 0.516)
    needed = (2 * 0.516 * (1 - 0.795) - 1 / 14) / 2  # the mean change of consistency
    assert needed * 10 * 7 / (5 + 2) == pytest.approx(0.70, abs=5e-3)


def test_the_bound_is_reached_where_half_the_learners_have_all_and_half_nothing():
    found = own(make(learners=60))[1]["userknn"]
    values = np.full((60, 7), 0.5)
    values[:30, 0], values[30:, 0] = 0.0, 1.0
    met = replace(
        found, values=values, per_learner_consistency=values.mean(axis=1), targets=np.ones((1, 7))
    )
    assert met.equality == pytest.approx(1 - 1 / (28 * met.consistency))
    assert any_order_bound(met) == pytest.approx(met.equality)


def test_replaced_courses_against_a_plain_count():
    lists = np.array([[0, 1, 2], [0, 1, 3], [1, 0, 2], [4, 5, -1], [-1, -1, -1]], dtype=np.int32)
    np.testing.assert_array_equal(replaced_courses(lists, 6), [0, 1, 0, 3, np.nan])


def test_values_in_any_order_are_at_least_as_equal_as_the_bound():
    """Sorted alike by every principle, they reach it; shuffled, they do not fall below it."""
    found = own(make(learners=60))[1]["userknn"]
    rng = np.random.default_rng(0)
    for values in (np.sort(found.values, axis=0), rng.permuted(found.values, axis=0)):
        assert any_order_bound(replace(found, values=values)) == pytest.approx(
            any_order_bound(found)
        )
        assert 1 - gini(values.mean(axis=1)) >= any_order_bound(found) - 1e-12
    sorted_ = np.sort(found.values, axis=0).mean(axis=1)
    assert 1 - gini(sorted_) == pytest.approx(any_order_bound(found))


def test_targets_of_their_own_have_no_bound_by_one_list():
    bundle = make(learners=30)
    lists = np.tile(np.arange(5, dtype=np.int32), (30, 1))
    found = eq.evaluate(bundle, lists, eq.Policy(lam=0.0, k=5))
    targets = np.random.default_rng(0).random((30, 7))
    assert np.isnan(one_list_bound(bundle, lists, replace(found, targets=targets)))


def test_the_sentence_on_bounds():
    bundle = make(learners=60)
    runs, found = own(bundle)
    lists = {name: run.courses for name, run in runs.items()}
    alike = np.tile(np.arange(5, dtype=np.int32), (60, 1))
    alike[0, 4] = 7
    lists["userknn"], found["userknn"] = alike, eq.evaluate(bundle, alike, eq.Policy(lam=0, k=5))
    frame = bounds_frame(bundle, lists, found)
    assert frame.loc["userknn", "replaced"] == pytest.approx(1 / 60)
    said = bounds_sentence(frame, 5)
    row = frame.loc["userknn"]
    assert said.startswith("UserKNN's lists are the most alike: on average 0.02 courses of a list")
    assert f"is {row['least_by_one_list']:.3f} or more, whatever the courses" in said
    assert f"it is {row['equality']:.3f}" in said
    assert f"below {row['least_by_values']:.3f}" in said
    assert "too many for the bound" in bounds_sentence(frame.drop("userknn"), 5)
    unknown = frame.assign(least_by_one_list=np.nan)
    assert "does not apply here" in bounds_sentence(unknown, 5)
    assert bounds_sentence(frame.assign(replaced=np.nan), 5).startswith("No recommender has a list")


@pytest.mark.parametrize("name", BUNDLES)
def test_bounds_of_awkward_data(name):
    bundle = BUNDLES[name]()
    runs, found = own(bundle, k=3)
    frame = bounds_frame(bundle, {name: run.courses for name, run in runs.items()}, found)
    for column in ("least_by_one_list", "least_by_values"):
        some = frame.dropna(subset=[column])
        assert (some[column] <= some["equality"] + 1e-12).all()
    assert "nan" not in bounds_sentence(frame, 3).split()
