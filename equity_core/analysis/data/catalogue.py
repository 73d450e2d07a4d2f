"""The catalogue and its interactions in nine statistics (the paper's Fig. 2), each a frame of bars
and a sentence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from equity_core.analysis.data import bins
from equity_core.analysis.words import amount, count, day, percent
from equity_core.principles import UNKNOWN, asset_types, numeric

if TYPE_CHECKING:
    from collections.abc import Callable

    from equity_core.bundle import Bundle

Counted = Literal["courses", "interactions"]
MOST_LABELS = 10
"""Bars that a small panel shows at most; its table shows all."""


@dataclass(frozen=True, eq=False)
class Statistic:
    """One statistic of the Data screen. ``frame``: one row per bar with label (short, for an axis),
    range (in words), count and share; labels largest first, bins in order."""

    name: str
    title: str
    counted: Counted
    kind: Literal["labels", "bins"]
    frame: pd.DataFrame
    known: int
    """What is counted in the frame; for asset types, the courses whose asset types are known."""
    missing: int
    sentence: str


def statistics(bundle: Bundle) -> tuple[Statistic, ...]:
    """The nine statistics, in the paper's order. One without any known value has an empty frame and
    says so."""
    return tuple(statistic(bundle) for statistic in _STATISTICS)


def shortened(frame: pd.DataFrame, most: int = MOST_LABELS) -> pd.DataFrame:
    """The largest labels, and the rest added up in one last row."""
    if len(frame) <= most:
        return frame
    rest = frame.iloc[most - 1 :]
    label = f"{len(rest)} others"
    other = pd.DataFrame(
        {
            "label": [label],
            "range": [label],
            "count": [rest["count"].sum()],
            "share": [rest["share"].sum()],
        }
    )
    return pd.concat([frame.iloc[: most - 1], other], ignore_index=True)


def _labels(counts: dict[str, int], total: int) -> pd.DataFrame:
    """Largest first, then by name; unknown at the end."""
    ordered = sorted(counts.items(), key=lambda item: (item[0] == UNKNOWN, -item[1], item[0]))
    names, numbers = [name for name, _ in ordered], [number for _, number in ordered]
    return pd.DataFrame(
        {
            "label": names,
            "range": names,
            "count": numbers,
            "share": [number / max(total, 1) for number in numbers],
        }
    )


def _have_no(missing: int, one: str, what: str) -> str:
    """`` 3 courses have no price.``, to be put behind another sentence; empty if none is missing."""
    verb = "has" if missing == 1 else "have"
    return f" {count(missing, one)} {verb} no {what}." if missing else ""


def _column(bundle: Bundle, column: str, title: str, one: str, many: str) -> Statistic:
    labels = bundle.courses[column].astype(str)
    counts = {str(label): int(number) for label, number in labels.value_counts().items()}
    total, missing = len(labels), counts.get(UNKNOWN, 0)
    frame = _labels(counts, total)
    if missing == total:
        return Statistic(
            column,
            title,
            "courses",
            "labels",
            frame.iloc[:0],
            0,
            missing,
            f"No course has a {one}.",
        )
    values = len(counts) - (missing > 0)
    first = frame.iloc[0]
    sentence = (
        f"One {one}: “{first['label']}”."
        if values == 1
        else (
            f"{count(values, one, many)}; “{first['label']}” is the most common, with"
            f" {percent(first['share'])} of the courses."
        )
    )
    sentence += _have_no(missing, "course", one)
    return Statistic(
        column, title, "courses", "labels", frame, total - missing, missing, sentence
    )


def _category(bundle: Bundle) -> Statistic:
    return _column(bundle, "category", "Courses per category", "category", "categories")


def _level(bundle: Bundle) -> Statistic:
    return _column(bundle, "level", "Instructional level", "level", "levels")


def _updates(bundle: Bundle) -> Statistic:
    title, moments = "Last update", bundle.courses["last_update"]
    known = moments.dropna()
    missing = len(moments) - len(known)
    if known.empty:
        return Statistic(
            "last_update",
            title,
            "courses",
            "bins",
            bins.empty(),
            0,
            missing,
            "No course has a last-update date.",
        )
    middle = known.sort_values().iloc[(len(known) - 1) // 2]
    sentence = (
        f"Half of the courses were last updated by {day(middle)}; the latest update was on"
        f" {day(known.max())}."
    )
    return Statistic(
        "last_update",
        title,
        "courses",
        "bins",
        bins.periods(known),
        len(known),
        missing,
        sentence + _have_no(missing, "course", "date"),
    )


def _assets(bundle: Bundle) -> Statistic:
    title, cells, types = "Asset types", bundle.courses["assets"], asset_types(bundle.courses)
    known = [cell for cell in cells if cell is not None]
    missing = len(cells) - len(known)
    if not types:
        return Statistic(
            "assets",
            title,
            "courses",
            "labels",
            _labels({}, 1),
            len(known),
            missing,
            "No course has known asset types.",
        )
    frame = _labels({kind: sum(kind in cell for cell in known) for kind in types}, len(known))
    each = float(np.mean([len(cell) for cell in known]))
    sentence = f"On average, a course has {each:.1f} of {count(len(types), 'asset type')}."
    gap = f" The asset types of {count(missing, 'course')} are unknown." if missing else ""
    return Statistic(
        "assets", title, "courses", "labels", frame, len(known), missing, sentence + gap
    )


def _rating_values(bundle: Bundle) -> Statistic:
    title, ratings = "Ratings given", bundle.interactions["rating"].to_numpy(dtype=np.float64)
    known = ratings[~np.isnan(ratings)]
    missing = len(ratings) - len(known)
    if not known.size:
        return Statistic(
            "ratings",
            title,
            "interactions",
            "bins",
            bins.empty(),
            0,
            missing,
            "No interaction has a rating.",
        )
    low, high = bundle.rating_scale
    top = float((known == high).mean())
    sentence = (
        f"{count(len(known), 'rating')}, {known.mean():.2f} on average; {percent(top)} of them are"
        f" the highest value, {high:g}."
    )
    return Statistic(
        "ratings",
        title,
        "interactions",
        "bins",
        bins.values_or_even(known, low, high),
        len(known),
        missing,
        sentence + _have_no(missing, "interaction", "rating"),
    )


def _course_ratings(bundle: Bundle) -> Statistic:
    low, high = bundle.rating_scale
    return _number(
        bundle,
        "rating",
        "Mean rating per course",
        "No course has a rating.",
        lambda known: bins.even(known, low, high),
        lambda known: (
            f"Half of the courses are rated {np.median(known):.2f} or higher; the lowest"
            f" rating is {known.min():.2f}."
        ),
        "rating",
    )


def _popularity(bundle: Bundle) -> Statistic:
    taken = np.bincount(
        bundle.interactions["course"].to_numpy(), minlength=len(bundle.courses)
    ).astype(np.float64)
    most = np.sort(taken)[::-1][: -(-len(taken) // 10)]
    never = int((taken == 0).sum())
    sentence = (
        "The most popular tenth of the courses has"
        f" {percent(float(most.sum() / taken.sum()))} of the interactions."
    )
    return Statistic(
        "popularity",
        "Interactions per course",
        "courses",
        "bins",
        bins.doubling(taken),
        len(taken),
        0,
        sentence + _have_no(never, "course", "interactions"),
    )


def _enrolled(bundle: Bundle) -> Statistic:
    return _number(
        bundle,
        "enrolled",
        "Learners enrolled",
        "No course has an enrolment figure.",
        bins.doubling,
        lambda known: (
            f"The median course has {amount(round(float(np.median(known))))} learners enrolled, the"
            f" largest {amount(float(known.max()))}."
        ),
        "enrolment figure",
    )


def _prices(bundle: Bundle) -> Statistic:
    def say(known: npt.NDArray[np.float64]) -> str:
        paid = known[known > 0]
        if not paid.size:
            return "All courses with a known price are free."
        free = percent(1 - paid.size / known.size) if paid.size < known.size else "None"
        return (
            f"{free} of the courses are free; the median price of the others is"
            f" {amount(float(np.median(paid)))}."
        )

    return _number(bundle, "price", "Price", "No course has a price.", bins.prices, say, "price")


def _number(
    bundle: Bundle,
    column: str,
    title: str,
    nothing: str,
    binned: Callable[[npt.NDArray[np.float64]], pd.DataFrame],
    say: Callable[[npt.NDArray[np.float64]], str],
    what: str,
) -> Statistic:
    values = numeric(bundle.courses, column)
    known = values[~np.isnan(values)]
    missing = len(values) - len(known)
    if not known.size:
        return Statistic(column, title, "courses", "bins", bins.empty(), 0, missing, nothing)
    sentence = say(known) + _have_no(missing, "course", what)
    return Statistic(
        column, title, "courses", "bins", binned(known), len(known), missing, sentence
    )


_STATISTICS = (
    _category,
    _updates,
    _level,
    _assets,
    _rating_values,
    _course_ratings,
    _popularity,
    _enrolled,
    _prices,
)
