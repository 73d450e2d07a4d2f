"""What a caller may rely on beyond the formulas: the same result whatever the threads, curves equal
to single runs, progress, errors."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest

import equity_core as eq
from tests.helpers.random_worlds import as_bundle, wide_world
from tests.helpers.worlds import tiny_frames

POLICIES = [
    eq.Policy(lam=0.9),
    eq.Policy(lam=0.7, pool="catalogue"),
    eq.Policy(floor=0.62, strategy="user"),
    eq.Policy(floor=0.7, strategy="pers", pool="catalogue"),
    eq.Policy(
        lam=1,
        targets={"quality": 0.6, "variety": 0.4},
        pool="catalogue",
        strategy="custom",
        weights={"quality": 3},
    ),
]
names = [f"{at}-{policy.strategy}-{policy.pool}" for at, policy in enumerate(POLICIES)]


@pytest.fixture(scope="module")
def tiny():
    courses, interactions, relevance = tiny_frames()
    return eq.Bundle.from_frames(courses, interactions, relevance=relevance)


@pytest.fixture(scope="module")
def wide():
    return as_bundle(wide_world())


def same(one, other):
    np.testing.assert_array_equal(one.courses, other.courses)
    np.testing.assert_array_equal(one.lam, other.lam)
    np.testing.assert_array_equal(one.reached, other.reached)


@pytest.mark.parametrize("policy", POLICIES, ids=names)
def test_the_same_again(wide, policy):
    same(eq.rerank(wide, "userknn", policy), eq.rerank(wide, "userknn", policy))


@pytest.mark.parametrize("policy", POLICIES, ids=names)
def test_the_number_of_worker_threads_changes_nothing(wide, policy, monkeypatch):
    monkeypatch.setenv("EQUITY_THREADS", "1")
    alone = eq.rerank(wide, "userknn", policy)
    alone_measured = eq.evaluate(wide, alone, policy).learners
    for threads in ("2", "3"):
        monkeypatch.setenv("EQUITY_THREADS", threads)
        run = eq.rerank(wide, "userknn", policy)
        same(alone, run)
        pd.testing.assert_frame_equal(
            eq.evaluate(wide, run, policy).learners, alone_measured, check_exact=True
        )


def test_callers_in_several_threads_do_not_disturb_each_other(wide):
    expected = [eq.rerank(wide, "userknn", policy) for policy in POLICIES]
    with ThreadPoolExecutor(4) as callers:
        found = list(
            callers.map(
                lambda at: eq.rerank(wide, "userknn", POLICIES[at % len(POLICIES)]),
                range(3 * len(POLICIES)),
            )
        )
    for at, run in enumerate(found):
        same(run, expected[at % len(POLICIES)])


def test_a_learner_s_list_does_not_depend_on_the_others():
    """Except for strategy user, whose weights are a mean over learners, and for course ratings
    taken from the learners'."""
    courses, interactions, relevance = tiny_frames()
    courses["rating"] = courses["rating"].fillna(4.0)
    tiny = eq.Bundle.from_frames(courses, interactions, relevance=relevance)
    some = interactions[interactions["learner_id"].isin(["u2", "u5"])]
    stored = {
        name: frame[frame["learner_id"].isin(["u2", "u5"])] for name, frame in relevance.items()
    }
    part = eq.Bundle.from_frames(courses, some, relevance=stored)
    for policy in (
        eq.Policy(lam=0.8),
        eq.Policy(floor=0.65, strategy="pers"),
        eq.Policy(lam=0.8, pool="catalogue"),
    ):
        whole = eq.rerank(tiny, "userknn", policy)
        np.testing.assert_array_equal(
            eq.rerank(part, "userknn", policy).courses, whole.courses[[1, 4]]
        )


@pytest.mark.parametrize("policy", POLICIES, ids=names)
def test_sweep_is_rerank_and_evaluate_one_by_one(wide, policy):
    lams = [0, 0.25, 0.9, 1]
    frame = eq.sweep(wide, "userknn", policy, lams=lams, split="valid")
    assert list(frame.columns) == [
        "lam",
        "ndcg",
        "consistency",
        "equality",
        *(p.name for p in wide.principles),
    ]
    assert frame["lam"].tolist() == lams
    for lam, row in zip(lams, frame.itertuples(index=False), strict=True):
        alone = policy.but(lam=lam, floor=None)
        ev = eq.evaluate(wide, eq.rerank(wide, "userknn", alone).courses, alone, split="valid")
        assert list(row)[1:] == pytest.approx(
            [ev.ndcg, ev.consistency, ev.equality, *ev.principles["mean"]], abs=1e-12
        )


