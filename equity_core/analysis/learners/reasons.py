"""Why each course is in the new list, and why others left.

At every step the greedy compares all candidates. A course's *parts* say what it added to the
objective when it was picked (see :mod:`equity_core.analysis.learners.objective`). Its *reason* says
why it came before the recommender's next choice: the principles by which it beats that course, in
words.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from equity_core.analysis.learners.objective import Objective
from equity_core.analysis.learners.phrases import phrase
from equity_core.analysis.words import ordinal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from equity_core.bundle import Bundle
    from equity_core.reranker.api import Run

Floats = npt.NDArray[np.float64]

RELEVANCE = "relevance"
NAMED = 2
"""Principles named in a reason, at most."""
WORTH_NAMING = 0.2
"""A principle is named if it holds at least this share of what speaks for the course."""
OTHERWISE = "serves the principles as well"
"""Said where no principle speaks for the course: a tie."""


@dataclass(frozen=True, eq=False)
class Reasons:
    """The reasons of one learner's list. ``parts``: columns "relevance" and the principles; a row a
    course of the new list, in order."""

    lam: float
    parts: pd.DataFrame
    """Parts of the increment of the objective, at the moment of the pick."""
    picked: pd.DataFrame
    """A row a course of the new list: position, course, recommended (the recommender's place; 0: no
    score), increment, instead_of (course or −1), why, reason."""
    left: pd.DataFrame
    """A row a course that left: position (before), course, replaced_by (course), replaced_at (its
    place), why, reason."""


def _next_choice(candidates: npt.NDArray[np.int32], listed: Sequence[int]) -> int | None:
    """The recommender's highest course that the list does not have yet."""
    return next((int(course) for course in candidates if int(course) not in listed), None)


def _why(
    objective: Objective, listed: Sequence[int], course: int, other: int, parts: Floats
) -> str:
    """The principles by which ``course`` beats ``other`` at this step, largest first, in words."""
    ahead = parts[1:] - objective.parts(listed, other)[1:]
    for_it = np.where(ahead > 1e-12, ahead, 0.0)
    order = np.argsort(-for_it, kind="stable")[:NAMED]
    named = [int(m) for m in order if for_it[m] > 0 and for_it[m] >= WORTH_NAMING * for_it.sum()]
    return "; ".join(phrase(objective, m, listed, course, other) for m in named) or OTHERWISE


def _came_from(objective: Objective, course: int, step: int, before: Sequence[int]) -> str:
    """Where a course was before."""
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
    """The reasons of the list that ``run`` gives a learner, against the list of ``own`` (λ = 0)."""
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
    # As many leave as enter. A course that left was there to be picked at every step: what came
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
                f"gives way to “{titles.iloc[instead]}”: {why}",
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
    """The new list (:func:`equity_core.analysis.learners.lists.before_after`) with its reasons, for
    a table: the parts add up to ``added``."""
    parts = found.parts.add_prefix("part of ")
    told = found.picked[["recommended", "increment", "why"]].rename(columns={"increment": "added"})
    return pd.concat([after.drop(columns="course"), told, parts], axis=1)


def left_table(bundle: Bundle, found: Reasons) -> pd.DataFrame:
    """The courses that left, with ids and titles, for a table."""
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
