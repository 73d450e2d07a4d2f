"""Dates as people and programs write them: ISO text, '6/8/2017', '08.06.2017', 'June 2017', unix
seconds or milliseconds, years.

The result is UTC without a time zone, in seconds. Numbers are told apart by their size, once per
column: a moment between 1990 and 2100 has 9 or 10 digits in seconds, 12 or 13 in milliseconds, and
so on; a column that mixes units is a fault.
"""

from __future__ import annotations

import re
from typing import Literal

import numpy as np
import pandas as pd

from equity_core.bundle.faults import samples
from equity_core.importers.convert.words import MISSING, clean
from equity_core.importers.report import Report

Order = Literal["month", "day"]

_YEAR_1990, _YEAR_2100 = 631_152_000, 4_102_444_800
_UNITS = {
    "seconds": 1,
    "milliseconds": 1_000,
    "microseconds": 1_000_000,
    "nanoseconds": 1_000_000_000,
}
_FORMATS = ("%b %d, %Y", "%B %d, %Y", "%d %b %Y", "%d %B %Y", "%b %Y", "%B %Y", "%m/%Y")
_PREFIX = re.compile(r"^(?:last\s+)?(?:updated?|published)\s*:?\s*", re.IGNORECASE)
_NUMERIC = re.compile(r"^(\d{1,2})([/.-])(\d{1,2})\2(\d{4})(?:[ T,]+(.+))?$")
_FIX = "write dates as 2017-06-08, as date values, or as unix seconds"


def to_dates(
    values: pd.Series, column: str, report: Report, *, order: Order | None = None
) -> pd.Series:
    """A column as datetime64[s], NaT where nothing is given; what was converted is noted, what
    cannot be read is a fault."""
    if pd.api.types.is_datetime64_any_dtype(values.dtype):
        return _utc(values)
    if pd.api.types.is_bool_dtype(values.dtype):
        report.fault("contains yes/no values where dates are needed", _FIX, column=column)
        return _never(values)
    if pd.api.types.is_numeric_dtype(values.dtype):
        return _from_numbers(values.astype("float64"), column, report)
    text = values.astype(object).where(values.notna(), "").map(clean)
    text = text.where(~text.isin(MISSING), "")
    given = text != ""
    numbers = pd.to_numeric(text.where(given), errors="coerce")
    if given.any() and numbers[given].notna().all():
        return _from_numbers(numbers.astype("float64"), column, report)
    return _from_text(text, given, values, column, report, order)


def _utc(values: pd.Series) -> pd.Series:
    moments = (
        values.dt.tz_convert("UTC").dt.tz_localize(None)
        if isinstance(values.dtype, pd.DatetimeTZDtype)
        else values
    )
    return moments.astype("datetime64[s]")


def _never(values: pd.Series) -> pd.Series:
    return pd.Series(np.full(len(values), np.datetime64("NaT", "s")), index=values.index)


def _from_numbers(numbers: pd.Series, column: str, report: Report) -> pd.Series:
    """Unix times in one unit, years, or dates written as 20170608."""
    given = numbers.dropna()
    if given.empty:
        return _never(numbers)
    whole = bool((given == np.floor(given)).all())
    if whole and given.between(1900, 2100).all():
        report.note("years read as 1 January", column)
        return pd.to_datetime(
            numbers.map(lambda year: "" if np.isnan(year) else f"{int(year)}-01-01"),
            format="ISO8601",
            errors="coerce",
        ).astype("datetime64[s]")
    if whole and given.between(19_000_101, 21_001_231).all():
        days = pd.to_datetime(
            numbers.map(lambda day: "" if np.isnan(day) else str(int(day))),
            format="%Y%m%d",
            errors="coerce",
        )
        if days[given.index].notna().all():
            report.note("eight digits read as year, month and day", column)
            return days.astype("datetime64[s]")
    units = [
        unit
        for unit, factor in _UNITS.items()
        if given.between(_YEAR_1990 * factor, _YEAR_2100 * factor).any()
    ]
    if len(units) == 1:
        factor = _UNITS[units[0]]
        outside = given[~given.between(0, _YEAR_2100 * factor)]
        if outside.empty:
            report.note(f"unix {units[0]} read as dates", column)
            seconds = np.floor(numbers.to_numpy(dtype=np.float64) / factor)
            return pd.Series(
                pd.to_datetime(seconds, unit="s").astype("datetime64[s]"), index=numbers.index
            )
        units = [units[0], "something else"]
        rows = np.flatnonzero(numbers.isin(outside))
    else:
        rows = np.arange(0)
    what = (
        f"mixes unix times in {' and '.join(units)}"
        if units
        else "contains numbers that are not dates between 1990 and 2100:"
        f" {samples(given[:3].tolist())}"
    )
    report.fault(what, _FIX, column=column, rows=rows)
    return _never(numbers)


