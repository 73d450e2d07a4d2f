"""Cells as text and numbers, whatever they came as. Empty, None, NaN, NaT and NA all mean
missing."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from equity_core.bundle.faults import Faults, samples
from equity_core.bundle.tables import Table, as_numpy

Texts = npt.NDArray[np.object_]
Numbers = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

_LEADING_ZERO = re.compile(r"-?0\d")
_WHOLE = re.compile(r"-?\d{1,18}")

NO_NUMBER = ("", "na", "n/a", "nan", "null", "none", "<na>")
"""Text that stands for a missing number, in lower case."""

PLAIN_NUMBERS = (
    "Write plain numbers such as 19.99, without symbols or units, and leave unknown cells empty"
)


def is_missing(value: Any) -> bool:
    """Whether one cell is empty."""
    if isinstance(value, str):
        return not value.strip()
    return value is None or (np.ndim(value) == 0 and bool(pd.isna(value)))


def as_text(value: Any) -> str | None:
    """One cell as trimmed text, None when missing: 3.0 is "3", a list or dictionary its JSON."""
    if is_missing(value):
        return None
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    if isinstance(value, np.ndarray):
        value = value.tolist()
    return (
        json.dumps(value, default=str, sort_keys=True)
        if isinstance(value, list | dict | tuple)
        else str(value)
    )


def text_array(series: pd.Series[Any]) -> Any:
    """A column as an Arrow array of trimmed text, null when missing; None if some cell is not
    text."""
    try:
        trimmed = pc.utf8_trim_whitespace(
            pa.array(series.astype(object), pa.string(), from_pandas=True)
        )
        return pc.if_else(pc.equal(trimmed, ""), pa.scalar(None, pa.string()), trimmed)
    except (pa.ArrowException, ValueError, TypeError, OverflowError):
        return None


def texts(series: pd.Series[Any]) -> Texts:
    """A column as trimmed text, None when missing."""
    found = text_array(series)
    if found is not None:
        return as_numpy(found).astype(object)
    out = np.empty(len(series), dtype=object)
    out[:] = [as_text(value) for value in series.astype(object)]
    return out


def column(values: npt.NDArray[Any], index: Any = None) -> pd.Series[Any]:
    """Cleaned values as a Series; text stays Python text, in every version of pandas."""
    return pd.Series(values, index=index, dtype=values.dtype)


def is_textual(values: pd.Series[Any]) -> bool:
    """Whether a column may hold text (or anything), rather than numbers or dates."""
    kind = values.dtype
    return (
        kind == np.dtype(object)
        or isinstance(kind, pd.CategoricalDtype)
        or pd.api.types.is_string_dtype(kind)
    )


def parse_numbers(text: Any) -> tuple[Numbers, Mask]:
    """An Arrow array of text as numbers, NaN when missing, and a mask of the cells that are not
    numbers. True and false are 1 and 0.
    """
    trimmed = pc.utf8_trim_whitespace(text)
    lower = pc.utf8_lower(trimmed)
    missing = pc.or_(
        pc.is_null(text), pc.fill_null(pc.is_in(lower, value_set=pa.array(NO_NUMBER)), True)
    )
    for word, number in (("true", "1"), ("false", "0")):
        trimmed = pc.if_else(pc.equal(lower, word), number, trimmed)
    trimmed = pc.if_else(missing, pa.scalar(None, pa.string()), trimmed)
    bad = np.zeros(len(text), dtype=np.bool_)
    try:
        found = pc.cast(trimmed, pa.float64())
    except pa.ArrowInvalid:
        good = pc.fill_null(
            pc.match_substring_regex(trimmed, r"^-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$"), True
        )
        found = pc.cast(pc.if_else(good, trimmed, pa.scalar(None, pa.string())), pa.float64())
        bad = ~as_numpy(good).astype(np.bool_)
    return as_numpy(pc.fill_null(found, np.nan)).astype(np.float64), bad


def numbers(table: Table, column: str, faults: Faults, fix: str = PLAIN_NUMBERS) -> Numbers | None:
    """A column as finite numbers, NaN when missing; None after a fault. Text is read as numbers,
    true and false as 1 and 0."""
    values = table.series(column)
    if is_textual(values):
        text = text_array(values)
        found, bad = parse_numbers(
            pa.array([None if is_missing(v) else str(v) for v in values], pa.string())
            if text is None
            else text
        )
        if bad.any():
            faults.add(
                table.file,
                f"not a number: {samples(values.astype(object)[bad][:1000])}",
                fix,
                column=column,
                rows=bad,
            )
            return None
    elif pd.api.types.is_numeric_dtype(values.dtype) and not pd.api.types.is_complex_dtype(
        values.dtype
    ):
        found = values.to_numpy(dtype=np.float64, na_value=np.nan)
    else:
        faults.add(table.file, f"these are not numbers but {values.dtype}", fix, column=column)
        return None
    infinite = np.isinf(found)
    if infinite.any():
        faults.add(table.file, "the number is infinite", fix, column=column, rows=infinite)
        return None
    return found + 0.0  # a copy of the caller's column, and no −0


def within(
    table: Table,
    column: str,
    found: Numbers | None,
    low: float,
    high: float,
    faults: Faults,
    what: str,
    fix: str,
) -> None:
    """A fault for numbers outside [low, high]."""
    if found is not None:
        outside = (found < low) | (found > high)
        if outside.any():
            faults.add(
                table.file,
                f"{what}: {samples(found[outside][:1000].tolist())}",
                fix,
                column=column,
                rows=outside,
            )


def typed_column(table: Table, column: str) -> npt.NDArray[Any]:
    """A column beyond the format, or of the learners table, in few plain types that every file
    format keeps: whole numbers, numbers, booleans, datetime64[s] or texts (None when missing);
    anything else as its text.

    In CSV, where all is text, a column of true and false is boolean, and one of numbers is numeric,
    unless a number starts with a superfluous 0 (007 is a code, not a quantity).
    """
    values = table.series(column)
    if pd.api.types.is_datetime64_any_dtype(values.dtype):
        plain = (
            values.dt.tz_convert("UTC").dt.tz_localize(None)
            if getattr(values.dt, "tz", None) is not None
            else values
        )
        return plain.to_numpy(
            dtype="datetime64[ns]" if str(plain.dtype).startswith("timestamp") else None
        ).astype("datetime64[s]")
    if not is_textual(values) and not values.isna().any():
        if pd.api.types.is_bool_dtype(values.dtype):
            return values.to_numpy(dtype=np.bool_).copy()
        if (
            pd.api.types.is_integer_dtype(values.dtype)
            and int(values.max() if len(values) else 0) <= np.iinfo(np.int64).max
        ):
            return values.to_numpy(dtype=np.int64).copy()
    if pd.api.types.is_numeric_dtype(values.dtype) and not pd.api.types.is_bool_dtype(values.dtype):
        return values.to_numpy(dtype=np.float64, na_value=np.nan) + 0.0
    found = texts(values)
    return _inferred(found) if table.text else found


def _inferred(found: npt.NDArray[np.object_]) -> npt.NDArray[Any]:
    known = [text for text in found if text is not None]
    if not known or any(_LEADING_ZERO.match(text) for text in known):
        return found
    if len(known) == len(found):
        if {text.lower() for text in known} <= {"true", "false"}:
            return np.array([text.lower() == "true" for text in known], dtype=np.bool_)
        if all(_WHOLE.fullmatch(text) for text in known):
            return np.array([int(text) for text in known], dtype=np.int64)
    if any(text.lower() in ("true", "false") for text in known):
        return found
    numbers, bad = parse_numbers(pa.array(found, pa.string()))
    return found if bad.any() else numbers
