"""Text files without a header: TREC runs and Elliot's recommendation files.

* TREC: ``qid Q0 docid rank score tag``, separated by blanks; the learner is the query, the course
  is the document.
* Elliot: learner, course and score, separated by tabs (or commas).
"""

from __future__ import annotations

import io
from pathlib import Path

import pandas as pd

from equity_core.bundle.faults import samples
from equity_core.importers.convert import to_ids, to_numbers
from equity_core.importers.reading import decode, read_text_table
from equity_core.importers.report import Report

TREC_COLUMNS = ("qid", "Q0", "docid", "rank", "score", "tag")


def looks_like_trec(line: str) -> bool:
    """Whether a line belongs to a run file."""
    fields = line.split()
    try:
        int(fields[3])
        float(fields[4])
    except (IndexError, ValueError):
        return False
    return len(fields) == 6


def read_trec(path: Path, report: Report) -> pd.DataFrame:
    """learner_id, course_id, score. The score decides, not the rank, as in trec_eval."""
    text = decode(path.read_bytes(), report)
    wrong = [
        at for at, line in enumerate(text.splitlines()) if line.strip() and len(line.split()) != 6
    ]
    if wrong:
        report.refuse(
            "lines that do not have the six fields of a run file",
            f"write {' '.join(TREC_COLUMNS)} separated by blanks",
            rows=wrong,
        )
    frame = pd.read_csv(
        io.StringIO(text),
        sep=r"\s+",
        header=None,
        names=list(TREC_COLUMNS),
        dtype=str,
        keep_default_na=False,
        quoting=3,
    )
    if (frame["tag"] != frame["tag"].iloc[0]).any():
        report.refuse(
            f"contains several runs: {samples(frame['tag'])}",
            "write one file per run",
            column="tag",
        )
    scores = to_numbers(frame["score"], "score", report, kind="score")
    learners, courses = (
        to_ids(frame["qid"], "qid", report),
        to_ids(frame["docid"], "docid", report),
    )
    return pd.DataFrame({"learner_id": learners, "course_id": courses, "score": scores})


def looks_like_elliot(fields: list[str]) -> bool:
    """Whether the first line's fields are learner, course and a number, rather than a header."""
    try:
        float(fields[2])
    except (IndexError, ValueError):
        return False
    return len(fields) == 3


def read_elliot(path: Path, report: Report) -> pd.DataFrame:
    """learner_id, course_id, score."""
    frame = read_text_table(path, report, header=False)
    if frame.shape[1] != 3:
        report.refuse(
            f"has {frame.shape[1]} columns instead of three",
            "write learner, course and score separated by tabs, without a header",
        )
    scores = to_numbers(frame[2], "3rd", report, kind="score")
    return pd.DataFrame(
        {
            "learner_id": to_ids(frame[0], "1st", report),
            "course_id": to_ids(frame[1], "2nd", report),
            "score": scores,
        }
    )
