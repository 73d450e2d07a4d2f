"""The fixed-timestamp split against a plain search over all moments, and what it promises about
each learner."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equity_core.bundle import BundleError
from equity_core.bundle.splitting import split_by_time
from tests.helpers.coco import ABSENT, SPLIT, coco_frames, coco_present

Rows = list[tuple[int, int, int]]
ROWS = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 6), st.integers(0, 9)), min_size=1, max_size=40
)


def log(rows: Rows) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["learner_id", "course_id", "timestamp"])


def firsts(frame: pd.DataFrame) -> dict[int, list[int]]:
    """The moments of each learner's distinct courses."""
    moments: dict[tuple[int, int], int] = {}
    for learner, course, when in frame[["learner_id", "course_id", "timestamp"]].itertuples(
        index=False
    ):
        moments[learner, course] = min(when, moments.get((learner, course), when))
    histories: dict[int, list[int]] = {}
    for (learner, _), when in moments.items():
        histories.setdefault(learner, []).append(when)
    return histories


def kept_at(histories: dict[int, list[int]], at: int, min_train: int, min_test: int) -> set[int]:
    return {
        learner
        for learner, moments in histories.items()
        if sum(when <= at for when in moments) >= min_train
        and sum(when > at for when in moments) >= min_test
    }


@settings(deadline=None)
@given(ROWS, st.integers(1, 4), st.integers(1, 2))
def test_the_moment_found_keeps_the_most_learners_and_is_the_latest_such(
    rows: Rows, min_train: int, min_test: int
) -> None:
    frame = log(rows)
    histories = firsts(frame)
    moments = [when for history in histories.values() for when in history]
    best = max(moments, key=lambda at: (len(kept_at(histories, at, min_train, min_test)), at))
    if not (expected := kept_at(histories, best, min_train, min_test)):
        with pytest.raises(ValueError, match="at no moment"):
            split_by_time(frame, min_train=min_train, min_test=min_test)
        return
    split, report = split_by_time(frame, min_train=min_train, min_test=min_test)
    assert report.at == pd.Timestamp(best, unit="s")
    assert report.found
    assert set(split["learner_id"]) == expected
    assert report.learners == len(expected)
    assert report.learners_dropped == len(histories) - len(expected)


@settings(deadline=None)
@given(ROWS, st.integers(0, 9), st.integers(1, 3), st.integers(0, 2))
def test_each_part_holds_what_it_promises(rows: Rows, at: int, min_train: int, valid: int) -> None:
    frame = log(rows)
    if not kept_at(firsts(frame), at, min_train, 1):
        with pytest.raises(ValueError, match="no learner has"):
            split_by_time(frame, at=at, min_train=min_train, valid=valid)
        return
    split, report = split_by_time(frame, at=at, min_train=min_train, valid=valid)
    assert not report.found
    assert set(split["learner_id"]) == kept_at(firsts(frame), at, min_train, 1)
    assert not split.duplicated(["learner_id", "course_id"]).any()
    assert split.index.is_monotonic_increasing
    pd.testing.assert_frame_equal(split.drop(columns="split"), frame.loc[split.index])
    for _, mine in split.groupby("learner_id"):
        parts = {
            name: mine.loc[mine["split"] == name, "timestamp"]
            for name in ("train", "valid", "test")
        }
        assert len(parts["train"]) >= min_train
        assert len(parts["test"]) >= 1
        assert parts["train"].max() <= at < parts["test"].min()
        up_to = len(parts["train"]) + len(parts["valid"])
        assert len(parts["valid"]) == (valid if up_to - valid >= min_train else 0)
        if len(parts["valid"]):
            assert parts["train"].max() <= parts["valid"].min()
            assert parts["valid"].max() <= at
    dropped = report.interactions_dropped + report.repeated + report.undated
    assert (report.train, report.valid, report.test) == tuple(
        (split["split"] == name).sum() for name in ("train", "valid", "test")
    )
    assert len(split) + dropped == len(frame)


