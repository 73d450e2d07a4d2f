"""Every fault is found, named with its place and its remedy, and all come in one message."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from equity_core.bundle import Bundle, BundleError
from equity_core.bundle.faults import Fault
from equity_core.principles import SEVEN, Principle
from tests.helpers.worlds import tiny_frames

Frames = dict[str, Any]


def faults_of(change: Callable[[Frames], None]) -> tuple[Fault, ...]:
    """The faults of the tiny world after a change; there must be some, all complete, and all in the
    message."""
    courses, interactions, relevance = tiny_frames()
    frames: Frames = {"courses": courses, "interactions": interactions, "relevance": relevance}
    change(frames)
    with pytest.raises(BundleError) as caught:
        Bundle.from_frames(**frames)
    message = str(caught.value)
    for fault in caught.value.faults:
        assert fault.file in message
        assert fault.message in message
        assert fault.fix in message
        assert fault.fix[0].isupper()
        assert not fault.fix.endswith(".")
    return caught.value.faults


def set_cell(table: str, column: str, row: int, value: Any) -> Callable[[Frames], None]:
    def change(frames: Frames) -> None:
        frame = frames[table].astype({column: object})
        frame.iat[row, frame.columns.get_loc(column)] = value
        frames[table] = frame

    return change


def set_column(table: str, column: str, values: Any) -> Callable[[Frames], None]:
    def change(frames: Frames) -> None:
        frames[table] = frames[table].assign(**{column: values})

    return change


def drop(table: str, column: str) -> Callable[[Frames], None]:
    def change(frames: Frames) -> None:
        frames[table] = frames[table].drop(columns=column)

    return change


def setting(**values: Any) -> Callable[[Frames], None]:
    return lambda frames: frames.update(values)


ONE_CELL = [
    # table, column, row, value, words of the message, words of the fix
    ("courses", "price", 4, -1.0, "negative", "0 for a free course"),
    ("courses", "price", 4, "free", "not a number: 'free'", "plain numbers"),
    ("courses", "price", 4, "$9.99", "not a number", "plain numbers"),
    ("courses", "price", 4, np.inf, "infinite", "plain numbers"),
    ("courses", "enrolled", 3, -7, "negative", "number of learners"),
    (
        "courses",
        "rating",
        2,
        0,
        "outside the rating scale, which is 1 to 5: 0.0",
        "without a rating empty",
    ),
    ("courses", "rating", 2, 5.1, "outside the rating scale", "rating_scale"),
    ("courses", "assets", 1, 3, "not a list of asset types: 3", "video|article"),
    ("courses", "assets", 1, [1, 2], "not a list of asset types", "video|article"),
    (
        "courses",
        "last_update",
        1,
        "last spring",
        "not a date that can be read: 'last spring'",
        "2017-06-08",
    ),
    ("courses", "course_id", 1, "c01", "listed already: 'c01'", "one row per course"),
    ("courses", "course_id", 1, None, "id is missing", "every row an id"),
    ("courses", "course_id", 1, "", "id is missing", "every row an id"),
    (
        "courses",
        "course_id",
        1,
        7,
        "several types (int, str), for example 7",
        "all ids text or all ids whole numbers",
    ),
    ("interactions", "learner_id", 6, None, "id is missing", "every row an id"),
    ("interactions", "course_id", 6, "c99", "not in courses: 'c99'", "Add the course"),
    ("interactions", "split", 6, "training", "unknown split: 'training'", "train, valid or test"),
    ("interactions", "split", 6, None, "unknown split: None", "train, valid or test"),
    (
        "interactions",
        "rating",
        6,
        9,
        "outside the rating scale",
        "interactions without a rating empty",
    ),
    ("interactions", "timestamp", 6, "yesterday", "not a date that can be read", "unix seconds"),
]


@pytest.mark.parametrize(
    ("table", "column", "row", "value", "words", "fix"),
    ONE_CELL,
    ids=[f"{c[0]}-{c[1]}-{c[3]!r}" for c in ONE_CELL],
)
def test_one_wrong_cell_is_one_fault_with_its_row(
    table: str, column: str, row: int, value: Any, words: str, fix: str
) -> None:
    (fault,) = faults_of(set_cell(table, column, row, value))
    assert (fault.file, fault.column, fault.rows) == (table, column, (row,))
    assert words in fault.message
    assert fix in fault.fix


@pytest.mark.parametrize(
    ("table", "column"),
    [
        ("courses", name)
        for name in (
            "course_id",
            "title",
            "category",
            "last_update",
            "level",
            "assets",
            "enrolled",
            "price",
        )
    ]
    + [("interactions", name) for name in ("learner_id", "course_id", "split")],
)
def test_a_missing_column_is_named_with_those_that_are_there(table: str, column: str) -> None:
    faults = faults_of(drop(table, column))
    fault = next(fault for fault in faults if fault.column == column)
    assert (fault.file, fault.rows) == (table, ())
    assert "missing" in fault.message
    assert "the table has" in fault.message
    assert "Add" in fault.fix


def test_a_missing_column_names_the_principle_that_needs_it() -> None:
    (fault,) = faults_of(drop("courses", "price"))
    assert "'affordability' needs" in fault.message


def test_a_rating_in_neither_table_is_a_fault() -> None:
    def change(frames: Frames) -> None:
        drop("courses", "rating")(frames)
        drop("interactions", "rating")(frames)

    (fault,) = faults_of(change)
    assert (fault.file, fault.column) == ("courses", "rating")
    assert "here and in interactions" in fault.message


@pytest.mark.parametrize(
    "column", ["category", "last_update", "level", "assets", "enrolled", "price", "title"]
)
def test_a_needed_column_that_is_empty_altogether_is_a_fault(column: str) -> None:
    (fault,) = faults_of(set_column("courses", column, None))
    assert (fault.file, fault.column) == ("courses", column)
    assert "no course has" in fault.message


def test_ratings_empty_in_both_tables_are_a_fault() -> None:
    def change(frames: Frames) -> None:
        set_column("courses", "rating", None)(frames)
        set_column("interactions", "rating", np.nan)(frames)

    (fault,) = faults_of(change)
    assert fault.column == "rating"
    assert "no training interaction" in fault.message


@pytest.mark.parametrize("table", ["courses", "interactions"])
def test_an_empty_table_is_a_fault(table: str) -> None:
    faults = faults_of(lambda frames: frames.update({table: frames[table].head(0)}))
    assert any(fault.file == table and "empty" in fault.message for fault in faults)


def test_an_empty_relevance_table_is_a_fault() -> None:
    (fault,) = faults_of(
        lambda frames: frames["relevance"].update(userknn=frames["relevance"]["userknn"].head(0))
    )
    assert fault.file == "relevance 'userknn'"
    assert "empty" in fault.message


def test_something_that_is_no_frame_is_a_fault() -> None:
    faults = faults_of(setting(courses=[1, 2, 3]))
    assert faults[0].message == "this is not a table but a list"


def test_relevance_that_is_no_dictionary_is_a_fault() -> None:
    (fault,) = faults_of(lambda frames: frames.update(relevance=frames["relevance"]["userknn"]))
    assert fault.message == "this is not a dictionary but a DataFrame"


def test_two_columns_of_one_name_are_a_fault() -> None:
    (fault,) = faults_of(
        lambda frames: frames.update(
            courses=pd.concat([frames["courses"], frames["courses"][["price"]]], axis=1)
        )
    )
    assert (fault.file, fault.column) == ("courses", "price")
    assert "several columns" in fault.message


def test_no_training_row_at_all_is_a_fault() -> None:
    faults = faults_of(
        lambda frames: frames.update(interactions=frames["interactions"].query("split != 'train'"))
    )
    assert faults[0].column == "split"
    assert "no learner has a past" in faults[0].message


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (np.arange(12) * 1000 + 1_496_880_000_000, "milliseconds"),
        (np.arange(12) * 1000 + 1_496_880_000_000_000, "microseconds"),
        (np.arange(12) * 1000 + 1_496_880_000_000_000_000, "nanoseconds"),
        ([str(1_496_880_000_000 + i) for i in range(12)], "milliseconds"),
        (np.arange(2006, 2018), "years"),
        ([str(year) for year in range(2006, 2018)], "years"),
        (np.arange(12) + 20170608, "YYYYMMDD"),
        ([True] * 12, "true and false"),
        (pd.to_timedelta(range(12), unit="s"), "not dates"),
        (["2017-01-01", 5.0] * 6, "not a date that can be read: 5.0"),
    ],
    ids=[
        "ms",
        "us",
        "ns",
        "ms text",
        "years",
        "years text",
        "yyyymmdd",
        "bool",
        "timedelta",
        "mixed",
    ],
)
def test_dates_in_other_units_are_explained(values: Any, words: str) -> None:
    (fault,) = faults_of(set_column("courses", "last_update", values))
    assert (fault.file, fault.column) == ("courses", "last_update")
    assert words in fault.message
    assert "unix seconds" in fault.fix


def test_timestamps_in_milliseconds_say_what_to_divide_by() -> None:
    (fault,) = faults_of(set_column("interactions", "timestamp", np.arange(22) + 1_496_880_000_000))
    assert fault.rows == (0, 1, 2, 3, 4)
    assert "22 rows" in fault.message
    assert "Divide by 1000" in fault.fix


@pytest.mark.parametrize(
    ("ids", "words"),
    [
        (np.arange(12) + 0.5, "decimal"),
        (np.arange(12, dtype=float), "decimal"),
        (pd.to_datetime(["2017-01-01"] * 12), "neither text nor whole numbers"),
        ([b"a"] * 12, "neither text nor whole numbers"),
        ([True, False] * 6, "neither text nor whole numbers"),
        (np.arange(12, dtype=np.uint64) + 2**63, "larger than"),
        ([f"c{i}\ud800" for i in range(12)], "Unicode"),
        ([None] * 12, "id is missing"),
    ],
    ids=["decimals", "floats", "dates", "bytes", "booleans", "too long", "surrogates", "none"],
)
def test_ids_are_texts_or_whole_numbers(ids: Any, words: str) -> None:
    faults = faults_of(
        set_column(
            "courses",
            "course_id",
            pd.Series(ids, dtype=None if isinstance(ids, np.ndarray | pd.Index) else object),
        )
    )
    assert (faults[0].file, faults[0].column) == ("courses", "course_id")
    assert words in faults[0].message


def test_ids_of_another_type_are_explained_for_every_table() -> None:
    def change(frames: Frames) -> None:
        number = {f"c{i:02d}": i for i in range(1, 13)}
        frames["courses"]["course_id"] = frames["courses"]["course_id"].map(number)
        learner = frames["relevance"]["userknn"]["learner_id"]
        frames["relevance"]["userknn"]["learner_id"] = learner.str.slice(1).astype(int)
        frames["learners"] = pd.DataFrame({"learner_id": [1, 2], "country": ["IT", "FR"]})

    faults = faults_of(change)
    found = {(fault.file, fault.column): fault.message for fault in faults}
    assert "texts here but whole numbers in courses" in found["interactions", "course_id"]
    assert "texts here but whole numbers in courses" in found["relevance 'toppopular'", "course_id"]
    assert (
        "whole numbers here but texts in interactions" in found["relevance 'userknn'", "learner_id"]
    )
    assert "whole numbers here but texts in interactions" in found["learners", "learner_id"]


RELEVANCE = [
    ("course_id", "c99", "not in courses: 'c99'", "leave these rows out", (3,)),
    ("course_id", "c12", "listed already", "one row per pair", (3,)),
    ("score", np.nan, "not finite", "without a score", (3,)),
    ("score", -np.inf, "finite", "", (3,)),
    ("score", "high", "not a number: 'high'", "plain numbers", (3,)),
    ("learner_id", None, "id is missing", "every row an id", (3,)),
]


@pytest.mark.parametrize(
    ("column", "value", "words", "fix", "rows"),
    RELEVANCE,
    ids=[f"{c[0]}-{c[1]!r}" for c in RELEVANCE],
)
def test_relevance_rows_at_fault(
    column: str, value: Any, words: str, fix: str, rows: tuple[int, ...]
) -> None:
    def change(frames: Frames) -> None:
        rows = frames["relevance"]["userknn"]
        rows[column] = rows[column].astype(object)
        rows.loc[3, column] = value

    (fault,) = faults_of(change)
    assert (fault.file, fault.column, fault.rows) == ("relevance 'userknn'", column, rows)
    assert words in fault.message
    assert fix in fault.fix


def test_a_repeated_pair_is_a_fault_also_for_a_past_course_and_far_apart() -> None:
    def change(frames: Frames) -> None:
        more = pd.DataFrame(
            {
                "learner_id": ["u1", "u2", "u1"],
                "course_id": ["c01", "c08", "c01"],
                "score": [0.1, 0.2, 0.3],
            }
        )
        frames["relevance"]["userknn"] = pd.concat(
            [frames["relevance"]["userknn"], more], ignore_index=True
        )

    (fault,) = faults_of(change)
    assert fault.rows == (44, 45)


@pytest.mark.parametrize("name", ["", "a/b", "..", ".hidden", "a\\b", "x" * 101, "é", "a\nb", 3])
def test_an_algorithms_name_must_do_for_a_file(name: Any) -> None:
    (fault,) = faults_of(
        lambda frames: frames["relevance"].update({name: frames["relevance"]["userknn"]})
    )
    assert "cannot have this name" in fault.message


def test_algorithms_that_differ_by_case_only_are_a_fault() -> None:
    (fault,) = faults_of(
        lambda frames: frames["relevance"].update(UserKNN=frames["relevance"]["userknn"])
    )
    assert "another algorithm with this name" in fault.message


@pytest.mark.parametrize(
    ("settings", "column", "words"),
    [
        ({"rating_scale": (5, 1)}, "rating_scale", "two numbers"),
        ({"rating_scale": (1,)}, "rating_scale", "two numbers"),
        ({"rating_scale": (1, np.inf)}, "rating_scale", "two numbers"),
        ({"rating_scale": "1-5"}, "rating_scale", "two numbers"),
        ({"now": "someday"}, "now", "not a date"),
        ({"opened": 1_496_880_000_000}, "opened", "milliseconds"),
        ({"now": "2010-01-01", "opened": "2012-01-01"}, "now", "before opened"),
        ({"now": "2010-01-01"}, "now", "before every last_update"),
        ({"opened": "2020-01-01"}, "opened", "after every last_update"),
        ({"name": 3}, "name", "string"),
        ({"synthetic": "yes"}, "synthetic", "bool"),
        ({"provenance": {"who": object()}}, "provenance", "text, numbers"),
        ({"principles": []}, "principles", "no principle"),
        (
            {"principles": [*SEVEN, SEVEN[0]]},
            "principles",
            "several principles called 'familiarity'",
        ),
        (
            {"principles": [Principle("ndcg", "mean", "price")]},
            "principles",
            "cannot be called 'ndcg'",
        ),
        ({"principles": ["quality"]}, "principles", "principle 1"),
        (
            {"principles": [{"name": "x", "kind": "median", "column": "price"}]},
            "principles",
            "kind is 'median'",
        ),
        ({"principles": [Principle("x", "mean", "title")]}, "title", ""),
        ({"principles": [Principle("x", "mean", "hours")]}, "hours", "missing"),
    ],
)
def test_settings_at_fault(settings: dict[str, Any], column: str, words: str) -> None:
    faults = faults_of(setting(**settings))
    assert faults[0].column == column
    assert words in faults[0].message


def test_a_log_scale_below_zero_is_a_fault_of_its_column() -> None:
    def change(frames: Frames) -> None:
        frames["courses"] = frames["courses"].assign(balance=range(-5, 7))
        frames["principles"] = [Principle("x", "mean", "balance", scale="log")]

    (fault,) = faults_of(change)
    assert fault.column == "balance"
    assert "log scale" in fault.message


@pytest.mark.parametrize(
    ("table", "column", "words"),
    [
        (pd.DataFrame({"learner_id": ["u1"], "quality": [1.5]}), "quality", "from 0 to 1"),
        (pd.DataFrame({"learner_id": ["u1"], "quality": ["most"]}), "quality", "not a number"),
        (
            pd.DataFrame({"learner_id": ["u1"], "speed": [0.5]}),
            "speed",
            "no principle with this name",
        ),
        (
            pd.DataFrame({"learner_id": ["u1", "u1"], "quality": [0.5, 0.6]}),
            "learner_id",
            "listed already",
        ),
        (
            pd.DataFrame({"learner_id": ["x"], "quality": [0.5]}),
            "learner_id",
            "no learner in this table",
        ),
        (pd.DataFrame({"learner_id": ["u1"]}), None, "no column with targets"),
        (pd.DataFrame({"quality": [0.5]}), "learner_id", "missing"),
        (pd.DataFrame({"learner_id": [], "quality": []}), None, "empty"),
    ],
)
def test_targets_at_fault(table: pd.DataFrame, column: str | None, words: str) -> None:
    (fault,) = faults_of(setting(targets=table))
    assert (fault.file, fault.column) == ("targets", column)
    assert words in fault.message


def test_every_fault_comes_in_one_message() -> None:
    def change(frames: Frames) -> None:
        set_cell("courses", "price", 0, -1)(frames)
        set_cell("courses", "rating", 1, 8)(frames)
        drop("courses", "level")(frames)
        set_cell("interactions", "split", 2, "dev")(frames)
        set_cell("interactions", "course_id", 5, "c77")(frames)
        frames["relevance"]["userknn"].loc[0, "course_id"] = "c88"
        frames["relevance"]["toppopular"] = frames["relevance"]["toppopular"].drop(columns="score")
        frames["targets"] = pd.DataFrame({"learner_id": ["u1"], "quality": [2.0]})
        frames["now"] = "never"

    faults = faults_of(change)
    assert {(fault.file, fault.column) for fault in faults} == {
        ("settings", "now"),
        ("courses", "price"),
        ("courses", "rating"),
        ("courses", "level"),
        ("interactions", "split"),
        ("interactions", "course_id"),
        ("relevance 'userknn'", "course_id"),
        ("relevance 'toppopular'", "score"),
        ("targets", "quality"),
    }


def test_the_message_counts_faults_and_names_only_the_first_rows() -> None:
    courses, interactions, relevance = tiny_frames()
    with pytest.raises(BundleError) as caught:
        Bundle.from_frames(courses.assign(price=-1.0), interactions, relevance)
    message = str(caught.value)
    assert message.startswith("1 fault found (the first row is row 0):")
    assert (
        "courses, column 'price', rows 0, 1, 2, 3, 4: the number is negative: -1.0 (in 12 rows; the"
        " first few are listed)." in message
    )
    assert isinstance(caught.value, ValueError)


def test_the_error_survives_pickling() -> None:
    error = BundleError([Fault("courses", "price", (1,), "the number is negative", "Write 0")])
    again = pickle.loads(pickle.dumps(error))  # noqa: S301
    assert again.faults == error.faults
    assert str(again) == str(error)


def test_a_fault_cannot_be_changed() -> None:
    fault = Fault("courses", None, (), "m", "F")
    with pytest.raises(AttributeError):
        fault.file = "x"  # type: ignore[misc]
