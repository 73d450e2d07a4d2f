"""TREC run files: ``qid Q0 docid rank score tag`` between blanks; the learner is the query, the
course the document."""

from __future__ import annotations

import io
from pathlib import Path

import pandas as pd

from equity_core.bundle.faults import samples
from equity_core.importers.convert import Ids, to_ids, to_numbers
from equity_core.importers.reading import decode
from equity_core.importers.report import Report

COLUMNS = ("qid", "Q0", "docid", "rank", "score", "tag")


def looks_like(line: str) -> bool:
    """Whether a line is one of a run file."""
    fields = line.split()
    try:
        int(fields[3])
        float(fields[4])
    except (IndexError, ValueError):
        return False
    return len(fields) == 6


def read(path: Path, report: Report, ids: Ids | None) -> pd.DataFrame:
    """learner_id, course_id, score. The score decides, not the rank, as trec_eval has it."""
    text = decode(path.read_bytes(), report)
    wrong = [
        at for at, line in enumerate(text.splitlines()) if line.strip() and len(line.split()) != 6
    ]
    if wrong:
        report.refuse(
            "lines that do not have the six fields of a run file",
            f"write {' '.join(COLUMNS)} between blanks",
            rows=wrong,
        )
    frame = pd.read_csv(
        io.StringIO(text),
        sep=r"\s+",
        header=None,
        names=list(COLUMNS),
        dtype=str,
        keep_default_na=False,
        quoting=3,
    )
    if (frame["tag"] != frame["tag"].iloc[0]).any():
        report.refuse(
            f"holds several runs: {samples(frame['tag'])}", "write one file a run", column="tag"
        )
    scores = to_numbers(frame["score"], "score", report, kind="score")
    learners, courses = (
        to_ids(frame["qid"], "qid", report, ids=ids),
        to_ids(frame["docid"], "docid", report, ids=ids),
    )
    return pd.DataFrame({"learner_id": learners, "course_id": courses, "score": scores})
