"""Where the relevance of an algorithm comes from: a frame, checked at once, or a file, read and
checked at first use."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import file_digest
from pathlib import Path

import pyarrow.parquet as pq

from equity_core.bundle import candidates, tables
from equity_core.bundle.assemble import Assembled, Content
from equity_core.bundle.faults import Faults
from equity_core.bundle.manifest import Kept
from equity_core.bundle.relevance import Relevance, settle
from equity_core.bundle.tables import Table

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._+-]{0,99}")

EMPTY_FIX = "Give at least one candidate, or leave the algorithm out"

Settled = tuple[Relevance, dict[str, int]]


@dataclass(frozen=True, eq=False)
class Held:
    """Relevance that is in memory already."""

    settled: Settled

    def load(self, content: Content) -> Settled:
        """The candidates, and what was dropped."""
        return self.settled

    def kept_content(self) -> str | None:
        """The hash of the content, where it is known."""
        return None


@dataclass(frozen=True, eq=False)
class Stored:
    """Relevance in a file whose hash was verified when the bundle was loaded."""

    path: Path
    file: str
    kept: Kept
    stamp: tuple[int, int] = field(default=(0, 0))

    @classmethod
    def at(cls, path: Path, file: str, kept: Kept) -> Stored:
        """The file as it is now."""
        return cls(path, file, kept, _stamp(path))

    def load(self, content: Content) -> Settled:
        """The candidates, and what was dropped; BundleError: rows at fault, or the file has changed
        since the bundle was loaded."""
        faults = Faults()
        try:
            changed = _stamp(self.path) != self.stamp
        except OSError:
            changed = True
        if changed:
            faults.add(
                self.file,
                "the file has changed, or is gone, since the bundle was loaded",
                "Load the bundle again",
            )
            faults.stop()
        rows = candidates.from_file(self.path, self.file, content.known, faults)
        if rows is not None and len(rows.scores) == 0 and self.kept.rows != 0:
            faults.add(self.file, "the table is empty", EMPTY_FIX)
        settled = (
            None
            if rows is None
            else settle(rows, content.past, content.future.hidden, self.file, faults)
        )
        faults.stop()
        assert settled is not None
        return settled

    def kept_content(self) -> str | None:
        """The hash of the content that the manifest keeps for this very file."""
        return self.kept.content if self.kept.sha256 is not None else None


Source = Held | Stored


def _stamp(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_size, found.st_mtime_ns


def from_table(table: Table, assembled: Assembled, faults: Faults) -> Held | None:
    """A caller's relevance, checked at once; None after a fault."""
    if table.rows == 0:
        faults.add(table.file, "the table is empty", EMPTY_FIX)
        return None
    rows = candidates.from_table(table, assembled.known, faults)
    if rows is None or assembled.content is None:
        return None
    settled = settle(
        rows, assembled.content.past, assembled.content.future.hidden, table.file, faults
    )
    return None if settled is None else Held(settled)


def check_names(names: Iterable[str], faults: Faults) -> None:
    """Add a fault for a name that cannot be a file name, or that differs from another by case
    only."""
    seen: set[str] = set()
    for name in names:
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            faults.add(
                f"relevance {name!r}",
                "an algorithm cannot have this name",
                "Use letters, digits, spaces and . _ + -, at most 100",
            )
        elif name.casefold() in seen:
            faults.add(
                f"relevance {name!r}",
                "there is another algorithm with this name",
                "Give each a name that differs by more than upper and lower case",
            )
        else:
            seen.add(name.casefold())


def check_file(path: Path, file: str, kept: Kept, faults: Faults) -> None:
    """Faults of a relevance file that show without reading its rows: hash, kind, columns."""
    try:
        if kept.sha256 is not None and sha256(path) != kept.sha256:
            fix = (
                "Put the original file back; if the change is meant, remove"
                f" [relevance.{path.stem}] from manifest.toml"
            )
            faults.add(
                file,
                "the file is not the one that was saved: its hash differs from the manifest's",
                fix,
            )
            return
        if path.suffix == ".csv":
            names, rows = tables.csv_header(path, file, faults), 1
        else:
            with pq.ParquetFile(path) as source:
                names, rows = list(source.schema_arrow.names), source.metadata.num_rows
    except tables.UNREADABLE as error:
        tables.unreadable(error, path, file, faults)
        return
    if (
        names is not None
        and Table(file, dict.fromkeys(names), rows, path.suffix == ".csv").require(
            candidates.COLUMNS, faults
        )
        and rows == 0
        and kept.rows != 0
    ):
        faults.add(file, "the table is empty", EMPTY_FIX)


def sha256(path: Path) -> str:
    """The hash of a file, as sha256sum prints it."""
    with path.open("rb") as source:
        return file_digest(source, "sha256").hexdigest()
