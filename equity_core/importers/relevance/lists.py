"""Recommendation lists with a header: LensKit, RecTools, RecBole (typed headers), and any other
table of learner, course, score or rank.

All three name their columns (``user_id``, ``item_id``, ``score``, ``rank``; older LensKit ``user``,
``item``), so the guesser finds them. LensKit may also keep one row per learner with a list of
records in ``items``; it is unfolded first.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from equity_core.importers.columns import convert_table
from equity_core.importers.guess import guess_columns
from equity_core.importers.reading import read_table
from equity_core.importers.report import Report


def read(path: Path, report: Report) -> pd.DataFrame:
    """learner_id, course_id, score. With ranks only, score = −rank, which keeps the order in even
    steps. Where both are there, the score is used.
    """
    frame = read_scores_table(path, report)
    guesses = guess_columns(frame, "scores")
    found = {guess.target: guess.source for guess in guesses.guesses}
    if not guesses.enough:
        missing = [target for target in ("learner_id", "course_id") if target not in found]
        if not {"score", "rank"} & set(found):
            missing.append("score")
        report.refuse(
            f"no column looks like {' or '.join(missing)}; the columns are"
            f" {', '.join(map(str, frame.columns[:20]))}",
            "name the columns learner_id, course_id and score (or rank)",
            column=missing[0],
        )
    if "score" in found:
        found.pop("rank", None)
    columns = guesses.map().with_columns(found)
    table = convert_table(frame, columns, report)
    report.note(
        f"columns read: {', '.join(f'{source} as {target}' for target, source in found.items())}"
    )
    report.stop()
    if "score" not in table:
        table["score"] = score_of_rank(table["rank"], report, found["rank"])
    return table[["learner_id", "course_id", "score"]]


def score_of_rank(rank: pd.Series, report: Report, column: str) -> pd.Series:
    report.note(
        "there are ranks but no scores: score = −rank, which keeps the order and spaces it evenly",
        column,
    )
    return -rank.astype("float64")


def read_scores_table(path: Path, report: Report | None = None) -> pd.DataFrame:
    """A table file of scores; one that keeps a list of records per learner has a row per record."""
    frame = read_table(path, report)
    if (
        "items" not in frame.columns
        or not frame["items"].map(lambda cell: isinstance(cell, (list, np.ndarray))).all()
    ):
        return frame
    long = frame.explode("items", ignore_index=True)
    long = long[long["items"].map(lambda cell: isinstance(cell, dict))].reset_index(drop=True)
    return pd.concat([long.drop(columns="items"), pd.DataFrame(list(long["items"]))], axis=1)
