"""The reasons add up, agree with the slow reference, and say what is true of the courses."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import equity_core as eq
from equity_core.analysis.learners.reasons import RELEVANCE, left_table, picked_table, reasons
from equity_core.reranker.objective import Objective
from tests.helpers.awkward import BUNDLES
from tests.helpers.random_worlds import ALGORITHM, as_bundle, as_policy, examples, policies, worlds
from tests.helpers.worlds import tiny_frames

PAPER = {"order": "greedy", "floor_method": "first-lambda", "method": "greedy"}
"""The paper's procedure: lists are shown as they were picked."""
EDITIONS = {"paper": PAPER, "now": {}, "greedy, by relevance": {**PAPER, "order": "relevance"}}
DEMO = Path(__file__).parents[3] / "data" / "demo"


def both(bundle, algorithm="userknn", **fields):
    policy = eq.Policy(**{"k": 4, **fields})
    own = policy.but(lam=0.0, floor=None, strategy="glob", weights=None)
    return eq.rerank(bundle, algorithm, own), eq.rerank(bundle, algorithm, policy)


@pytest.fixture(scope="module")
def tiny():
    courses, log, scores = tiny_frames()
    return eq.Bundle.from_frames(courses, log, relevance=scores)


@examples(60)
@given(st.data())
def test_parts_sum_to_the_increment_of_the_references_objective(data):
    """Relevance and principles of any world, policy and step: the parts sum to what the reference's
    own objective rises by, to 1e-9."""
    world = data.draw(worlds(most_learners=4, most_courses=25))
    policy = data.draw(policies(world, most_k=6))
    bundle, asked = as_bundle(world), as_policy(policy).but(**PAPER)
    run = eq.rerank(bundle, ALGORITHM, asked)
    own = eq.rerank(
        bundle, ALGORITHM, asked.but(lam=0.0, floor=None, strategy="glob", weights=None)
    )
    p, w = world.targets_of(policy), world.weights_of(ALGORITHM, policy)
    for row, learner in enumerate(world.learners):
        found, pool = reasons(bundle, own, run, row), world.candidates(learner, ALGORITHM, policy)
        relevance = dict(zip(pool.positions.tolist(), pool.relevance.tolist(), strict=True))
        listed = [int(course) for course in run.courses[row] if course >= 0]
        assert len(found.parts) == len(listed)
        before = 1.0 - np.mean(w[row] * np.abs(p[row]))
        for at, course in enumerate(listed):
            reached = 1.0 - np.mean(
                w[row] * np.abs(p[row] - world.list_values(learner, listed[: at + 1]))
            )
            rise = (1.0 - found.lam) * relevance[course] + found.lam * (reached - before)
            assert found.parts.iloc[at].sum() == pytest.approx(rise, abs=1e-9)
            assert found.picked["increment"].iloc[at] == pytest.approx(rise, abs=1e-9)
            before = reached


def test_parts_sum_to_the_objective_itself(bundle):
    own, run = both(bundle, floor=0.7, k=10, strategy="pers", **PAPER)
    for learner in range(0, len(bundle.learner_ids), 7):
        found, objective = reasons(bundle, own, run, learner), Objective(bundle, run, learner)
        listed = [int(course) for course in run.courses[learner] if course >= 0]
        assert objective([]) + found.parts.to_numpy().sum() == pytest.approx(
            objective(listed), abs=1e-9
        )


@pytest.mark.parametrize("fields", [{"lam": 0.9}, {"floor": 0.65, "strategy": "pers"}], ids=str)
def test_on_the_demo_parts_sum_to_the_increment_that_the_kernels_measure(fields):
    """Step by step: what the compiled measures say of the list cut at each place, and relevance
    scaled by hand, to 1e-9."""
    demo = eq.load_bundle(DEMO)
    own, run = both(demo, k=10, **fields, **PAPER)
    cuts = [
        eq.evaluate(
            demo, run.courses[:, :k], run.policy.but(k=k), weights=run.weights
        ).per_learner_weighted
        for k in range(1, 11)
    ]
    scores = demo.relevance("userknn")
    for learner in range(0, len(demo.learner_ids), 25):
        found, weights, targets = (
            reasons(demo, own, run, learner),
            *(rows[learner if len(rows) > 1 else 0] for rows in (run.weights, run.targets)),
        )
        mine = slice(scores.indptr[learner], scores.indptr[learner + 1])
        raw = scores.scores[mine].astype(float)
        scaled = dict(
            zip(
                scores.courses[mine].tolist(),
                (raw - raw.min()) / (raw.max() - raw.min()),
                strict=True,
            )
        )
        before = 1.0 - np.mean(weights * np.abs(targets))
        for at, course in enumerate(run.courses[learner].tolist()):
            rise = (1.0 - found.lam) * scaled[course] + found.lam * (cuts[at][learner] - before)
            assert found.parts.iloc[at].sum() == pytest.approx(rise, abs=1e-9)
            before = cuts[at][learner]


def test_values_are_those_of_evaluate(bundle):
    _, run = both(bundle, lam=0.8, k=10)
    values = eq.evaluate(bundle, run, run.policy).values
    for learner in range(0, len(bundle.learner_ids), 11):
        listed = [int(course) for course in run.courses[learner] if course >= 0]
        np.testing.assert_allclose(
            Objective(bundle, run, learner).values(listed), values[learner], atol=1e-12
        )


