"""A swap step after the greedy: exchange one course for a better one, as long as that helps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from equity_core.metrics.evaluate import consistency

if TYPE_CHECKING:
    from collections.abc import Sequence

    from equity_core.reranker.objective import Objective

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

LEAST = 1e-9
"""A swap has to gain more than this: rounding must not keep it going."""


def improve(
    objective: Objective, courses: Sequence[int], pool: Sequence[int] | Ints, rounds: int = 20
) -> tuple[list[int], float]:
    """The list after the best single swaps, one after the other, until none helps (or ``rounds``
    are done), and its objective.

    The new course takes the place of the one that leaves; the objective does not depend on the
    order.
    """
    listed, best, others = (
        [int(course) for course in courses],
        objective(courses),
        np.asarray(pool, dtype=np.int64),
    )
    for _ in range(rounds):
        outside = others[~np.isin(others, listed)]
        if not len(outside) or not listed:
            break
        found = np.stack(
            [
                _with(objective, [*listed[:at], *listed[at + 1 :]], outside)
                for at in range(len(listed))
            ]
        )
        at, new = np.unravel_index(int(found.argmax()), found.shape)
        if not found[at, new] > best + LEAST:
            break
        listed[int(at)] = int(outside[new])
        best = objective(listed)
    return listed, best


def _with(objective: Objective, rest: list[int], courses: Ints) -> Floats:
    """F of the rest of a list and one more course, for every course: what :class:`Objective` says,
    for many at once."""
    encoded, size = objective.bundle.encoded, len(rest) + 1
    values = np.empty((len(courses), len(objective.targets)))
    values[:, encoded.mean_of] = (
        encoded.means[np.array(rest, dtype=np.int64)].sum(axis=0) + encoded.means[courses]
    ) / size
    for m, principle in enumerate(encoded.cat_of):
        # A course matters by its label alone: one value per label, an unknown one (−1) last.
        labels = np.unique(encoded.labels[courses, m])
        by_label = np.empty(int(encoded.sizes[m]) + 1)
        for label in labels.tolist():
            example = int(courses[np.argmax(encoded.labels[courses, m] == label)])
            by_label[label] = objective.value(m, [*rest, example])
        values[:, principle] = by_label[encoded.labels[courses, m]]
    relevance = sum(objective.relevance(course) for course in rest) + objective.relevances(courses)
    reached = consistency(objective.targets[None], values, objective.weights[None])
    out: Floats = (1.0 - objective.lam) * relevance + objective.lam * reached
    return out
