"""Dates as people and programs write them."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equity_core.importers.convert import to_dates
from equity_core.importers.report import Report


def read(values, **options):
    report = Report("log.csv")
    dates = to_dates(
        values if isinstance(values, pd.Series) else pd.Series(values, dtype=object),
        "when",
        report,
        **options,
    )
    assert str(dates.dtype) == "datetime64[s]"
    return ["" if pd.isna(date) else date.isoformat() for date in dates], report


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (
            ["2017-06-08", "2017-06-08T12:30:00Z", "2017-06-08T12:30:00+02:00", ""],
            ["2017-06-08T00:00:00", "2017-06-08T12:30:00", "2017-06-08T10:30:00", ""],
        ),
        (["6/13/2017", "6/8/2017"], ["2017-06-13T00:00:00", "2017-06-08T00:00:00"]),
        (["13/6/2017", "8/6/2017 9:05"], ["2017-06-13T00:00:00", "2017-06-08T09:05:00"]),
        (["08.06.2017", "9.6.2017"], ["2017-06-08T00:00:00", "2017-06-09T00:00:00"]),
        (
            ["Jun 8, 2017", "June 9, 2017", "10 June 2017"],
            ["2017-06-08T00:00:00", "2017-06-09T00:00:00", "2017-06-10T00:00:00"],
        ),
        (
            ["Last updated 10/2017", "Updated 1/2018"],
            ["2017-10-01T00:00:00", "2018-01-01T00:00:00"],
        ),
        (["1496880000", "1496966400"], ["2017-06-08T00:00:00", "2017-06-09T00:00:00"]),
        (["2017", "2018"], ["2017-01-01T00:00:00", "2018-01-01T00:00:00"]),
        (["20170608", "20181231"], ["2017-06-08T00:00:00", "2018-12-31T00:00:00"]),
    ],
)
def test_written_dates(values, expected):
    dates, report = read(values)
    assert not len(report.faults)
    assert dates == expected


@pytest.mark.parametrize(
    ("factor", "unit"),
    [
        (1, "seconds"),
        (1_000, "milliseconds"),
        (1_000_000, "microseconds"),
        (1_000_000_000, "nanoseconds"),
    ],
)
def test_unix_times_are_told_apart_by_their_size_and_said(factor, unit):
    dates, report = read(pd.Series([1_496_880_000 * factor, 1_496_966_400 * factor]))
    assert dates == ["2017-06-08T00:00:00", "2017-06-09T00:00:00"]
    assert [note.message for note in report.notes] == [f"unix {unit} read as dates"]


def test_a_mix_of_seconds_and_milliseconds_is_a_fault():
    _, report = read(pd.Series([1_496_880_000, 1_496_880_000_000]))
    fault = report.faults.found[0]
    assert "seconds and milliseconds" in fault.message
    assert (fault.file, fault.column) == ("log.csv", "when")


@pytest.mark.parametrize(
    "values", [pd.Series([1.0, 2.0]), pd.Series([True, False]), pd.Series([1_496_880_000, -5])]
)
def test_numbers_that_are_no_dates_are_a_fault(values):
    _, report = read(values)
    assert len(report.faults) == 1


def test_the_order_of_day_and_month_can_be_given_and_doubt_is_said():
    dates, report = read(["6/8/2017"])
    assert dates == ["2017-06-08T00:00:00"]
    assert "nothing in the column confirms" in report.notes[0].message
    dates, report = read(["6/8/2017"], order="day")
    assert dates == ["2017-08-06T00:00:00"]
    assert "confirms" not in report.notes[0].message


def test_contradicting_orders_are_a_fault():
    _, report = read(["13/6/2017", "6/13/2017"])
    assert "day first" in report.faults.found[0].message


def test_words_are_a_fault_with_rows():
    dates, report = read(["2017-06-08", "yesterday"])
    assert report.faults.found[0].rows == (1,)
    assert "'yesterday'" in report.faults.found[0].message
    assert dates == ["2017-06-08T00:00:00", ""]


def test_time_zones_and_missing_values():
    zoned = pd.Series(pd.to_datetime(["2017-06-08T02:00:00+02:00", None], utc=True)).dt.tz_convert(
        "Europe/Berlin"
    )
    assert read(zoned)[0] == ["2017-06-08T00:00:00", ""]
    assert read(pd.Series([np.nan, np.nan]))[0] == ["", ""]


@given(
    st.lists(
        st.text(max_size=14) | st.dates().map(str) | st.integers(-(10**19), 10**19).map(str),
        max_size=8,
    )
)
def test_any_text_is_a_date_or_a_fault(texts):
    dates, _ = read(texts)
    assert len(dates) == len(texts)


@given(
    st.lists(
        st.datetimes(
            pd.Timestamp(1990, 1, 2).to_pydatetime(), pd.Timestamp(2099, 12, 30).to_pydatetime()
        ),
        min_size=1,
        max_size=8,
    )
)
def test_unix_seconds_survive(moments):
    stamps = [pd.Timestamp(moment).floor("s") for moment in moments]
    dates, report = read(pd.Series([int(stamp.timestamp()) for stamp in stamps]))
    assert not len(report.faults)
    assert dates == [stamp.isoformat() for stamp in stamps]
