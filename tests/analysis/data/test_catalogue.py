from collections import Counter

import numpy as np
import pandas as pd
import pytest

from equity_core.analysis.data import bins, catalogue
from tests.helpers.awkward import BUNDLES


def by_name(bundle):
    return {one.name: one for one in catalogue.statistics(bundle)}


def test_the_nine_in_the_papers_order(bundle):
    names = [one.name for one in catalogue.statistics(bundle)]
    assert names == [
        "category",
        "last_update",
        "level",
        "assets",
        "ratings",
        "rating",
        "popularity",
        "enrolled",
        "price",
    ]


def test_every_course_is_in_one_bar_or_missing(bundle):
    for one in catalogue.statistics(bundle):
        whole = len(bundle.courses) if one.counted == "courses" else len(bundle.interactions)
        assert one.known + one.missing == whole, one.name
        if one.name != "assets":  # a course may have several asset types
            inside = one.frame["count"].sum() - (one.missing if one.kind == "labels" else 0)
            assert inside == one.known, one.name
            assert one.frame["share"].sum() == pytest.approx(1.0), one.name


def test_labels_against_a_plain_count(bundle):
    found = by_name(bundle)["category"].frame
    expected = Counter(bundle.courses["category"])
    assert dict(zip(found["label"], found["count"], strict=True)) == expected
    assert found["count"].is_monotonic_decreasing
    levels = by_name(bundle)["level"].frame
    assert levels["label"].iloc[-1] == "unknown"


def test_assets_count_the_courses_that_have_each_type(bundle):
    found = by_name(bundle)["assets"].frame.set_index("label")["count"]
    for kind in ("video", "article", "quiz"):
        assert found[kind] == sum(
            kind in cell for cell in bundle.courses["assets"] if cell is not None
        )


def test_popularity_against_a_plain_count(bundle):
    taken = Counter(bundle.interactions["course"])
    each = [taken.get(at, 0) for at in range(len(bundle.courses))]
    frame = by_name(bundle)["popularity"].frame.set_index("range")["count"]
    assert frame.get("5 to 9", 0) == sum(5 <= number <= 9 for number in each)
    assert frame.get("10 to 19", 0) == sum(10 <= number <= 19 for number in each)


def test_prices_keep_the_free_apart():
    frame = bins.prices(np.array([0.0, 0.0, 5.0, 20.0, 199.99, 40.0]))
    assert frame["label"].tolist()[:3] == ["free", "0", "20"]
    assert frame["count"].tolist()[:4] == [2, 1, 1, 1]
    assert frame["count"].sum() == 6
    assert bins.prices(np.zeros(3))["label"].tolist() == ["free"]


@pytest.mark.parametrize("highest", [0, 1, 2, 4.5, 5, 9, 10, 99, 100, 12345])
def test_doubling_bins_hold_everything_up_to_the_highest(highest):
    values = np.array([float(highest)])
    frame = bins.doubling(values)
    assert frame["count"].sum() == 1
    assert frame["count"].iloc[-1] == 1
    assert frame["count"].iloc[0] > 0


def test_even_bins_include_both_ends():
    frame = bins.even(np.array([1.0, 1.2499, 1.25, 5.0]), 1, 5)
    assert (frame["count"].iloc[0], frame["count"].iloc[1], frame["count"].iloc[-1]) == (2, 1, 1)


@pytest.mark.parametrize(
    ("last", "bars"), [("2017-03-05", 3), ("2019-03-05", 9), ("2030-03-05", 14)]
)
def test_periods_are_months_quarters_or_years_with_the_empty_ones(last, bars):
    frame = bins.periods(pd.Series(pd.to_datetime(["2017-01-15", "2017-01-20", last])))
    assert len(frame) == bars
    assert frame["count"].iloc[0] == 2
    assert frame["count"].sum() == 3


def test_a_long_list_of_labels_ends_in_the_others():
    frame = pd.DataFrame(
        {
            "label": [f"l{at}" for at in range(30)],
            "range": "",
            "count": range(30, 0, -1),
            "share": 1 / 30,
        }
    )
    short = catalogue.shortened(frame, 10)
    assert len(short) == 10
    assert short["label"].iloc[-1] == "21 others"
    assert short["count"].sum() == frame["count"].sum()
    assert catalogue.shortened(frame.head(10), 10)["label"].iloc[-1] == "l9"


@pytest.mark.parametrize("name", BUNDLES)
def test_awkward_data_have_sentences_without_nan(name):
    for one in catalogue.statistics(BUNDLES[name]()):
        assert one.sentence.endswith(".")
        assert "nan" not in one.sentence
        assert list(one.frame.columns) == ["label", "range", "count", "share"]


def test_what_is_not_known_is_said():
    found = by_name(BUNDLES["no_ratings"]())
    assert found["ratings"].sentence == "No interaction has a rating."
    assert found["rating"].sentence == "No course has a rating."
    assert found["rating"].frame.empty
    assert by_name(BUNDLES["all_free"]())["price"].sentence.startswith(
        "All courses with a known price are free."
    )
    assert by_name(BUNDLES["one_category"]())["category"].sentence == "One category: “all”."
