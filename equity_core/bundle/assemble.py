"""From raw tables to the checked content of a bundle. Every fault is collected; nothing is raised
here.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from equity_core.bundle import manifest as manifests
from equity_core.bundle.candidates import Known
from equity_core.bundle.courses import clean_courses, empty_columns
from equity_core.bundle.csr import Csr, pointers
from equity_core.bundle.dates import moment
from equity_core.bundle.faults import Faults
from equity_core.bundle.future import DATED, Future, find
from equity_core.bundle.interactions import CleanInteractions, clean_interactions
from equity_core.bundle.manifest import Manifest
from equity_core.bundle.people import clean_learners, clean_targets
from equity_core.bundle.tables import Table
from equity_core.principles import Encoded, Principle, encode


@dataclass(frozen=True)
class Raw:
    """The tables as they come; None when absent, or when they could not be read (then there is a
    fault)."""

    courses: Table | None
    interactions: Table | None
    learners: Table | None = None
    targets: Table | None = None


@dataclass(frozen=True, eq=False)
class Content:
    """What the tables of a bundle say, checked and cleaned."""

    manifest: Manifest
    principles: tuple[Principle, ...]
    given_now: pd.Timestamp | None
    given_opened: pd.Timestamp | None
    now: pd.Timestamp | None
    opened: pd.Timestamp | None
    courses: pd.DataFrame
    interactions: pd.DataFrame
    learners: pd.DataFrame | None
    targets: pd.DataFrame | None
    encoded: Encoded
    counts: dict[str, int]
    known: Known
    past: Csr
    given_split_at: pd.Timestamp | None
    future: Future


@dataclass(eq=False)
class Assembled:
    """The content, or None after a fault; what ids are known, even then, for checking the
    relevance."""

    content: Content | None = None
    known: Known = field(default_factory=Known)


def assemble(raw: Raw, manifest: Manifest, file: str, faults: Faults) -> Assembled:
    """Check and clean the tables. ``file``: where the settings came from, for messages."""
    principles = manifests.check_principles(manifest.principles, file, faults)
    given_now, given_opened = now, opened = manifests.check_moments(manifest, file, faults)
    split_at = moment(manifest.split_at, "split_at", file, faults)
    scale = manifest.rating_scale
    dated = DATED if manifest.future_courses == "mask" else ()
    out = Assembled()
    courses = (
        clean_courses(raw.courses, principles, scale, faults, dated)
        if raw.courses is not None
        else None
    )
    course_ids = courses.ids if courses is not None else None
    learner_ids, clean = (
        clean_interactions(raw.interactions, course_ids, scale, faults)
        if raw.interactions is not None
        else (None, None)
    )
    out.known = Known(
        learner_ids,
        course_ids,
        clean.learner_ids if clean else None,
        course_ids.numpy if course_ids is not None else None,
    )
    counts: dict[str, int] = dict(clean.counts) if clean else {}
    bundle_learners = clean.learner_ids if clean else None
    learners = (
        clean_learners(raw.learners, learner_ids, bundle_learners, counts, faults)
        if raw.learners is not None
        else None
    )
    targets = (
        clean_targets(raw.targets, learner_ids, bundle_learners, principles, counts, faults)
        if raw.targets is not None
        else None
    )
    if (
        courses is None
        or courses.ids is None
        or clean is None
        or raw.courses is None
        or raw.interactions is None
    ):
        return out

    frame = courses.frame
    if "rating" in frame:
        _fill_ratings(frame, clean)
        if (
            "rating" not in raw.courses.columns
            and "rating" not in raw.interactions.columns
            and any(p.column == "rating" for p in principles)
        ):
            raw.courses.require(["rating"], faults, why=f" here and in {raw.interactions.file}")
            return out
    given = [
        principle
        for principle in principles
        if principle.column in raw.courses.columns or principle.column == "rating"
    ]
    empty_columns(frame, given, raw.courses.file, faults)
    if "last_update" in frame:
        now, opened = _resolve(now, opened, frame, principles, file, faults)
    encoded = (
        _encode(frame, principles, now, opened, scale, raw.courses.file, faults)
        if not len(faults)
        else None
    )
    if encoded is not None:
        train = clean.frame["split"].cat.codes.to_numpy() == 0
        rows, indices = (
            clean.frame["learner"].to_numpy()[train],
            clean.frame["course"].to_numpy()[train],
        )
        past = Csr(pointers(rows, len(clean.learner_ids)), indices)
        future = _future(manifest, frame, clean, split_at)
        if future.hidden.any():
            counts["courses_from_the_future"] = int(future.hidden.sum())
        content = Content(
            manifest,
            principles,
            given_now,
            given_opened,
            now,
            opened,
            frame,
            clean.frame,
            learners,
            targets,
            encoded,
            counts,
            out.known,
            past,
            split_at,
            future,
        )
        out.content = content
    return out


def _future(
    manifest: Manifest,
    courses: pd.DataFrame,
    interactions: CleanInteractions,
    split_at: pd.Timestamp | None,
) -> Future:
    """Which courses are from after the split, if the manifest asks for that."""
    if manifest.future_courses == "keep":
        return Future.keep(len(courses))
    frame = interactions.frame
    return find(
        {name: courses[name].to_numpy() for name in DATED if name in courses},
        frame["course"].to_numpy(),
        frame["split"].cat.codes.to_numpy(),
        frame["timestamp"].to_numpy(),
        split_at,
        len(courses),
    )


def _fill_ratings(courses: pd.DataFrame, interactions: CleanInteractions) -> None:
    """A course's rating is its own, else the mean of its training ratings."""
    frame = interactions.frame
    rated = (frame["split"].cat.codes.to_numpy() == 0) & frame["rating"].notna().to_numpy()
    course, rating = frame["course"].to_numpy()[rated], frame["rating"].to_numpy()[rated]
    count = np.bincount(course, minlength=len(courses))
    total = np.bincount(course, weights=rating, minlength=len(courses))
    own = courses["rating"].to_numpy()
    courses["rating"] = np.where(np.isnan(own) & (count > 0), total / np.maximum(count, 1), own)


