"""The words of a reason: what a course has that another one has not, and what a principle asks
for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from equity_core.analysis.words import amount, count, ordinal
from equity_core.principles import UNKNOWN

if TYPE_CHECKING:
    from equity_core.bundle import Bundle
    from equity_core.principles import Principle
    from equity_core.reranker.objective import Objective

Floats = npt.NDArray[np.float64]

NAMED = 2
"""The most principles that a reason names."""
WORTH_NAMING = 0.2
"""A principle is named if it makes up at least this share of the course's advantage."""
NO_ADVANTAGE = "serves the principles equally well"
"""The reason in a tie: the course is better on no principle."""
NO_BETTER = "serves no principle better in the finished list"
"""The words where a course is better on no principle and worse on one: the greedy picked it before
the list was finished."""


def better_on(ahead: Floats, tie: float = 1e-12) -> list[int]:
    """The principles worth naming, the largest advantage first. ``ahead``: what a course serves
    each principle better by."""
    for_it = np.where(ahead > tie, ahead, 0.0)
    order = np.argsort(-for_it, kind="stable")[:NAMED]
    return [int(m) for m in order if for_it[m] > 0 and for_it[m] >= WORTH_NAMING * for_it.sum()]


def where_from(objective: Objective, course: int, step: int, before: Sequence[int]) -> str:
    """Where a course was before, in words."""
    if course in before:
        place = list(before).index(course) + 1
        return (
            f"stays {ordinal(place)}"
            if place == step
            else f"{'up' if place > step else 'down'} from {place}"
        )
    found = objective.place(course)
    return (
        "brought in from outside the recommender's candidates"
        if found is None
        else f"promoted from {found}"
    )


_TOPIC = {"category": "topic"}
"""Columns with a plainer name on screen."""


def _missing(value: Any) -> bool:
    return value is None or (not isinstance(value, tuple) and bool(pd.isna(value)))


def course_value(column: str, value: Any) -> str:
    """A course's value in one column as shown on screen; "unknown" if it is missing."""
    if _missing(value):
        return UNKNOWN
    if column == "assets":
        return ", ".join(value) or "none"
    if column == "last_update":
        return str(pd.Timestamp(value).year)
    if column == "price":
        return "free" if value == 0 else amount(float(value))
    return (
        amount(float(value))
        if isinstance(value, int | float | np.number) and not math.isnan(float(value))
        else str(value)
    )


def _number_phrase(column: str, value: Any, other: Any) -> str:
    """The phrase for a numeric column, with the other course's value if it differs."""
    if _missing(value):
        return f"{column.replace('_', ' ')} unknown, counted as average"
    if column == "assets":
        mine, yours = len(value), None if _missing(other) else len(other)
        words, rest = count(mine, "kind") + " of material", str(yours)
    else:
        yours, mine = (None if _missing(other) else other), value
        rest = course_value(column, other)
        words = {
            "price": "free of charge" if value == 0 else f"costs {course_value(column, value)}",
            "last_update": f"updated {course_value(column, value)}",
            "rating": f"rated {course_value(column, value)}",
            "enrolled": f"a class of {course_value(column, value)}",
        }.get(column, f"{column.replace('_', ' ')} {course_value(column, value)}")
    compared = yours is not None and yours != mine and not (column == "price" and value == 0)
    return f"{words}, not {rest}" if compared and rest not in words.split() else words


def advantage_phrase(
    objective: Objective,
    principle: int,
    listed: Sequence[int],
    course: int,
    other: int | None,
    *,
    finished: bool = False,
) -> str:
    """What ``course`` adds on one principle to the courses ``listed``, compared with the ``other``
    course that could be there. They are the list so far, or (``finished``) the rest of the list."""
    bundle: Bundle = objective.bundle
    column = bundle.principles[principle].column
    value = bundle.courses[column].iloc[course]
    if bundle.principles[principle].kind == "mean":
        return _number_phrase(
            column, value, None if other is None else bundle.courses[column].iloc[other]
        )
    word = _TOPIC.get(column, column.replace("_", " "))
    if _missing(value) or (value == UNKNOWN and bundle.principles[principle].kind == "balance"):
        return f"{word} unknown"
    held = int((bundle.courses[column].iloc[list(listed)] == value).sum())
    if bundle.principles[principle].kind == "balance":
        label = str(value) if word in str(value) else f"{value} {word}"
        if finished:
            return f"{label}, otherwise {'rarer' if held else 'missing'}"
        return f"{label} was missing" if not held else f"{label} was rare"
    return _past_phrase(objective, principle, course, held, (str(value), word), finished)


def _past_phrase(
    objective: Objective,
    principle: int,
    course: int,
    held: int,
    words: tuple[str, str],
    finished: bool,
) -> str:
    """The phrase for a principle that compares with the learner's past courses."""
    bundle, (label, word) = objective.bundle, words
    m = bundle.encoded.cat_of.tolist().index(principle)
    past = objective.past_counts[m]
    if past is None or not past[bundle.encoded.labels[course, m]]:
        return f"no past {word}" if finished else f"leaves room for past {word}s"
    if held:
        return f"more {label}, as in the past"
    return f"{label}, a past {word}, {'otherwise' if finished else 'was'} missing"


_NOTES = {
    "familiarity": "past topics",
    "validity": "recent updates",
    "learnability": "balance of levels",
    "variety": "kinds of material",
    "quality": "course ratings",
    "manageability": "small classes",
    "affordability": "low fees",
}


def principle_note(principle: Principle) -> str:
    """What a principle asks for, in two or three words."""
    column = principle.column.replace("_", " ")
    kinds = {
        "match": f"past {column}",
        "balance": f"balance of {column}",
        "mean": f"{principle.better} {column}",
    }
    return _NOTES.get(principle.name, kinds[principle.kind])
