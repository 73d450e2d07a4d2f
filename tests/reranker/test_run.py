"""A run as a table of ids."""

from __future__ import annotations

import numpy as np
import pandas as pd

import equity_core as eq
from tests.helpers.audited import make
from tests.helpers.worlds import tiny_frames


def test_one_row_per_place_with_ids() -> None:
    courses, log, scores = tiny_frames()
    bundle = eq.Bundle.from_frames(courses, log, relevance=scores)
    run = eq.rerank(bundle, "userknn", eq.Policy(lam=0.0, k=4))
    frame = run.to_frame()
    assert frame.columns.tolist() == ["learner_id", "rank", "course_id", "lam", "reached"]
    first = frame[frame["learner_id"] == "u1"]
    assert first["course_id"].tolist() == ["c12", "c02", "c08", "c05"]  # as userknn scores them
    assert first["rank"].tolist() == [1, 2, 3, 4]
    assert frame["learner_id"].value_counts()["u6"] == 3  # has three candidates only
    assert (frame["lam"] == 0.0).all()
    assert frame["reached"].all()


def test_every_place_is_there_and_a_learner_without_a_list_is_not() -> None:
    bundle = make()  # "mine" leaves a learner without candidates
    run = eq.Session(bundle, "mine", eq.Policy(k=5)).at_floor(0.7)
    frame, empty = run.to_frame(), run.courses[:, 0] < 0
    assert 0 < empty.sum() < len(empty)
    assert set(frame["learner_id"]) == set(bundle.learner_ids[~empty])
    again = np.full_like(run.courses, -1)
    rows = pd.Index(bundle.learner_ids).get_indexer(frame["learner_id"])
    again[rows, frame["rank"] - 1] = pd.Index(bundle.course_ids).get_indexer(frame["course_id"])
    np.testing.assert_array_equal(again, run.courses)
    np.testing.assert_array_equal(frame["lam"], run.lam[rows])
    np.testing.assert_array_equal(frame["reached"], run.reached[rows])
    assert set(frame["reached"]) == {True, False}
