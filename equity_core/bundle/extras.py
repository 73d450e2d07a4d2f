"""Columns beyond the format (and of the learners table), kept as they are, in a few plain types
that every file format can store.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from equity_core.bundle.cells import is_textual, parse_numbers, texts
from equity_core.bundle.tables import Table

_LEADING_ZERO = re.compile(r"-?0\d")
_WHOLE = re.compile(r"-?\d{1,18}")


def tidy(table: Table, column: str) -> npt.NDArray[Any]:
    """A column as whole numbers, numbers, booleans, datetime64[s] or texts (None when missing);
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
