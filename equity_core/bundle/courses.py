"""The courses table, cleaned: one row per course, in the order of the table, every column in its
type."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from equity_core.bundle.cells import (
    Numbers,
    Texts,
    column,
    is_missing,
    is_textual,
    numbers,
    texts,
    typed_column,
    within,
)
from equity_core.bundle.dates import dates
from equity_core.bundle.faults import Faults, samples
from equity_core.bundle.ids import Ids, duplicated, read_ids
from equity_core.bundle.tables import Table
from equity_core.principles import UNKNOWN, Principle

COLUMNS = (
    "title",
    "category",
    "level",
    "last_update",
    "price",
    "enrolled",
    "rating",
    "assets",
    "description",
)
"""The columns of the format besides course_id, in its order. All are in the cleaned table, whether
given or not."""

NOT_JUDGED = ("course_id", "title", "description", "first_taken")
"""Course columns that no principle can be made of."""

AMOUNTS = {"price": "Write 0 for a free course", "enrolled": "Write the number of learners"}
"""Columns of numbers that are never negative, and what to write in them."""


@dataclass(eq=False)
class CleanCourses:
    """What cleaning found; ``frame`` lacks the columns that have faults."""

    ids: Ids | None = None
    frame: pd.DataFrame = field(default_factory=pd.DataFrame)


def clean_courses(
    table: Table,
    principles: Sequence[Principle],
    rating_scale: tuple[float, float],
    faults: Faults,
    dated: Sequence[str] = (),
) -> CleanCourses:
    """The table with every column in its type, missing cells as NaN, NaT, None or "unknown"; a
    missing title is the course's id. ``dated``: further columns that hold dates."""
    clean = CleanCourses()
    if table.rows == 0:
        faults.add(table.file, "the table is empty", "Give at least one course")
        return clean
    table.require(["course_id", "title"], faults)
    for (
        principle
    ) in principles:  # a rating may come from the interactions; the other two are required above
        if principle.column not in ("rating", "course_id", "title"):
            table.require(
                [principle.column], faults, why=f", which the principle {principle.name!r} needs"
            )
    if "course_id" in table.columns:
        clean.ids = _course_ids(table, faults)
    readers = _readers(table, principles, rating_scale, faults)
    for name in dated:
        readers[name] = partial(dates, table, name, faults, calendar=True)
    columns: dict[str, Any] = {}
    for name in (
        *COLUMNS,
        *(name for name in table.columns if name not in COLUMNS and name != "course_id"),
    ):
        values = readers[name]() if name in table.columns else _absent(name, table.rows)
        if values is not None:
            columns[name] = values
    if clean.ids is not None:
        ids = clean.ids.numpy
        if "title" in columns:
            titles = columns["title"]
            if "title" in table.columns and all(title is None for title in titles):
                faults.add(
                    table.file, "no course has a title", "Fill in the titles", column="title"
                )
            # Trimmed like any title: a title must be the same when it is read again. An id of
            # nothing but spaces stays as it is.
            names = texts(pd.Series([str(one) for one in ids], dtype=object))
            columns["title"] = np.array(
                [
                    title or name or str(one)
                    for title, name, one in zip(titles, names, ids, strict=True)
                ],
                dtype=object,
            )
        columns = {"course_id": ids, **columns}
    clean.frame = pd.DataFrame({name: column(values) for name, values in columns.items()})
    return clean


def _course_ids(table: Table, faults: Faults) -> Ids | None:
    ids = read_ids(table, "course_id", faults)
    if ids is None:
        return None
    again = duplicated(ids.numpy)
    if again.any():
        shown = samples(ids.numpy[again][:1000].tolist())
        faults.add(
            table.file,
            f"the course is listed already: {shown}",
            "Keep one row per course",
            column="course_id",
            rows=again,
        )
        return None
    return ids


def _readers(
    table: Table, principles: Sequence[Principle], rating_scale: tuple[float, float], faults: Faults
) -> dict[str, Callable[[], npt.NDArray[Any] | None]]:
    """How each column of the table is read: as the format says, else as the principles that use it
    need it, else as it is."""
    readers: dict[str, Callable[[], npt.NDArray[Any] | None]] = {
        name: partial(typed_column, table, name) for name in table.columns
    }
    for principle in principles:
        if principle.kind != "mean":
            readers[principle.column] = partial(_labels, table, principle.column)
    for name in ("category", "level"):
        readers[name] = partial(_labels, table, name)
    for principle in principles:
        if principle.kind == "mean":
            readers[principle.column] = partial(_quantity, table, principle.column, faults)
    for name in AMOUNTS:
        readers[name] = partial(_amount, table, name, faults)
    readers["title"] = lambda: texts(table.series("title"))
    readers["description"] = lambda: np.array(
        [text or "" for text in texts(table.series("description"))], dtype=object
    )
    readers["last_update"] = lambda: dates(table, "last_update", faults, calendar=True)
    readers["rating"] = lambda: ratings(
        table, rating_scale, faults, "leave courses without a rating empty (not 0)"
    )
    readers["assets"] = lambda: _assets(table, faults)
    return readers