def _from_text(
    text: pd.Series,
    given: pd.Series,
    original: pd.Series,
    column: str,
    report: Report,
    order: Order | None,
) -> pd.Series:
    stripped = text.str.replace(_PREFIX, "", regex=True).str.upper()
    moments = pd.to_datetime(stripped.where(given), format="ISO8601", errors="coerce", utc=True)
    if (rest := given & moments.isna()).any():
        found = _day_month(stripped[rest], column, report, order)
        moments.loc[found.index] = found
    for form in _FORMATS:
        if not (rest := given & moments.isna()).any():
            break
        read = pd.to_datetime(stripped[rest], format=form, errors="coerce", utc=True)
        if (hits := read.dropna()).size:
            report.note(
                f"{len(hits):,} values like {str(original[hits.index[0]])!r} read as"
                f" {hits.iloc[0]:%Y-%m-%d}",
                column,
            )
            moments.loc[hits.index] = hits
    if (rest := given & moments.isna()).any():
        rows = np.flatnonzero(rest)
        report.fault(
            f"values that are not dates: {samples(original[rest])}", _FIX, column=column, rows=rows
        )
    return _utc(moments)


def _day_month(text: pd.Series, column: str, report: Report, order: Order | None) -> pd.Series:
    """6/8/2017 and 08.06.2017: which number is the month is decided once per column. Points mean
    that the day comes first; otherwise, in doubt, the month does.
    """
    parts = text.str.extract(_NUMERIC)
    parts = parts[parts[0].notna()]
    if parts.empty:
        return pd.Series([], dtype="datetime64[s, UTC]")
    first, second = parts[0].astype("int64"), parts[2].astype("int64")
    day_first, month_first = bool((first > 12).any()), bool((second > 12).any())
    if day_first and month_first:
        report.fault(
            "some dates have the day first and others the month",
            _FIX,
            column=column,
            rows=parts.index[(first > 12) | (second > 12)],
        )
        return pd.Series([], dtype="datetime64[s, UTC]")
    doubt = not day_first and not month_first
    is_day = day_first or (
        doubt and (order == "day" or (order is None and bool((parts[1] == ".").all())))
    )
    day, month = (first, second) if is_day else (second, first)
    clock = parts[4].fillna("")
    moments = pd.to_datetime(
        parts[3]
        + "-"
        + month.astype(str).str.zfill(2)
        + "-"
        + day.astype(str).str.zfill(2)
        + " "
        + clock,
        format="mixed",
        errors="coerce",
        utc=True,
    ).dropna()
    if len(moments):
        how = (
            f"{'day' if is_day else 'month'}"
            f" first{', which nothing in the column confirms' if doubt and order is None else ''}"
        )
        report.note(
            f"{len(moments):,} values like {str(text[moments.index[0]]).lower()!r} read with the"
            f" {how}",
            column,
        )
    return moments.astype("datetime64[s, UTC]")