def _resolve(
    now: pd.Timestamp | None,
    opened: pd.Timestamp | None,
    courses: pd.DataFrame,
    principles: tuple[Principle, ...],
    file: str,
    faults: Faults,
) -> tuple[pd.Timestamp | None, pd.Timestamp | None]:
    """``now`` else the newest update, ``opened`` else the oldest."""
    known = courses["last_update"].dropna()
    if len(known):
        newest, oldest = known.max(), known.min()
        if any(principle.column == "last_update" for principle in principles):
            if now is not None and opened is None and now < oldest:
                faults.add(
                    file,
                    f"now ({now}) is before every last_update (from {oldest})",
                    "Correct now, or the dates of the courses",
                    column="now",
                )
            if opened is not None and now is None and opened > newest:
                faults.add(
                    file,
                    f"opened ({opened}) is after every last_update (to {newest})",
                    "Correct opened, or the dates of the courses",
                    column="opened",
                )
        now, opened = newest if now is None else now, oldest if opened is None else opened
    return now, opened


def _encode(
    courses: pd.DataFrame,
    principles: tuple[Principle, ...],
    now: pd.Timestamp | None,
    opened: pd.Timestamp | None,
    scale: tuple[float, float],
    file: str,
    faults: Faults,
) -> Encoded | None:
    try:
        return encode(courses, principles, now=now, opened=opened, rating_scale=scale)
    except (ValueError, TypeError):
        for principle in principles:
            try:
                encode(courses, [principle], now=now, opened=opened, rating_scale=scale)
            except (ValueError, TypeError) as error:
                faults.add(
                    file, str(error), "Correct the column or the principle", column=principle.column
                )
        return None
