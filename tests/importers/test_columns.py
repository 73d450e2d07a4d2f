"""A table through a column map."""

import pandas as pd
import pytest

from equity_core.bundle.faults import BundleError
from equity_core.importers import ColumnMap, Report, apply_map

FRAME = pd.DataFrame(
    {
        "id": ["a", "b"],
        "name": ["A", "B"],
        "cost": ["$5.00", "Free"],
        "updated": ["6/13/2017", ""],
        "video": ["yes", "no"],
        "pdfs": ["0", "2"],
        "hours": ["1.5", ""],
        "language": ["en", "de"],
    },
    dtype=object,
)
COLUMNS = {
    "course_id": "id",
    "title": "name",
    "price": "cost",
    "last_update": "updated",
    "assets:video": "video",
    "assets:document": "pdfs",
}


def test_a_course_table_is_renamed_and_converted():
    report = Report("mine.csv")
    table = apply_map(FRAME, ColumnMap("courses", COLUMNS, keep=("hours", "language")), report)
    assert list(table.columns) == [
        "course_id",
        "title",
        "last_update",
        "price",
        "assets",
        "hours",
        "language",
    ]
    assert table["price"].tolist() == [5.0, 0.0]
    assert table["assets"].tolist() == [("video",), ("document",)]
    assert table["last_update"].tolist() == [pd.Timestamp("2017-06-13"), pd.NaT]
    assert table["hours"].dtype == float
    assert table["language"].tolist() == ["en", "de"]
    assert {note.column for note in report.notes} == {"cost", "updated", "assets"}


def test_every_fault_of_a_table_is_told_at_once():
    columns = ColumnMap(
        "courses", {"course_id": "nothing", "price": "name", "last_update": "language"}
    )
    with pytest.raises(BundleError) as error:
        apply_map(FRAME, columns, Report("mine.csv"))
    assert {(fault.file, fault.column) for fault in error.value.faults} == {
        ("mine.csv", "nothing"),
        ("mine.csv", "name"),
        ("mine.csv", "language"),
    }
    assert "id, name, cost" in str(error.value)


def test_required_columns_have_to_be_mapped():
    with pytest.raises(BundleError, match="no column is mapped to learner_id"):
        apply_map(FRAME, ColumnMap("interactions", {"course_id": "id"}))
    with pytest.raises(BundleError, match="score or rank"):
        apply_map(FRAME, ColumnMap("scores", {"course_id": "id", "learner_id": "name"}))


def test_splits_have_other_names():
    frame = pd.DataFrame({"u": [1, 1, 2], "c": [1, 2, 3], "part": ["Training", "dev", "TEST"]})
    columns = ColumnMap("interactions", {"learner_id": "u", "course_id": "c", "split": "part"})
    report = Report()
    assert apply_map(frame, columns, report)["split"].tolist() == ["train", "valid", "test"]
    assert "'dev' read as valid" in report.notes[0].message
    with pytest.raises(BundleError, match="'later'"):
        apply_map(frame.assign(part=["later", "train", "test"]), columns)


@pytest.mark.parametrize(
    ("table", "columns", "options", "word"),
    [
        ("users", {}, {}, "use one of"),
        ("courses", {"colour": "x"}, {}, "no column 'colour'"),
        ("interactions", {"assets:video": "x"}, {}, "no column"),
        ("courses", {"assets": "x", "assets:video": "y"}, {}, "not both"),
        ("courses", {}, {"date_order": "year"}, "date_order"),
        ("courses", {}, {"ids": "float"}, "ids"),
    ],
)
def test_a_map_checks_itself(table, columns, options, word):
    with pytest.raises(ValueError, match=word):
        ColumnMap(table, columns, **options)


def test_a_map_to_json_and_back():
    columns = ColumnMap(
        "courses", COLUMNS, keep=("hours",), date_order="day", rating_scale=(0, 10), ids="text"
    )
    assert ColumnMap.from_json(columns.to_json()) == columns
    for text in (
        "",
        "[]",
        '{"table": "courses"}',
        '{"table": "courses", "columns": {}, "colour": 1}',
        '{"table": "courses", "columns": []}',
        '{"table": "courses", "columns": 3}',
    ):
        with pytest.raises(ValueError, match="column map"):
            ColumnMap.from_json(text)


def test_ids_take_the_type_asked_for():
    frame = pd.DataFrame({"u": [1, 2], "c": ["5", "6"]})
    table = apply_map(
        frame, ColumnMap("interactions", {"learner_id": "u", "course_id": "c"}, ids="text")
    )
    assert table["learner_id"].tolist() == ["1", "2"]
    with pytest.raises(BundleError, match="not whole numbers"):
        apply_map(
            frame.assign(c=["5", "x"]),
            ColumnMap("interactions", {"learner_id": "u", "course_id": "c"}, ids="integer"),
        )
