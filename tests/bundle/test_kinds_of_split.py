"""The kinds of split: what each promises, which one is the default, and when a validation part is
spared."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equity_core.bundle.splitting import (
    MANY,
    Cut,
    compare_kinds,
    spared,
    split_log,
)

ROWS = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 8), st.integers(0, 9)), min_size=1, max_size=60
)


def log(rows: list[tuple[int, int, int]]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["learner_id", "course_id", "timestamp"])


def one_after_the_other(learners: int, courses: int) -> pd.DataFrame:
    """Everybody takes all their courses before the next one starts."""
    return log(
        [
            (learner, course, 100 * learner + course)
            for learner in range(learners)
            for course in range(courses)
        ]
    )


def together(learners: int, courses: int) -> pd.DataFrame:
    return log(
        [(learner, course, course) for learner in range(learners) for course in range(courses)]
    )


def slow_parts(frame: pd.DataFrame, cut: Cut) -> dict[int, dict[int, str]]:
    """The reference for ``last`` and ``share`` with a given ``valid``: learner by learner."""
    out: dict[int, dict[int, str]] = {}
    for learner in sorted(set(frame["learner_id"])):
        mine = frame[frame["learner_id"] == learner].reset_index()
        rows = sorted(mine.itertuples(), key=lambda row: (row.timestamp, row.index))
        courses: list[int] = []
        for row in rows:
            if row.course_id not in courses:
                courses.append(row.course_id)
        tests = cut.last
        if cut.kind == "share":
            tests = max(1, int(np.floor(cut.share * len(courses) + 0.5)))
        before = len(courses) - tests
        if before < cut.min_train or tests < cut.min_test:
            continue
        valid = cut.valid if before - cut.valid >= cut.min_train else 0
        out[learner] = {
            course: "train" if at < before - valid else "valid" if at < before else "test"
            for at, course in enumerate(courses)
        }
    return out


@settings(deadline=None)
@given(
    ROWS,
    st.sampled_from(["last", "share"]),
    st.integers(1, 3),
    st.integers(1, 2),
    st.integers(0, 2),
    st.integers(1, 3),
    st.sampled_from([0.1, 0.25, 0.5, 0.9]),
)
def test_per_learner_splits_equal_the_slow_ones(rows, kind, train, test, valid, last, share):
    frame = log(rows)
    cut = Cut(None, train, test, valid, kind, last, share)
    expected = slow_parts(frame, cut)
    if not expected:
        with pytest.raises(ValueError, match="no learner has"):
            split_log(frame, cut)
        return
    split, did = split_log(frame, cut)
    found = {
        learner: dict(zip(mine["course_id"], mine["split"], strict=True))
        for learner, mine in split.groupby("learner_id")
    }
    assert found == expected
    assert did.learners == len(expected)
    assert did.at is None
    dropped = did.interactions_dropped + did.repeated + did.undated
    assert len(split) + dropped == len(frame)


@settings(deadline=None)
@given(ROWS, st.integers(0, 3), st.randoms(use_true_random=False))
def test_a_random_split_depends_on_seed_and_ids_alone(rows, seed, random):
    frame = log(rows).drop(columns="timestamp")
    cut = Cut(min_train=1, kind="random", share=0.3, seed=seed)
    shuffled = list(range(len(frame)))
    random.shuffle(shuffled)
    try:
        split, did = split_log(frame, cut)
    except ValueError:
        return
    again, _ = split_log(frame.iloc[shuffled].astype(str), cut)
    pairs = [
        {(str(u), str(i)): part for u, i, part in one[["learner_id", "course_id", "split"]].values}
        for one in (split, again)
    ]
    assert pairs[0] == pairs[1]
    assert did.kind == "random"


def test_another_seed_draws_others():
    frame = together(20, 10)
    parts = [
        split_log(frame, Cut(kind="random", seed=seed))[0]["split"].tolist() for seed in (0, 1)
    ]
    assert parts[0] != parts[1]
    assert parts[0].count("test") == parts[1].count("test") == 40


def test_none_keeps_everybody_as_the_past():
    frame = log([(1, 1, 1), (1, 1, 2), (2, 3, 4)]).drop(columns="timestamp")
    split, did = split_log(frame, Cut(kind="none"))
    assert split["split"].tolist() == ["train", "train"]
    assert (did.learners, did.train, did.valid, did.test, did.repeated) == (2, 2, 0, 0, 1)


def test_the_files_own_column_is_kept_as_it_is():
    frame = together(2, 3).assign(split=["train", "test", "valid"] * 2)
    for kind in ("auto", "column"):
        split, did = split_log(frame, Cut(kind=kind))
        pd.testing.assert_frame_equal(split, frame)
        assert (did.kind, did.learners, did.valid) == ("column", 2, 2)
    assert split_log(frame, Cut(kind="none"))[1].train == 6


def test_a_column_without_a_training_part_is_not_taken_for_the_split():
    frame = together(3, 6).assign(split="valid")
    split, did = split_log(frame, Cut())
    assert did.kind == "time"
    assert set(split["split"]) == {"train", "valid", "test"}
    assert "no learner has a past" in compare_kinds(frame, Cut())["column"]
    with pytest.raises(ValueError, match="no learner has a past"):
        split_log(frame, Cut(kind="column"))


@pytest.mark.parametrize(("apart", "kind"), [(4, "time"), (5, "time"), (6, "last")])
def test_the_papers_cut_is_the_default_while_it_keeps_half(apart, kind):
    """Of ten learners with enough courses, some come after everybody else."""
    rows = together(10 - apart, 6)
    late = one_after_the_other(apart, 6).assign(
        learner_id=lambda frame: frame["learner_id"] + 10,
        timestamp=lambda frame: frame["timestamp"] + 1000,
    )
    few = together(5, 2).assign(learner_id=lambda frame: frame["learner_id"] + 100)
    did = split_log(pd.concat([rows, late, few], ignore_index=True), Cut())[1]
    assert did.enough == 10
    assert did.kind == kind
    assert did.learners == (10 if kind == "last" else 10 - apart)


def test_a_moment_that_is_given_is_taken_whatever_it_keeps():
    did = split_log(one_after_the_other(10, 6), Cut(at=4))[1]
    assert (did.kind, did.learners, did.found) == ("time", 1, False)


def test_nobody_with_enough_is_said_with_a_way_out():
    with pytest.raises(ValueError, match=r"no learner has 4 or more.*\(none\)"):
        split_log(together(3, 2), Cut())


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ([5, 4, 4], 0),
        ([5, 5, 4], 1),
        ([5, 4], 1),
        ([4], 0),
        ([], 0),
        ([5] * MANY + [4] * 10 * MANY, 1),
        ([5] * (MANY - 1) + [4] * 10 * MANY, 0),
    ],
)
def test_a_validation_part_is_made_where_it_can_be_spared(before, expected):
    assert spared(np.array(before, dtype=np.int64), 4) == expected


def test_what_is_spared_comes_from_those_who_can():
    frame = pd.concat([together(3, 8), together(2, 5).assign(learner_id=[7] * 5 + [8] * 5)])
    split, did = split_log(frame.reset_index(drop=True), Cut(kind="last"))
    assert did.valid == 3
    valid = split[split["split"] == "valid"]
    assert set(valid["learner_id"]) == {0, 1, 2}
    assert split_log(frame.reset_index(drop=True), Cut(kind="last", valid=0))[1].valid == 0


def test_kinds_are_compared_and_one_that_is_not_possible_says_why():
    frame = one_after_the_other(4, 6)
    found = compare_kinds(frame, Cut())
    assert list(found) == ["time", "last", "share", "random", "none"]
    assert {kind: did.learners for kind, did in found.items()} == {
        "time": 1,
        "last": 4,
        "share": 4,
        "random": 4,
        "none": 4,
    }
    undated = compare_kinds(frame.drop(columns="timestamp"), Cut())
    assert "column is missing" in undated["last"]
    assert undated["random"].learners == 4


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"kind": "weekly"}, "weekly"),
        ({"share": 1.0}, "between 0 and 1"),
        ({"share": "much"}, "between 0 and 1"),
        ({"last": 0}, "last is 0"),
        ({"seed": -1}, "seed is -1"),
        ({"valid": True}, "valid is True"),
    ],
)
def test_settings_that_make_no_sense(change, word):
    with pytest.raises(ValueError, match=word):
        Cut(**change)
