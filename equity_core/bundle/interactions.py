"""The interactions table, cleaned and sorted: who did what in which split, each pair once per
split."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from equity_core.bundle.courses import ratings
from equity_core.bundle.dates import dates
from equity_core.bundle.faults import Faults, samples
from equity_core.bundle.ids import Ids, distinct, positions, read_ids, same_type
from equity_core.bundle.tables import Table

SPLITS = ("train", "valid", "test")

_NO_TIME = np.datetime64("NaT", "s")


@dataclass(frozen=True, eq=False)
class CleanInteractions:
    """Learners with a past, sorted; and the frame of positions, sorted by learner, course and
    split."""

    learner_ids: npt.NDArray[Any]
    frame: pd.DataFrame
    counts: dict[str, int]


def clean_interactions(
    table: Table, courses: Ids | None, rating_scale: tuple[float, float], faults: Faults
) -> tuple[Ids | None, CleanInteractions | None]:
    """The learner ids as read (for the types of the other tables) and the cleaned table, None after
    a fault.

    A learner without a training course is left out; of rows that repeat a pair within a split the
    latest stays (then the one with the highest rating); a pair in train and in another split stays
    in train only. All three are counted.
    """
    if table.rows == 0:
        faults.add(table.file, "the table is empty", "Give at least one training interaction")
        return None, None
    before = len(faults)
    table.require(["learner_id", "course_id", "split"], faults)
    learners = read_ids(table, "learner_id", faults) if "learner_id" in table.columns else None
    split = _splits(table, faults) if "split" in table.columns else None
    time = (
        dates(table, "timestamp", faults)
        if "timestamp" in table.columns
        else np.full(table.rows, _NO_TIME)
    )
    rating = (
        ratings(table, rating_scale, faults, "leave interactions without a rating empty")
        if "rating" in table.columns
        else np.full(table.rows, np.nan)
    )
    course = _courses(table, courses, faults) if "course_id" in table.columns else None
    if (
        len(faults) > before
        or learners is None
        or split is None
        or time is None
        or rating is None
        or course is None
    ):
        return learners, None
    ids = distinct(learners)
    learner = positions(learners.values, ids)
    return learners, _settle(table.file, ids, learner, course, split, time, rating, faults)


def _splits(table: Table, faults: Faults) -> npt.NDArray[np.int8] | None:
    """0 for train, 1 for valid, 2 for test."""
    try:
        labels = pc.cast(table.arrow("split"), pa.string())
    except (pa.ArrowException, ValueError, TypeError):
        labels = pa.array(
            [None if pd.isna(cell) else str(cell) for cell in table.series("split").astype(object)],
            pa.string(),
        )
    labels = pc.utf8_trim_whitespace(labels)
    codes = np.asarray(
        pc.fill_null(pc.index_in(labels, value_set=pa.array(SPLITS)), -1).to_numpy(), dtype=np.int8
    )
    unknown = codes < 0
    if unknown.any():
        shown = samples(labels.take(pa.array(np.flatnonzero(unknown)[:1000])).to_pylist())
        faults.add(
            table.file,
            f"unknown split: {shown}",
            "Use train, valid or test",
            column="split",
            rows=unknown,
        )
        return None
    return codes


def _courses(table: Table, courses: Ids | None, faults: Faults) -> npt.NDArray[np.int32] | None:
    ids = read_ids(table, "course_id", faults)
    if ids is None or courses is None or not same_type(ids, courses, "course_id", faults):
        return None
    found = positions(ids.values, courses.numpy)
    unknown_courses(ids, found, table.file, courses.file, faults)
    return found


def unknown_courses(
    ids: Ids, found: npt.NDArray[np.int32], file: str, home: str, faults: Faults
) -> None:
    """A fault for courses that the courses table does not have."""
    unknown = np.flatnonzero(found < 0)
    if len(unknown):
        shown = samples(ids.values.take(pa.array(unknown[:1000])).to_pylist())
        faults.add(
            file,
            f"the course is not in {home}: {shown}",
            f"Add the course to {home}, or leave these rows out",
            column="course_id",
            rows=unknown,
        )


def _settle(
    file: str,
    ids: npt.NDArray[Any],
    learner: npt.NDArray[np.int32],
    course: npt.NDArray[np.int32],
    split: npt.NDArray[np.int8],
    time: npt.NDArray[np.datetime64],
    rating: npt.NDArray[np.float64],
    faults: Faults,
) -> CleanInteractions | None:
    has_past = np.zeros(len(ids), dtype=np.bool_)
    has_past[learner[split == 0]] = True
    if not has_past.any():
        faults.add(
            file,
            "no row has split = train, so no learner has a past",
            "Mark the earlier interactions of each learner as train",
            column="split",
        )
        return None
    keep = has_past[learner]
    learner = (np.cumsum(has_past, dtype=np.int32) - 1)[learner[keep]].astype(np.int32)
    course, split, time, rating = course[keep], split[keep], time[keep], rating[keep]
    counts = {"learners_without_past": int((~has_past).sum())}

    # One key per pair and split, train first: sorting puts repeats, and a pair in several splits,
    # side by side.
    pair = learner.astype(np.int64) * (int(course.max()) + 1) + course
    key = pair * len(SPLITS) + split
    order = np.argsort(key, kind="stable")
    if (np.diff(key[order]) == 0).any():
        order = np.lexsort(
            (
                np.where(np.isnan(rating), -np.inf, rating),
                np.where(np.isnat(time), np.iinfo(np.int64).min, time.astype(np.int64)),
                key,
            )
        )
    key, pair = key[order], pair[order]
    last = np.append(np.diff(key) != 0, True)
    counts["repeated_pairs"] = int((~last).sum())
    first_of_pair = np.append(True, np.diff(pair) != 0)
    starts = np.flatnonzero(first_of_pair)
    in_train = (split[order][starts] == 0)[np.cumsum(first_of_pair) - 1]
    elsewhere = in_train & (split[order] != 0)
    counts["pairs_in_train_and_other"] = int((elsewhere & last).sum())
    order = order[last & ~elsewhere]
    frame = pd.DataFrame(
        {
            "learner": learner[order],
            "course": course[order],
            "split": pd.Categorical.from_codes(
                split[order], categories=pd.Index(SPLITS, dtype=object)
            ),
            "timestamp": time[order],
            "rating": rating[order],
        }
    )
    return CleanInteractions(ids[has_past], frame, counts)
