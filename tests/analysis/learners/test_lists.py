"""Table 2, the learner's principles and sentences, against the lists themselves."""

import numpy as np
import pytest

import equity_core as eq
from equity_core.analysis.learners import lists, population
from tests.helpers.awkward import BUNDLES
from tests.helpers.worlds import tiny_frames


def made(bundle, algorithm="userknn", **fields):
    policy = eq.Policy(**{"k": 4, **fields})
    own = eq.rerank(
        bundle, algorithm, policy.but(lam=0.0, floor=None, strategy="glob", weights=None)
    )
    run = eq.rerank(bundle, algorithm, policy)
    return own, run, eq.evaluate(bundle, own, own.policy), eq.evaluate(bundle, run, policy)


@pytest.fixture(scope="module")
def tiny():
    courses, log, scores = tiny_frames()
    return eq.Bundle.from_frames(courses, log, relevance=scores)


def test_moves_are_those_of_the_lists(bundle):
    own, run, *_ = made(bundle, lam=0.9, k=10)
    for learner in range(0, len(bundle.learner_ids), 5):
        before, after = lists.before_after(bundle, own, run, learner, "test")
        old, new = (row[row >= 0].tolist() for row in (own.courses[learner], run.courses[learner]))
        assert before["course"].tolist() == old
        assert after["course"].tolist() == new
        for row in after.to_dict("records"):
            if row["state"] == "new":
                assert row["course"] not in old
            else:
                assert old[row["from"] - 1] == row["course"]
                assert row["move"] == row["from"] - row["place"]
                assert row["state"] == {0: "same", 1: "up", -1: "down"}[int(np.sign(row["move"]))]
        assert before.loc[before["state"] == "leaves", "course"].tolist() == [
            course for course in old if course not in new
        ]
        wanted = set(bundle.positives("test").row(learner).tolist())
        assert after.loc[after["taken_later"], "course"].tolist() == [
            course for course in new if course in wanted
        ]


def test_table_two_has_the_catalogues_facts(tiny):
    own, run, *_ = made(tiny, lam=0.9)
    _, after = lists.before_after(tiny, own, run, 0, "test")
    facts = tiny.courses.iloc[after["course"]]
    for column, name in lists.TABLE_2.items():
        assert after[name].astype(str).tolist() == facts[column].astype(str).tolist()


def test_principles_of_a_learner(bundle):
    *_, before, after = made(bundle, lam=0.9, k=10, targets={"quality": 0.5})
    frame = lists.learner_principles(before, after, 3)
    np.testing.assert_allclose(frame["before"], before.values[3])
    np.testing.assert_allclose(frame["after"], after.values[3])
    assert frame["target"].to_dict() == {
        name: 0.5 if name == "quality" else 1.0 for name in after.names
    }
    gain = after.per_learner_consistency[3] - before.per_learner_consistency[3]
    assert frame["closer"].mean() == pytest.approx(gain, abs=1e-12)


def test_sentences_of_every_case(tiny):
    own, run, before, after = made(tiny, floor=0.0)
    head, rest = lists.learner_sentence(tiny, own, run, (before, after), 0)
    assert head.endswith("keeps the recommender's list:")
    assert "already meets the floor of 0" in rest
    own, run, before, after = made(tiny, floor=1.0)
    head, rest = lists.learner_sentence(tiny, own, run, (before, after), 0)
    assert "short of the floor of 1" in rest
    assert (
        f"{before.per_learner_consistency[0]:.3f} to {after.per_learner_consistency[0]:.3f}" in rest
    )
    assert "The one course taken later is in" in rest
    nobody = lists.learner_sentence(tiny, own, run, (before, after), 5)[1]
    assert "has no later course" in nobody


def test_a_learner_without_candidates():
    bundle = BUNDLES["two_candidates"]()
    own, run, before, after = made(bundle, lam=0.9)
    empty = int(np.flatnonzero(run.courses[:, 0] < 0)[0])
    assert "has no list" in lists.learner_sentence(bundle, own, run, (before, after), empty)[0]
    assert (
        lists.principles_sentence(lists.learner_principles(before, after, empty))
        == "There is no list to judge."
    )
    frames = lists.before_after(bundle, own, run, empty, "test")
    assert all(frame.empty for frame in frames)


@pytest.mark.parametrize("name", BUNDLES)
def test_awkward_data(name):
    bundle = BUNDLES[name]()
    own, run, before, after = made(bundle, floor=0.7)
    people = population.learner_changes(bundle, own, run, before, after)
    for learner in range(len(bundle.learner_ids)):
        frames = lists.before_after(bundle, own, run, learner, "test")
        assert [len(frame) for frame in frames] == [
            (rows[learner] >= 0).sum() for rows in (own.courses, run.courses)
        ]
        for text in (
            *lists.learner_sentence(bundle, own, run, (before, after), learner),
            lists.past_summary(bundle, learner),
            population.learner_line(people, learner),
        ):
            assert "nan" not in text.lower().replace("finan", "")
    for text in (population.gains_sentence(people), population.hits_sentence(people, "test")):
        assert "nan" not in text
