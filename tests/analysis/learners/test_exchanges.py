"""The reasons of finished lists: parts add up to what the list would lose, pairs are the best
single exchanges back, and the words are true."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import equity_core as eq
from equity_core.analysis.learners import exchanges
from equity_core.analysis.learners.lists import before_after
from equity_core.analysis.learners.phrases import NO_ADVANTAGE, NO_BETTER
from equity_core.analysis.learners.reasons import RELEVANCE, picked_table, reasons
from equity_core.reranker.objective import Objective
from tests.helpers.awkward import BUNDLES
from tests.helpers.random_worlds import ALGORITHM, as_bundle, as_policy, examples, policies, worlds
from tests.helpers.worlds import tiny_frames

OWN = {"lam": 0.0, "floor": None, "strategy": "glob", "weights": None}
KINDS = [
    {"lam": 0.9},
    {"floor": 0.65},
    {"floor": 0.7, "strategy": "pers"},
    {"lam": 0.9, "method": "greedy"},
    {"floor": 0.65, "floor_method": "first-lambda"},
    {"lam": 0.9, "order": "greedy"},
    {"floor": 0.65, "order": "greedy"},
]


def both(bundle, algorithm="userknn", **fields):
    policy = eq.Policy(**{"k": 10, **fields})
    return eq.rerank(bundle, algorithm, policy.but(**OWN)), eq.rerank(bundle, algorithm, policy)


def listed(run, learner):
    return [int(course) for course in run.courses[learner] if course >= 0]


@pytest.fixture(scope="module")
def tiny():
    courses, log, scores = tiny_frames()
    return eq.Bundle.from_frames(courses, log, relevance=scores)


def test_only_lists_shown_as_picked_are_gone_through_step_by_step():
    paper = eq.Policy(order="greedy", floor_method="first-lambda", method="greedy")
    assert exchanges.edition_of(paper) == exchanges.edition_of(paper.but(floor=0.6)) == "steps"
    for changed, under_lam, under_floor in (
        ({"order": "relevance"}, "objective", "objective"),
        ({"method": "greedy+swaps"}, "objective", "steps"),
        ({"floor_method": "least-loss"}, "steps", "floor"),
    ):
        policy = paper.but(**changed)
        assert exchanges.edition_of(policy) == under_lam
        assert exchanges.edition_of(policy.but(floor=0.6)) == under_floor
    assert exchanges.edition_of(eq.Policy()) == "objective"
    assert exchanges.edition_of(eq.Policy(floor=0.6)) == "floor"


@examples(60)
@given(st.data())
def test_parts_sum_to_what_the_list_would_lose_by_the_reference(data):
    """Any world and policy: the parts sum to the reference's F(L) − F(L − i), under a least-loss
    floor the principles' parts to its Consistency(L) − Consistency(L − i), to 1e-9."""
    world = data.draw(worlds(most_learners=4, most_courses=25))
    policy = data.draw(policies(world, most_k=6))
    floor = data.draw(st.none() | st.sampled_from([0.3, 0.6, 0.9]))
    now = {"order": "relevance", "floor_method": "least-loss", "method": "greedy+swaps"}
    bundle, asked = as_bundle(world), as_policy(policy).but(floor=floor, **now)
    run, own = (eq.rerank(bundle, ALGORITHM, one) for one in (asked, asked.but(**OWN)))
    p, w = world.targets_of(policy), world.weights_of(ALGORITHM, policy)
    if floor is not None:
        w = np.ones_like(w)
    for row, learner in enumerate(world.learners):
        found, pool = reasons(bundle, own, run, row), world.candidates(learner, ALGORITHM, policy)
        relevance = dict(zip(pool.positions.tolist(), pool.relevance.tolist(), strict=True))
        courses = listed(run, row)
        assert len(found.parts) == len(found.picked) == len(courses)

        def reached(some, learner=learner, row=row):
            values = world.list_values(learner, some) if some else np.zeros(len(p[row]))
            return 1.0 - np.mean(w[row] * np.abs(p[row] - values))

        for at, course in enumerate(courses):
            lost = reached(courses) - reached([*courses[:at], *courses[at + 1 :]])
            parts, increment = found.parts.iloc[at], found.picked["increment"].iloc[at]
            if floor is None:
                lost = (1.0 - policy.lam) * relevance[course] + policy.lam * lost
                assert parts.sum() == pytest.approx(lost, abs=1e-9)
            else:
                assert parts[RELEVANCE] == pytest.approx(relevance[course], abs=1e-9)
                assert parts.drop(RELEVANCE).sum() == pytest.approx(lost, abs=1e-9)
            assert increment == pytest.approx(lost, abs=1e-9)


