"""The upper bound for one learner: which courses can be in a best list, and the program over them."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from equity_core.certify.program import Program

if TYPE_CHECKING:
    from equity_core.audit.one_learner import Objective

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

SEGMENTS = (0.0, 0.2, 0.36, 0.5, 0.62, 0.72, 0.8, 0.86, 0.91, 0.945, 0.97, 0.985, 0.994, 0.998, 1.0)
"""Where the familiarity curve 1 − sqrt(1 − o) is cut; finer towards 1, where it bends."""
SLACK = 1e-9
"""Added to the bound: the solver's own tolerance."""


def pool_of(objective: Objective, catalogue: bool) -> Ints:
    """The courses that a list may hold: the stored candidates, or the whole catalogue less the past."""
    if not catalogue:
        return objective.candidates.astype(np.int64)
    allowed = np.ones(len(objective.bundle.course_ids), dtype=np.bool_)
    allowed[objective.bundle.past.row(objective.learner)] = False
    return np.flatnonzero(allowed)


def _signs(objective: Objective, pool: Ints) -> Floats:
    """Per mean: +1 where its target is at or above every course (or its weight is 0), −1 at or below, 0 where it lies between."""
    encoded = objective.bundle.encoded
    values, targets = encoded.means[pool], objective.targets[encoded.mean_of]
    if values.shape[1] == 0:
        return np.zeros(0)
    linear = np.where(targets >= values.max(axis=0), 1.0, np.where(targets <= values.min(axis=0), -1.0, 0.0))
    return np.where((linear == 0.0) & (objective.weights[encoded.mean_of] == 0.0), 1.0, linear)


def contenders(objective: Objective, pool: Ints, k: int) -> Ints:
    """The courses that can be in a best list of k.

    Courses with the same labels differ by relevance and, while every mean is linear, by their pull alone: one that k others of its group
    equal or beat in both can be replaced by one of them without loss. With a mean whose target lies between, nothing is dropped.
    """
    encoded, signs = objective.bundle.encoded, _signs(objective, pool)
    if (signs == 0.0).any():
        return pool
    pull = encoded.means[pool] @ (signs * objective.weights[encoded.mean_of]) if len(signs) else np.zeros(len(pool))
    relevance = np.array([objective.relevance(int(course)) for course in pool])
    kept = np.zeros(len(pool), dtype=np.bool_)
    _, group = np.unique(encoded.labels[pool], axis=0, return_inverse=True)
    for number in np.unique(group):
        members = np.flatnonzero(group.reshape(-1) == number)
        # By relevance, then pull, then position: whoever beats a course in both stands before it.
        members = members[np.lexsort((members, -pull[members], -relevance[members]))]
        for at, course in enumerate(members):
            kept[course] = (pull[members[:at]] >= pull[course]).sum() < k
    return pool[kept]


def upper_bound(objective: Objective, k: int, *, catalogue: bool = False, time_limit: float = 10.0) -> tuple[float, bool]:
    """A number that no list of k courses can beat under the objective, and whether the program behind it was solved to the end."""
    pool = pool_of(objective, catalogue)
    length = min(k, len(pool))
    if length == 0:
        return float("nan"), True
    pool = contenders(objective, pool, length)
    program, share = Program(), objective.lam / len(objective.targets)
    relevance = np.array([objective.relevance(int(course)) for course in pool])
    program.constant = objective.lam
    x = [program.variable(0, 1, gain=(1.0 - objective.lam) * value, whole=True) for value in relevance]
    program.row(dict.fromkeys(x, 1.0), length, length)
    _means(program, objective, pool, x, length, share)
    encoded = objective.bundle.encoded
    for m, principle in enumerate(encoded.cat_of):
        weight, target = share * objective.weights[principle], float(objective.targets[principle])
        if weight > 0.0:
            gap = program.variable(0.0, 1.0, gain=-weight)
            counts = _counts(program, encoded.labels[pool, m], x, length)
            past = objective.past_counts[m]
            if past is not None:
                _match(program, gap, target, counts, np.sqrt(past / past.sum()), length)
            else:
                unknown = bool((encoded.labels[pool, m] < 0).any())
                _balance(program, gap, target, counts, int(encoded.sizes[m]), length, unknown)
    bound, exact = program.solve(time_limit)
    return bound + SLACK, exact


