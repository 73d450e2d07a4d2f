"""Elliot's recommendation files: no header; learner, course and score between tabs (or commas)."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from equity_core.importers.convert import Ids, to_ids, to_numbers
from equity_core.importers.reading import read_text_table
from equity_core.importers.report import Report


def looks_like(fields: list[str]) -> bool:
    """Whether the first line's fields are learner, course and a number, rather than a header."""
    try:
        float(fields[2])
    except (IndexError, ValueError):
        return False
    return len(fields) == 3


def read(path: Path, report: Report, ids: Ids | None) -> pd.DataFrame:
    """learner_id, course_id, score."""
    frame = read_text_table(path, report, header=False)
    if frame.shape[1] != 3:
        report.refuse(
            f"has {frame.shape[1]} columns instead of three",
            "write learner, course and score between tabs, without a header",
        )
    scores = to_numbers(frame[2], "3rd", report, kind="score")
    return pd.DataFrame(
        {
            "learner_id": to_ids(frame[0], "1st", report, ids=ids),
            "course_id": to_ids(frame[1], "2nd", report, ids=ids),
            "score": scores,
        }
    )
