"""A column map: which column of a file is which of the bundle's, and converting a table with it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from equity_core.bundle.faults import samples
from equity_core.importers.convert import (
    Ids,
    Kind,
    Order,
    assets_of_flags,
    to_assets,
    to_dates,
    to_ids,
    to_labels,
    to_numbers,
)
from equity_core.importers.convert.words import SPLITS, clean
from equity_core.importers.names import REQUIRED, TARGETS, Table
from equity_core.importers.report import Report

ASSET = "assets:"
RATING_SCALE = (1.0, 5.0)
SCALES = ((1, 5), (0, 5), (1, 10), (0, 10), (0, 100))
"""Usual scales of ratings, the likeliest first."""
_KINDS: dict[str, Kind] = {
    "price": "price",
    "enrolled": "count",
    "rating": "rating",
    "score": "score",
    "rank": "score",
}


@dataclass(frozen=True)
class ColumnMap:
    """``columns``: bundle's column → file's column. Instead of ``assets``, columns of yes/no or of
    counts may each give one asset type, mapped as ``assets:video`` and so on.

    ``keep``: further columns to carry along (for a platform's own principles or for slicing).
    ``date_order`` settles dates like 6/8/2017. ``ids`` makes every id text or integer; left out,
    ids stay as they come. ValueError: an unknown table, target or option.
    """

    table: Table
    columns: Mapping[str, str]
    keep: tuple[str, ...] = ()
    date_order: Order | None = None
    rating_scale: tuple[float, float] = RATING_SCALE
    ids: Ids | None = None
    named: tuple[str, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.table not in TARGETS:
            raise ValueError(
                f"a column map's table is {self.table!r}; use one of {', '.join(TARGETS)}"
            )
        if not isinstance(self.columns, Mapping) or not all(
            isinstance(source, str) for source in self.columns.values()
        ):
            raise ValueError(
                "a column map's columns are given as {bundle's column: file's column}, both text"
            )
        unknown = [
            target
            for target in self.columns
            if target not in TARGETS[self.table] and not self._is_asset(target)
        ]
        if unknown:
            raise ValueError(
                f"the {self.table} table has no column {unknown[0]!r}; map to one of"
                f" {', '.join(TARGETS[self.table])}"
            )
        if "assets" in self.columns and any(self._is_asset(target) for target in self.columns):
            raise ValueError(
                "map either assets or columns for single asset types (assets:video …), not both"
            )
        for name, value, allowed in (
            ("date_order", self.date_order, (None, "month", "day")),
            ("ids", self.ids, (None, "text", "integer")),
        ):
            if value not in allowed:
                raise ValueError(
                    f"{name} is {value!r}; use one of"
                    f" {', '.join(str(option) for option in allowed)}"
                )
        object.__setattr__(self, "columns", MappingProxyType(dict(self.columns)))
        object.__setattr__(self, "keep", tuple(self.keep))
        object.__setattr__(self, "rating_scale", tuple(self.rating_scale))
        object.__setattr__(self, "named", tuple(self.columns.values()) + self.keep)

    def _is_asset(self, target: str) -> bool:
        return self.table == "courses" and target.startswith(ASSET) and len(target) > len(ASSET)

    def with_columns(self, columns: Mapping[str, str], **options: Any) -> ColumnMap:
        """The same map with other columns, and other options if given."""
        return replace(self, columns=columns, **options)

    def to_json(self) -> str:
        return json.dumps(
            {
                "table": self.table,
                "columns": dict(self.columns),
                "keep": list(self.keep),
                "date_order": self.date_order,
                "rating_scale": list(self.rating_scale),
                "ids": self.ids,
            },
            ensure_ascii=False,
            indent=1,
        )

    @classmethod
    def from_json(cls, text: str) -> ColumnMap:
        """ValueError for anything that is not a column map."""
        try:
            given = json.loads(text)
            return cls(**given)
        except (json.JSONDecodeError, TypeError, AttributeError) as error:
            raise ValueError(
                f"not a column map: {error}; give an object with table, columns, and optionally"
                " keep, date_order, rating_scale, ids"
            ) from error


def apply_map(
    frame: pd.DataFrame, columns: ColumnMap, report: Report | None = None
) -> pd.DataFrame:
    """The table with the bundle's columns and types. BundleError: every column that is missing and
    every value that cannot be read.
    """
    report = Report(columns.table) if report is None else report
    result = convert_table(frame, columns, report)
    report.stop()
    return result


def convert_table(frame: pd.DataFrame, columns: ColumnMap, report: Report) -> pd.DataFrame:
    """As :func:`apply_map`, but faults are left in the report, so that several tables can be read
    before stopping."""
    frame = frame.reset_index(drop=True)
    for name in dict.fromkeys(columns.named):
        if name not in frame.columns:
            report.fault(
                "there is no such column",
                "map one of the existing columns:"
                f" {', '.join(str(column) for column in frame.columns[:20])}",
                column=name,
            )
    for target in REQUIRED[columns.table]:
        if target not in columns.columns:
            report.fault(
                f"no column is mapped to {target}",
                f"name the column that holds the {target.replace('_', ' ')}",
                column=target,
            )
    if columns.table == "scores" and not {"score", "rank"} & set(columns.columns):
        report.fault(
            "no column is mapped to score or rank",
            "name the column that holds the score, or the rank",
            column="score",
        )
    result: dict[str, pd.Series] = {}
    for target, source in columns.columns.items():
        if source in frame.columns and not target.startswith(ASSET):
            result[target] = _one(frame[source], target, source, columns, report)
    flags = {
        target.removeprefix(ASSET): source
        for target, source in columns.columns.items()
        if target.startswith(ASSET) and source in frame.columns
    }
    if flags:
        result["assets"] = assets_of_flags(frame, flags, report)
    for name in columns.keep:
        if name in frame.columns and name not in result:
            result[name] = _kept(frame[name])
    table = pd.DataFrame(result, index=frame.index)
    return table[
        [name for name in TARGETS[columns.table] if name in table]
        + [name for name in table if name not in TARGETS[columns.table]]
    ]


def _one(
    values: pd.Series, target: str, source: str, columns: ColumnMap, report: Report
) -> pd.Series:
    if target in ("learner_id", "course_id"):
        return to_ids(values, source, report, ids=columns.ids)
    if target in _KINDS:
        scale = columns.rating_scale
        numbers = to_numbers(values, source, report, kind=_KINDS[target], rating_scale=scale)
        if target == "rating":
            _within(numbers, scale, source, report)
        return pd.Series(numbers, index=values.index)
    if target in ("last_update", "published", "timestamp"):
        return to_dates(values, source, report, order=columns.date_order)
    if target == "assets":
        return to_assets(values, source, report)
    if target == "split":
        return _splits(values, source, report)
    return to_labels(values, source, report)


def _within(
    ratings: npt.NDArray[np.float64], scale: tuple[float, float], column: str, report: Report
) -> None:
    """A fault for ratings outside their scale, with the scale that they seem to have."""
    outside = (ratings < scale[0]) | (ratings > scale[1])
    if outside.any():
        low, high = likely_scale(ratings)
        report.fault(
            f"ratings outside the scale from {scale[0]:g} to {scale[1]:g}:"
            f" {samples(ratings[outside][:1000].tolist())}",
            f"give the rating scale as it is (perhaps {low:g} to {high:g}), or correct the ratings",
            column=column,
            rows=outside,
        )


def likely_scale(ratings: npt.NDArray[np.float64]) -> tuple[float, float]:
    """The first of the usual scales that holds all ratings, else their lowest and highest."""
    known = ratings[np.isfinite(ratings)]
    if not len(known):
        return RATING_SCALE
    low, high = float(known.min()), float(known.max())
    for start, end in SCALES:
        if start <= low and high <= end:
            return float(start), float(end)
    return low, high


def _splits(values: pd.Series, column: str, report: Report) -> pd.Series:
    given = values.astype(object).where(values.notna(), "").map(clean)
    split = given.map(SPLITS)
    bad = np.flatnonzero(split.isna())
    if len(bad):
        report.fault(
            f"values that are not a split: {samples(given.iloc[bad])}",
            "use train, valid and test",
            column=column,
            rows=bad,
        )
    renamed = sorted(
        {(name, SPLITS[name]) for name in given.unique() if name in SPLITS and SPLITS[name] != name}
    )
    if renamed:
        report.note("; ".join(f"{old!r} read as {new}" for old, new in renamed), column)
    return split


def _kept(values: pd.Series) -> pd.Series:
    """A column carried along: numbers where every value given is one, else as it is."""
    if values.dtype != object and not pd.api.types.is_string_dtype(values.dtype):
        return values
    values = values.astype(object).where(values.notna() & (values.astype(object) != ""), None)
    numbers = pd.to_numeric(values, errors="coerce")
    return (
        numbers.astype("float64")
        if values.notna().any() and (numbers.notna() == values.notna()).all()
        else values
    )
