"""Dates as they come (ISO text, datetime, unix seconds), all converted to datetime64[s] in UTC."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from equity_core.bundle.cells import is_missing, is_textual, parse_numbers, text_array
from equity_core.bundle.faults import Faults, samples
from equity_core.bundle.tables import Table, as_numpy

Dates = npt.NDArray[np.datetime64]

ADVICE = (
    "Write ISO dates such as 2017-06-08 or 2017-06-08T12:30:00Z, or unix seconds, and leave unknown"
    " cells empty"
)

_UNITS = (
    (1e11, 1e14, "milliseconds", "1000"),
    (1e14, 1e17, "microseconds", "1,000,000"),
    (1e17, np.inf, "nanoseconds", "1,000,000,000"),
)


def dates(table: Table, column: str, faults: Faults, *, calendar: bool = False) -> Dates | None:
    """A column as datetime64[s], NaT when missing; None after a fault.

    A date without a time zone is UTC. Numbers, and text that is all numbers, are unix seconds.
    ``calendar``: numbers that all look like a year or like YYYYMMDD are a fault, since as seconds
    they would all lie in 1970.
    """
    values = table.series(column)
    if pd.api.types.is_datetime64_any_dtype(values.dtype):
        return _seconds(values)
    if pd.api.types.is_bool_dtype(values.dtype):
        faults.add(table.file, "these are not dates but true and false", ADVICE, column=column)
        return None
    if pd.api.types.is_numeric_dtype(values.dtype):
        return _unix(
            values.to_numpy(dtype=np.float64, na_value=np.nan),
            table.file,
            column,
            faults,
            calendar=calendar,
        )
    if not is_textual(values):
        faults.add(table.file, f"these are not dates but {values.dtype}", ADVICE, column=column)
        return None
    return _from_text(values, table.file, column, faults, calendar=calendar)


def _from_text(
    values: pd.Series[Any], file: str, column: str, faults: Faults, *, calendar: bool
) -> Dates | None:
    """Dates of a column of text or objects."""
    cells = values.astype(object)
    text = text_array(values)
    if text is None:  # other objects, such as dates or numbers, among them
        missing = np.array([is_missing(cell) for cell in cells], dtype=np.bool_)
        known = cells[~missing]
        numeric = all(isinstance(cell, int | float | np.number) for cell in known)
        text = (
            pa.array(
                [None if gone else str(cell) for cell, gone in zip(cells, missing, strict=True)],
                pa.string(),
            )
            if numeric
            else None
        )
        known = known.map(
            lambda cell: None if isinstance(cell, int | float | np.number) else cell
        )  # a number among dates is none
    else:
        missing = as_numpy(pc.is_null(text)).astype(np.bool_)
        known = cells[~missing].str.strip() if not missing.all() else cells[~missing]
        numeric = bool(
            pc.all(pc.match_substring_regex(text, r"^-?[0-9]+(\.[0-9]+)?$")).as_py() in (True, None)
        )
    if numeric:
        return _unix(parse_numbers(text)[0], file, column, faults, calendar=calendar)
    parsed = _seconds(pd.to_datetime(known, utc=True, format="ISO8601", errors="coerce"))
    bad = np.zeros(len(cells), dtype=np.bool_)
    bad[~missing] = np.isnat(parsed)
    if bad.any():
        faults.add(
            file,
            f"not a date that can be read: {samples(cells[bad][:1000])}",
            ADVICE,
            column=column,
            rows=bad,
        )
        return None
    out = np.full(len(cells), "NaT", dtype="datetime64[s]")
    out[~missing] = parsed
    return out


def moment(value: Any, name: str, file: str, faults: Faults) -> pd.Timestamp | None:
    """One date (``now``, ``opened``) in whole seconds, UTC; None when not given or after a
    fault."""
    if is_missing(value):
        return None
    one = Table(file, {name: pd.Series([value], dtype=object)}, 1)
    found = dates(one, name, faults, calendar=True)
    return None if found is None else pd.Timestamp(found[0])


def _seconds(values: pd.Series[Any]) -> Dates:
    if getattr(values.dt, "tz", None) is not None:
        values = values.dt.tz_convert("UTC").dt.tz_localize(None)
    return values.to_numpy(
        dtype="datetime64[ns]" if str(values.dtype).startswith("timestamp") else None
    ).astype("datetime64[s]")


def _unix(
    found: npt.NDArray[np.float64], file: str, column: str, faults: Faults, *, calendar: bool
) -> Dates | None:
    size = np.abs(found)
    for low, high, unit, divisor in _UNITS:
        far = (size > low) & (size <= high)
        if far.any():
            faults.add(
                file,
                "as unix seconds this is thousands of years away:"
                f" {samples(found[far][:1000].tolist())}; it looks like {unit}",
                f"Divide by {divisor}: numbers are unix seconds",
                column=column,
                rows=far,
            )
            return None
    known = found[~np.isnan(found)]
    if (
        calendar
        and len(known)
        and (
            ((known >= 1900) & (known <= 2100)).all()
            or ((known >= 19000101) & (known <= 21001231)).all()
        )
    ):
        faults.add(
            file,
            "these numbers look like years or like YYYYMMDD, not like unix seconds:"
            f" {samples(known[:1000].tolist())}",
            ADVICE,
            column=column,
            rows=~np.isnan(found),
        )
        return None
    return np.where(
        np.isnan(found),
        np.datetime64("NaT", "s"),
        np.floor(np.nan_to_num(found)).astype(np.int64).astype("datetime64[s]"),
    )
