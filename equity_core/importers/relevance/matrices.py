"""Relevance matrices, learners × courses: dense ``.npy`` (numpy.save) and sparse ``.npz``
(scipy.sparse.save_npz).

Read without pickles: an array of Python objects is refused. Rows and columns are the ids given, in
order; without ids, positions 0, 1, …
"""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from equity_core.importers.report import Report

if TYPE_CHECKING:
    from collections.abc import Sequence

LARGEST = 2 * 1024**3
"""The most bytes that a compressed matrix may unpack to."""
MOST_CELLS = 50_000_000
"""The most cells of a dense matrix that are all kept; with more, ``candidates`` must say how many
to keep per learner."""
_CHUNK = 512
_DAMAGED = (
    ValueError,
    OSError,
    EOFError,
    KeyError,
    IndexError,
    TypeError,
    zipfile.BadZipFile,
    NotImplementedError,
)


def read(
    path: Path,
    report: Report,
    learner_ids: Sequence[Any] | npt.NDArray[Any] | None,
    course_ids: Sequence[Any] | npt.NDArray[Any] | None,
    candidates: int | None,
) -> pd.DataFrame:
    """learner_id, course_id, score. Dense: every finite cell (NaN and −∞ mean no candidate);
    sparse: every stored cell."""
    matrix = _load(path, report)
    if 0 in matrix.shape:
        report.refuse(
            f"is empty: {matrix.shape[0]} rows and {matrix.shape[1]} columns", "save it again"
        )
    rows = _ids(learner_ids, matrix.shape[0], "learners", "rows", report)
    columns = _ids(course_ids, matrix.shape[1], "courses", "columns", report)
    report.stop()
    if isinstance(matrix, np.ndarray):
        if matrix.size > MOST_CELLS and candidates is None:
            report.refuse(
                f"has {matrix.size:,} cells, too many to keep them all",
                "say how many candidates to keep per learner, for example 200",
            )
        learner, course, score = _dense(matrix, candidates, report)
    else:
        cells = matrix.tocoo()
        learner, course, score = cells.row, cells.col, cells.data.astype(np.float64)
        report.note(
            f"{len(score):,} stored cells of a sparse matrix read; cells that are not stored are"
            " not candidates"
        )
    return pd.DataFrame({"learner_id": rows[learner], "course_id": columns[course], "score": score})


def _ids(
    given: Sequence[Any] | npt.NDArray[Any] | None,
    length: int,
    what: str,
    side: str,
    report: Report,
) -> npt.NDArray[Any]:
    if given is None:
        report.note(f"no ids given: {what} are numbered from 0, in the order of the {side}")
        return np.arange(length, dtype=np.int64)
    ids = np.asarray(given)
    if len(ids) != length:
        report.fault(
            f"the matrix has {length:,} {side}, but there are {len(ids):,} ids of {what}",
            f"give one id per {side.removesuffix('s')}, in the matrix's order, learners as rows and"
            " courses as columns",
        )
    return ids if ids.dtype.kind in "iu" else ids.astype(object)


def _load(path: Path, report: Report) -> Any:
    """The matrix, memory-mapped when dense; refused when it holds objects, is damaged, or is not
    numeric with two dimensions."""
    try:
        matrix = (
            _open_npz(path, report)
            if zipfile.is_zipfile(path)
            else np.load(path, mmap_mode="r", allow_pickle=False)
        )
    except _DAMAGED as error:
        if "object" in str(error).lower() or "pickle" in str(error).lower():
            report.refuse(
                "contains Python objects, which would run code when loaded; they are not read",
                "save an array of numbers: numpy.save(path, array.astype(float))",
            )
        report.refuse(
            f"cannot be read as a matrix ({error})",
            "save it with numpy.save, or scipy.sparse.save_npz when sparse",
        )
    if matrix.ndim != 2 or matrix.dtype.kind not in "iufb":
        report.refuse(
            f"is an array of {matrix.dtype} with {matrix.ndim} dimension(s)",
            "save numbers, learners as rows and courses as columns",
        )
    return matrix


def _open_npz(path: Path, report: Report) -> Any:
    with zipfile.ZipFile(path) as archive:
        if sum(member.file_size for member in archive.infolist()) > LARGEST:
            report.refuse("unpacks to more than 2 GB", "keep fewer candidates per learner")
    with np.load(path, allow_pickle=False) as arrays:
        names = arrays.files
        if "format" not in names:
            if len(names) != 1:
                report.refuse(
                    f"holds {len(names)} arrays: {', '.join(names)}",
                    "save one matrix per file, with numpy.save or scipy.sparse.save_npz",
                )
            return arrays[names[0]]
    from scipy import sparse

    matrix = sparse.load_npz(path)
    if hasattr(matrix, "check_format"):
        matrix.check_format(full_check=True)  # indices out of range would be followed blindly
    return matrix


def _dense(
    matrix: npt.NDArray[Any], candidates: int | None, report: Report
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Row, column and score of the finite cells, one chunk of rows at a time; only the best
    ``candidates`` of each row, if given.
    """
    rows, columns, scores, masked, endless = [], [], [], 0, 0
    for start in range(0, matrix.shape[0], _CHUNK):
        block = np.asarray(matrix[start : start + _CHUNK], dtype=np.float64)
        endless += int(np.isposinf(block).sum())
        if candidates is not None and candidates < block.shape[1]:
            ranked = np.where(np.isfinite(block), block, -np.inf)
            best = np.argsort(-ranked, axis=1, kind="stable")[:, :candidates]
            keep = np.zeros(block.shape, dtype=bool)
            np.put_along_axis(keep, best, True, axis=1)
            keep &= np.isfinite(block)
        else:
            keep = np.isfinite(block)
            masked += int(block.size - keep.sum())
        row, column = np.nonzero(keep)
        rows.append(row + start)
        columns.append(column)
        scores.append(block[row, column])
    if endless:
        report.refuse(
            f"has {endless:,} cells of +∞",
            "write finite scores; NaN or −∞ marks a course that is not a candidate",
        )
    if masked:
        report.note(f"{masked:,} cells of NaN or −∞ read as no candidate")
    return np.concatenate(rows), np.concatenate(columns), np.concatenate(scores)
