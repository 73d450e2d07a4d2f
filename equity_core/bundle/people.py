"""The optional tables about learners: columns to group by, and learner-specific targets. Both get
one row per learner, by position.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from equity_core.bundle.cells import column, numbers, typed_column, within
from equity_core.bundle.faults import Faults, samples
from equity_core.bundle.ids import Ids, duplicated, positions, read_ids, same_type
from equity_core.bundle.tables import Table
from equity_core.principles import Principle


def clean_learners(
    table: Table,
    reference: Ids | None,
    learner_ids: npt.NDArray[Any] | None,
    counts: dict[str, int],
    faults: Faults,
) -> pd.DataFrame | None:
    """Columns to group by, indexed by learner_id. Rows of learners without a past are dropped and
    counted; a learner without a row has no values.
    """
    rows = _rows(table, reference, learner_ids, counts, faults)
    columns = {name: typed_column(table, name) for name in table.columns if name != "learner_id"}
    if rows is None or learner_ids is None:
        return None
    index = _index(learner_ids)
    return pd.DataFrame(
        {name: column(_taken(values, rows), index) for name, values in columns.items()}, index=index
    )


def clean_targets(
    table: Table,
    reference: Ids | None,
    learner_ids: npt.NDArray[Any] | None,
    principles: Sequence[Principle],
    counts: dict[str, int],
    faults: Faults,
) -> pd.DataFrame | None:
    """Targets in [0, 1], one column per principle, indexed by learner_id. A cell, or a learner,
    that is not given has target 1.
    """
    rows = _rows(table, reference, learner_ids, counts, faults)
    names = [principle.name for principle in principles]
    unknown = [name for name in table.columns if name not in (*names, "learner_id")]
    for name in unknown:
        faults.add(
            table.file,
            "there is no principle with this name",
            f"The principles are {', '.join(names)}: rename the column or leave it out",
            column=name,
        )
    if "learner_id" in table.columns and len(table.columns) == 1:
        faults.add(
            table.file,
            "there is no column with targets",
            f"Add a column for one or more of {', '.join(names)}",
        )
    columns = {}
    for name in names:
        if name in table.columns:
            found = numbers(
                table, name, faults, "Write a number from 0 to 1, or leave the cell empty for 1"
            )
            within(
                table,
                name,
                found,
                0.0,
                1.0,
                faults,
                "a target must be from 0 to 1",
                "Write a number from 0 to 1, or leave the cell empty for 1",
            )
            columns[name] = found
    if rows is None or learner_ids is None or any(found is None for found in columns.values()):
        return None
    filled = {
        name: np.where(np.isnan(found), 1.0, found)[rows]
        for name, found in columns.items()
        if found is not None
    }
    return pd.DataFrame(
        {name: np.where(rows < 0, 1.0, found) for name, found in filled.items()},
        index=_index(learner_ids),
    )


def _rows(
    table: Table,
    reference: Ids | None,
    learner_ids: npt.NDArray[Any] | None,
    counts: dict[str, int],
    faults: Faults,
) -> npt.NDArray[np.int64] | None:
    """The row of each learner of the bundle, −1 for none."""
    if table.rows == 0:
        faults.add(table.file, "the table is empty", "Fill it in, or leave it out")
        return None
    if not table.require(["learner_id"], faults):
        return None
    ids = read_ids(table, "learner_id", faults)
    if ids is None:
        return None
    again = duplicated(ids.numpy)
    if again.any():
        shown = samples(ids.numpy[again][:1000].tolist())
        faults.add(
            table.file,
            f"the learner is listed already: {shown}",
            "Keep one row per learner",
            column="learner_id",
            rows=again,
        )
        return None
    if (
        reference is None
        or not same_type(ids, reference, "learner_id", faults)
        or learner_ids is None
    ):
        return None
    place = positions(ids.values, learner_ids)
    if (place < 0).all():
        faults.add(
            table.file,
            "no learner in this table has a training course",
            f"Use the ids of {reference.file}",
            column="learner_id",
        )
        return None
    stem = table.file.partition(".")[0]
    counts[f"{stem}_rows_without_past"] = int((place < 0).sum())
    rows = np.full(len(learner_ids), -1, dtype=np.int64)
    rows[place[place >= 0]] = np.flatnonzero(place >= 0)
    counts[f"learners_without_row_in_{stem}"] = int((rows < 0).sum())
    return rows


def _taken(values: npt.NDArray[Any], rows: npt.NDArray[np.int64]) -> npt.NDArray[Any]:
    """The values in the order of the learners; missing where there is no row, numbers then as
    decimals and booleans as texts."""
    taken = values[rows]
    gone = rows < 0
    if not gone.any():
        return taken
    if taken.dtype == np.bool_:
        taken = taken.astype(str).astype(object)
    if taken.dtype == np.int64:
        taken = taken.astype(np.float64)
    taken[gone] = {"f": np.nan, "M": np.datetime64("NaT", "s"), "O": None}[taken.dtype.kind]
    return taken


def _index(learner_ids: npt.NDArray[Any]) -> Any:
    return pd.Index(learner_ids, dtype=learner_ids.dtype, name="learner_id")
