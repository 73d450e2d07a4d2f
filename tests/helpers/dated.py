"""Random worlds in which courses appear over time, and a plain account of which of them are from
the future."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from tests.helpers.random_worlds import as_bundle, worlds
from tests.reference import World

BORDER = pd.Timestamp("2016-07-01")


@dataclass
class Dated:
    """A world with dates; its ``hidden`` courses are the plain account's."""

    world: World
    split_at: Any
    moment: pd.Timestamp | None

    def bundle(self, **more: Any) -> Any:
        return as_bundle(
            self.world, **{"future_courses": "mask", "split_at": self.split_at, **more}
        )


@st.composite
def dated(draw: st.DrawFn, *, apart: bool = False, **sizes: int) -> Dated:
    """A world of any size whose courses and interactions have dates, or some of them, or none.

    ``apart``: training always ends before the test part, so that there is a moment.
    """
    world = draw(worlds(**sizes))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kinds = ["apart", "apart", "partly", "mixed", "given", "undated"]
    kind = "apart" if apart else draw(st.sampled_from(kinds))
    log, courses = world.interactions, world.courses

    def days(count: int, low: int, high: int) -> pd.Series:
        moved = pd.to_timedelta(rng.integers(low, high, count), unit="D")
        return pd.Series(BORDER + moved).astype("datetime64[s]")

    for name in ("published", "first_taken"):
        if draw(st.booleans()) or (apart and name == "published"):
            courses[name] = days(len(courses), -200, 200).where(rng.random(len(courses)) < 0.7)
    if kind != "undated":
        any_day = days(len(log), -300, 300)
        early, late = days(len(log), -300, 1), days(len(log), 0, 300)
        log["timestamp"] = (
            any_day
            if kind in ("mixed", "given")
            else early.where(log["split"] == "train", late).where(log["split"] != "valid", any_day)
        )
        if kind == "partly":
            log["timestamp"] = log["timestamp"].where(rng.random(len(log)) < 0.5)
    split_at = BORDER if kind == "given" else None
    rows = counted(world)
    moment = moment_of(rows, split_at)
    world.hidden = frozenset(
        at
        for at, course in enumerate(courses["course_id"])
        if moment is not None and appeared_after(courses, rows, at, course, moment)
    )
    return Dated(world, split_at, moment)


def counted(world: World) -> pd.DataFrame:
    """The interactions that count: of learners with a past; a pair that is in train in train only;
    of a repeated pair the latest."""
    log = world.interactions.assign(
        timestamp=world.interactions.get("timestamp", pd.Series(pd.NaT, world.interactions.index))
    )
    keep = [
        learner in world.past
        and (split == "train" or world.position[course] not in world.past[learner])
        for learner, course, split in zip(
            log["learner_id"], log["course_id"], log["split"], strict=True
        )
    ]
    return (
        log[keep]
        .sort_values("timestamp", na_position="first", kind="stable")
        .drop_duplicates(["learner_id", "course_id", "split"], keep="last")
    )


def moment_of(log: pd.DataFrame, split_at: Any) -> pd.Timestamp | None:
    """As given; else the end of training, if nothing of the test part (of the validation part,
    without one) comes before it."""
    if split_at is not None:
        return pd.Timestamp(split_at)
    part = "test" if (log["split"] == "test").any() else "valid"
    train, later = (
        log.loc[log["split"] == split, "timestamp"].dropna() for split in ("train", part)
    )
    if train.empty or later.empty or later.min() < train.max():
        return None
    return pd.Timestamp(train.max())


def appeared_after(
    courses: pd.DataFrame, log: pd.DataFrame, at: int, course: Any, moment: pd.Timestamp
) -> bool:
    """Whether all that is known of when the course was there lies after the moment, and something
    is known."""
    known = [courses[name].iloc[at] for name in ("published", "first_taken") if name in courses]
    known += log.loc[log["course_id"] == course, "timestamp"].tolist()
    known = [day for day in known if not pd.isna(day)]
    return bool(known) and all(day > moment for day in known)
