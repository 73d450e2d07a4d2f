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
    """One fault: where it is, what it is, and what to do about it.

    Rows are positions: the first row is 0.
    """

    file: str
    """The file, or the argument, at fault."""
    column: str | None
    """The column, if the fault is in one."""
    rows: tuple[int, ...]
    """The first few rows at fault."""
    message: str
    """What is wrong."""
    fix: str
    """What to do about it."""

    def __str__(self) -> str:
        place = self.file + (f", column {self.column!r}" if self.column else "")
        if self.rows:
            place += f", row{'s' if len(self.rows) > 1 else ''} {', '.join(map(str, self.rows))}"
        return f"{place}: {self.message}. {self.fix}."


class BundleError(ValueError):
    """A data set that cannot be used.

    One message lists every fault that was found, each with file, column, rows and remedy.

    Parameters
    ----------
    faults : iterable of Fault
        What was found.

    Attributes
    ----------
    faults : tuple of Fault
        The faults one by one; each has ``file``, ``column``, ``rows``, ``message`` and ``fix``.

    Examples
    --------
    >>> import equity_core as eq
    >>> try:
    ...     eq.load_bundle("no/such/folder")
    ... except eq.BundleError as error:
    ...     print(error.faults[0].message)
    there is no such folder or file
    """

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
        """Add one fault.

        ``rows`` may be positions or a mask of any length; the first few are named, and the message
        says how many there are.
        """
        at = np.asarray(rows)
        at = np.flatnonzero(at) if at.dtype == np.bool_ else at
        if len(at) > SHOWN:
            message += f" (in {len(at):,} rows; the first few are listed)"
        self.found.append(Fault(file, column, tuple(int(row) for row in at[:SHOWN]), message, fix))

    def __len__(self) -> int:
        return len(self.found)

    def stop(self) -> None:
        """Raise a BundleError with everything found, if there is anything."""
        if self.found:
            raise BundleError(self.found)


def samples(values: Iterable[Any]) -> str:
    """Return a few distinct values as text for a message."""
    distinct: list[str] = []
    for value in values:
        text = repr(value) if len(repr(value)) <= 60 else repr(value)[:57] + "..."
        if text not in distinct:
            distinct.append(text)
        if len(distinct) > SHOWN:
            return ", ".join(distinct[:SHOWN]) + ", …"
    return ", ".join(distinct)
