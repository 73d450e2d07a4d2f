"""An import, described: which column is which, how ids and ratings are read, how the log is split
and what happens to courses from after the split.

The load dialog shows, edits and downloads it; ``import tables --map import.toml`` reads it and
``--save-map`` writes it. Everything may be left out: what is not said is guessed, or takes its
usual value.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import date, datetime
from typing import Any, get_args

import numpy as np
import pandas as pd
import tomli_w

from equity_core.bundle.future import FutureCourses
from equity_core.bundle.splitting import Cut
from equity_core.importers.columns import ASSET, RATING_SCALE, ColumnMap
from equity_core.importers.convert import Ids, Order
from equity_core.importers.guess import SHARES, Guess, guess_columns
from equity_core.importers.names import TARGETS, Table
from equity_core.importers.report import Report

FILE = "import.toml"


@dataclass(frozen=True)
class TableDescription:
    """What is said about one table.

    ``columns``: bundle's column → file's column; "" leaves the bundle's column out, and what is not
    named is guessed. ``keep``: further columns to carry along; None keeps all of the courses' and
    none of the others'. ``date_order`` settles dates like 6/8/2017.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    keep: tuple[str, ...] | None = None
    date_order: Order | None = None


@dataclass(frozen=True)
class Description:
    """A whole import. ValueError: something that no import can mean."""

    name: str | None = None
    ids: Ids | None = None
    rating_scale: tuple[float, float] | None = None
    tables: Mapping[Table, TableDescription] = field(default_factory=dict)
    split: Cut = field(default_factory=Cut)
    future_courses: FutureCourses = "mask"

    def __post_init__(self) -> None:
        if self.future_courses not in get_args(FutureCourses):
            raise ValueError(
                f"future_courses is {self.future_courses!r}; use one of"
                f" {', '.join(get_args(FutureCourses))}"
            )
        for table, said in self.tables.items():
            if table not in TARGETS:
                raise ValueError(f"there is no table {table!r}; describe {', '.join(TARGETS)}")
            ColumnMap(
                table,
                {target: source for target, source in said.columns.items() if source},
                keep=said.keep or (),
                date_order=said.date_order,
                rating_scale=self.scale,
                ids=self.ids,
            )
            unknown = [
                target
                for target in said.columns
                if target not in TARGETS[table] and not target.startswith(ASSET)
            ]
            if unknown:
                raise ValueError(f"the {table} table has no column {unknown[0]!r}")

    @property
    def scale(self) -> tuple[float, float]:
        """The lowest and the highest rating."""
        return RATING_SCALE if self.rating_scale is None else self.rating_scale

    def map(
        self, frame: pd.DataFrame, table: Table, report: Report | None = None
    ) -> tuple[ColumnMap, list[Guess]]:
        """The column map of a table: what is said about it, and guesses for the rest, which are
        noted."""
        said = self.tables.get(table, TableDescription())
        named = {source for source in said.columns.values() if source} | set(said.keep or ())
        free = frame[[name for name in frame if str(name) not in named]]
        guesses = list(guess_columns(free, table).guesses)
        if SHARES not in {guess.target for guess in guesses}:
            both = [name for name in frame if str(name) == said.columns.get("last_update")]
            beside = guess_columns(frame[both], table).guesses
            guesses += [guess for guess in beside if guess.target == SHARES]
        sets = any(target.startswith(ASSET) for target in said.columns)
        taken = [
            guess
            for guess in guesses
            if guess.target not in said.columns
            and not (guess.target == "assets" and sets)
            and not (guess.target.startswith(ASSET) and "assets" in said.columns)
        ]
        for guess in taken:
            if report is not None:
                report.note(
                    f"taken as {guess.target} ({guess.confidence:.0%} sure): {guess.why}",
                    guess.source,
                )
        columns = {target: source for target, source in said.columns.items() if source}
        columns |= {guess.target: guess.source for guess in taken}
        keep = said.keep
        if keep is None:
            keep = further_columns(frame, columns) if table == "courses" else ()
        return (
            ColumnMap(table, columns, keep, said.date_order, self.scale, self.ids),
            taken,
        )

    def with_maps(self, maps: Mapping[Table, ColumnMap]) -> Description:
        """The same import with everything about its columns said, nothing left to guess."""
        tables = {
            table: TableDescription(
                {
                    **dict.fromkeys(TARGETS[table], ""),
                    **columns.columns,
                },
                columns.keep,
                columns.date_order,
            )
            for table, columns in maps.items()
        }
        for table, said in tables.items():
            if any(target.startswith(ASSET) for target in said.columns):
                columns = {name: at for name, at in said.columns.items() if name != "assets"}
                tables[table] = replace(said, columns=columns)
        return replace(self, tables=tables, rating_scale=self.scale)

    def to_toml(self) -> str:
        """The text of ``import.toml``."""
        out: dict[str, Any] = {}
        if self.name is not None:
            out["name"] = self.name
        if self.ids is not None:
            out["ids"] = self.ids
        if self.rating_scale is not None:
            out["rating_scale"] = [_number(end) for end in self.rating_scale]
        if self.future_courses != "mask":
            out["future_courses"] = self.future_courses
        for table in TARGETS:
            if table in self.tables:
                said = self.tables[table]
                out[table] = {
                    **({} if said.keep is None else {"keep": list(said.keep)}),
                    **({} if said.date_order is None else {"date_order": said.date_order}),
                    "columns": dict(said.columns),
                }
        usual = Cut()
        out["split"] = {
            one.name: _plain(value)
            for one in fields(Cut)
            if (value := getattr(self.split, one.name)) is not None
            and (one.name == "kind" or value != getattr(usual, one.name))
        }
        return tomli_w.dumps(out)

    @classmethod
    def from_text(cls, text: str, file: str = FILE) -> Description:
        """The description in the text of a TOML file (or of a JSON file with the same fields).
        ValueError: what is wrong with it, and what to write."""
        try:
            given = (
                json.loads(text)
                if text.lstrip().startswith(("{", "[")) and _is_json(text)
                else (tomllib.loads(text))
            )
            return cls._of(given)
        except (tomllib.TOMLDecodeError, TypeError, ValueError, AttributeError) as error:
            raise ValueError(
                f"{file}: this does not describe an import ({' '.join(str(error).split())}); it"
                " may have name, ids, rating_scale, future_courses, the tables courses,"
                " interactions and scores (each with columns, keep and date_order), and split"
            ) from error

    @classmethod
    def _of(cls, given: Any) -> Description:
        _known(
            given, ("name", "ids", "rating_scale", "future_courses", *TARGETS, "split"), "the file"
        )
        tables: dict[Table, TableDescription] = {}
        for table in TARGETS:
            if table in given:
                said = given[table]
                _known(said, ("columns", "keep", "date_order"), table)
                keep = said.get("keep")
                tables[table] = TableDescription(
                    dict(said.get("columns", {})),
                    None if keep is None else tuple(keep),
                    said.get("date_order"),
                )
        split = given.get("split", {})
        _known(split, tuple(one.name for one in fields(Cut)), "split")
        return cls(
            given.get("name"),
            given.get("ids"),
            None if given.get("rating_scale") is None else scale_of(given["rating_scale"]),
            tables,
            Cut(**split),
            given.get("future_courses", "mask"),
        )