def _absent(name: str, rows: int) -> npt.NDArray[Any]:
    if name in ("category", "level"):
        return np.full(rows, UNKNOWN, dtype=object)
    if name == "description":
        return np.full(rows, "", dtype=object)
    if name == "last_update":
        return np.full(rows, "NaT", dtype="datetime64[s]")
    return (
        np.full(rows, None, dtype=object) if name in ("assets", "title") else np.full(rows, np.nan)
    )


def _labels(table: Table, name: str) -> Texts:
    return np.array(
        [UNKNOWN if text is None else text for text in texts(table.series(name))], dtype=object
    )


def _quantity(table: Table, name: str, faults: Faults) -> npt.NDArray[Any] | None:
    """The column of a platform's own mean principle: numbers, or dates where no cell is a
    number."""
    values = table.series(name)
    if pd.api.types.is_datetime64_any_dtype(values.dtype):
        return dates(table, name, faults)
    if is_textual(values) and name not in AMOUNTS:
        found = dates(table, name, Faults()) if numbers(table, name, Faults()) is None else None
        if found is not None:
            return found
    return numbers(table, name, faults)


def _amount(table: Table, name: str, faults: Faults) -> Numbers | None:
    found = numbers(table, name, faults)
    within(
        table,
        name,
        found,
        0.0,
        np.inf,
        faults,
        "the number is negative",
        AMOUNTS[name] + "; leave it empty if unknown",
    )
    return found


def ratings(
    table: Table, scale: tuple[float, float], faults: Faults, advice: str
) -> Numbers | None:
    """The column ``rating`` of courses or interactions; a value outside the scale is a fault."""
    found = numbers(table, "rating", faults)
    what, fix = (
        f"outside the rating scale, which is {scale[0]:g} to {scale[1]:g}",
        f"Correct the ratings or the rating_scale; {advice}",
    )
    within(table, "rating", found, *scale, faults, what, fix)
    return found


def _assets(table: Table, faults: Faults) -> npt.NDArray[Any] | None:
    """Each cell as a tuple of its distinct asset types, sorted; None when unknown. An empty list is
    known: it means no assets.
    """
    cells = table.series("assets").astype(object)
    out = np.empty(len(cells), dtype=object)
    bad = []
    known: dict[Any, tuple[str, ...] | None] = {}  # few distinct lists, many courses
    for at, cell in enumerate(cells):
        key = (
            cell
            if isinstance(cell, str)
            else (
                tuple(cell)
                if isinstance(cell, list | tuple | set | frozenset | np.ndarray)
                else None
            )
        )
        try:
            if key not in known:
                known[key] = _asset_types(cell)
            out[at] = known[key]
        except TypeError:
            bad.append(at)
    if bad:
        fix = "Write the asset types as a list or as video|article, and leave unknown cells empty"
        faults.add(
            table.file,
            f"not a list of asset types: {samples(cells.iloc[bad[:1000]])}",
            fix,
            column="assets",
            rows=np.array(bad),
        )
        return None
    return out


def _asset_types(cell: Any) -> tuple[str, ...] | None:
    """The asset types of one cell; a TypeError if it is not a list of text."""
    if is_missing(cell):
        return None
    if not isinstance(cell, str | list | tuple | set | frozenset | np.ndarray):
        raise TypeError(type(cell).__name__)
    kinds = [
        kind
        for kind in (cell.split("|") if isinstance(cell, str) else cell)
        if not is_missing(kind)
    ]
    if not all(isinstance(kind, str) for kind in kinds):
        raise TypeError("not all are text")
    return tuple(sorted({kind.strip() for kind in kinds}))


def empty_columns(
    frame: pd.DataFrame, principles: Sequence[Principle], file: str, faults: Faults
) -> None:
    """A fault for each principle whose course column has no value at all."""
    for principle in principles:
        if principle.column not in frame:
            continue
        values = frame[principle.column]
        if bool((values.isna() | (values == UNKNOWN if is_textual(values) else False)).all()):
            other = (
                " (and no training interaction has a rating)"
                if principle.column == "rating"
                else ""
            )
            fix = "Fill in the column, or leave the principle out (see principles in the manifest)"
            faults.add(
                file,
                f"no course has a value{other}, but the principle {principle.name!r} needs one",
                fix,
                column=principle.column,
            )


def judged_columns(courses: pd.DataFrame) -> dict[str, str]:
    """The columns that a principle can be made of: "mean" for numbers, dates and assets, which
    count as numbers; "balance" for labels."""
    out = {}
    for name in courses.columns:
        if name in NOT_JUDGED:
            continue
        kind = courses[name].dtype
        numeric = (
            pd.api.types.is_numeric_dtype(kind)
            or pd.api.types.is_datetime64_any_dtype(kind)
            or name == "assets"
        )
        out[str(name)] = "mean" if numeric else "balance"
    return out
