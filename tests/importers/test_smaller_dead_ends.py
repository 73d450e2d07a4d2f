"""Files as platforms really have them: courses listed twice, prices in words, ids with .0, signs
written as in HTML, nested lists, and faults that name the rows of the user's own file."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import equity_core as eq
from equity_core import resources
from equity_core.importers import (
    ColumnMap,
    Cut,
    Report,
    apply_map,
    guess_columns,
    import_tables,
    read_scores_table,
)
from tests.helpers.commands import fails, run

LOG = pd.DataFrame(
    [(f"u{u}", str(c), "train" if c < 3 else "test") for u in range(3) for c in (1, 2, 3)],
    columns=["user_id", "course_id", "split"],
)
COURSES = pd.DataFrame(
    {
        "course_id": ["1", "2", "3", "4"],
        "title": ["One", "Two", "Three", "Four"],
        "price": ["1", "2", "3", "4"],
    }
)


def notes(report: Report) -> str:
    return "\n".join(map(str, report.notes))


def test_courses_listed_twice_do_not_hide_their_id():
    twice = pd.concat([COURSES, COURSES.iloc[[1, 2]]], ignore_index=True)
    found = {guess.target: guess for guess in guess_columns(twice, "courses").guesses}
    assert found["course_id"].source == "course_id"
    assert "only 4 of 6 values are distinct" in found["course_id"].why
    report = Report()
    made = import_tables(twice, LOG, report=report)
    assert made.courses["course_id"].tolist() == ["1", "2", "3", "4"]
    assert "2 rows repeat another one in every column" in notes(report)
    other = twice.assign(price=["1", "2", "3", "4", "2", "9"])
    with pytest.raises(eq.BundleError) as error:
        import_tables(other, LOG)
    (fault,) = error.value.faults
    assert fault.rows == (5,)
    assert "with different values: '3'" in fault.message
    # A column in which most rows share a value is no id, whatever its name.
    groups = pd.DataFrame({"course": ["a"] * 9 + ["b"] * 9, "price": range(18)})
    assert "course_id" in guess_columns(groups, "courses").missing


@pytest.mark.parametrize(
    ("text", "price"),
    [
        ("FREE-Add a Verified Certificate for $49 USD", 0.0),
        ("Free – certificate 39 €", 0.0),
        ("kostenlos (Zertifikat: 20 €)", 0.0),
        ("free trial, then $10", None),
        ("Free - first month, then $10", None),
        ("freedom", None),
    ],
)
def test_prices_in_words(text, price):
    frame = pd.DataFrame({"id": ["a", "b"], "price": [text, "$10"]})
    columns, report = ColumnMap("courses", {"course_id": "id", "price": "price"}), Report()
    if price is None:
        with pytest.raises(eq.BundleError, match="not numbers"):
            apply_map(frame, columns)
        return
    assert apply_map(frame, columns, report)["price"].tolist() == [price, 10.0]
    assert "'free' with more words after it read as 0" in notes(report)


def test_ids_with_a_point_and_a_zero():
    log = LOG.assign(course_id=[f"{one}.0" for one in LOG["course_id"]])
    report = Report()
    made = import_tables(COURSES, log, report=report)
    assert made.interactions["course_id"].tolist() == LOG["course_id"].tolist()
    assert "ids such as 1.0 read without .0" in notes(report)
    for given in (["1.0", "1"], ["1.0", "1.5"], ["1.0", "a"]):  # versions, or names
        frame = pd.DataFrame({"id": given})
        kept = apply_map(frame, ColumnMap("courses", {"course_id": "id"}))
        assert kept["course_id"].tolist() == given


def test_a_column_of_numbers_and_texts_can_be_asked_for_as_text():
    frame = pd.DataFrame({"id": [1, "2", 3.0, np.int64(4)]}, dtype=object)
    columns = ColumnMap("courses", {"course_id": "id"}, ids="text")
    assert apply_map(frame, columns)["course_id"].tolist() == ["1", "2", "3", "4"]
    with pytest.raises(eq.BundleError, match="mixes ids"):
        apply_map(frame, ColumnMap("courses", {"course_id": "id"}))


def test_signs_as_html_writes_them():
    frame = pd.DataFrame(
        {
            "id": ["a", "b", "c", "d"],
            "title": ["R&amp;D", "Caf&eacute; &#39;n", "R&D; AT&T", None],
            "category": ["Arts &amp; Crafts", "Arts & Crafts", "-", ""],
        }
    )
    columns = ColumnMap("courses", {"course_id": "id", "title": "title", "category": "category"})
    report = Report()
    found = apply_map(frame, columns, report)
    assert found["title"].tolist() == ["R&D", "Café 'n", "R&D; AT&T", None]
    assert found["category"].tolist() == ["Arts & Crafts", "Arts & Crafts", None, None]
    assert "signs written as in HTML read as the signs in 2 values" in notes(report)


def test_lists_within_a_cell_are_unfolded_for_the_dialog_too(tmp_path):
    path = tmp_path / "lenskit.parquet"
    pd.DataFrame(
        {
            "user_id": [7, 8],
            "items": [
                [{"item_id": 1, "score": 0.5}, {"item_id": 2, "score": 0.4}],
                [{"item_id": 3, "score": 0.1}],
            ],
        }
    ).to_parquet(path)
    frame = read_scores_table(path)
    assert frame[["user_id", "item_id", "score"]].to_numpy().tolist() == [
        [7, 1, 0.5],
        [7, 2, 0.4],
        [8, 3, 0.1],
    ]


def test_faults_number_the_rows_of_the_users_file(tmp_path):
    """Rows 0 to 2 belong to an unknown course and are left out; the fault is in row 5."""
    log = pd.concat([LOG.iloc[:3].assign(course_id="99"), LOG], ignore_index=True)
    log = log.assign(rating=["4"] * 5 + ["40"] + ["4"] * 6)
    COURSES.to_csv(tmp_path / "catalog.csv", index=False)
    log.to_csv(tmp_path / "log.csv", index=False)
    message = fails(
        "import", "tables", tmp_path / "catalog.csv", tmp_path / "log.csv", "--out", tmp_path / "x"
    )
    assert "log.csv, column 'rating', row 5: ratings outside the scale" in message
    # Faults that only show when the bundle is made are renumbered, too.
    made = import_tables(
        COURSES, log.assign(rating="4"), cut=Cut(), files=("catalog.csv", "log.csv")
    )
    made.interactions.loc[2, "rating"] = 40.0
    with pytest.raises(eq.BundleError) as error:
        made.bundle()
    (fault,) = error.value.faults
    assert (fault.file, fault.rows) == ("log.csv", (5,))


def test_integer_ids_in_parquet_runs_are_read(tmp_path):
    COURSES.to_csv(tmp_path / "catalog.csv", index=False)
    numbers = LOG.assign(user_id=[int(one[1:]) for one in LOG["user_id"]])
    numbers.to_csv(tmp_path / "log.csv", index=False)
    run("import", "tables", tmp_path / "catalog.csv", tmp_path / "log.csv", "--out", tmp_path / "m")
    for name, kind in (("run.parquet", int), ("floats.parquet", float)):
        scores = pd.DataFrame({"user_id": [0, 1, 2], "item_id": [4, 4, 3], "score": [1.0, 2, 3]})
        scores.astype({"user_id": kind, "item_id": kind}).to_parquet(tmp_path / name)
        run("import", "relevance", tmp_path / name, tmp_path / "m")
    found = eq.load_bundle(tmp_path / "m")
    assert found.algorithms == ("floats", "run")
    assert found.relevance("run").scores.tolist() == [1.0, 2.0, 3.0]


def test_a_python_without_the_packages_says_which_one_to_use(tmp_path):
    code = (
        "import sys, runpy; sys.modules['typer'] = None; sys.argv = ['x', '--help'];"
        "runpy.run_module('equity_core', run_name='__main__')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=resources.PACKAGE.parent,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 1
    assert ".venv/bin/python -m equity_core" in done.stderr
    assert "Traceback" not in done.stderr