def test_the_later_rows_of_a_pair_and_rows_without_a_date_are_dropped_and_counted() -> None:
    frame = pd.DataFrame(
        {
            "learner_id": ["a"] * 6,
            "course_id": ["x", "y", "x", "z", "w", "v"],
            "timestamp": [
                "2020-01-02",
                "2020-01-01",
                "2020-01-05",
                "2020-01-06",
                None,
                "2020-01-03",
            ],
        }
    )
    split, report = split_by_time(frame, at="2020-01-04", min_train=3)
    assert dict(zip(split["course_id"], split["split"], strict=True)) == {
        "x": "train",
        "y": "train",
        "v": "train",
        "z": "test",
    }
    assert (report.repeated, report.undated) == (1, 1)


@pytest.mark.parametrize(
    "at",
    [
        1_000_000_000,
        "2001-09-09T01:46:40",
        "2001-09-09T03:46:40+02:00",
        pd.Timestamp(1_000_000_000, unit="s"),
    ],
)
def test_a_moment_and_timestamps_may_be_seconds_texts_or_dates(at: object) -> None:
    seconds = pd.Series([999_999_998, 999_999_999, 1_000_000_000, 1_000_000_001])
    dated = pd.to_datetime(seconds, unit="s")
    for moments in (
        seconds,
        dated,
        dated.dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo"),
        dated.astype(str),
    ):
        frame = pd.DataFrame({"learner_id": 1, "course_id": [1, 2, 3, 4], "timestamp": moments})
        split, _ = split_by_time(frame, at=at, min_train=3)  # type: ignore[arg-type]
        assert split["split"].tolist() == ["train", "train", "train", "test"]


def test_an_old_split_is_replaced_and_other_columns_stay() -> None:
    frame = log([(1, course, course) for course in range(5)]).assign(split="test", rating=4.5)
    split, report = split_by_time(frame, valid=1, min_train=3)
    assert split["split"].tolist() == ["train", "train", "train", "valid", "test"]
    assert split["rating"].eq(4.5).all()
    assert report.at == pd.Timestamp(3, unit="s")
    assert frame["split"].eq("test").all()


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"min_train": 0}, "min_train is 0"),
        ({"min_test": True}, "min_test is True"),
        ({"valid": -1}, "valid is -1"),
        ({"at": "soon"}, "soon"),
        ({"at": ""}, "not a date or time"),
    ],
)
def test_settings_that_make_no_sense_are_refused(change: dict[str, object], problem: str) -> None:
    frame = log([(1, course, course) for course in range(5)])
    with pytest.raises(ValueError, match=problem):
        split_by_time(frame, **change)  # type: ignore[arg-type]


def test_tables_that_cannot_be_split_say_why() -> None:
    frame = log([(1, course, course) for course in range(5)])
    with pytest.raises(BundleError, match="timestamp"):
        split_by_time(frame.drop(columns="timestamp"))
    with pytest.raises(BundleError, match="not a date"):
        split_by_time(frame.assign(timestamp="yesterday"))
    with pytest.raises(BundleError, match="id is missing"):
        split_by_time(frame.assign(learner_id=["a", "b", None, "d", "e"]))
    with pytest.raises(ValueError, match="at no moment"):
        split_by_time(frame.iloc[:0])
    with pytest.raises(ValueError, match="no learner has"):
        split_by_time(frame.assign(timestamp=np.nan), at=3)


@pytest.mark.skipif(not coco_present(), reason=ABSENT)
def test_the_readme_split_of_the_real_data() -> None:
    _, everything = coco_frames(train=0, test=0)
    _, expected = coco_frames()
    split, report = split_by_time(everything.drop(columns="split"), at=SPLIT, min_train=3)
    assert (report.learners, report.train, report.test) == (3478, 15297, 7317)
    columns = ["learner_id", "course_id", "split"]
    left, right = (
        frame[columns].sort_values(columns, ignore_index=True) for frame in (split, expected)
    )
    pd.testing.assert_frame_equal(left, right, check_dtype=False)
    _, searched = split_by_time(everything, min_train=3)
    assert searched.learners >= report.learners
