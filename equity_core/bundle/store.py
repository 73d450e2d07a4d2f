"""Saving a bundle: everything is written beside the target first, then moved into place at once."""

from __future__ import annotations

import os
import shutil
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from equity_core.bundle import archive, manifest
from equity_core.bundle.ids import to_arrow
from equity_core.bundle.manifest import Kept
from equity_core.bundle.relevance import Relevance

if TYPE_CHECKING:
    from equity_core.bundle.assemble import Content
    from equity_core.bundle.model import Bundle

GROUP = 1 << 20
"""About this many rows are written, and read again, at once."""


IGNORED = (".DS_Store", "Thumbs.db", "desktop.ini")
"""What file managers leave in a folder; it does not keep a bundle from being replaced."""


def put_in_place(
    path: str | os.PathLike[str], write: Callable[[Path], None], aside: Path | None = None
) -> Path | None:
    """Have a bundle's files written to a new folder, then put that folder, or a zip of it if the
    path ends in .zip, in its place: all or nothing.

    A bundle there is replaced, and moved to ``aside`` if that is given; anything else is a
    FileExistsError. Returns the folder; None for a zip.
    """
    target = Path(os.path.realpath(path))
    zipped = target.suffix.lower() == ".zip"
    _refuse(target, zipped)
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(
        prefix=f".{target.name}.", dir=target.parent, ignore_cleanup_errors=True
    ) as scratch:
        new, new_zip, old = Path(scratch) / "new", Path(scratch) / "new.zip", Path(scratch) / "old"
        write(new)
        if aside is not None:
            old = aside
            old.parent.mkdir(parents=True, exist_ok=True)
        if zipped:
            _zip(new, new_zip)
            if aside is not None and target.exists():
                shutil.copy2(target, aside)
            new_zip.replace(target)
            return None
        if target.exists():
            target.rename(old)
        try:
            new.rename(target)
        except OSError:
            if old.exists():
                old.rename(target)
            raise
        return target


def _refuse(target: Path, zipped: bool) -> None:
    """FileExistsError if saving would overwrite what is not a bundle, or delete what does not
    belong to one."""
    if not target.exists():
        return
    if zipped:
        if not target.is_file() or not _is_zipped_bundle(target):
            raise FileExistsError(
                f"{target} already exists and is not a zipped bundle; nothing was written:"
                " choose another path"
            )
        return
    inside = (
        [path.relative_to(target) for path in target.rglob("*") if path.name not in IGNORED]
        if target.is_dir()
        else [Path()]
    )
    other = [
        str(path) for path in inside if path != Path("relevance") and not archive.belongs(path)
    ]
    if other or (inside and Path(manifest.FILE) not in inside):
        found = f" (it contains {other[0]!r})" if target.is_dir() and other else ""
        raise FileExistsError(
            f"{target} already exists and is not a bundle{found}; nothing was written:"
            " choose another path, or an empty folder"
        )


def is_bundle(path: Path) -> bool:
    """Whether there is a bundle at a path: a folder with a manifest, or a zip with one."""
    if path.is_dir():
        return (path / manifest.FILE).is_file()
    return path.is_file() and _is_zipped_bundle(path)


def _is_zipped_bundle(path: Path) -> bool:
    try:
        with zipfile.ZipFile(path) as there:
            return any(name.rpartition("/")[2] == manifest.FILE for name in there.namelist())
    except (zipfile.BadZipFile, OSError):
        return False


def write_tables(bundle: Bundle, folder: Path) -> None:
    """Write the tables of a bundle to a new folder."""
    (folder / "relevance").mkdir(parents=True)
    _write(_courses(bundle), folder / "courses.parquet")
    _write(_interactions(bundle), folder / "interactions.parquet")
    for stem, frame in (("learners", bundle.learners), ("targets", bundle.targets)):
        if frame is not None:
            ids = {"learner_id": to_arrow(bundle.learner_ids)}
            _write(
                pa.table(
                    {**ids, **{str(name): _array(frame[name].to_numpy()) for name in frame.columns}}
                ),
                folder / f"{stem}.parquet",
            )


def write_manifest(folder: Path, content: Content, tables_hash: str, kept: dict[str, Kept]) -> None:
    """Write the manifest: the settings as they were given, and the hashes of the other files."""
    full = content.manifest.model_copy(
        update={
            "format": manifest.FORMAT,
            "now": _moment(content.given_now),
            "opened": _moment(content.given_opened),
            "split_at": _moment(content.given_split_at),
            "tables": tables_hash,
            "relevance": kept,
        }
    )
    (folder / manifest.FILE).write_text(manifest.write(full), encoding="utf-8", newline="\n")


