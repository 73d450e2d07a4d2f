"""What an importer changed, and what it could not read.

Importers change other people's numbers ("$19.99" becomes 19.99), so each of them says what it
changed. Faults are all collected before an importer stops, so that one run names everything that
has to be fixed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NoReturn

from equity_core.bundle.faults import BundleError, Faults


@dataclass(frozen=True)
class Note:
    """One thing that an importer did to a file, in plain words, for a log or a screen."""

    file: str
    column: str | None
    message: str
    warning: bool = False
    """Whether it may mean that something is wrong, so that a user should see it at once."""

    def __str__(self) -> str:
        return (
            f"{self.file}, column {self.column!r}: {self.message}"
            if self.column
            else f"{self.file}: {self.message}"
        )


@dataclass
class Report:
    """Collects notes and faults while a source is read; ``file`` is the file name in both."""

    file: str = "table"
    notes: list[Note] = field(default_factory=list)
    faults: Faults = field(default_factory=Faults)

    def of(self, file: str) -> Report:
        """The same report, for another file."""
        return Report(file, self.notes, self.faults)

    def note(self, message: str, column: str | None = None) -> None:
        self.notes.append(Note(self.file, column, message))

    def warn(self, message: str, column: str | None = None) -> None:
        """Note what may mean that something is wrong, although everything could be read."""
        self.notes.append(Note(self.file, column, message, warning=True))

    @property
    def warnings(self) -> list[Note]:
        return [note for note in self.notes if note.warning]

    def fault(self, message: str, fix: str, *, column: str | None = None, rows: Any = ()) -> None:
        """A fault of the file at hand; ``rows`` are positions or a mask, as in :class:`Faults`."""
        self.faults.add(self.file, message, fix[:1].upper() + fix[1:], column=column, rows=rows)

    def refuse(
        self, message: str, fix: str, *, column: str | None = None, rows: Any = ()
    ) -> NoReturn:
        """A fault after which nothing more can be read: raise it, with those found before."""
        self.fault(message, fix, column=column, rows=rows)
        raise BundleError(self.faults.found)

    def stop(self) -> None:
        """Raise a BundleError that lists every fault so far, if there is one."""
        self.faults.stop()