def test_what_came_is_never_worth_less_than_what_it_replaced(bundle):
    own, run = both(bundle, lam=0.9, k=10, **PAPER)
    seen = 0
    for learner in range(len(bundle.learner_ids)):
        objective, found = Objective(bundle, run, learner), reasons(bundle, own, run, learner)
        listed = [int(course) for course in run.courses[learner] if course >= 0]
        for row in found.left.to_dict("records"):
            before, seen = listed[: row["replaced_at"] - 1], seen + 1
            assert row["course"] not in listed
            assert listed[row["replaced_at"] - 1] == row["replaced_by"]
            assert (
                objective.parts(before, row["replaced_by"]).sum()
                >= objective.parts(before, row["course"]).sum() - 1e-9
            )
        for row in found.picked[found.picked["instead_of"] >= 0].to_dict("records"):
            before = listed[: row["position"] - 1]
            assert (
                objective.parts(before, row["course"]).sum()
                >= objective.parts(before, row["instead_of"]).sum() - 1e-9
            )
            assert objective.place(row["instead_of"]) < objective.place(row["course"])
    assert seen > 20


@pytest.mark.parametrize("edition", EDITIONS)
def test_as_many_leave_as_enter(bundle, edition):
    own, run = both(bundle, lam=0.9, k=10, **EDITIONS[edition])
    for learner in range(len(bundle.learner_ids)):
        old, new = set(own.courses[learner]) - {-1}, set(run.courses[learner]) - {-1}
        assert set(reasons(bundle, own, run, learner).left["course"]) == old - new


def test_the_sentences_say_what_is_true(tiny):
    own, run = both(
        tiny,
        lam=0.9,
        strategy="custom",
        weights={"affordability": 4.0, "learnability": 2.0},
        **PAPER,
    )
    seen = ""
    for learner in range(len(tiny.learner_ids)):
        found = reasons(tiny, own, run, learner)
        for row in found.picked.to_dict("records"):
            course = tiny.courses.iloc[row["course"]]
            head, _, why = row["reason"].partition(": ")
            assert why == row["why"]
            seen += why
            if "free of charge" in why:
                assert course["price"] == 0
            if "level was missing" in why:
                earlier = tiny.courses["level"].iloc[
                    found.picked["course"].iloc[: row["position"] - 1].tolist()
                ]
                assert f"{course['level']} level was missing" in why
                assert course["level"] not in earlier.tolist()
            if head.startswith("promoted from "):
                scores = tiny.relevance("userknn")
                mine = scores.courses[scores.indptr[learner] : scores.indptr[learner + 1]].tolist()
                assert mine[int(head.removeprefix("promoted from ")) - 1] == row["course"]
                assert row["course"] not in own.courses[learner]
    assert "free of charge" in seen
    assert "level was missing" in seen


@pytest.mark.parametrize(
    ("edition", "words"),
    [("paper", "the recommender's next choice"), ("now", "the recommender's choice")],
)
def test_the_recommenders_own_list_has_relevance_only(tiny, edition, words):
    own, run = both(tiny, lam=0.0, **EDITIONS[edition])
    found = reasons(tiny, own, run, 0)
    assert (found.parts.drop(columns=RELEVANCE).to_numpy() == 0).all()
    assert found.left.empty
    assert set(found.picked["why"]) == {words}


def test_a_course_from_outside_the_candidates_is_called_so():
    courses, log, scores = tiny_frames()
    few = scores["userknn"].groupby("learner_id").head(2)
    bundle = eq.Bundle.from_frames(courses, log, relevance={"userknn": few})
    own, run = both(bundle, lam=0.9, pool="catalogue")
    words = pd.concat(
        [reasons(bundle, own, run, learner).picked for learner in range(len(bundle.learner_ids))]
    )
    new = words[words["recommended"] == 0]
    assert len(new)
    assert (
        new["reason"]
        .str.contains("outside the recommender's candidates|stays|up from|down from")
        .all()
    )


@pytest.mark.parametrize("name", BUNDLES)
@pytest.mark.parametrize(
    "fields",
    [{"floor": 0.7}, {"lam": 1.0, "relevance_scale": "rank"}, {"lam": 0.6, "pool": "catalogue"}],
    ids=str,
)
@pytest.mark.parametrize("edition", EDITIONS)
def test_awkward_data(name, fields, edition):
    bundle = BUNDLES[name]()
    own, run = both(bundle, **fields, **EDITIONS[edition])
    for learner in range(len(bundle.learner_ids)):
        found = reasons(bundle, own, run, learner)
        assert np.isfinite(found.parts.to_numpy()).all()
        assert found.picked["reason"].str.len().gt(5).all()
        table = left_table(bundle, found)
        assert (
            table["course_id"].tolist()
            == bundle.course_ids[found.left["course"].to_numpy(dtype=int)].tolist()
        )
        assert "nan" not in found.note


def test_the_table_adds_up(tiny):
    from equity_core.analysis.learners.lists import before_after

    own, run = both(tiny, lam=0.9)
    found = reasons(tiny, own, run, 0)
    table = picked_table(before_after(tiny, own, run, 0, "test")[1], found)
    parts = table[[column for column in table if column.startswith("part of ")]]
    assert len(parts.columns) == 8
    np.testing.assert_allclose(parts.sum(axis=1), table["added"], atol=1e-9)