def _moment(moment: Any) -> Any:
    return None if moment is None else moment.to_pydatetime()


def _array(values: npt.NDArray[Any]) -> pa.Array:
    if values.dtype.kind == "O":
        return pa.array(values, pa.string(), from_pandas=True)
    return pa.array(values, from_pandas=True)


def _courses(bundle: Bundle) -> pa.Table:
    columns = {
        str(name): bundle.courses[name].to_numpy()
        for name in bundle.courses.columns
        if name != "course_id"
    }
    arrays = {
        name: pa.array(values, pa.list_(pa.string())) if name == "assets" else _array(values)
        for name, values in columns.items()
    }
    return pa.table({"course_id": to_arrow(bundle.course_ids), **arrays})


def _interactions(bundle: Bundle) -> pa.Table:
    frame = bundle.interactions
    return pa.table(
        {
            "learner_id": _taken(bundle.learner_ids, frame["learner"].to_numpy()),
            "course_id": _taken(bundle.course_ids, frame["course"].to_numpy()),
            "split": pa.array(frame["split"]),
            "timestamp": pa.array(frame["timestamp"].to_numpy()),
            "rating": pa.array(frame["rating"].to_numpy(), from_pandas=True),
        }
    )


def _taken(ids: npt.NDArray[Any], positions: npt.NDArray[np.int32]) -> pa.Array:
    """Ids by position; text is stored as a dictionary, so that no text is repeated per row."""
    return (
        pa.DictionaryArray.from_arrays(positions, to_arrow(ids))
        if ids.dtype.kind == "O"
        else pa.array(ids[positions])
    )


def _write(table: pa.Table, path: Path) -> None:
    pq.write_table(
        table, path, compression="zstd", store_schema=False, dictionary_pagesize_limit=1 << 24
    )


def write_relevance(
    relevance: Relevance, learner_ids: npt.NDArray[Any], course_ids: npt.NDArray[Any], path: Path
) -> None:
    """Rows by learner, then by score, highest first, then by course position: the order that
    loading need not sort.

    Scores are stored as float32 where that loses nothing (recommenders compute in it), else as
    float64.
    """
    with np.errstate(over="ignore"):
        narrow = relevance.scores.astype(np.float32)
    scores = (
        narrow if np.array_equal(narrow.astype(np.float64), relevance.scores) else relevance.scores
    )
    id_type = {"O": pa.string(), "i": pa.int64()}
    fields = [
        ("learner_id", id_type[learner_ids.dtype.kind]),
        ("course_id", id_type[course_ids.dtype.kind]),
        ("score", pa.from_numpy_dtype(scores.dtype)),
    ]
    with pq.ParquetWriter(
        path,
        pa.schema(fields),
        compression="zstd",
        store_schema=False,
        dictionary_pagesize_limit=1 << 24,
        use_dictionary=["learner_id", "course_id"],
        column_encoding={"score": "BYTE_STREAM_SPLIT"},
    ) as out:
        counts = np.diff(relevance.indptr)
        start = 0
        while start < len(relevance):
            stop = max(
                start + 1,
                int(
                    np.searchsorted(relevance.indptr, relevance.indptr[start] + GROUP, side="right")
                )
                - 1,
            )
            part = slice(relevance.indptr[start], relevance.indptr[stop])
            rows = np.repeat(np.arange(stop - start, dtype=np.int32), counts[start:stop])
            out.write_table(
                pa.table(
                    [
                        _taken(learner_ids[start:stop], rows).cast(fields[0][1]),
                        _taken(course_ids, relevance.courses[part]).cast(fields[1][1]),
                        scores[part],
                    ],
                    schema=pa.schema(fields),
                )
            )
            start = stop


def _zip(folder: Path, path: Path) -> None:
    """The folder as a zip. Parquet is compressed already, so it is only stored; the same bundle
    gives the same bytes.
    """
    with zipfile.ZipFile(path, "x", zipfile.ZIP_STORED) as out:
        for source in sorted(folder.rglob("*")):
            if source.is_file():
                put_into(out, source, source.relative_to(folder).as_posix())


def put_into(out: zipfile.ZipFile, source: Path, name: str) -> None:
    """A file as a member of a zip, with a fixed date."""
    member = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
    member.external_attr = 0o644 << 16
    with source.open("rb") as content, out.open(member, "w", force_zip64=True) as target:
        shutil.copyfileobj(content, target, 1 << 20)
