"""Tables as they come: frames, Parquet or CSV files, before anything is known about their
content."""

from __future__ import annotations

import csv
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from equity_core.bundle.faults import Faults, samples

UNREADABLE = (
    pa.ArrowException,
    OSError,
    ValueError,
    TypeError,
    LookupError,
    RuntimeError,
    OverflowError,
    EOFError,
    MemoryError,
    struct.error,
    csv.Error,
)
"""Whatever a decoder may raise on bytes that are not what they claim to be."""

SUFFIXES = (".parquet", ".csv")
KEYS = ("learner_id", "course_id")


@dataclass(frozen=True, eq=False)
class Table:
    """Columns by name, each a Series or an Arrow array. ``file`` is the table's name in messages;
    ``text`` marks a CSV, where everything is text.
    """

    file: str
    columns: dict[str, Any]
    rows: int
    text: bool = False

    def series(self, column: str) -> pd.Series[Any]:
        """A column as a Series with rows 0, 1, ..."""
        values = self.columns[column]
        if isinstance(values, pa.ChunkedArray):
            return values.to_pandas(date_as_object=False, timestamp_as_object=False)  # type: ignore[no-any-return]
        return values.reset_index(drop=True)  # type: ignore[no-any-return]

    def arrow(self, column: str) -> pa.ChunkedArray:
        """A column as an Arrow array; an ArrowException if its values are of several types."""
        values = self.columns[column]
        if isinstance(values, pa.ChunkedArray):
            return values
        array = pa.array(values, from_pandas=True)
        return array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])

    def require(self, columns: Sequence[str], faults: Faults, *, why: str = "") -> bool:
        """Whether the columns are there; a fault names those that are not."""
        missing = [column for column in columns if column not in self.columns]
        for column in missing:
            semicolons = self.text and len(self.columns) == 1 and ";" in next(iter(self.columns))
            faults.add(
                self.file,
                f"the column is missing{why}; the table has"
                f" {samples(self.columns) or 'no columns'}",
                (
                    "Separate the columns with commas, not with semicolons"
                    if semicolons
                    else f"Add {column!r}, or rename the column that holds it"
                ),
                column=column,
            )
        return not missing


def as_numpy(array: Any) -> npt.NDArray[Any]:
    """An Arrow array or chunked array as NumPy, without a copy where that is possible."""
    return np.asarray(
        array.to_numpy()
        if isinstance(array, pa.ChunkedArray)
        else array.to_numpy(zero_copy_only=False)
    )


def from_frame(frame: Any, file: str, faults: Faults, *, key: str | None = None) -> Table | None:
    """A caller's frame. ``key`` may be the index's name instead of a column. The frame is not
    changed."""
    if not isinstance(frame, pd.DataFrame):
        faults.add(
            file, f"this is not a table but a {type(frame).__name__}", "Give a pandas DataFrame"
        )
        return None
    if key is not None and key not in frame.columns and frame.index.name == key:
        frame = frame.reset_index()
    names = [str(name) for name in frame.columns]
    if not _unique(names, file, faults):
        return None
    return Table(file, {name: frame.iloc[:, at] for at, name in enumerate(names)}, len(frame))


def find(
    folder: Path, stem: str, faults: Faults, *, optional: bool = False, inside: str = ""
) -> Path | None:
    """The file of a table: Parquet or CSV, but not both. ``inside``: the folder's name in
    messages."""
    there = [
        folder / (stem + suffix) for suffix in SUFFIXES if (folder / (stem + suffix)).is_file()
    ]
    if len(there) > 1:
        faults.add(
            inside + stem,
            f"there are two files, {there[0].name} and {there[1].name}",
            "Keep one of them",
        )
        return None
    if not there and not optional:
        faults.add(
            f"{inside}{stem}.parquet", "the file is missing", f"Add {stem}.parquet or {stem}.csv"
        )
    return there[0] if there else None


def read(path: Path, file: str, faults: Faults) -> Table | None:
    """A whole file as a table; a fault if it is not one."""
    try:
        return (
            read_csv(path, file, faults)
            if path.suffix == ".csv"
            else _read_parquet(path, file, faults)
        )
    except UNREADABLE as error:
        unreadable(error, path, file, faults)
        return None


def unreadable(error: BaseException, path: Path, file: str, faults: Faults) -> None:
    """The fault of a file that cannot be read as what its name says."""
    kind = "CSV" if path.suffix == ".csv" else "Parquet"
    detail = " ".join(str(error).split())[:160]
    advice = (
        "save it as CSV in UTF-8, with a header and the same number of cells in each row"
        if kind == "CSV"
        else "write it again as Parquet"
    )
    faults.add(
        file,
        f"the file cannot be read as {kind} ({detail or type(error).__name__})",
        f"It may be damaged, truncated or of another kind: {advice}",
    )


def open_parquet(path: Path) -> pq.ParquetFile:
    """A Parquet file whose text ids are read as a dictionary: each text once, not once per row."""
    with pq.ParquetFile(path) as source:
        keys = [name for name in KEYS if name in source.schema_arrow.names]
    return pq.ParquetFile(path, read_dictionary=keys)


def _read_parquet(path: Path, file: str, faults: Faults) -> Table | None:
    with open_parquet(path) as source:
        table = source.read()
    table.validate(full=True)
    if not _unique(table.column_names, file, faults):
        return None
    return Table(file, dict(zip(table.column_names, table.columns, strict=True)), table.num_rows)


def csv_header(path: Path, file: str, faults: Faults) -> list[str] | None:
    """The column names of a CSV file."""
    with path.open(encoding="utf-8-sig", newline="") as lines:
        names = next(csv.reader(lines), [])
    return names if _unique(names, file, faults) else None


def csv_options(names: list[str]) -> dict[str, Any]:
    """How CSV is read: every cell as text, so that "007" stays and an empty cell is an empty
    text."""
    return {
        "parse_options": pa_csv.ParseOptions(newlines_in_values=True),
        "convert_options": pa_csv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False
        ),
    }


def read_csv(path: Path, file: str, faults: Faults) -> Table | None:
    """A CSV file, every cell as text."""
    names = csv_header(path, file, faults)
    if names is None:
        return None
    table = pa_csv.read_csv(path, **csv_options(names))
    return Table(
        file, dict(zip(table.column_names, table.columns, strict=True)), table.num_rows, text=True
    )


def _unique(names: list[str], file: str, faults: Faults) -> bool:
    twice = sorted({name for name in names if names.count(name) > 1})
    for name in twice:
        faults.add(
            file,
            "there are several columns with this name",
            "Keep one, or rename the others",
            column=name,
        )
    return not twice
