"""Table files of other systems as frames: CSV and its relatives (every cell as text, so that "007"
stays), RecBole's headers, Parquet.

Pickles are never opened, whatever they are called: unpickling runs code from the file.
"""

from __future__ import annotations

import csv
import re
import zipfile
from pathlib import Path

import pandas as pd

from equity_core.importers.report import Report

PICKLE_SUFFIXES = frozenset(
    {".pkl", ".pickle", ".p", ".pt", ".pth", ".ckpt", ".joblib", ".dill", ".cloudpickle"}
)
_TYPED = re.compile(r"^(?P<name>.+):(?:token|token_seq|float|float_seq)$")
_FIX_PICKLE = (
    "save the table as Parquet or CSV, or the matrix with numpy.save or scipy.sparse.save_npz"
)
_HEAD = 64 * 1024


def head_of(path: Path, report: Report) -> bytes:
    """The first bytes of a file, once it is known to exist, not to be empty and not to be a
    pickle."""
    if not path.is_file():
        report.refuse("there is no such file", "check the path")
    if path.suffix.lower() in PICKLE_SUFFIXES:
        report.refuse(
            f"{path.suffix} files are pickles, which run code when they are opened; they are not"
            " read",
            _FIX_PICKLE,
        )
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if not head:
        report.refuse("the file is empty", "export it again")
    if _is_pickle(path, head):
        report.refuse(
            "the file holds a pickle, which runs code when it is opened; it is not read",
            _FIX_PICKLE,
        )
    if head[:2] == b"\x1f\x8b":
        report.refuse("the file is compressed with gzip", "unpack it first")
    return head


def _is_pickle(path: Path, head: bytes) -> bool:
    """Pickles from protocol 2 on, those that joblib packs with zlib, and zips with a pickle inside
    (as PyTorch writes them)."""
    if head[0] == 0x80 and len(head) > 1 and 2 <= head[1] <= 5:
        return True
    if head.startswith((b"x\x01", b"x\x9c", b"x\xda", b"ZF0x")):
        return True
    if head[:2] == b"PK" and zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            return any(Path(name).suffix.lower() in PICKLE_SUFFIXES for name in archive.namelist())
    return False


def encoding_of(data: bytes) -> str:
    """UTF-8 (with or without a byte order mark), else the Western European code page of Windows. A
    character cut off at the end does not count.
    """
    try:
        data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return "utf-8-sig" if error.start > len(data) - 4 else "cp1252"
    return "utf-8-sig"


def decode(data: bytes, report: Report) -> str:
    """The text of a file; an encoding other than UTF-8 is noted."""
    encoding = encoding_of(data)
    if encoding != "utf-8-sig":
        report.note(f"not UTF-8: read with the Western European code page ({encoding})")
    return data.decode(encoding, errors="replace")


def separator(text: str) -> str:
    """The separator of the first lines: tab, semicolon, comma or bar, whichever splits the header
    into the most columns and every line alike.
    """
    lines = [line for line in text.splitlines()[:20] if line.strip()]
    best, most = ",", 0
    for sign in ("\t", ";", ",", "|"):
        widths = [len(row) for row in csv.reader(lines, delimiter=sign)]
        if (
            widths
            and widths[0] > 1
            and widths[0] > most
            and (len(set(widths[:-1])) <= 1 or widths[0] == max(widths))
        ):
            best, most = sign, widths[0]
    return best


def read_text_table(
    path: Path, report: Report, *, header: bool = True, sep: str | None = None
) -> pd.DataFrame:
    """A delimited text file; every cell is text, an empty one is missing."""
    data = path.read_bytes()
    sign = separator(decode(data, report)[:_HEAD]) if sep is None else sep
    try:
        frame = pd.read_csv(
            path,
            sep=sign,
            header=0 if header else None,
            dtype=str,
            keep_default_na=False,
            na_values=[""],
            encoding=encoding_of(data),
            encoding_errors="replace",
            skip_blank_lines=True,
            engine="c",
        )
    except (pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        report.refuse(
            f"cannot be read as a table: {error}",
            "check that every line has as many columns as the header, and that quotes are closed",
        )
    return frame.astype(object).where(frame.notna(), None)


def read_table(path: str | Path, report: Report | None = None) -> pd.DataFrame:
    """A table file as a frame: Parquet with its types, else delimited text with a header. RecBole's
    ``name:type`` headers lose the type."""
    path = Path(path)
    report = Report(path.name) if report is None else report.of(path.name)
    head = head_of(path, report)
    if head[:4] == b"PAR1":
        frame = _read_parquet(path, report)
    elif b"\x00" in head[:4096]:
        report.refuse(
            "is neither text in UTF-8 nor Parquet",
            "export the table as CSV in UTF-8, or as Parquet",
        )
    else:
        frame = read_text_table(path, report)
    typed = [_TYPED.match(str(name)) for name in frame.columns]
    if frame.columns.size and all(typed):
        frame.columns = pd.Index([match["name"] for match in typed if match])
    else:
        frame.columns = pd.Index([str(name).strip() for name in frame.columns])
    if frame.columns.has_duplicates:
        report.refuse(
            f"has the column {frame.columns[frame.columns.duplicated()][0]!r} twice",
            "give every column its own name",
        )
    if frame.empty:
        report.refuse("has a header but no rows", "export it again")
    return frame


def _read_parquet(path: Path, report: Report) -> pd.DataFrame:
    from pyarrow import ArrowException

    try:
        frame = pd.read_parquet(path)
    except (ArrowException, OSError, ValueError) as error:
        report.refuse(f"cannot be read as Parquet: {error}", "write it again")
    return frame if isinstance(frame.index, pd.RangeIndex) else frame.reset_index()
