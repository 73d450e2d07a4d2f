"""Numbers as people write them."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equity_core.importers.convert import to_numbers
from equity_core.importers.report import Report


def read(values, kind="number", **options):
    report = Report("courses.csv")
    return to_numbers(
        pd.Series(values, dtype=object), "price", report, kind=kind, **options
    ), report


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["$19.99", "$1,299.00", "Free", ""], [19.99, 1299.0, 0.0, np.nan]),
        (["1.299,00 €", "19,99 €", "gratuit", "n/a"], [1299.0, 19.99, 0.0, np.nan]),
        (["USD 20", "US$ 7.5", "9 usd"], [20, 7.5, 9]),
        (["CHF 1'299.50", "chf 10"], [1299.5, 10]),
        (["₹ 1,23,456.00"], None),
        (["0.99", "199.99", None], [0.99, 199.99, np.nan]),
        (["1 299,50 €", "5 €"], [1299.5, 5]),
        (["-5", "−3"], [-5, -3]),
    ],
)
def test_prices(texts, expected):
    numbers, report = read(texts, "price")
    if expected is None:
        assert len(report.faults) == 1
    else:
        assert not len(report.faults)
        np.testing.assert_allclose(numbers, expected)


def test_what_was_changed_is_said_with_an_example_and_a_count():
    _, report = read(["$1,299.00", "$5.00", "Free"], "price")
    notes = {note.message for note in report.notes}
    assert "currency signs (USD) removed in 2 values ('$1,299.00' is 1299)" in notes
    assert any("words for 'free' read as 0 in 1 value " in note for note in notes)
    assert all(note.file == "courses.csv" and note.column == "price" for note in report.notes)


def test_plain_numbers_are_left_alone_without_a_word():
    numbers, report = read(["1", "2.5", "1e-3"], "score")
    np.testing.assert_allclose(numbers, [1, 2.5, 0.001])
    assert not report.notes


@pytest.mark.parametrize(
    ("texts", "kind", "expected"),
    [
        (
            ["1.299", "12.345", "7"],
            "count",
            [1299, 12345, 7],
        ),  # nobody enrols a fraction of a learner
        (["1,299", "12,345"], "count", [1299, 12345]),
        (["1.299", "19,90"], "price", [1299, 19.9]),  # the comma tells that points group thousands
        (["1.299", "4.5"], "rating", [1.299, 4.5]),
        (["4,5", "3,75"], "rating", [4.5, 3.75]),
        (["12.5k", "1.2M", "800+", "34 students"], "count", [12500, 1_200_000, 800, 34]),
    ],
)
def test_a_separator_means_the_same_in_the_whole_column(texts, kind, expected):
    numbers, report = read(texts, kind)
    assert not len(report.faults)
    np.testing.assert_allclose(numbers, expected)


def test_points_and_commas_for_decimals_in_one_column_are_a_fault():
    _, report = read(["19.99", "19,99"], "price")
    assert "decimal point" in report.faults.found[0].message
    assert report.faults.found[0].column == "price"


def test_several_currencies_are_a_fault():
    _, report = read(["$5", "5 €"], "price")
    assert "EUR, USD" in report.faults.found[0].message


def test_percentages_become_shares_and_in_ratings_places_on_the_scale():
    shares, _ = read(["85%", "10 %"])
    np.testing.assert_allclose(shares, [0.85, 0.1])
    stars, report = read(["100%", "50%", "0%"], "rating", rating_scale=(1, 5))
    np.testing.assert_allclose(stars, [5, 3, 1])
    assert "scale from 1 to 5" in report.notes[0].message
    _, mixed = read(["85%", "0.4"])
    assert "percentages" in mixed.faults.found[0].message


def test_ratings_out_of_the_top_of_the_scale():
    stars, _ = read(["4.5/5", "3,5 out of 5".replace(",", ".")], "rating", rating_scale=(1, 5))
    np.testing.assert_allclose(stars, [4.5, 3.5])
    _, report = read(["9/10"], "rating", rating_scale=(1, 5))
    assert "out of 10" in report.faults.found[0].message


def test_what_is_no_number_is_named_with_its_rows():
    numbers, report = read(["1", "many", "2", "abc12"], "count")
    fault = report.faults.found[0]
    assert fault.rows == (1, 3)
    assert "'many'" in fault.message
    assert np.isnan(numbers[[1, 3]]).all()


@pytest.mark.parametrize("values", [pd.Series([True, False]), pd.Series([1.0, np.inf])])
def test_truth_values_and_infinity_are_faults(values):
    report = Report()
    to_numbers(values, "price", report)
    assert len(report.faults) == 1


def test_nullable_and_arrow_columns_are_read():
    report = Report()
    np.testing.assert_allclose(
        to_numbers(pd.Series([1, None], dtype="Int64"), "x", report), [1, np.nan]
    )
    np.testing.assert_allclose(
        to_numbers(pd.Series(["$1.50", None], dtype="string"), "x", report, kind="price"),
        [1.5, np.nan],
    )
    assert not len(report.faults)


def test_cells_that_are_no_text_are_faults_or_read():
    numbers, report = read([Decimal("1.50"), 2, "3"], "price")
    np.testing.assert_allclose(numbers, [1.5, 2, 3])
    assert not len(report.faults)
    assert len(read([[1], {"a": 1}], "price")[1].faults) == 1


amounts = st.lists(st.integers(0, 10**9).map(lambda cents: cents / 100), min_size=1, max_size=20)


@given(amounts)
def test_prices_survive_being_written_the_american_way(values):
    numbers, report = read([f"${value:,.2f}" for value in values], "price")
    assert not len(report.faults)
    np.testing.assert_allclose(numbers, values)


@given(amounts)
def test_prices_survive_being_written_the_german_way(values):
    texts = [
        f"{value:,.2f} €".replace(",", "·").replace(".", ",").replace("·", ".") for value in values
    ]
    numbers, report = read(texts, "price")
    assert not len(report.faults)
    np.testing.assert_allclose(numbers, values)


@given(
    st.lists(st.text(max_size=12), max_size=10),
    st.sampled_from(["number", "price", "count", "rating", "score"]),
)
def test_any_text_is_a_number_or_a_fault(texts, kind):
    numbers, report = read(texts, kind)
    assert len(numbers) == len(texts)
    if not len(report.faults):
        assert np.isfinite(numbers[~np.isnan(numbers)]).all()