def _means(program: Program, objective: Objective, pool: Ints, x: list[int], length: int, share: float) -> None:
    encoded, signs = objective.bundle.encoded, _signs(objective, pool)
    for m, principle in enumerate(encoded.mean_of):
        weight, target = share * objective.weights[principle], float(objective.targets[principle])
        values = encoded.means[pool, m] / length
        if signs[m] != 0.0:
            # |p − q| is ±(p − q) for every list: no variable needed.
            program.constant -= signs[m] * weight * target
            for variable, value in zip(x, values, strict=True):
                program.cost[variable] -= signs[m] * weight * value
        else:
            gap = program.variable(0.0, 1.0, gain=-weight)
            program.row({gap: 1.0, **dict(zip(x, values, strict=True))}, at_least=target)
            program.row({gap: 1.0, **dict(zip(x, -values, strict=True))}, at_least=-target)


def _counts(program: Program, labels: npt.NDArray[np.int32], x: list[int], length: int) -> dict[int, int]:
    """A variable a label that the pool has: how many courses of the list have it. Whole because x is."""
    counts: dict[int, int] = {}
    for label in np.unique(labels[labels >= 0]).tolist():
        mine = [x[at] for at in np.flatnonzero(labels == label)]
        counts[label] = program.variable(0.0, min(length, len(mine)))
        program.row({counts[label]: 1.0, **dict.fromkeys(mine, -1.0)}, 0.0, 0.0)
    return counts


def _match(program: Program, gap: int, target: float, counts: dict[int, int], roots: Floats, length: int) -> None:
    overlap, value = program.variable(0.0, 1.0), program.variable(0.0, 1.0)
    terms = {overlap: -1.0}
    for label, count in counts.items():
        if roots[label] > 0.0:
            root = program.variable(0.0, float(np.sqrt(length)))
            for whole in range(length):
                rise = float(np.sqrt(whole + 1) - np.sqrt(whole))
                program.row({root: 1.0, count: -rise}, at_most=float(np.sqrt(whole)) - rise * whole)
            terms[root] = float(roots[label] / np.sqrt(length))
    program.row(terms, at_least=0.0)
    # The segment that the overlap lies in: one binary z a segment, with the overlap's part y in it; the value is at most the chord there.
    chord, inside, one = {value: -1.0}, {overlap: -1.0}, {}
    for start, end in pairwise(SEGMENTS):
        z, y = program.variable(0, 1, whole=True), program.variable(0.0, 1.0)
        program.row({y: 1.0, z: -start}, at_least=0.0)
        program.row({y: 1.0, z: -end}, at_most=0.0)
        bottom = 1.0 - np.sqrt(1.0 - start)
        slope = float((1.0 - np.sqrt(1.0 - end) - bottom) / (end - start))
        chord[y], chord[z] = slope, float(bottom - slope * start)
        inside[y], one[z] = 1.0, 1.0
    program.row(one, 1.0, 1.0)
    program.row(inside, 0.0, 0.0)
    program.row(chord, at_least=0.0)
    program.row({gap: 1.0, value: 1.0}, at_least=target)
    if target < 1.0:
        # The curve lies above its tangents; they bound the value from below, and so the gap of a list that matches too well.
        for at in SEGMENTS[:-1]:
            slope = float(0.5 / np.sqrt(1.0 - at))
            program.row({gap: 1.0, overlap: -slope}, at_least=float(1.0 - np.sqrt(1.0 - at)) - slope * at - target)


def _balance(program: Program, gap: int, target: float, counts: dict[int, int], size: int, length: int, unknown: bool) -> None:
    if size == 1:
        program.row({gap: 1.0}, at_least=abs(target - 1.0))
        return
    present, absent = list(counts.values()), size - len(counts)
    # Pairs with a value that no candidate has differ by the whole count.
    spread: dict[int, float] = dict.fromkeys(present, float(absent))
    two_sided = target < 1.0 and not unknown
    for a, first in enumerate(present):
        for second in present[a + 1 :]:
            apart = program.variable(0.0, length)
            spread[apart] = 1.0
            program.row({apart: 1.0, first: -1.0, second: 1.0}, at_least=0.0)
            program.row({apart: 1.0, first: 1.0, second: -1.0}, at_least=0.0)
            if two_sided:
                side = program.variable(0, 1, whole=True)
                program.row({apart: 1.0, first: -1.0, second: 1.0, side: -2.0 * length}, at_most=0.0)
                program.row({apart: 1.0, first: 1.0, second: -1.0, side: 2.0 * length}, at_most=2.0 * length)
    unit = 1.0 / (length * (size - 1.0))
    program.row({gap: 1.0, **{variable: -unit * value for variable, value in spread.items()}}, at_least=target - 1.0)
    if two_sided:
        program.row({gap: 1.0, **{variable: unit * value for variable, value in spread.items()}}, at_least=1.0 - target)
