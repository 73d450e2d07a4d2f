"""Any platform's two tables, courses and interactions, read with column maps that are given or
guessed. Every guess is noted.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from equity_core.bundle.faults import samples
from equity_core.bundle.future import FutureCourses
from equity_core.importers.columns import ColumnMap, convert_table
from equity_core.importers.convert import Ids
from equity_core.importers.guess import guess_columns
from equity_core.importers.imported import (
    Cut,
    Imported,
    cut_log,
    usable_principles,
    with_first_taken,
)
from equity_core.importers.names import Table
from equity_core.importers.reading import read_table
from equity_core.importers.report import Report

Source = str | Path | pd.DataFrame
DEFAULT_CUT = Cut()


def import_tables(
    courses: Source,
    interactions: Source,
    course_columns: ColumnMap | None = None,
    interaction_columns: ColumnMap | None = None,
    *,
    ids: Ids | None = None,
    cut: Cut = DEFAULT_CUT,
    resplit: bool = False,
    rating_scale: tuple[float, float] = (1.0, 5.0),
    name: str | None = None,
    future_courses: FutureCourses = "mask",
    report: Report | None = None,
) -> Imported:
    """Two tables (files or frames) as what a bundle is made of.

    A column map that is not given is guessed, and every guess is noted; ``ids`` and
    ``rating_scale`` apply to guessed maps. A log with a split column keeps its split unless
    ``resplit`` is set; without one it is split by time, as ``cut`` says. Interactions with courses
    that are not in the courses table are left out and counted. A principle without a column is left
    out, and a note says so. Courses from after the split are in no list, unless ``future_courses``
    is "keep"; for that, the courses get a column ``first_taken``. BundleError: every fault of both
    tables, with file, column, rows and remedy.
    """
    report = Report() if report is None else report
    files = [
        default if isinstance(source, pd.DataFrame) else Path(source).name
        for source, default in ((courses, "courses"), (interactions, "interactions"))
    ]
    one, two = report.of(files[0]), report.of(files[1])
    catalogue = _table(courses, "courses", course_columns, one, ids, rating_scale)
    log = _table(interactions, "interactions", interaction_columns, two, ids, rating_scale)
    report.stop()
    catalogue = _settle_courses(catalogue, one)
    log = _known_courses(catalogue, log, two, files[0])
    report.stop()
    if future_courses == "mask":
        catalogue = with_first_taken(catalogue, log)
    split_at = None
    if resplit or "split" not in log:
        log, split_at = cut_log(log.drop(columns="split", errors="ignore"), cut, two)
    scale = course_columns.rating_scale if course_columns is not None else rating_scale
    return Imported(
        catalogue,
        log,
        principles=usable_principles(catalogue, log, one),
        rating_scale=scale,
        name=name or Path(files[0]).stem,
        provenance={
            "source": f"{files[0]} and {files[1]}",
            "notes": [str(note) for note in report.notes],
        },
        future_courses=future_courses,
        split_at=split_at,
        report=report,
    )


def _table(
    source: Source,
    table: Table,
    columns: ColumnMap | None,
    report: Report,
    ids: Ids | None,
    scale: tuple[float, float],
) -> pd.DataFrame:
    frame = source if isinstance(source, pd.DataFrame) else read_table(source, report)
    if columns is None:
        guesses = guess_columns(frame, table)
        for guess in guesses.guesses:
            report.note(
                f"taken as {guess.target} ({guess.confidence:.0%} sure): {guess.why}", guess.source
            )
        columns = guesses.map().with_columns(guesses.map().columns, ids=ids, rating_scale=scale)
    elif columns.table != table:
        raise ValueError(f"the column map for the {table} is one for the {columns.table}")
    return convert_table(frame, columns, report)


def _settle_courses(courses: pd.DataFrame, report: Report) -> pd.DataFrame:
    """Each course once; a missing title is the id."""
    twice = courses["course_id"].duplicated()
    if twice.any():
        report.fault(
            f"courses that are listed twice: {samples(courses.loc[twice, 'course_id'])}",
            "keep one row per course",
            column="course_id",
            rows=twice.to_numpy(),
        )
    if "title" not in courses or courses["title"].isna().all():
        report.note("there are no titles: the ids are used", "title")
        courses = courses.assign(title=courses["course_id"].astype(str))
    return courses


def _known_courses(
    courses: pd.DataFrame, log: pd.DataFrame, report: Report, home: str
) -> pd.DataFrame:
    kinds = [
        "whole numbers" if table["course_id"].dtype.kind == "i" else "text"
        for table in (log, courses)
    ]
    if kinds[0] != kinds[1]:
        report.fault(
            f"course ids are {kinds[0]} here but {kinds[1]} in {home}",
            "ask for ids of one type (ids = text or ids = integer)",
            column="course_id",
        )
        return log
    known = log["course_id"].isin(courses["course_id"])
    if not known.any():
        report.fault(
            f"none of its courses are in {home}: {samples(log['course_id'])}",
            "check that both tables come from the same platform and that the right columns are"
            " mapped",
            column="course_id",
        )
    elif not known.all():
        report.note(
            f"{int((~known).sum()):,} of {len(log):,} rows belong to courses that are not in"
            f" {home}; they are left out",
            "course_id",
        )
    return log[known].reset_index(drop=True)


def split_table(
    interactions: Source, cut: Cut, columns: ColumnMap | None = None, report: Report | None = None
) -> pd.DataFrame:
    """A table of interactions, cut by time: learner_id, course_id, timestamp, rating where there is
    one, and split."""
    file = "interactions" if isinstance(interactions, pd.DataFrame) else Path(interactions).name
    report = Report(file) if report is None else report.of(file)
    log = _table(interactions, "interactions", columns, report, None, (1.0, 5.0))
    report.stop()
    return cut_log(log.drop(columns="split", errors="ignore"), cut, report)[0]
