"""Ids, labels, and asset types as other systems keep them."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from equity_core.bundle.faults import samples
from equity_core.importers.convert.words import MISSING, NO, YES, clean
from equity_core.importers.report import Report

Ids = Literal["text", "integer"]

_ENTITY = re.compile(r"&(?:#\d+|#x[0-9a-fA-F]+|[A-Za-z][A-Za-z0-9]+);")
_SEPARATOR = re.compile(r"\s*[|;,/]\s*")


def to_ids(values: pd.Series, column: str, report: Report, *, ids: Ids | None = None) -> pd.Series:
    """Ids as text or int64: as they come, unless ``ids`` asks for one. Whole floats become
    integers; a mix, or a gap, is a fault."""
    missing = np.flatnonzero(values.isna() | (values.astype(object) == ""))
    if len(missing):
        report.fault(
            "rows without an id",
            "give every row an id, or drop those rows",
            column=column,
            rows=missing,
        )
        return values.astype(object)
    if pd.api.types.is_float_dtype(values.dtype):
        if not (values == np.floor(values)).all():
            rows = np.flatnonzero(values != np.floor(values))
            report.fault(
                "contains fractions where ids are needed",
                "write ids as whole numbers or as text",
                column=column,
                rows=rows,
            )
            return values.astype(object)
        values = values.astype("int64")
        report.note("ids such as 7.0 read as whole numbers", column)
    if pd.api.types.is_integer_dtype(values.dtype):
        return (
            values.astype("int64")
            if ids != "text"
            else values.astype("int64").astype(str).astype(object)
        )
    if ids == "text":
        values = values.astype(object).map(lambda value: _id_as_text(value))
    kinds = {type(value) for value in values.astype(object)}
    text = {kind for kind in kinds if issubclass(kind, str)}
    if text and kinds - text:
        rows = np.flatnonzero([not isinstance(value, str) for value in values.astype(object)])
        report.fault(
            "mixes ids that are numbers with ids that are text",
            "write all of them as text, or all as whole numbers",
            column=column,
            rows=rows,
        )
        return values.astype(object)
    if not text:
        if all(
            issubclass(kind, (int, np.integer)) and not issubclass(kind, bool) for kind in kinds
        ):
            return to_ids(values.astype("int64"), column, report, ids=ids)
        report.fault(
            f"contains ids that are neither text nor whole numbers: {samples(values[:3])}",
            "write ids as text or as whole numbers",
            column=column,
        )
        return values.astype(object)
    values = _without_fraction(values.astype(object), column, report)
    return values if ids != "integer" else _as_integers(values, column, report)


def _without_fraction(values: pd.Series, column: str, report: Report) -> pd.Series:
    """Ids such as 263672.0, which spreadsheets and pandas make of whole numbers, without the .0; as
    they are if any id is of another kind, or if two would become one."""
    distinct = pd.Series(values.unique(), dtype=object)
    if not distinct.str.endswith(".0").any() or not distinct.str.fullmatch(r"-?\d+(\.0)?").all():
        return values
    shorter = distinct.str.removesuffix(".0")
    if shorter.duplicated().any():
        return values
    report.note(
        f"ids such as {distinct[distinct.str.endswith('.0')].iloc[0]} read without .0", column
    )
    return values.str.removesuffix(".0").astype(object)


def _id_as_text(value: Any) -> Any:
    """A whole number as text; anything that is not one stays."""
    if isinstance(value, (bool, np.bool_)):
        return value
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    return str(value) if isinstance(value, (int, np.integer)) else value


def _as_integers(values: pd.Series, column: str, report: Report) -> pd.Series:
    whole = values.str.fullmatch(r"-?\d{1,18}")
    if not whole.all():
        rows = np.flatnonzero(~whole)
        report.fault(
            f"ids that are not whole numbers: {samples(values[~whole])}",
            "use the ids of the other tables, all as text or all as whole numbers",
            column=column,
            rows=rows,
        )
        return values
    return values.astype("int64")


def to_labels(values: pd.Series, column: str = "", report: Report | None = None) -> pd.Series:
    """Text without outer blanks; words for 'nothing here' become missing. Whole numbers are labels
    too ("1", not "1.0"). Signs as HTML writes them (``&amp;`` for ``&``) become the signs.
    """
    if (
        pd.api.types.is_float_dtype(values.dtype)
        and (values.dropna() == np.floor(values.dropna())).all()
    ):
        values = values.astype("Int64")
    text = (
        values.astype(object)
        .where(values.notna(), None)
        .map(lambda value: None if value is None or clean(value) in MISSING else str(value).strip())
    )
    coded = text.notna() & text.astype(str).str.contains(_ENTITY)
    if coded.any():
        plain = text[coded].map(html.unescape).str.strip()
        if report is not None and (changed := plain[plain != text[coded]]).size:
            report.note(
                f"signs written as in HTML read as the signs in {len(changed):,} values"
                f" ({text[changed.index[0]]!r} is {changed.iloc[0]!r})",
                column,
            )
        text = text.mask(coded, plain.reindex(text.index))
    return text.astype(object).where(text.notna(), None)


def _types(value: Any) -> tuple[str, ...] | None:
    """The asset types of one cell: a list, a JSON list, or words separated by | ; , or /; None when
    nothing is given.
    """
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return None
    if isinstance(value, str):
        if clean(value) in MISSING:
            return None
        if value.strip().startswith("["):
            try:
                value = json.loads(value.replace("'", '"'))
            except json.JSONDecodeError:
                value = value.strip().strip("[]")
        if isinstance(value, str):
            value = _SEPARATOR.split(value.strip())
    return tuple(sorted({str(item).strip() for item in value if str(item).strip()}))


def to_assets(values: pd.Series, column: str, report: Report) -> pd.Series:
    """Asset types as sorted tuples of distinct words; None where unknown, () for an empty list.
    Numbers are a fault: types have names."""
    if pd.api.types.is_numeric_dtype(values.dtype):
        report.fault(
            "contains numbers, but asset types have names",
            "map the columns of each type (has_video, n_articles …), or keep the count as a column"
            " and add a principle for it",
            column=column,
        )
        return pd.Series([None] * len(values), index=values.index, dtype=object)
    types = [_types(value) for value in values.astype(object)]
    names = sorted({name for cell in types if cell for name in cell})
    if names:
        report.note(f"{len(names)} asset types found: {', '.join(names[:12])}", column)
    return pd.Series(types, index=values.index, dtype=object)


def to_flags(values: pd.Series, column: str, report: Report) -> npt.NDArray[np.float64]:
    """1 where something is there, 0 where it is not, NaN where unknown: yes/no words, true/false,
    or counts (more than 0 is there)."""
    if pd.api.types.is_bool_dtype(values.dtype) or pd.api.types.is_numeric_dtype(values.dtype):
        numbers = (
            values.astype("object")
            .map(lambda value: np.nan if pd.isna(value) else float(value))
            .to_numpy(dtype=np.float64)
        )
        return np.where(np.isnan(numbers), np.nan, (numbers > 0).astype(np.float64))
    text = values.astype(object).where(values.notna(), "").map(clean)
    numbers = pd.to_numeric(text, errors="coerce").to_numpy(dtype=np.float64)
    flags = np.where(np.isnan(numbers), np.nan, (numbers > 0).astype(np.float64))
    flags[text.isin(YES)], flags[text.isin(NO)] = 1.0, 0.0
    bad = np.flatnonzero(np.isnan(flags) & ~text.isin(MISSING).to_numpy())
    if len(bad):
        report.fault(
            f"values that are neither yes nor no: {samples(text.iloc[bad])}",
            "write yes or no, true or false, or a count",
            column=column,
            rows=bad,
        )
    return flags


def assets_of_flags(frame: pd.DataFrame, columns: Mapping[str, str], report: Report) -> pd.Series:
    """Asset types from one column per type; a course whose columns are all unknown has unknown
    types."""
    flags = np.stack(
        [to_flags(frame[column], column, report) for column in columns.values()], axis=1
    )
    names = np.array(sorted(columns), dtype=object)
    order = np.argsort(np.array(list(columns), dtype=object))
    there = flags[:, order] == 1
    known = np.atleast_1d(np.isfinite(flags).any(axis=1))
    report.note(
        f"{int(known.sum()):,} courses take their asset types from {', '.join(columns.values())}",
        "assets",
    )
    types: list[Any] = [
        tuple(names[there[row]]) if known[row] else None for row in range(len(frame))
    ]
    return pd.Series(types, index=frame.index, dtype=object)
