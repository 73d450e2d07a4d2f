"""No course from the future: which courses did not exist yet, as far as the data tell, at the
moment for which lists are made.

A course exists from the day of its publication. If somebody took it before that day, or if the day
is unknown, it exists from the first time anybody took it. If neither is known, it has always been
there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from equity_core.bundle.dates import dates, moment
from equity_core.bundle.faults import Faults
from equity_core.bundle.tables import Table

if TYPE_CHECKING:
    from equity_core.bundle.dates import Dates

FutureCourses = Literal["mask", "keep"]
"""What happens to courses from the future: they are left out of every list, or stay candidates."""
DATED = ("published", "first_taken")
"""Course columns that say since when a course exists."""

NO_TIMES = "the interactions have no timestamps"
NO_LATER = "nothing follows the training part in time"
OVERLAP = "training and later interactions overlap in time, so there is no single moment"


@dataclass(frozen=True, eq=False)
class Future:
    """The courses that did not exist yet at a moment."""

    hidden: npt.NDArray[np.bool_]
    """Whether each course is from the future."""
    at: pd.Timestamp | None = None
    """The moment; None if there is none, or if nobody asked."""
    why: str = ""
    """Why there is no moment, although one was asked for."""
    published: int = 0
    """How many are known to be from the future by their day of publication."""
    taken: int = 0
    """How many count as such because they were first taken after the moment."""

    @classmethod
    def keep(cls, courses: int) -> Future:
        """Nothing is left out."""
        return cls(np.zeros(courses, dtype=np.bool_))


def split_moment(
    split: npt.NDArray[Any], time: Dates, given: pd.Timestamp | None
) -> tuple[pd.Timestamp | None, str]:
    """The moment for which lists are made, or None and the reason.

    As given; else the latest training interaction, where the test part (without one, the validation
    part) starts no earlier. ``split``: 0 for train, 1 for valid, 2 for test.
    """
    if given is not None:
        return given, ""
    known = ~np.isnat(time)
    train = time[known & (split == 0)]
    if not len(train):
        return None, NO_TIMES
    later = time[known & (split == (2 if (split == 2).any() else 1))]
    if not len(later):
        return None, NO_LATER
    return (pd.Timestamp(train.max()), "") if later.min() >= train.max() else (None, OVERLAP)


def find(
    dated: Mapping[str, Dates],
    course: npt.NDArray[np.integer[Any]],
    split: npt.NDArray[Any],
    time: Dates,
    given: pd.Timestamp | None,
    courses: int,
) -> Future:
    """The courses from the future: ``dated`` holds the columns of DATED that there are; course,
    split and time have one entry per interaction."""
    at, why = split_moment(split, time, given)
    if at is None:
        return Future(np.zeros(courses, dtype=np.bool_), None, why)
    never = np.full(courses, "NaT", dtype="datetime64[s]")
    published, taken = dated.get("published", never), dated.get("first_taken", never).copy()
    known = ~np.isnat(time)
    np.fmin.at(taken, course[known], time[known].astype("datetime64[s]"))  # NaT gives way
    # No date compares as later.
    late, unseen = published > at.to_datetime64(), ~(taken <= at.to_datetime64())
    hidden = np.where(np.isnat(published), taken > at.to_datetime64(), late & unseen)
    by_day = int((hidden & late).sum())
    return Future(hidden, at, "", by_day, int(hidden.sum()) - by_day)


def of_frames(courses: pd.DataFrame, interactions: pd.DataFrame, split_at: Any) -> Future:
    """The same from frames as a caller has them, with course_id and split checked already; a
    BundleError for dates that cannot be read."""
    faults = Faults()
    given = moment(split_at, "split_at", "settings", faults)
    catalogue = Table(
        "courses", {name: courses[name] for name in DATED if name in courses}, len(courses)
    )
    dated = {name: dates(catalogue, name, faults, calendar=True) for name in catalogue.columns}
    log = Table(
        "interactions", {str(name): interactions[name] for name in interactions}, len(interactions)
    )
    time = (
        dates(log, "timestamp", faults)
        if "timestamp" in interactions
        else np.full(len(interactions), "NaT", dtype="datetime64[s]")
    )
    faults.stop()
    assert time is not None
    split = (
        interactions["split"]
        .map({"train": 0, "valid": 1, "test": 2})
        .to_numpy(dtype=float, na_value=-1.0)
    )
    place = pd.Index(courses["course_id"]).get_indexer(pd.Index(interactions["course_id"]))
    there = place >= 0
    return find(
        {name: values for name, values in dated.items() if values is not None},
        place[there],
        split[there],
        time[there],
        given,
        len(courses),
    )
