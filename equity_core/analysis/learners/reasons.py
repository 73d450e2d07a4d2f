"""Why each course is in the new list, and why others left it.

At every step the greedy re-ranker compares all candidates. A course's *parts* say what it added to
the objective when it was picked (see :mod:`equity_core.reranker.objective`). Its *reason*
says why it came before the recommender's next choice: the principles on which it beats that course,
in phrases such as "free of charge" or "beginner level was missing".
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from equity_core.analysis.words import amount, count, ordinal
from equity_core.principles import UNKNOWN
from equity_core.reranker.objective import Objective

if TYPE_CHECKING:
    from equity_core.bundle import Bundle
    from equity_core.principles import Principle
    from equity_core.reranker.api import Run

Floats = npt.NDArray[np.float64]

RELEVANCE = "relevance"
NAMED = 2
"""The most principles that a reason names."""
WORTH_NAMING = 0.2
"""A principle is named if it makes up at least this share of the course's advantage."""
NO_ADVANTAGE = "serves the principles equally well"
"""The reason in a tie: the course is better on no principle."""


@dataclass(frozen=True, eq=False)
class Reasons:
    """The reasons for one learner's list."""

    lam: float
    parts: pd.DataFrame
    """One row per course of the new list, in order; columns "relevance" and the principles: what
    each contributed to the objective when the course was picked."""
    picked: pd.DataFrame
    """One row per course of the new list: position, course, recommended (the recommender's place, 0
    without a score), increment, instead_of (a course, or −1), why, reason."""
    left: pd.DataFrame
    """One row per course that left: position (before), course, replaced_by (a course), replaced_at
    (that course's place), why, reason."""


def _next_choice(candidates: npt.NDArray[np.int32], listed: Sequence[int]) -> int | None:
    """The recommender's highest course that is not in the list yet."""
    return next((int(course) for course in candidates if int(course) not in listed), None)


def _why(
    objective: Objective, listed: Sequence[int], course: int, other: int, parts: Floats
) -> str:
    """The principles on which ``course`` beats ``other`` at this step, largest first, in words."""
    ahead = parts[1:] - objective.parts(listed, other)[1:]
    for_it = np.where(ahead > 1e-12, ahead, 0.0)
    order = np.argsort(-for_it, kind="stable")[:NAMED]
    named = [int(m) for m in order if for_it[m] > 0 and for_it[m] >= WORTH_NAMING * for_it.sum()]
    return (
        "; ".join(advantage_phrase(objective, m, listed, course, other) for m in named)
        or NO_ADVANTAGE
    )


def _came_from(objective: Objective, course: int, step: int, before: Sequence[int]) -> str:
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


def reasons(bundle: Bundle, own: Run, run: Run, learner: int) -> Reasons:
    """Why a learner's list in ``run`` differs from that in ``own`` (λ = 0), course by course."""
    objective = Objective(bundle, run, learner)
    after = [int(course) for course in run.courses[learner] if course >= 0]
    before = [int(course) for course in own.courses[learner] if course >= 0]
    titles, parts, picked = bundle.courses["title"], [], []
    for at, course in enumerate(after):
        listed = after[:at]
        mine = objective.parts(listed, course)
        other = _next_choice(objective.candidates, listed)
        head = _came_from(objective, course, at + 1, before)
        if other == course or other is None or objective.lam == 0.0:
            why, other = "the recommender's next choice", None
        else:
            why = _why(objective, listed, course, other, mine)
        parts.append(mine)
        increment, instead = float(mine.sum()), -1 if other is None else other
        picked.append(
            (
                at + 1,
                course,
                objective.place(course) or 0,
                increment,
                instead,
                why,
                f"{head}: {why}",
            )
        )
    entered = [(at, course) for at, course in enumerate(after) if course not in before]
    gone = [(at, course) for at, course in enumerate(before) if course not in after]
    left = []
    # As many leave as enter. A course that left could have been picked at every step: what came
    # instead was at least as good.
    for (at, course), (step, instead) in zip(gone, entered, strict=False):
        listed = after[:step]
        why = _why(objective, listed, instead, course, objective.parts(listed, instead))
        left.append(
            (
                at + 1,
                course,
                instead,
                step + 1,
                why,
                f"replaced by “{titles.iloc[instead]}”: {why}",
            )
        )
    names = [RELEVANCE, *(principle.name for principle in bundle.principles)]
    return Reasons(
        objective.lam,
        pd.DataFrame(np.array(parts).reshape(len(parts), len(names)), columns=names),
        pd.DataFrame(
            picked,
            columns=[
                "position",
                "course",
                "recommended",
                "increment",
                "instead_of",
                "why",
                "reason",
            ],
        ),
        pd.DataFrame(
            left, columns=["position", "course", "replaced_by", "replaced_at", "why", "reason"]
        ),
    )


def picked_table(after: pd.DataFrame, found: Reasons) -> pd.DataFrame:
    """One row per course of the new list (:func:`equity_core.analysis.learners.lists.before_after`)
    with its reason and the parts, which add up to ``added``."""
    parts = found.parts.add_prefix("part of ")
    shown = found.picked[["recommended", "increment", "why"]].rename(columns={"increment": "added"})
    return pd.concat([after.drop(columns="course"), shown, parts], axis=1)


def left_table(bundle: Bundle, found: Reasons) -> pd.DataFrame:
    """One row per course that left, with ids and titles of it and of what replaced it."""
    titles, left = bundle.courses["title"].to_numpy(), found.left
    gone, instead = (left[name].to_numpy(dtype=np.int64) for name in ("course", "replaced_by"))
    return pd.DataFrame(
        {
            "place": left["position"],
            "course_id": bundle.course_ids[gone],
            "title": titles[gone],
            "replaced_at": left["replaced_at"],
            "replaced_by": bundle.course_ids[instead],
            "replaced_by_title": titles[instead],
            "why": left["why"],
        }
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
    objective: Objective, principle: int, listed: Sequence[int], course: int, other: int | None
) -> str:
    """What ``course`` adds on one principle to the list so far, compared with the ``other`` course
    that could have been picked."""
    bundle = objective.bundle
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
        return f"{label} was missing" if not held else f"{label} was rare"
    return _past_phrase(objective, bundle, principle, course, held, str(value), word)


def _past_phrase(
    objective: Objective,
    bundle: Bundle,
    principle: int,
    course: int,
    held: int,
    label: str,
    word: str,
) -> str:
    """The phrase for a principle that compares with the learner's past courses."""
    m = bundle.encoded.cat_of.tolist().index(principle)
    past = objective.past_counts[m]
    if past is None or not past[bundle.encoded.labels[course, m]]:
        return f"leaves room for past {word}s"
    return f"{label}, a past {word}, was missing" if not held else f"more {label}, as in the past"


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
