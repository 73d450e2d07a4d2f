"""Why a course is in a finished list: what the list would lose without it, and whose place it took.

For lists that are not shown as they were picked: their places go by relevance, or courses came by
exchanges. What a list is worth depends on its set of courses L alone, so a course's part in it is
F(L) − F(L − i), split into relevance and principles. Under a least-loss floor there is no λ: a
list has as much relevance as its consistency allows, so a course has its relevance, and a part in
consistency.

Who took whose place is a matter of words: lists are sets. Here each course that left, the
recommender's highest first, is paired with the course that it could stand in for best: the one in
whose place it would cost the list least.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from equity_core.analysis.learners.phrases import (
    NO_ADVANTAGE,
    NO_BETTER,
    advantage_phrase,
    better_on,
    where_from,
)
from equity_core.metrics.evaluate import consistency

if TYPE_CHECKING:
    from equity_core.bundle import Bundle
    from equity_core.policy import Policy
    from equity_core.reranker.api import Run
    from equity_core.reranker.objective import Objective

Floats = npt.NDArray[np.float64]
Rows = list[tuple[object, ...]]
Edition = Literal["steps", "objective", "floor"]

OWN_CHOICE = "the recommender's choice"
FILLS = "fills a place that the own list left empty"
"""The words for a course that nobody had to leave for."""
TIE = 2e-9
"""Parts that differ by no more than this are equal: swaps have to gain 1e-9."""
MOST_PAIRS = 2500
"""With more pairs than this to compare, courses are paired in the order of the lists: in lists of
hundreds, which one stands for which says little, and it would take seconds."""


@dataclass(frozen=True)
class Exchange:
    """A course that left, and the one that came in its place."""

    gone: int
    came: int
    back: tuple[int, ...]
    """The list with this exchange taken back."""


def edition_of(policy: Policy) -> Edition:
    """How the lists of a policy are explained (:class:`equity_core.analysis.learners.reasons`)."""
    if policy.floor is not None and policy.floor_method == "least-loss":
        return "floor"
    picked = policy.method == "greedy" if policy.floor is None else True
    return "steps" if picked and policy.order == "greedy" else "objective"


def _worth(objective: Objective, edition: Edition, courses: Sequence[int]) -> float:
    """What a list is compared by: the objective, or under a least-loss floor the consistency."""
    return (
        float(consistency(objective.targets[None], objective.values(courses)[None])[0])
        if edition == "floor"
        else objective(courses)
    )


def _exchanged(courses: Sequence[int], came: int, gone: int) -> tuple[int, ...]:
    return tuple(gone if course == came else course for course in courses)


def exchanges(
    objective: Objective, edition: Edition, before: Sequence[int], after: Sequence[int]
) -> list[Exchange]:
    """Pair the courses that left with those that came, in the order of the list before."""
    gone = [course for course in before if course not in set(after)]
    entered = [course for course in after if course not in set(before)]
    pairs: list[tuple[int, int]]
    if len(gone) * len(entered) > MOST_PAIRS:
        pairs = list(zip(gone, entered, strict=False))
    else:
        pairs, free = [], list(entered)
        for course in gone[: len(entered)]:
            values = [_worth(objective, edition, _exchanged(after, came, course)) for came in free]
            pairs.append((course, free.pop(int(np.argmax(values)))))
    return [Exchange(out, came, _exchanged(after, came, out)) for out, came in pairs]


def _why(objective: Objective, edition: Edition, after: Sequence[int], one: Exchange) -> str:
    """The principles that the course which came serves better in this list, in words."""
    parts = objective.floor_parts if edition == "floor" else objective.parts
    rest = [course for course in after if course != one.came]
    ahead = parts(rest, one.came)[1:] - parts(rest, one.gone)[1:]
    named = [
        advantage_phrase(objective, m, rest, one.came, one.gone, finished=True)
        for m in better_on(ahead, TIE)
    ]
    return "; ".join(named) or (NO_BETTER if (ahead < -TIE).any() else NO_ADVANTAGE)


def exchange_reasons(
    bundle: Bundle,
    objective: Objective,
    edition: Edition,
    before: Sequence[int],
    after: Sequence[int],
) -> tuple[list[Floats], Rows, Rows, list[Exchange]]:
    """Parts, picked and left of a finished list
    (:class:`equity_core.analysis.learners.reasons.Reasons`), and its exchanges."""
    titles, found = bundle.courses["title"], exchanges(objective, edition, before, after)
    whys = {one.came: _why(objective, edition, after, one) for one in found}
    left_for = {one.came: one.gone for one in found}
    parts: list[Floats] = []
    picked: Rows = []
    for at, course in enumerate(after):
        rest = [*after[:at], *after[at + 1 :]]
        if edition == "floor":
            mine = objective.floor_parts(rest, course)
            increment = float(mine[1:].sum())
        else:
            mine = objective.parts(rest, course)
            increment = float(mine.sum())
        head, other = where_from(objective, course, at + 1, before), left_for.get(course, -1)
        why = OWN_CHOICE if course in before else whys.get(course, FILLS)
        if other >= 0:
            head += f", in place of no. {list(before).index(other) + 1} before"
        parts.append(mine)
        place = objective.place(course) or 0
        picked.append((at + 1, course, place, increment, other, why, f"{head}: {why}"))
    left: Rows = [
        (
            list(before).index(one.gone) + 1,
            one.gone,
            one.came,
            list(after).index(one.came) + 1,
            whys[one.came],
            f"replaced by “{titles.iloc[one.came]}”: {whys[one.came]}",
        )
        for one in found
    ]
    return parts, picked, left, found


def finished_note(
    objective: Objective,
    run: Run,
    edition: Edition,
    after: Sequence[int],
    found: Sequence[Exchange],
) -> str:
    """What places and bars of a finished list mean, whether its exchanges are needed, and what λ
    is."""
    if not after:
        return ""
    policy = run.policy
    text = "Places go by relevance. " if policy.order == "relevance" else ""
    if edition == "objective":
        return text + (
            "Bars: what the list's objective would lose without the course (to the left: gain)."
        )
    text += (
        "Bars: the course's relevance; below it, what the list's consistency would lose without the"
        " course (to the left: gain)."
    )
    if not found or policy.floor is None:
        return text
    if run.reached[objective.learner]:
        back = [_worth(objective, edition, one.back) for one in found]
        if max(back) < policy.floor - TIE:
            text += (
                " With the exchange taken back, the list would miss the floor."
                if len(found) == 1
                else " With any one exchange taken back, the list would miss the floor."
            )
    return text + (
        " No λ is used: the greedy alone would first meet the floor, or come closest to it, at"
        f" λ = {objective.lam:.2f}."
    )