@pytest.mark.parametrize("policy", POLICIES, ids=names)
def test_floor_sweep_is_rerank_and_evaluate_one_by_one(wide, policy):
    """In any order, although a session keeps what it found out for the next floor."""
    floors = [0.7, 0.6, 0.65, 0.99]
    frame = eq.floor_sweep(wide, "userknn", policy, floors=floors)
    assert list(frame.columns) == [
        "floor",
        "ndcg",
        "consistency",
        "equality",
        "unreached",
        "mean_lam",
        *(p.name for p in wide.principles),
    ]
    assert frame["floor"].tolist() == floors
    for floor, row in zip(floors, frame.itertuples(index=False), strict=True):
        run = eq.rerank(wide, "userknn", policy.but(floor=floor))
        ev = eq.evaluate(wide, run.courses, policy)
        expected = [
            ev.ndcg,
            ev.consistency,
            ev.equality,
            (~run.reached).sum(),
            run.lam.mean(),
            *ev.principles["mean"],
        ]
        assert list(row)[1:] == pytest.approx(expected, abs=1e-12)


def test_floor_sweep_counts_a_learner_without_a_candidate_as_unreached():
    courses, interactions, relevance = tiny_frames()
    stored = relevance["userknn"]
    bundle = eq.Bundle.from_frames(
        courses, interactions, relevance={"userknn": stored[stored["learner_id"] != "u6"]}
    )
    row = eq.floor_sweep(bundle, "userknn", eq.Policy(k=3), floors=[0.0]).iloc[0]
    assert row["unreached"] == 1
    assert row["mean_lam"] == 0
    run = eq.rerank(bundle, "userknn", eq.Policy(k=3, floor=0.0))
    assert run.courses[5].tolist() == [-1, -1, -1]
    assert np.isnan(run.lam[5])
    assert run.reached.tolist() == [True] * 5 + [False]
    assert eq.rerank(bundle, "userknn", eq.Policy(k=3)).reached.all()


@pytest.mark.parametrize(("call", "name"), [(eq.sweep, "lams"), (eq.floor_sweep, "floors")])
class TestProgress:
    def test_it_is_told_up_to_the_end(self, tiny, call, name):
        told = []
        call(
            tiny,
            "userknn",
            eq.Policy(),
            **{name: [0.1, 0.2, 0.3]},
            progress=lambda done, total: told.append((done, total)),
        )
        assert told[-1] == (3, 3)
        assert [done for done, _ in told] == sorted({done for done, _ in told})
        assert {total for _, total in told} == {3}

    @pytest.mark.parametrize("at", [0, 1, 2])
    def test_false_cancels(self, tiny, call, name, at):
        told = []

        def progress(done, total):
            told.append(done)
            return done < at

        with pytest.raises(eq.Cancelled):
            call(tiny, "userknn", eq.Policy(), **{name: [0.1, 0.2, 0.3]}, progress=progress)
        assert max(told) == at

    def test_values_out_of_range(self, tiny, call, name):
        for wrong in (-0.1, 1.1, float("nan")):
            with pytest.raises(ValueError, match="between 0 and 1"):
                call(tiny, "userknn", eq.Policy(), **{name: [0.5, wrong]})

    def test_an_unknown_algorithm_lists_the_known(self, tiny, call, name):
        with pytest.raises(KeyError, match=r"toppopular.*userknn"):
            call(tiny, "oracle", eq.Policy(), **{name: [0.5]})


def test_an_unknown_algorithm_lists_the_known(tiny):
    with pytest.raises(KeyError, match=r"toppopular.*userknn"):
        eq.rerank(tiny, "oracle", eq.Policy())


def test_strategies_differ_from_each_other(wide):
    lists = {
        strategy: eq.rerank(
            wide, "userknn", eq.Policy(lam=0.9, strategy=strategy)
        ).courses.tobytes()
        for strategy in ("glob", "user", "pers")
    }
    assert len(set(lists.values())) == 3


def test_custom_without_weights_is_glob(wide):
    same(
        eq.rerank(wide, "userknn", eq.Policy(strategy="custom")),
        eq.rerank(wide, "userknn", eq.Policy()),
    )


