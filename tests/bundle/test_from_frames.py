"""What a bundle of checked frames looks like, and what cleaning does."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest

from equity_core.bundle import Bundle, Csr, Relevance
from equity_core.principles import SEVEN, Principle
from tests.helpers.worlds import tiny_frames


def bundle(**changes: Any) -> Bundle:
    courses, interactions, relevance = tiny_frames()
    return Bundle.from_frames(
        **{"courses": courses, "interactions": interactions, "relevance": relevance, **changes}
    )


def test_positions_are_sorted_learners_and_courses_in_table_order() -> None:
    courses, interactions, relevance = tiny_frames()
    turned = courses.iloc[::-1]
    found = Bundle.from_frames(turned, interactions.sample(frac=1, random_state=1), relevance)
    assert found.learner_ids.tolist() == ["u1", "u2", "u3", "u4", "u5", "u6"]
    assert found.course_ids.tolist() == turned["course_id"].tolist()
    assert found.courses["course_id"].tolist() == turned["course_id"].tolist()
    assert isinstance(found.courses.index, pd.RangeIndex)
    names = found.course_ids
    assert sorted(names[found.past.row(0)]) == ["c01", "c03", "c04"]
    assert names[found.relevance("userknn").row(5)[0]].tolist() == ["c09", "c08", "c05"]


def test_types_of_the_cleaned_tables() -> None:
    found = bundle()
    assert found.courses["last_update"].dtype == np.dtype("datetime64[s]")
    assert {str(found.courses[name].dtype) for name in ("price", "enrolled", "rating")} == {
        "float64"
    }
    assert found.courses["assets"].iloc[0] == ("article", "quiz", "video")
    assert found.courses["assets"].iloc[10] is None
    assert found.courses["level"].iloc[8] == "unknown"
    assert np.isnat(found.courses["last_update"].to_numpy()[9])
    assert found.interactions.dtypes.astype(str).to_dict() == {
        "learner": "int32",
        "course": "int32",
        "split": "category",
        "timestamp": "datetime64[s]",
        "rating": "float64",
    }
    assert isinstance(found.past, Csr)
    assert isinstance(found.relevance("userknn"), Relevance)
    assert (found.past.indptr.dtype, found.past.indices.dtype) == (np.int64, np.int32)
    relevance = found.relevance("userknn")
    assert (relevance.indptr.dtype, relevance.courses.dtype, relevance.scores.dtype) == (
        np.int64,
        np.int32,
        np.float64,
    )


def test_coverage_counts_what_was_filled() -> None:
    found = bundle()
    assert found.coverage.index.name == "principle"
    assert found.coverage["filled"].to_dict() == {
        "familiarity": 0,
        "validity": 1,
        "learnability": 1,
        "variety": 1,
        "quality": 0,
        "manageability": 1,
        "affordability": 1,
    }
    assert found.coverage.loc["variety", "share_filled"] == pytest.approx(1 / 12)


def test_a_rating_is_the_courses_own_else_the_mean_of_its_training_ratings() -> None:
    found = bundle()
    # c10 has no rating of its own: u3 gave 5 and u6 gave 4 in train.
    assert found.courses["rating"].iloc[9] == 4.5
    assert found.courses["rating"].iloc[0] == 4.5
    courses, interactions, relevance = tiny_frames()
    without = Bundle.from_frames(courses.drop(columns="rating"), interactions, relevance)
    assert without.courses["rating"].iloc[0] == 5.0  # u1 and u5 in train; u4 rated it in test only
    assert np.isnan(without.courses["rating"].iloc[1])  # rated in valid only
    assert without.coverage.loc["quality", "filled"] == without.courses["rating"].isna().sum() > 0


def test_learners_without_a_training_course_are_left_out_and_counted() -> None:
    courses, interactions, relevance = tiny_frames()
    more = pd.DataFrame(
        {
            "learner_id": ["a0", "a0", "z9"],
            "course_id": ["c01", "c02", "c03"],
            "split": ["valid", "test", "test"],
        }
    )
    rows = pd.DataFrame(
        {"learner_id": ["a0", "nobody"], "course_id": ["c05", "c05"], "score": [1.0, 1.0]}
    )
    longer = {"userknn": pd.concat([rows, relevance["userknn"]])}
    found = Bundle.from_frames(courses, pd.concat([more, interactions]), longer)
    assert found.learner_ids.tolist() == ["u1", "u2", "u3", "u4", "u5", "u6"]
    assert found.counts["learners_without_past"] == 2
    assert found.counts["relevance_without_past[userknn]"] == 2
    assert (
        found.fingerprint
        == Bundle.from_frames(courses, interactions, {"userknn": relevance["userknn"]}).fingerprint
    )


def test_repeats_count_once_and_train_wins_over_other_splits() -> None:
    courses, interactions, relevance = tiny_frames()
    more = pd.DataFrame(
        {
            "learner_id": ["u1", "u1", "u1", "u2", "u2"],
            "course_id": ["c01", "c01", "c03", "c08", "c08"],
            "split": ["train", "valid", "test", "test", "valid"],
            "timestamp": ["2018-01-01", "2018-01-01", "2018-01-01", "2010-01-01", "2018-01-01"],
            "rating": [1.0, 2.0, 3.0, 4.0, 5.0],
        }
    )
    found = Bundle.from_frames(courses, pd.concat([interactions, more]), relevance)
    assert found.counts["repeated_pairs"] == 2  # u1 c01 train, u2 c08 test
    assert found.counts["pairs_in_train_and_other"] == 2  # u1 c01 valid, u1 c03 test
    assert found.past.row(0).tolist() == [0, 2, 3]
    assert found.positives("test").row(0).tolist() == [11]
    assert found.positives("valid").row(0).tolist() == [1]
    assert found.positives("valid").row(1).tolist() == [6, 7]  # in valid and in test: stays in both
    first = found.interactions.query("learner == 0 and course == 0")
    assert first["rating"].tolist() == [1.0]  # the latest row of the repeats stays
    test = found.interactions.query("learner == 1 and course == 7 and split == 'test'")
    assert test["timestamp"].dt.year.tolist() == [2017]
    assert np.isnan(test["rating"].iloc[0])


def test_a_repeated_pair_does_not_depend_on_the_order_of_rows() -> None:
    courses, interactions, relevance = tiny_frames()
    again = interactions.head(3).assign(
        rating=[1.0, 2.0, 3.0]
    )  # the same time: the higher rating stays
    both = [
        Bundle.from_frames(courses, pd.concat(parts), relevance)
        for parts in ([interactions, again], [again, interactions])
    ]
    assert both[0].fingerprint == both[1].fingerprint
    assert both[0].interactions["rating"].head(4).tolist() == [
        5.0,
        5.0,
        4.0,
        3.0,
    ]  # c01, c02 (valid), c03, c04


def test_past_courses_are_dropped_from_relevance_and_the_rest_is_sorted() -> None:
    courses, interactions, _ = tiny_frames()
    rows = [
        ("u1", "c12", 0.5),
        ("u1", "c01", 9.0),
        ("u1", "c05", 0.5),
        ("u1", "c06", 0.7),
        ("u2", "c05", 1.0),
        ("u1", "c02", -1.0),
    ]
    found = Bundle.from_frames(
        courses,
        interactions,
        {"own": pd.DataFrame(rows, columns=["learner_id", "course_id", "score"])},
    )
    positions, scores = found.relevance("own").row(0)
    assert positions.tolist() == [5, 4, 11, 1]
    assert scores.tolist() == [0.7, 0.5, 0.5, -1.0]
    assert found.relevance("own").row(1)[0].tolist() == []
    assert len(found.relevance("own")) == 6
    assert found.counts["relevance_of_past_courses[own]"] == 2


def test_an_algorithm_may_be_left_without_any_candidate() -> None:
    courses, interactions, _ = tiny_frames()
    found = Bundle.from_frames(
        courses,
        interactions,
        {"own": pd.DataFrame({"learner_id": ["u1"], "course_id": ["c01"], "score": [1.0]})},
    )
    assert len(found.relevance("own").courses) == 0


def test_algorithms_come_in_the_order_of_the_paper_then_by_name() -> None:
    courses, interactions, relevance = tiny_frames()
    rows = relevance["userknn"]
    found = Bundle.from_frames(
        courses, interactions, {"zeta": rows, "userknn": rows, "alpha": rows, "random": rows}
    )
    assert found.algorithms == ("random", "userknn", "alpha", "zeta")


def test_an_unknown_algorithm_is_a_key_error_that_lists_the_known_ones() -> None:
    with pytest.raises(KeyError, match=r"neumf.*toppopular, userknn"):
        bundle().relevance("neumf")


def test_no_relevance_at_all_is_a_bundle_without_algorithms() -> None:
    found = bundle(relevance=None)
    assert found.algorithms == ()
    with pytest.raises(KeyError, match="none"):
        found.relevance("userknn")


def test_without_valid_or_test_the_splits_say_so() -> None:
    courses, interactions, relevance = tiny_frames()
    found = Bundle.from_frames(courses, interactions[interactions["split"] == "train"], relevance)
    assert found.splits == ("train",)
    assert len(found.positives("test")) == 6
    assert found.positives("test").indices.tolist() == []
    assert found.positives("train") is found.past
    with pytest.raises(ValueError, match="train, valid, test"):
        found.positives("validation")


def test_frames_of_the_caller_are_not_changed() -> None:
    frames = tiny_frames()
    courses, interactions, relevance = tiny_frames()
    courses.index = interactions.index[: len(courses)] + 5
    before = courses.copy(deep=True)
    found = Bundle.from_frames(courses, interactions, relevance)
    found.courses.loc[0, "price"] = 77.0
    found.relevance("userknn").scores[:] = 0
    pd.testing.assert_frame_equal(courses, before)
    pd.testing.assert_frame_equal(interactions, frames[1])
    pd.testing.assert_frame_equal(relevance["userknn"], frames[2]["userknn"])


def test_now_and_opened_are_the_newest_and_oldest_update_unless_given() -> None:
    assert (bundle().now, bundle().opened) == (
        pd.Timestamp("2017-06-01"),
        pd.Timestamp("2013-09-09"),
    )
    found = bundle(now="2018-01-01", opened=date(2010, 1, 1))
    assert (found.now, found.opened) == (pd.Timestamp("2018-01-01"), pd.Timestamp("2010-01-01"))
    assert (
        bundle(now=datetime(2018, 1, 1, tzinfo=UTC)).fingerprint
        == bundle(now=1514764800).fingerprint
    )


@pytest.mark.parametrize(
    "make",
    [
        lambda dates: pd.to_datetime(dates),
        lambda dates: pd.to_datetime(dates, utc=True).dt.tz_convert("America/New_York"),
        lambda dates: pd.to_datetime(dates).astype("datetime64[s]"),
        lambda dates: pd.to_datetime(dates).dt.date.astype(object),
        lambda dates: (
            pd.to_datetime(dates)
            .astype("datetime64[s]")
            .astype("int64")
            .where(dates.notna())
            .astype("Int64")
        ),
        lambda dates: (
            pd.to_datetime(dates).astype("datetime64[s]").astype("int64").where(dates.notna())
        ),
        lambda dates: pd.to_datetime(dates).dt.strftime("%Y-%m-%dT%H:%M:%SZ"),
        lambda dates: (
            pd.to_datetime(dates)
            .astype("datetime64[s]")
            .astype("int64")
            .where(dates.notna())
            .astype("Int64")
            .astype("string")
        ),
        lambda dates: dates.astype("category"),
        lambda dates: dates.astype("string[pyarrow]"),
        lambda dates: dates.fillna(""),
    ],
    ids=[
        "datetime",
        "time zone",
        "seconds",
        "date objects",
        "nullable unix",
        "float unix",
        "iso with Z",
        "unix text",
        "category",
        "arrow",
        "empty",
    ],
)
def test_dates_may_come_in_many_forms(make: Any) -> None:
    courses, interactions, relevance = tiny_frames()
    plain = Bundle.from_frames(courses, interactions, relevance)
    other = Bundle.from_frames(
        courses.assign(last_update=make(courses["last_update"])), interactions, relevance
    )
    pd.testing.assert_series_equal(other.courses["last_update"], plain.courses["last_update"])
    assert other.fingerprint == plain.fingerprint


@pytest.mark.parametrize("backend", ["category", "string", "string[pyarrow]", "object"])
def test_texts_and_ids_may_have_any_text_type(backend: str) -> None:
    courses, interactions, relevance = tiny_frames()
    texts = dict.fromkeys(
        ("course_id", "title", "category", "level", "assets", "description"), backend
    )
    other = Bundle.from_frames(
        courses.astype(texts),
        interactions.astype({"learner_id": backend, "course_id": backend, "split": backend}),
        {
            name: rows.astype({"learner_id": backend, "course_id": backend})
            for name, rows in relevance.items()
        },
    )
    assert other.fingerprint == Bundle.from_frames(courses, interactions, relevance).fingerprint
    assert other.learner_ids.dtype == object


@pytest.mark.parametrize(
    "make",
    [
        lambda numbers: numbers.astype("Float64"),
        lambda numbers: numbers.astype("float64[pyarrow]"),
        lambda numbers: numbers.map(
            lambda number: None if np.isnan(number) else repr(number)
        ).astype(object),
        lambda numbers: numbers.map(
            lambda number: None if np.isnan(number) else Decimal(repr(number))
        ).astype(object),
        lambda numbers: numbers.astype("category"),
        lambda numbers: numbers.map(
            lambda number: " n/a " if np.isnan(number) else f" {number!r} "
        ),
    ],
    ids=["nullable", "arrow", "text", "decimal", "category", "padded text"],
)
def test_numbers_may_come_in_many_forms(make: Any) -> None:
    courses, interactions, relevance = tiny_frames()
    other = Bundle.from_frames(
        courses.assign(price=make(courses["price"]), enrolled=make(courses["enrolled"])),
        interactions,
        relevance,
    )
    assert other.fingerprint == Bundle.from_frames(courses, interactions, relevance).fingerprint


def test_assets_may_be_lists_or_text_and_an_empty_list_is_known() -> None:
    courses, interactions, relevance = tiny_frames()
    lists = courses["assets"].map(lambda text: text.split("|") if isinstance(text, str) else None)
    arrays = lists.map(
        lambda kinds: None if kinds is None else np.array([*kinds, *kinds, None, " "], dtype=object)
    )
    plain = Bundle.from_frames(courses, interactions, relevance).fingerprint
    for assets in (
        lists,
        arrays,
        lists.map(lambda kinds: kinds and set(kinds)),
        courses["assets"].str.replace("|", " | |"),
    ):
        assert (
            Bundle.from_frames(courses.assign(assets=assets), interactions, relevance).fingerprint
            == plain
        )
    none = lists.copy()
    none.iloc[10] = []
    found = Bundle.from_frames(courses.assign(assets=none), interactions, relevance)
    assert found.courses["assets"].iloc[10] == ()
    assert found.coverage.loc["variety", "filled"] == 0


def test_own_principles_take_any_column() -> None:
    courses, interactions, relevance = tiny_frames()
    courses = courses.assign(
        hours=[f"{h}" for h in range(1, 13)],
        language=["en", "it", None] * 4,
        online=[True, False, None] * 4,
        since=courses["last_update"],
    )
    own = (
        Principle("duration", "mean", "hours", better="low"),
        Principle("tongues", "balance", "language"),
        Principle("place", "mean", "online"),
        Principle("age", "mean", "since"),
        Principle("topic", "match", "category"),
    )
    few = courses[["course_id", "title", "category", "hours", "language", "online", "since"]]
    found = Bundle.from_frames(few, interactions, relevance, principles=own)
    assert found.principles == own
    assert found.courses["hours"].tolist() == [float(h) for h in range(1, 13)]
    assert found.courses["online"].tolist()[:2] == [1.0, 0.0]
    assert found.courses["language"].tolist()[:3] == ["en", "it", "unknown"]
    assert found.courses["since"].dtype == np.dtype("datetime64[s]")
    assert found.coverage["filled"].to_dict() == {
        "duration": 0,
        "tongues": 4,
        "place": 4,
        "age": 1,
        "topic": 0,
    }
    assert found.encoded.means.shape == (12, 3)
    assert found.courses["price"].isna().all()  # every column of the format is there


def test_columns_that_only_an_unused_principle_needs_are_optional() -> None:
    courses, interactions, relevance = tiny_frames()
    few = courses[["course_id", "title", "category", "price"]]
    bare = interactions[["learner_id", "course_id", "split"]]
    found = Bundle.from_frames(
        few,
        bare,
        relevance,
        principles=[p for p in SEVEN if p.name in ("familiarity", "affordability")],
    )
    assert len(found.principles) == 2
    assert found.now is None
    assert found.interactions["timestamp"].isna().all()


def test_extra_columns_are_kept() -> None:
    courses, interactions, relevance = tiny_frames()
    extra = courses.assign(teacher=["Ann", None] * 6, chapters=range(12), nested=[[1, "b"]] * 12)
    found = Bundle.from_frames(extra, interactions.assign(device="phone"), relevance)
    assert found.courses["teacher"].tolist()[:2] == ["Ann", None]
    assert found.courses["chapters"].tolist() == list(range(12))
    assert found.courses["nested"].iloc[0] == '[1, "b"]'


def test_learners_are_one_row_a_position() -> None:
    courses, interactions, relevance = tiny_frames()
    table = pd.DataFrame(
        {
            "learner_id": ["u6", "u1", "gone"],
            "country": ["IT", "FR", "DE"],
            "age": [30, 40, 50],
            "paid": [True, False, True],
        }
    )
    found = Bundle.from_frames(courses, interactions, relevance, learners=table)
    assert found.learners is not None
    assert found.learners.index.tolist() == found.learner_ids.tolist()
    assert found.learners.index.name == "learner_id"
    assert found.learners["country"].tolist() == ["FR", None, None, None, None, "IT"]
    assert found.learners["age"].tolist()[0] == 40.0
    assert found.counts["learners_rows_without_past"] == 1
    assert found.counts["learners_without_row_in_learners"] == 4
    by_index = Bundle.from_frames(
        courses, interactions, relevance, learners=table.set_index("learner_id")
    )
    assert by_index.fingerprint == found.fingerprint != bundle().fingerprint


def test_targets_not_given_are_one() -> None:
    table = pd.DataFrame(
        {"learner_id": ["u2", "u1"], "quality": [0.5, None], "variety": [0.25, 0.75]}
    )
    found = bundle(targets=table).targets
    assert found is not None
    assert found.index.tolist() == ["u1", "u2", "u3", "u4", "u5", "u6"]
    assert found["quality"].tolist() == [1.0, 0.5, 1.0, 1.0, 1.0, 1.0]
    assert found["variety"].tolist() == [0.75, 0.25, 1.0, 1.0, 1.0, 1.0]


@pytest.mark.parametrize(
    "kind", ["int64", "int16", "uint64", "Int64", "int32[pyarrow]", "object", "category"]
)
def test_integer_ids_stay_integers_and_sort_by_size(kind: str) -> None:
    courses, interactions, relevance = tiny_frames()
    rows = relevance["userknn"]
    for frame in (courses, interactions, rows):
        frame["course_id"] = frame["course_id"].str.slice(1).astype(int).mul(10).astype(kind)
    for frame in (interactions, rows):
        frame["learner_id"] = (
            frame["learner_id"].str.slice(1).astype(int).replace({6: 100}).astype(kind)
        )
    found = Bundle.from_frames(courses, interactions, {"userknn": rows})
    assert found.learner_ids.tolist() == [1, 2, 3, 4, 5, 100]
    assert (found.learner_ids.dtype, found.course_ids.dtype) == (np.int64, np.int64)
    assert (
        found.relevance("userknn").row(5)[0].tolist()
        == bundle().relevance("userknn").row(5)[0].tolist()
    )


@pytest.mark.parametrize(
    "ids", [["007", "7", "x" * 40, "é", "Ω≈ç", " a b "], ["b", "c", "d", "e", "f", "名前"]]
)
def test_awkward_text_ids_stay_as_they_are(ids: list[str]) -> None:
    courses, interactions, relevance = tiny_frames()
    renamed = dict(zip(["u1", "u2", "u3", "u4", "u5", "u6"], ids, strict=True))
    found = Bundle.from_frames(
        courses,
        interactions.assign(learner_id=interactions["learner_id"].map(renamed)),
        {"userknn": relevance["userknn"].assign(learner_id=lambda f: f["learner_id"].map(renamed))},
    )
    assert found.learner_ids.tolist() == sorted(ids)


def test_the_repr_says_when_data_is_synthetic() -> None:
    assert "synthetic 6 learners" in repr(bundle(synthetic=True, name="toy"))
    assert "synthetic" not in repr(bundle())
