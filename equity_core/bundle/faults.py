"""What is wrong with a data set: every fault found, each with its place and its remedy."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

SHOWN = 5
"""How many rows (and sample values) a fault names."""


@dataclass(frozen=True)
class Fault:
    """One fault: where it is, what it is, and what to do. Rows are positions: the first row is
    0."""

    file: str
    column: str | None
    rows: tuple[int, ...]
    message: str
    fix: str

    def __str__(self) -> str:
        place = self.file + (f", column {self.column!r}" if self.column else "")
        if self.rows:
            place += f", row{'s' if len(self.rows) > 1 else ''} {', '.join(map(str, self.rows))}"
        return f"{place}: {self.message}. {self.fix}."


class BundleError(ValueError):
    """A data set that cannot be used. One message lists every fault; ``faults`` has them one by
    one."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__(self.faults)

    def __str__(self) -> str:
        count = len(self.faults)
        note = " (the first row is row 0)" if any(fault.rows for fault in self.faults) else ""
        lines = [f"{count} fault{'s' if count != 1 else ''} found{note}:"]
        return "\n".join(
            lines + [f"  {number}. {fault}" for number, fault in enumerate(self.faults, 1)]
        )


class Faults:
    """Collects faults, so that one error can report them all."""

    def __init__(self) -> None:
        self.found: list[Fault] = []

    def add(
        self, file: str, message: str, fix: str, *, column: str | None = None, rows: Any = ()
    ) -> None:
        """One fault more. ``rows`` may be positions or a mask of any length; the first few are
        named, the message gets their number."""
        at = np.asarray(rows)
        at = np.flatnonzero(at) if at.dtype == np.bool_ else at
        if len(at) > SHOWN:
            message += f" (in {len(at):,} rows; the first are named)"
        self.found.append(Fault(file, column, tuple(int(row) for row in at[:SHOWN]), message, fix))

    def __len__(self) -> int:
        return len(self.found)

    def stop(self) -> None:
        """Raise what was found, if anything."""
        if self.found:
            raise BundleError(self.found)


def samples(values: Iterable[Any]) -> str:
    """A few distinct values, for a message."""
    distinct: list[str] = []
    for value in values:
        text = repr(value) if len(repr(value)) <= 60 else repr(value)[:57] + "..."
        if text not in distinct:
            distinct.append(text)
        if len(distinct) > SHOWN:
            return ", ".join(distinct[:SHOWN]) + ", …"
    return ", ".join(distinct)
