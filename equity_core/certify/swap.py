"""A swap step after the greedy: exchange one course for a better one, as long as that helps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from equity_core.audit.one_learner import Objective

LEAST = 1e-9
"""A swap has to gain more than this: rounding must not keep it going."""


def improve(objective: Objective, courses: Sequence[int], pool: Sequence[int] | np.ndarray, rounds: int = 20) -> tuple[list[int], float]:
    """The list after the best single swaps, one after the other, until none helps (or ``rounds`` are done), and its objective.

    The new course takes the place of the one that leaves; the objective does not depend on the order.
    """
    listed, best = list(courses), objective(courses)
    for _ in range(rounds):
        inside, swap = set(listed), None
        for course in pool:
            if int(course) not in inside:
                for at in range(len(listed)):
                    value = objective([*listed[:at], int(course), *listed[at + 1 :]])
                    if value > best + LEAST:
                        best, swap = value, (at, int(course))
        if swap is None:
            break
        listed[swap[0]] = swap[1]
    return listed, best
