"""Learner and course ids: text or whole numbers, the same in all tables."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from equity_core.bundle.faults import Faults, samples
from equity_core.bundle.tables import Table, as_numpy

Positions = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Ids:
    """A checked id column: ``values`` is an Arrow array of int64, of text, or of text by
    dictionary; no null, no empty text."""

    values: pa.ChunkedArray
    numeric: bool
    file: str
    from_csv: bool

    @cached_property
    def numpy(self) -> npt.NDArray[Any]:
        """The ids as int64, or as an object array of texts."""
        return to_numpy(self.values)


def to_numpy(values: Any) -> npt.NDArray[Any]:
    """Arrow ids as int64, or as an object array of texts."""
    if pa.types.is_integer(values.type):
        return np.array(values.to_numpy(), dtype=np.int64)
    return np.array(as_numpy(pc.cast(values, pa.large_string())), dtype=object)


def to_arrow(ids: npt.NDArray[Any]) -> pa.Array:
    """Ids of :func:`to_numpy` as an Arrow array."""
    return pa.array(ids, pa.int64() if ids.dtype.kind == "i" else pa.large_string())


def read_ids(table: Table, column: str, faults: Faults) -> Ids | None:
    """The ids of a table; None after a fault: missing, of several types, or neither text nor whole
    numbers.
    """

    def fault(message: str, fix: str, rows: Any = ()) -> None:
        faults.add(table.file, message, fix, column=column, rows=rows)

    both = "Make all ids text or all ids whole numbers, the same in all tables"
    try:
        values = table.arrow(column)
    except UnicodeEncodeError:
        fault("an id is not valid Unicode text", "Store the ids as UTF-8 text")
        return None
    except (pa.ArrowException, ValueError, TypeError, OverflowError):
        cells = table.series(column).astype(object)
        kinds = cells.map(lambda cell: type(cell).__name__)
        odd = (kinds != kinds.mode()[0]).to_numpy()
        fault(
            f"the ids are of several types ({', '.join(sorted(set(kinds)))}), for example"
            f" {samples(cells[odd][:1000])}",
            both,
            odd,
        )
        return None
    kind = values.type.value_type if pa.types.is_dictionary(values.type) else values.type
    if pa.types.is_floating(kind):
        fault(
            "the ids are decimal numbers, which is what pandas makes of whole numbers when a"
            " cell is empty",
            "Fill or drop rows without an id, and store the ids as integers or as text",
        )
        return None
    textual = (
        pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    )
    if (
        not textual
        and not pa.types.is_integer(kind)
        and not (pa.types.is_null(kind) and table.rows)
    ):
        fault(f"the ids are neither text nor whole numbers but {kind}", both)
        return None
    return _complete(table, column, values, kind, textual, faults)


def _complete(
    table: Table, column: str, values: Any, kind: Any, textual: bool, faults: Faults
) -> Ids | None:
    """The ids in one of a few types, none of them missing."""
    if pa.types.is_dictionary(values.type):
        values = (
            pa.chunked_array(
                [_plain(chunk) for chunk in values.chunks],
                pa.dictionary(pa.int32(), pa.large_string()),
            )
            if textual
            else pc.cast(values, kind)
        )
    elif textual:
        values = pc.cast(values, pa.large_string())
    empty = as_numpy(pc.is_null(values)) if values.null_count else None
    if textual and _has_empty_text(values):
        empty = as_numpy(pc.fill_null(pc.equal(pc.cast(values, pa.large_string()), ""), True))
    if empty is not None:
        faults.add(
            table.file,
            "the id is missing",
            "Give every row an id, or leave the row out",
            column=column,
            rows=empty.astype(np.bool_),
        )
        return None
    if not textual:
        try:
            values = pc.cast(values, pa.int64())
        except pa.ArrowInvalid:
            faults.add(
                table.file,
                "an id is larger than 9,223,372,036,854,775,807",
                "Store such long ids as text",
                column=column,
            )
            return None
    return Ids(values, not textual, table.file, table.text)


def _plain(chunk: Any) -> Any:
    """A dictionary array with codes and texts of the usual size."""
    return pa.DictionaryArray.from_arrays(
        pc.cast(chunk.indices, pa.int32()), pc.cast(chunk.dictionary, pa.large_string())
    )


def _has_empty_text(values: Any) -> bool:
    """Whether a text is empty, or null in a dictionary (a dictionary may also have texts that no
    row uses)."""
    if not pa.types.is_dictionary(values.type):
        return bool(pc.any(pc.equal(values, "")).as_py())
    odd = [
        pc.any(pc.fill_null(pc.equal(chunk.dictionary, ""), True)).as_py()
        for chunk in values.chunks
    ]
    return any(odd) and bool(
        pc.any(pc.fill_null(pc.equal(pc.cast(values, pa.large_string()), ""), True)).as_py()
    )


def same_type(ids: Ids, reference: Ids, column: str, faults: Faults) -> bool:
    """Whether two tables have ids of the same type; a fault says which differ."""
    if ids.numeric == reference.numeric:
        return True
    words = {True: "whole numbers", False: "texts"}
    why = (
        "; ids in a CSV file are always read as text, so that 007 stays 007"
        if ids.from_csv or reference.from_csv
        else ""
    )
    faults.add(
        ids.file,
        f"the ids are {words[ids.numeric]} here but {words[reference.numeric]} in"
        f" {reference.file}{why}",
        "Store both as text or both as integers"
        + (" in Parquet, or both tables as CSV" if why else ""),
        column=column,
    )
    return False


def positions(
    ids: Any,
    known: npt.NDArray[Any] | pa.Array,
    out: Positions | None = None,
    *,
    compiled: bool = False,
) -> Positions:
    """The position of each id among the known ones, −1 when it is not there. ``ids``: Arrow values
    as in :class:`Ids`.

    ``compiled``: numbers are looked up by a compiled loop, which pays off for millions of rows (it
    loads numba).
    """
    lookup = known if isinstance(known, pa.Array) else to_arrow(known)
    out = np.empty(len(ids), dtype=np.int32) if out is None else out
    start = 0
    for chunk in ids.chunks:
        part = out[start : start + len(chunk)]
        if compiled and pa.types.is_integer(chunk.type):
            from equity_core.bundle import kernels

            kernels.locate(as_numpy(chunk), as_numpy(lookup), part)
        elif pa.types.is_dictionary(chunk.type) and len(chunk):
            np.take(
                _index_in(chunk.dictionary, lookup), _codes(chunk), out=part, mode="clip"
            )  # any other mode makes a copy
        else:
            part[:] = _index_in(chunk, lookup)
        start += len(chunk)
    return out


def _codes(chunk: Any) -> npt.NDArray[Any]:
    """The codes of a dictionary array; an IndexError if they point outside the dictionary (a
    damaged file).
    """
    codes = as_numpy(chunk.indices)
    if codes.min() < 0 or codes.max() >= len(chunk.dictionary):
        raise IndexError("a code is not in its dictionary")
    return codes


def _index_in(values: Any, lookup: pa.Array) -> Positions:
    return as_numpy(pc.fill_null(pc.index_in(values, value_set=lookup), -1)).astype(
        np.int32, copy=False
    )


def distinct(ids: Ids) -> npt.NDArray[Any]:
    """The ids that occur, each once, sorted: numbers by size, texts by code point."""
    return np.sort(to_numpy(pc.unique(ids.values)))


def duplicated(ids: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Which ids have occurred before."""
    return np.asarray(pd.Series(ids).duplicated().to_numpy(), dtype=np.bool_)
