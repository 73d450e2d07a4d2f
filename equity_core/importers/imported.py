"""What a source of two tables becomes: the arguments of ``Bundle.from_frames``, the principles
included."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from equity_core.bundle.faults import BundleError, Fault
from equity_core.bundle.future import FutureCourses
from equity_core.importers.report import Report
from equity_core.principles import SEVEN, Principle

if TYPE_CHECKING:
    from equity_core.bundle import Bundle


@dataclass(frozen=True, eq=False)
class Origin:
    """Where a table comes from: its file, and the row of the file for each row of the table."""

    file: str
    rows: npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Imported:
    """Courses and interactions in the bundle's format, what the source says about its scales, and
    what was done to the source.
    """

    courses: pd.DataFrame
    interactions: pd.DataFrame
    principles: tuple[Principle, ...] | None = None
    now: Any = None
    opened: Any = None
    rating_scale: tuple[float, float] = (1.0, 5.0)
    name: str = "unnamed"
    provenance: Mapping[str, Any] = field(default_factory=dict)
    future_courses: FutureCourses = "mask"
    split_at: Any = None
    report: Report = field(default_factory=Report)
    origins: Mapping[str, Origin] = field(default_factory=dict)

    def arguments(self) -> dict[str, Any]:
        """Keyword arguments for ``Bundle.from_frames``."""
        names = (
            "courses",
            "interactions",
            "principles",
            "now",
            "opened",
            "rating_scale",
            "name",
            "provenance",
            "future_courses",
            "split_at",
        )
        return {name: getattr(self, name) for name in names}

    def bundle(self, relevance: Mapping[str, pd.DataFrame] | None = None) -> Bundle:
        """The bundle itself. BundleError: faults that only show when the tables are put together,
        with the rows of the files that they come from."""
        from equity_core.bundle import Bundle

        try:
            return Bundle.from_frames(**self.arguments(), relevance=dict(relevance or {}))
        except BundleError as error:
            raise BundleError(self._in_file(fault) for fault in error.faults) from None

    def _in_file(self, fault: Fault) -> Fault:
        origin = self.origins.get(fault.file)
        if origin is None:
            return fault
        rows = tuple(int(origin.rows[row]) for row in fault.rows)
        return replace(fault, file=origin.file, rows=rows)


def usable_principles(
    courses: pd.DataFrame, interactions: pd.DataFrame, report: Report
) -> tuple[Principle, ...] | None:
    """The seven principles without those that have no value at all; a note names each one left out.
    None when all seven can be used.
    """
    kept = []
    for principle in SEVEN:
        tables = (courses, interactions) if principle.column == "rating" else (courses,)
        if any(
            principle.column in table and table[principle.column].notna().any() for table in tables
        ):
            kept.append(principle)
        else:
            report.note(
                f"no column for it: the principle {principle.name!r} is left out", principle.column
            )
    if not kept:
        report.refuse(
            "has no column that any principle could use",
            f"map at least one of {', '.join(principle.column for principle in SEVEN)}",
        )
    return None if len(kept) == len(SEVEN) else tuple(kept)


def with_first_taken(courses: pd.DataFrame, log: pd.DataFrame) -> pd.DataFrame:
    """The courses with a column ``first_taken``: when anybody first took each, before learners with
    too few interactions are left out. As it is without timestamps."""
    if "timestamp" not in log or "first_taken" in courses:
        return courses
    when = log["timestamp"]
    if pd.api.types.is_numeric_dtype(when.dtype):
        when = pd.to_datetime(when, unit="s")
    first = when.astype("datetime64[s]").groupby(log["course_id"]).min()
    return courses.assign(first_taken=courses["course_id"].map(first))
