"""Why each course is in the new list, and why others left it.

Two editions. Where the list is shown as the greedy re-ranker picked it (``order="greedy"`` and the
paper's methods), its steps are gone through again: a course's *parts* say what it added to the
objective when it was picked (see :mod:`equity_core.reranker.objective`), and its *reason* says why
it came before the recommender's next choice. In any other list the place goes by relevance, or a
course came by an exchange: there the parts say what the finished list would lose without the
course, and the reason what came in whose place (:mod:`equity_core.analysis.learners.exchanges`).
Reasons name the principles on which a course beats the other one, in phrases such as "free of
charge" or "beginner level was missing".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from equity_core.analysis.learners.exchanges import (
    Edition,
    edition_of,
    exchange_reasons,
    finished_note,
)
from equity_core.analysis.learners.phrases import (
    NO_ADVANTAGE,
    advantage_phrase,
    better_on,
    where_from,
)
from equity_core.reranker.objective import Objective

if TYPE_CHECKING:
    from equity_core.bundle import Bundle
    from equity_core.reranker.api import Run

Floats = npt.NDArray[np.float64]
Rows = list[tuple[object, ...]]

RELEVANCE = "relevance"
PICKED = ["position", "course", "recommended", "increment", "instead_of", "why", "reason"]
LEFT = ["position", "course", "replaced_by", "replaced_at", "why", "reason"]
STEPS_NOTE = "Places go by the order of picking. Bars: what a course added when it was picked."


@dataclass(frozen=True, eq=False)
class Reasons:
    """The reasons for one learner's list."""

    edition: Edition
    """What the parts are parts of. "steps": of the objective's rise when the course was picked.
    "objective": of what the objective of the finished list would lose without the course. "floor":
    the course's relevance, which the floor maximises, and then the parts of what the list's
    consistency would lose without it."""
    lam: float
    """The λ of the learner's list; for a least-loss floor the one that its search began with."""
    note: str
    """What places and bars mean, in words."""
    parts: pd.DataFrame
    """One row per course of the new list, in order; columns "relevance" and the principles."""
    picked: pd.DataFrame
    """One row per course of the new list: position, course, recommended (the recommender's place, 0
    without a score), increment (the sum of the parts; of the principles' alone under "floor"),
    instead_of (a course, or −1), why, reason."""
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
    return (
        "; ".join(advantage_phrase(objective, m, listed, course, other) for m in better_on(ahead))
        or NO_ADVANTAGE
    )


def _steps(
    bundle: Bundle, objective: Objective, before: Sequence[int], after: Sequence[int]
) -> tuple[list[Floats], Rows, Rows]:
    """Parts, picked and left of a list whose order is that of the greedy's steps."""
    titles = bundle.courses["title"]
    parts: list[Floats] = []
    picked: Rows = []
    for at, course in enumerate(after):
        listed = after[:at]
        mine = objective.parts(listed, course)
        other = _next_choice(objective.candidates, listed)
        head = where_from(objective, course, at + 1, before)
        if other == course or other is None or objective.lam == 0.0:
            why, other = "the recommender's next choice", None
        else:
            why = _why(objective, listed, course, other, mine)
        parts.append(mine)
        instead, place = -1 if other is None else other, objective.place(course) or 0
        picked.append((at + 1, course, place, float(mine.sum()), instead, why, f"{head}: {why}"))
    entered = [(at, course) for at, course in enumerate(after) if course not in before]
    gone = [(at, course) for at, course in enumerate(before) if course not in after]
    left: Rows = []
    # As many leave as enter. A course that left could have been picked at every step: what came
    # instead was at least as good.
    for (at, course), (step, instead) in zip(gone, entered, strict=False):
        listed = after[:step]
        why = _why(objective, listed, instead, course, objective.parts(listed, instead))
        reason = f"replaced by “{titles.iloc[instead]}”: {why}"
        left.append((at + 1, course, instead, step + 1, why, reason))
    return parts, picked, left


def reasons(bundle: Bundle, own: Run, run: Run, learner: int) -> Reasons:
    """Why a learner's list in ``run`` differs from that in ``own`` (λ = 0), course by course."""
    objective, edition = Objective(bundle, run, learner), edition_of(run.policy)
    after = [int(course) for course in run.courses[learner] if course >= 0]
    before = [int(course) for course in own.courses[learner] if course >= 0]
    if edition == "steps":
        parts, picked, left = _steps(bundle, objective, before, after)
        note = STEPS_NOTE
    else:
        parts, picked, left, exchanges = exchange_reasons(bundle, objective, edition, before, after)
        note = finished_note(objective, run, edition, after, exchanges)
    names = [RELEVANCE, *(principle.name for principle in objective.bundle.principles)]
    return Reasons(
        edition,
        objective.lam,
        note,
        pd.DataFrame(np.array(parts).reshape(len(parts), len(names)), columns=names),
        pd.DataFrame(picked, columns=PICKED),
        pd.DataFrame(left, columns=LEFT),
    )


def picked_table(after: pd.DataFrame, found: Reasons) -> pd.DataFrame:
    """One row per course of the new list (:func:`equity_core.analysis.learners.lists.before_after`)
    with its reason and the parts. They add up to ``added``; under a least-loss floor, where
    relevance stands beside them, to ``added_to_consistency``."""
    floor = found.edition == "floor"
    parts = found.parts.rename(
        columns=lambda name: name if floor and name == RELEVANCE else f"part of {name}"
    )
    shown = found.picked[["recommended", "increment", "why"]].rename(
        columns={"increment": "added_to_consistency" if floor else "added"}
    )
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
