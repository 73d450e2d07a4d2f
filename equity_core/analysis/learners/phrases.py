"""What a course brings by one principle, in a few words: "free of charge", "beginner level was
missing"."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from equity_core.analysis.words import amount, count
from equity_core.principles import UNKNOWN

if TYPE_CHECKING:
    from equity_core.analysis.learners.objective import Objective
    from equity_core.bundle import Bundle
    from equity_core.principles import Principle

_TOPIC = {"category": "topic"}
"""Columns that have a plainer name on screen."""


def _missing(value: Any) -> bool:
    return value is None or (not isinstance(value, tuple) and bool(pd.isna(value)))


def number(column: str, value: Any) -> str:
    """A course's value in one column, as it is shown; "unknown" where it is missing."""
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


def _mean(column: str, value: Any, other: Any) -> str:
    """A numeric column's words, with the other course's value where that says more."""
    if _missing(value):
        return f"{column.replace('_', ' ')} not known, taken as average"
    if column == "assets":
        mine, yours = len(value), None if _missing(other) else len(other)
        words, rest = count(mine, "kind") + " of material", str(yours)
    else:
        yours, mine = (None if _missing(other) else other), value
        rest = number(column, other)
        words = {
            "price": "free of charge" if value == 0 else f"costs {number(column, value)}",
            "last_update": f"updated {number(column, value)}",
            "rating": f"rated {number(column, value)}",
            "enrolled": f"a class of {number(column, value)}",
        }.get(column, f"{column.replace('_', ' ')} {number(column, value)}")
    told = yours is not None and yours != mine and not (column == "price" and value == 0)
    return f"{words}, not {rest}" if told and rest not in words.split() else words


def phrase(
    objective: Objective, principle: int, listed: Sequence[int], course: int, other: int | None
) -> str:
    """What ``course`` brings to the list as it stands by a principle, compared with the ``other``
    course that might have come."""
    bundle = objective.bundle
    column = bundle.principles[principle].column
    value = bundle.courses[column].iloc[course]
    if bundle.principles[principle].kind == "mean":
        return _mean(column, value, None if other is None else bundle.courses[column].iloc[other])
    word = _TOPIC.get(column, column.replace("_", " "))
    if _missing(value) or (value == UNKNOWN and bundle.principles[principle].kind == "balance"):
        return f"{word} not known"
    held = int((bundle.courses[column].iloc[list(listed)] == value).sum())
    if bundle.principles[principle].kind == "balance":
        label = str(value) if word in str(value) else f"{value} {word}"
        return f"{label} was missing" if not held else f"{label} was rare"
    return _from_past(objective, bundle, principle, course, held, str(value), word)


def _from_past(
    objective: Objective,
    bundle: Bundle,
    principle: int,
    course: int,
    held: int,
    label: str,
    word: str,
) -> str:
    m = bundle.encoded.cat_of.tolist().index(principle)
    past = objective.past_counts[m]
    if past is None or not past[bundle.encoded.labels[course, m]]:
        return f"leaves room for the {word}s of the past"
    return (
        f"{label}, a {word} of the past, was missing"
        if not held
        else f"more {label}, as in the past"
    )


_NOTES = {
    "familiarity": "topics of the past",
    "validity": "recent updates",
    "learnability": "balance of levels",
    "variety": "kinds of material",
    "quality": "course ratings",
    "manageability": "small classes",
    "affordability": "low fees",
}


def note(principle: Principle) -> str:
    """What a principle asks for, in two or three words."""
    column = principle.column.replace("_", " ")
    kinds = {
        "match": f"the {column} of the past",
        "balance": f"balance of {column}",
        "mean": f"{principle.better} {column}",
    }
    return _NOTES.get(principle.name, kinds[principle.kind])