@pytest.mark.parametrize("fields", KINDS, ids=str)
def test_who_left_is_paired_with_the_place_where_it_would_cost_least(bundle, fields):
    own, run = both(bundle, **fields)
    evaluated, seen = eq.evaluate(bundle, run, run.policy).per_learner_consistency, 0
    for learner in range(len(bundle.learner_ids)):
        objective, found = Objective(bundle, run, learner), reasons(bundle, own, run, learner)
        before, after = listed(own, learner), listed(run, learner)
        left = found.left.to_dict("records")
        assert [row["course"] for row in left] == [c for c in before if c not in after]
        assert {row["replaced_by"] for row in left} == set(after) - set(before)

        def worth(courses, objective=objective, edition=found.edition):
            gaps = np.abs(objective.targets - objective.values(courses))
            return 1.0 - gaps.mean() if edition == "floor" else objective(courses)

        if found.edition == "floor":
            assert worth(after) == pytest.approx(evaluated[learner], abs=1e-9)
        free = [course for course in after if course not in before]
        for row in left:
            costs = {
                came: worth([row["course"] if c == came else c for c in after]) for came in free
            }
            assert costs[row["replaced_by"]] >= max(costs.values()) - 1e-12
            assert after[row["replaced_at"] - 1] == row["replaced_by"]
            assert before[row["position"] - 1] == row["course"]
            free.remove(row["replaced_by"])
            seen += 1
    assert seen > 5


@pytest.mark.parametrize("fields", KINDS, ids=str)
def test_what_came_serves_the_named_principles_better(bundle, fields):
    """The words compare with the course whose place it took: a tie is a tie, and under swaps or a
    least-loss floor nothing came that serves no principle better."""
    own, run = both(bundle, **fields)
    kept, came = 0, 0
    for learner in range(len(bundle.learner_ids)):
        objective, found = Objective(bundle, run, learner), reasons(bundle, own, run, learner)
        after, before = listed(run, learner), listed(own, learner)
        for row in found.picked.to_dict("records"):
            head, _, why = row["reason"].partition(": ")
            assert why == row["why"]
            if row["course"] in before:
                kept += 1
                assert row["instead_of"] == -1
                assert why == exchanges.OWN_CHOICE
                assert "in place of" not in head
                continue
            came += 1
            place = before.index(row["instead_of"]) + 1
            assert head == f"promoted from {row['recommended']}, in place of no. {place} before"
            # The own list holds the recommender's first choices: what left was ahead of what came.
            assert objective.place(row["instead_of"]) < row["recommended"]
            rest = [course for course in after if course != row["course"]]
            parts = objective.floor_parts if found.edition == "floor" else objective.parts
            ahead = parts(rest, row["course"])[1:] - parts(rest, row["instead_of"])[1:]
            assert (why == NO_ADVANTAGE) == bool((np.abs(ahead) <= exchanges.TIE).all())
            assert (why == NO_BETTER) == bool(
                (ahead <= exchanges.TIE).all() and (ahead < -exchanges.TIE).any()
            )
            if found.edition == "floor" or run.policy.method == "greedy+swaps":
                greedy = run.policy.floor_method == "first-lambda" and run.policy.floor is not None
                assert greedy or why != NO_BETTER
    assert kept > 5
    assert came > 5


def test_the_phrases_are_true_of_the_courses(tiny):
    seen = ""
    weighed = {"lam": 0.9, "strategy": "custom"}
    for fields in (
        {**weighed, "weights": {"affordability": 8.0}},
        {**weighed, "weights": {"learnability": 4.0}},
        {"floor": 0.8},
    ):
        own, run = both(tiny, k=4, **fields)
        for learner in range(len(tiny.learner_ids)):
            after = listed(run, learner)
            for row in reasons(tiny, own, run, learner).picked.to_dict("records"):
                course, why = tiny.courses.iloc[row["course"]], row["why"]
                others = tiny.courses["level"].iloc[[c for c in after if c != row["course"]]]
                seen += why
                if "free of charge" in why:
                    assert course["price"] == 0
                    assert tiny.courses["price"].iloc[row["instead_of"]] > 0
                if "level, otherwise missing" in why:
                    assert f"{course['level']} level, otherwise missing" in why
                    assert course["level"] not in others.tolist()
                if "level, otherwise rarer" in why:
                    assert f"{course['level']} level, otherwise rarer" in why
                    assert course["level"] in others.tolist()
                assert "was missing" not in why
                assert "leaves room" not in why
    assert "free of charge" in seen
    assert "level, otherwise" in seen


def test_the_note_says_what_places_bars_and_lam_are(bundle):
    own, run = both(bundle, floor=0.65)
    consistent = eq.evaluate(bundle, own, run.policy).per_learner_consistency
    needed = 0
    for learner in range(len(bundle.learner_ids)):
        found, after = reasons(bundle, own, run, learner), listed(run, learner)
        assert found.note.startswith("Places go by relevance. Bars: the course's relevance;")
        assert ("No λ is used" in found.note) == (len(found.left) > 0)
        if consistent[learner] >= 0.65:
            assert found.left.empty
        if "taken back, the list would miss the floor" in found.note:
            needed += 1
            back = np.array(
                [
                    [row["course"] if c == row["replaced_by"] else c for c in after]
                    for row in found.left.to_dict("records")
                ],
                dtype=np.int32,
            )
            objective = Objective(bundle, run, learner)
            for courses in back:
                gaps = np.abs(objective.targets - objective.values(courses.tolist()))
                assert 1.0 - gaps.mean() < 0.65
    assert needed > 5
    found = reasons(bundle, *both(bundle, lam=0.9), 0)
    assert found.note == (
        "Places go by relevance. Bars: what the list's objective would lose without the course (to"
        " the left: gain)."
    )
    picked = reasons(bundle, *both(bundle, lam=0.9, order="greedy"), 0)
    assert "relevance" not in picked.note


