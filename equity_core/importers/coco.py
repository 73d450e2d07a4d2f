"""COCO with Udemy course metadata: ``coco_courses.csv`` and ``coco_interactions.csv`` in one
folder.

COCO: Dessì, Fenu, Marras, Reforgiato Recupero, *COCO: Semantic-Enriched Collection of Online
Courses at Scale*, WorldCIST 2018. The files have no last update for most courses, so the day of
publication stands in for it (an estimate from the course's id where that is unknown too). They say
which of five asset types a course has, or nothing about it: unknown stays unknown.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from equity_core.bundle.future import FutureCourses
from equity_core.bundle.splitting import Cut
from equity_core.importers.convert import assets_of_flags
from equity_core.importers.imported import Imported, with_first_taken
from equity_core.importers.report import Report
from equity_core.importers.splits import cut_log, provenance_of
from equity_core.principles import SEVEN

COURSES, INTERACTIONS = "coco_courses.csv", "coco_interactions.csv"
ASSETS = {
    "video": "has_video",
    "article": "n_articles",
    "practice test": "n_practice_tests",
    "coding exercise": "n_coding_exercises",
    "resource": "n_resources",
}
COLUMNS = (
    "course_id",
    "slug",
    "category",
    "level",
    "title",
    "price_usd",
    "enrolled",
    "rating",
    "published",
    "published_est_from_id",
)
COMPLETE = ("price_usd", "enrolled", "rating")
EXTRAS = ("subcategory", "language")

PRINCIPLES = tuple(
    (
        replace(principle, low=0.0, high=float(len(ASSETS)))
        if principle.name == "variety"
        else principle
    )
    for principle in SEVEN
)
"""The seven; variety runs up to all five types, whichever of them the chosen courses happen to
have."""


def import_coco(
    folder: str | Path,
    *,
    complete: bool = True,
    split_at: Any = "2017-06-08",
    min_train: int = 3,
    min_test: int = 1,
    valid: int = 0,
    future_courses: FutureCourses = "mask",
    report: Report | None = None,
) -> Imported:
    """Courses and split interactions. BundleError: a file or a column is missing.

    ``complete`` keeps only the courses that have price, enrolment and rating. ``split_at`` is the
    last moment of training (UTC); None chooses the one that keeps the most learners. ``min_train``,
    ``min_test`` and ``valid`` are as in ``split_by_time``. Courses from after the split are in no
    list, unless ``future_courses`` is "keep". ``now`` and ``opened`` are the newest and the oldest
    date of the courses kept.
    """
    report = Report() if report is None else report
    one, two = report.of(COURSES), report.of(INTERACTIONS)
    courses = _read(Path(folder) / COURSES, (*COLUMNS, *ASSETS.values()), one)
    log = _read(Path(folder) / INTERACTIONS, ("learner_id", "course_id", "timestamp"), two)
    report.stop()
    courses = _courses(courses, complete, one)
    known = log["course_id"].isin(courses["course_id"])
    two.note(
        f"{int((~known).sum()):,} of {len(log):,} rows belong to courses that were not kept; they"
        " are left out",
        "course_id",
    )
    log = log.loc[known, ["learner_id", "course_id", "timestamp"]].reset_index(drop=True)
    if future_courses == "mask":
        courses = with_first_taken(courses, log)
    cut = Cut(split_at, min_train, min_test, valid, kind="time")
    log, did = cut_log(log, cut, two)
    return Imported(
        courses,
        log.reset_index(drop=True),
        principles=PRINCIPLES,
        now=courses["last_update"].max(),
        opened=courses["last_update"].min(),
        name="COCO with Udemy metadata",
        provenance={
            "source": (
                "COCO (Dessì, Fenu, Marras, Reforgiato Recupero, WorldCIST 2018), joined with Udemy"
                " course metadata"
            ),
            "last_update": (
                "date of publication, or an estimate of it: a stand-in for the last update"
            ),
            **provenance_of(cut, did),
            "notes": [str(note) for note in report.notes],
        },
        future_courses=future_courses,
        split_at=did.at,
        report=report,
    )


def _read(path: Path, columns: tuple[str, ...], report: Report) -> pd.DataFrame:
    if not path.is_file():
        report.fault(
            "there is no such file", f"give the folder that holds {COURSES} and {INTERACTIONS}"
        )
        return pd.DataFrame()
    frame = pd.read_csv(path, low_memory=False)
    for column in columns:
        if column not in frame:
            report.fault(
                "there is no such column", "give the files as they were published", column=column
            )
    return frame


def _courses(source: pd.DataFrame, complete: bool, report: Report) -> pd.DataFrame:
    """The bundle's columns, in the order of the file."""
    if complete:
        kept = source[list(COMPLETE)].notna().all(axis=1)
        report.note(
            f"{int(kept.sum()):,} of {len(source):,} courses have price, enrolment and rating and"
            " are kept"
        )
        source = source[kept].reset_index(drop=True)
    published = source["published"].fillna(source["published_est_from_id"])
    estimated, untitled = int(source["published"].isna().sum()), int(source["title"].isna().sum())
    report.note(
        "the day of publication stands in for the last update; for"
        f" {estimated:,} courses it is an estimate",
        "published",
    )
    day = pd.to_datetime(published, format="ISO8601").astype("datetime64[s]")
    report.note(f"{untitled:,} courses without a title use their slug", "title")
    return pd.DataFrame(
        {
            "course_id": source["course_id"],
            "title": source["title"].fillna(source["slug"]),
            "category": source["category"],
            "level": source["level"],
            "last_update": day,
            "price": source["price_usd"].astype("float64"),
            "enrolled": source["enrolled"].astype("float64"),
            "rating": source["rating"].astype("float64"),
            "assets": assets_of_flags(source, ASSETS, report),
            "published": day,
            **{name: source[name] for name in EXTRAS if name in source},
        }
    )
