"""Relevance tables read into positions: frames all at once, files in parts, so that millions of
rows take little memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv

from equity_core.bundle import tables
from equity_core.bundle.cells import numbers, parse_numbers
from equity_core.bundle.faults import Faults, samples
from equity_core.bundle.ids import Ids, positions, read_ids, same_type, to_arrow
from equity_core.bundle.interactions import unknown_courses
from equity_core.bundle.relevance import Rows, report_repeats
from equity_core.bundle.tables import Table, as_numpy

COLUMNS = ("learner_id", "course_id", "score")


@dataclass(frozen=True, eq=False)
class Known:
    """The learners and courses that rows may refer to: ids as in the other tables (for their
    types), and by position. None: that table has faults.
    """

    learner_column: Ids | None = None
    course_column: Ids | None = None
    learner_ids: npt.NDArray[Any] | None = None
    course_ids: npt.NDArray[Any] | None = None

    @cached_property
    def lookups(self) -> dict[str, tuple[Ids | None, pa.Array | None]]:
        """By column: its type elsewhere, and the ids to look up in."""
        return {
            "learner_id": (
                self.learner_column,
                None if self.learner_ids is None else to_arrow(self.learner_ids),
            ),
            "course_id": (
                self.course_column,
                None if self.course_ids is None else to_arrow(self.course_ids),
            ),
        }


def from_table(table: Table, known: Known, faults: Faults, into: Rows | None = None) -> Rows | None:
    """The rows of a table, written into given arrays or new ones; None after a fault, here or in
    the tables that it refers to.
    """
    before = len(faults)
    if not table.require(COLUMNS, faults):
        return None
    rows = into if into is not None else Rows.empty(table.rows)
    placed = [
        _positions(table, "learner_id", known, faults, rows.learners),
        _positions(table, "course_id", known, faults, rows.courses),
    ]
    scored = _scores(table, faults, rows.scores)
    if all(placed) and scored and len(faults) == before:
        return rows
    if all(placed) and known.course_ids is not None:  # else repeats are found later, and faster
        report_repeats(rows, len(known.course_ids), table.file, faults)
    return None


def _positions(
    table: Table, column: str, known: Known, faults: Faults, out: npt.NDArray[np.int32]
) -> bool:
    reference, lookup = known.lookups[column]
    given = read_ids(table, column, faults)
    if (
        given is None
        or reference is None
        or not same_type(given, reference, column, faults)
        or lookup is None
    ):
        return False
    positions(given.values, lookup, out, compiled=True)
    if column == "course_id":
        unknown_courses(given, out, table.file, reference.file, faults)
    return True


def from_file(path: Path, file: str, known: Known, faults: Faults) -> Rows | None:
    """The rows of a file; None after a fault.

    The file is read in parts. Only if a part is not as it should be is the file read again as a
    whole, to name every row at fault.
    """
    try:
        rows = _in_parts(path, file, known)
    except tables.UNREADABLE as error:
        tables.unreadable(error, path, file, faults)
        return None
    if rows is not None:
        return rows
    table = tables.read(path, file, faults)
    return None if table is None else from_table(table, known, faults)


def _in_parts(path: Path, file: str, known: Known) -> Rows | None:
    return (
        _csv_in_parts(path, file, known)
        if path.suffix == ".csv"
        else _parquet_in_parts(path, file, known)
    )


def _parquet_in_parts(path: Path, file: str, known: Known) -> Rows | None:
    with tables.open_parquet(path) as source:
        rows = Rows.empty(source.metadata.num_rows)
        columns = [column for column in COLUMNS if column in source.schema_arrow.names]
        start = 0
        for group in range(source.num_row_groups):
            part = source.read_row_group(group, columns=columns)
            part.validate()
            table = Table(
                file, dict(zip(part.column_names, part.columns, strict=True)), part.num_rows
            )
            if from_table(table, known, Faults(), rows.part(start, start + table.rows)) is None:
                return None
            start += table.rows
    if start != len(rows.scores):
        raise ValueError(f"{start:,} rows found, {len(rows.scores):,} expected")
    return rows


def _csv_in_parts(path: Path, file: str, known: Known) -> Rows | None:
    names = tables.csv_header(path, file, Faults())
    if names is None:
        return None
    parts = [Rows.empty(0)]
    with pa_csv.open_csv(
        path, read_options=pa_csv.ReadOptions(block_size=1 << 24), **tables.csv_options(names)
    ) as source:
        for batch in source:
            columns = {
                name: pa.chunked_array([batch.column(at)])
                for at, name in enumerate(batch.schema.names)
                if name in COLUMNS
            }
            part = from_table(Table(file, columns, batch.num_rows, text=True), known, Faults())
            if part is None:
                return None
            parts.append(part)
    return Rows.join(parts)


def _scores(table: Table, faults: Faults, out: npt.NDArray[np.float64]) -> bool:
    """Whether the scores are finite numbers; they are written into ``out``."""
    values = table.columns["score"]
    arrow = isinstance(values, pa.ChunkedArray)
    found = None
    if arrow and (pa.types.is_floating(values.type) or pa.types.is_integer(values.type)):
        found = as_numpy(
            pc.fill_null(pc.cast(values, pa.float64()), np.nan) if values.null_count else values
        )
    elif arrow and pa.types.is_string(values.type):
        parsed, bad = parse_numbers(values)
        found = None if bad.any() else parsed
    if found is None:
        found = numbers(table, "score", faults, "Write plain numbers such as 0.25")
    if found is None:
        return False
    np.add(found, 0.0, out=out)  # no −0
    infinite = ~np.isfinite(out)
    if infinite.any():
        shown = f"the score is missing or not finite: {samples(out[infinite][:1000].tolist())}"
        faults.add(
            table.file, shown, "Leave out candidates without a score", column="score", rows=infinite
        )
    return not infinite.any()