def test_long_lists_are_paired_in_order(bundle, monkeypatch):
    own, run = both(bundle, lam=0.95)
    monkeypatch.setattr(exchanges, "MOST_PAIRS", 0)
    longest = 0
    for learner in range(len(bundle.learner_ids)):
        before, after = listed(own, learner), listed(run, learner)
        left = reasons(bundle, own, run, learner).left
        assert left["course"].tolist() == [c for c in before if c not in after]
        assert left["replaced_by"].tolist() == [c for c in after if c not in before]
        longest = max(longest, len(left))
    assert longest > 1


def test_a_list_longer_than_the_own_one_fills_places(bundle):
    own, _ = both(bundle, lam=0.9, k=3)
    _, run = both(bundle, lam=0.9, k=5)
    words = [
        why
        for learner in range(len(bundle.learner_ids))
        for why in reasons(bundle, own, run, learner).picked["why"]
    ]
    assert exchanges.FILLS in words


@pytest.mark.parametrize("fields", [{"lam": 0.9}, {"floor": 0.8}], ids=str)
def test_the_table_adds_up(tiny, fields):
    own, run = both(tiny, k=4, **fields)
    found = reasons(tiny, own, run, 0)
    table = picked_table(before_after(tiny, own, run, 0, "test")[1], found)
    parts = table[[column for column in table if column.startswith("part of ")]]
    floor = "floor" in fields
    assert len(parts.columns) == (7 if floor else 8)
    assert (RELEVANCE in table) == floor
    np.testing.assert_allclose(
        parts.sum(axis=1), table["added_to_consistency" if floor else "added"], atol=1e-9
    )


@pytest.mark.parametrize("name", BUNDLES)
@pytest.mark.parametrize("fields", KINDS, ids=str)
def test_awkward_data(name, fields):
    bundle = BUNDLES[name]()
    for pool in ("stored", "catalogue"):
        own, run = both(bundle, bundle.algorithms[0], k=3, pool=pool, **fields)
        for learner in range(len(bundle.learner_ids)):
            found = reasons(bundle, own, run, learner)
            assert np.isfinite(found.parts.to_numpy()).all()
            assert found.picked["reason"].str.len().gt(5).all()
            assert not found.picked["why"].isin([exchanges.FILLS]).any()
            assert (found.note == "") == found.picked.empty
            assert "nan" not in found.note


def with_last_exchanged(own, policy, came, learner=0):
    """The own list with its last course given up for another one, as a list of the policy."""
    courses = own.courses.copy()
    courses[learner, -1] = came
    return replace(own, policy=policy, courses=courses, lam=np.full(len(courses), 0.5))


def test_a_course_that_serves_nothing_better_is_not_praised(bundle):
    """Such courses are rare in lists that the re-ranker makes, so single exchanges of own lists are
    looked at, judged by two principles only."""
    two = [one for one in bundle.principles if one.name in ("quality", "affordability")]
    policy, seen = eq.Policy(k=5, principles=two), []
    own = eq.rerank(bundle, "userknn", policy.but(lam=0.0))
    for learner in range(6):
        before = listed(own, learner)
        candidates = Objective(bundle, own, learner).candidates.tolist()
        for came in (course for course in candidates if course not in before):
            for one in (policy, policy.but(floor=0.65)):
                run = with_last_exchanged(own, one, came, learner)
                objective, left = (
                    Objective(bundle, run, learner),
                    reasons(bundle, own, run, learner).left,
                )
                was, now = (
                    np.abs(objective.targets - objective.values(courses))
                    for courses in (before, listed(run, learner))
                )
                better, worse = (was > now + 1e-7).any(), (now > was + 1e-7).any()
                seen.append(left["why"].item())
                assert (seen[-1] in (NO_BETTER, NO_ADVANTAGE)) == (not better)
                assert (seen[-1] == NO_BETTER) == (worse and not better)
    assert NO_BETTER in seen
    assert len(set(seen)) > 2


def test_the_note_calls_an_exchange_needed_only_if_the_floor_needs_it(bundle):
    own = eq.rerank(bundle, "userknn", eq.Policy(lam=0.0, k=5))
    before, objective = listed(own, 0), Objective(bundle, own, 0)
    came = next(c for c in objective.candidates.tolist() if c not in before)
    reached = 1.0 - np.abs(objective.targets - objective.values(before)).mean()
    for floor, needed in ((reached - 0.01, False), (reached, False), (reached + 0.01, True)):
        run = with_last_exchanged(own, eq.Policy(k=5, floor=floor), came)
        words = "With the exchange taken back, the list would miss the floor."
        assert (words in reasons(bundle, own, run, 0).note) == needed
        unreached = replace(run, reached=np.zeros_like(run.reached))
        assert words not in reasons(bundle, own, unreached, 0).note