def test_a_floor_costs_less_accuracy_than_the_single_lam_of_like_equality_needs(wide):
    """The floor leaves alone whoever is there already."""
    own, floor = (
        eq.rerank(wide, "userknn", eq.Policy(lam=0)),
        eq.rerank(wide, "userknn", eq.Policy(floor=0.6)),
    )
    content = floor.lam == 0
    assert 0 < content.sum() < len(content)
    np.testing.assert_array_equal(floor.courses[content], own.courses[content])
    before = eq.evaluate(wide, own, eq.Policy()).learners["consistency"].to_numpy()
    np.testing.assert_array_equal(content, before >= 0.6 - 1e-9)


def test_the_bundle_s_own_targets_steer_unless_the_policy_has_some():
    courses, interactions, relevance = tiny_frames()
    targets = pd.DataFrame(
        {"learner_id": ["u1", "u3"], "affordability": [0.2, 0.4], "quality": [0.5, 1.0]}
    )
    bundle = eq.Bundle.from_frames(courses, interactions, relevance=relevance, targets=targets)
    plain = eq.Bundle.from_frames(courses, interactions, relevance=relevance)
    by_bundle = eq.rerank(bundle, "userknn", eq.Policy(lam=0.9, k=4))
    same(by_bundle, eq.rerank(plain, "userknn", eq.Policy(lam=0.9, k=4, targets=targets)))
    # A target for all replaces the learners' own of that principle, and of no other.
    same(
        eq.rerank(bundle, "userknn", eq.Policy(lam=0.9, k=4, targets={"quality": 1.0})),
        eq.rerank(
            plain, "userknn", eq.Policy(lam=0.9, k=4, targets=targets.drop(columns="quality"))
        ),
    )
    assert (
        eq.evaluate(bundle, by_bundle.courses, eq.Policy(k=4)).consistency
        != eq.evaluate(plain, by_bundle.courses, eq.Policy(k=4)).consistency
    )


def test_a_list_that_mirrors_the_past_exactly_meets_the_highest_floor():
    """Thirds do not add up to 1 in floating point; the root in the Hellinger distance must not blow
    that up to a missed floor."""
    courses = pd.DataFrame(
        {"course_id": range(9), "title": list("ABCDEFGHI"), "category": list("abcabcabc")}
    )
    interactions = pd.DataFrame(
        {"learner_id": 1, "course_id": [0, 1, 2, 3], "split": ["train"] * 3 + ["test"]}
    )
    stored = pd.DataFrame(
        {"learner_id": 1, "course_id": [3, 6, 4, 7, 5, 8], "score": [6.0, 5, 4, 3, 2, 1]}
    )
    principles = [eq.Principle("familiarity", "match", "category")]
    bundle = eq.Bundle.from_frames(
        courses, interactions, relevance={"userknn": stored}, principles=principles
    )
    run = eq.rerank(bundle, "userknn", eq.Policy(k=3, floor=1.0))
    assert run.reached.all()
    assert eq.evaluate(bundle, run.courses, eq.Policy(k=3)).consistency == 1


def test_an_unreached_floor_takes_the_smallest_lam_among_equal_lists():
    """From some λ on it is the same three courses, in another order: rounding must not prefer a
    later one."""
    courses = pd.DataFrame(
        {
            "course_id": range(7),
            "title": list("ABCDEFG"),
            "hours": [0.1, 0.2, 0.3, 0.7, 0.6, 0.0, 1.0],
        }
    )
    interactions = pd.DataFrame({"learner_id": 1, "course_id": [5, 0], "split": ["train", "test"]})
    principles = [eq.Principle("long", "mean", "hours")]
    for scores in ([3.0, 2, 1, 0.1, 0, 2.5], [0.0, 1, 2, 3, 4, 5], [5.0, 4, 0, 3, 2, 1]):
        stored = pd.DataFrame({"learner_id": 1, "course_id": [0, 1, 2, 3, 4, 6], "score": scores})
        bundle = eq.Bundle.from_frames(
            courses, interactions, relevance={"userknn": stored}, principles=principles
        )
        run = eq.rerank(bundle, "userknn", eq.Policy(k=3, floor=0.99))
        sets = [
            set(eq.rerank(bundle, "userknn", eq.Policy(k=3, lam=step / 20)).courses[0])
            for step in range(21)
        ]
        assert not run.reached[0]
        assert set(run.courses[0]) == sets[20] == {3, 4, 6}
        assert run.lam[0] == sets.index(sets[20]) / 20
