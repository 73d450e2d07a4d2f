"""Ids, labels and asset types."""

import numpy as np
import pandas as pd
import pytest

from equity_core.importers.convert import assets_of_flags, to_assets, to_flags, to_ids, to_labels
from equity_core.importers.report import Report


def test_ids_stay_as_they_come():
    report = Report()
    assert to_ids(pd.Series(["007", "7"]), "id", report).tolist() == ["007", "7"]
    assert to_ids(pd.Series([7, 8], dtype="int32"), "id", report).dtype == np.int64
    assert to_ids(pd.Series([7.0, 8.0]), "id", report).tolist() == [7, 8]
    assert not len(report.faults)


def test_ids_take_the_type_that_is_asked_for():
    report = Report()
    assert to_ids(pd.Series(["7", "8"]), "id", report, ids="integer").tolist() == [7, 8]
    assert to_ids(pd.Series([7, 8]), "id", report, ids="text").tolist() == ["7", "8"]
    assert to_ids(pd.Series([7, 8], dtype=object), "id", report, ids="text").tolist() == ["7", "8"]
    assert not len(report.faults)
    to_ids(pd.Series(["7", "x"]), "id", report, ids="integer")
    assert "'x'" in report.faults.found[0].message


@pytest.mark.parametrize(
    ("values", "word"),
    [
        (pd.Series([1, "a"], dtype=object), "mixes"),
        (pd.Series(["a", None], dtype=object), "without an id"),
        (pd.Series(["a", ""], dtype=object), "without an id"),
        (pd.Series([1.5, 2.0]), "fractions"),
        (pd.Series([1.0, np.nan]), "without an id"),
        (pd.Series([True, False], dtype=object), "neither text nor whole"),
    ],
)
def test_bad_ids_are_faults(values, word):
    report = Report("log.csv")
    to_ids(values, "user", report)
    fault = report.faults.found[0]
    assert word in fault.message
    assert fault.column == "user"
    assert fault.fix


def test_labels_lose_blanks_and_words_for_nothing():
    assert to_labels(pd.Series([" a ", "N/A", None, "b"], dtype=object)).tolist() == [
        "a",
        None,
        None,
        "b",
    ]
    assert to_labels(pd.Series([1.0, np.nan])).tolist() == ["1", None]


def test_assets_from_lists_json_and_separated_words():
    values = pd.Series(
        [
            "video|article",
            "Video; PDF",
            '["quiz", "quiz"]',
            "['video', 'quiz']",
            "",
            None,
            ["b", "a"],
            "n/a",
            "[]",
        ],
        dtype=object,
    )
    report = Report()
    assert to_assets(values, "assets", report).tolist() == [
        ("article", "video"),
        ("PDF", "Video"),
        ("quiz",),
        ("quiz", "video"),
        None,
        None,
        ("a", "b"),
        None,
        (),
    ]
    assert "asset types found" in report.notes[0].message
    to_assets(pd.Series([1, 2]), "n_assets", report)
    assert "names" in report.faults.found[0].message


def test_flags_of_words_truth_values_and_counts():
    report = Report()
    np.testing.assert_array_equal(
        to_flags(pd.Series(["yes", "no", "", "Ja", "0", "3"], dtype=object), "x", report),
        [1, 0, np.nan, 1, 0, 1],
    )
    np.testing.assert_array_equal(
        to_flags(pd.Series([True, None, False], dtype=object), "x", report), [1, np.nan, 0]
    )
    np.testing.assert_array_equal(
        to_flags(pd.Series([3.0, 0.0, np.nan]), "x", report), [1, 0, np.nan]
    )
    np.testing.assert_array_equal(to_flags(pd.Series([True, False]), "x", report), [1, 0])
    assert not len(report.faults)
    to_flags(pd.Series(["maybe"]), "x", report)
    assert "'maybe'" in report.faults.found[0].message


def test_assets_from_one_column_a_type():
    frame = pd.DataFrame({"has_video": [1.0, 1.0, np.nan], "n_articles": [0.0, 4.0, np.nan]})
    assert assets_of_flags(
        frame, {"video": "has_video", "article": "n_articles"}, Report()
    ).tolist() == [
        ("video",),
        ("article", "video"),
        None,
    ]