def scale_of(ends: Any) -> tuple[float, float]:
    """Two numbers as a rating scale. ValueError: they are none."""
    try:
        low, high = (float(end) for end in ends)
    except (TypeError, ValueError):
        raise ValueError(f"the rating scale is two numbers such as 1 and 5, not {ends!r}") from None
    if not (np.isfinite(low) and np.isfinite(high) and low < high):
        raise ValueError(f"the rating scale goes from low to high, not from {low:g} to {high:g}")
    return low, high


def further_columns(frame: pd.DataFrame, columns: Mapping[str, str]) -> tuple[str, ...]:
    """The columns of a table of courses that nothing takes, to be carried along; not those that
    are called like one of the bundle's columns, which would be taken for it."""
    taken = {*columns.values(), *TARGETS["courses"]}
    return tuple(str(name) for name in frame.columns if str(name) not in taken)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except json.JSONDecodeError:
        return False
    return True


def _known(given: Any, names: tuple[str, ...], where: str) -> None:
    if not isinstance(given, Mapping):
        raise TypeError(f"{where} is not a table of fields")
    unknown = [name for name in given if name not in names]
    if unknown:
        raise ValueError(f"{where} has no field {unknown[0]!r}; use {', '.join(names)}")


def _number(value: float) -> int | float:
    return int(value) if float(value).is_integer() else float(value)


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, pd.Timestamp):
        return value.to_pydatetime()
    return value if isinstance(value, str | int | float | date | datetime) else str(value)
