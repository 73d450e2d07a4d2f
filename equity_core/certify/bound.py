"""The upper bound for one learner: which courses can be in a best list, and the program over
them."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from equity_core.certify.program import Program

if TYPE_CHECKING:
    from equity_core.reranker.objective import Objective

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

LOOSE = 0.004
"""How far a chord may lie above the familiarity curve 1 − sqrt(1 − o)."""
SLACK = 1e-9
"""Added to the bound: the solver's own tolerance."""


def pool_of(objective: Objective, catalogue: bool) -> Ints:
    """The courses that a list may hold: the stored candidates, or the whole catalogue less the
    past and the courses from the future, where the bundle masks them."""
    if not catalogue:
        return objective.candidates.astype(np.int64)
    allowed = ~objective.bundle.future.hidden
    allowed[objective.bundle.past.row(objective.learner)] = False
    return np.flatnonzero(allowed)


def _signs(objective: Objective, pool: Ints) -> Floats:
    """Per mean: +1 where its target is at or above every course (or its weight is 0), −1 at or
    below, 0 where it lies between."""
    encoded = objective.bundle.encoded
    values, targets = encoded.means[pool], objective.targets[encoded.mean_of]
    if values.shape[1] == 0:
        return np.zeros(0)
    linear = np.where(
        targets >= values.max(axis=0), 1.0, np.where(targets <= values.min(axis=0), -1.0, 0.0)
    )
    return np.where((linear == 0.0) & (objective.weights[encoded.mean_of] == 0.0), 1.0, linear)


def _gains(objective: Objective, pool: Ints, signs: Floats, length: int) -> Floats:
    """What each course adds to the objective by itself: its relevance, and its part of every mean
    that is linear."""
    encoded = objective.bundle.encoded
    share = objective.lam / len(objective.targets)
    pull = (
        encoded.means[pool] @ (signs * objective.weights[encoded.mean_of])
        if len(signs)
        else np.zeros(len(pool))
    )
    return (1.0 - objective.lam) * objective.relevances(pool) + share * pull / length


def _alike(objective: Objective, pool: Ints) -> Ints:
    """One number per course: equal numbers, equal to every categorical principle.

    To a match, labels that the past does not have are one label: they add nothing to the overlap. A
    weight of 0 makes all alike.
    """
    encoded = objective.bundle.encoded
    labels = encoded.labels[pool].astype(np.int64)
    for m, principle in enumerate(encoded.cat_of):
        past = objective.past_counts[m]
        if objective.weights[principle] == 0.0:
            labels[:, m] = -1
        elif past is not None:
            labels[:, m] = np.where(past[labels[:, m]] > 0, labels[:, m], -1)
    return (
        np.unique(labels, axis=0, return_inverse=True)[1].reshape(-1)
        if labels.shape[1]
        else np.zeros(len(pool), dtype=np.int64)
    )


def contenders(objective: Objective, pool: Ints, k: int) -> Ints:
    """The courses that can be in a best list of k.

    Courses that are alike to every categorical principle differ, while every mean is linear, by
    what they add by themselves: one that k others of its group equal or beat can be replaced by one
    of them without loss. With a mean whose target lies between, nothing is dropped.
    """
    signs = _signs(objective, pool)
    if (signs == 0.0).any():
        return pool
    gains, group = _gains(objective, pool, signs, k), _alike(objective, pool)
    order = np.lexsort((np.arange(len(pool)), -gains, group))
    starts = np.flatnonzero(np.diff(group[order], prepend=-1))
    place = np.arange(len(pool)) - np.repeat(starts, np.diff(starts, append=len(pool)))
    return pool[np.sort(order[place < k])]


def upper_bound(
    objective: Objective,
    k: int,
    *,
    catalogue: bool = False,
    time_limit: float = 10.0,
    gap: float = 0.0,
) -> tuple[float, bool]:
    """A number that no list of k courses can beat under the objective, and whether the program
    behind it was solved in time.

    ``gap``: the search may end once the bound is proven to this share of it, which is much sooner;
    the bound holds all the same.
    """
    pool = pool_of(objective, catalogue)
    length = min(k, len(pool))
    if length == 0:
        return float("nan"), True
    pool = contenders(objective, pool, length)
    program, share = Program(), objective.lam / len(objective.targets)
    signs, groups = _signs(objective, pool), _alike(objective, pool)
    # Once it is settled how many courses of each group are taken, linear means take the best ones:
    # only the numbers need be whole.
    linear = not (signs == 0.0).any()
    program.constant = objective.lam
    x = [
        program.variable(0, 1, gain=value, whole=not linear)
        for value in _gains(objective, pool, signs, length).tolist()
    ]
    taken = []
    for number in range(int(groups.max()) + 1):
        mine = np.flatnonzero(groups == number)
        taken.append(program.variable(0, min(length, len(mine)), whole=linear))
        program.row({taken[-1]: 1.0, **{x[at]: -1.0 for at in mine}}, 0.0, 0.0)
    program.row(dict.fromkeys(taken, 1.0), length, length)
    _means(program, objective, pool, x, length, share)
    encoded = objective.bundle.encoded
    first = np.array([pool[np.argmax(groups == number)] for number in range(len(taken))])
    for m, principle in enumerate(encoded.cat_of):
        weight, target = share * objective.weights[principle], float(objective.targets[principle])
        if weight > 0.0:
            distance = program.variable(0.0, 1.0, gain=-weight)
            past, most = (
                objective.past_counts[m],
                np.bincount(encoded.labels[pool, m][encoded.labels[pool, m] >= 0]),
            )
            if past is not None:
                roots = np.where(past > 0, np.sqrt(past / past.sum()), 0.0)
                # Alike to this match or not, a group has one label that counts, or none.
                counts = _counts(
                    program, encoded.labels[first, m], taken, most, length, roots > 0.0
                )
                _match(program, distance, target, counts, roots, np.minimum(most, length), length)
            else:
                counts = _counts(program, encoded.labels[first, m], taken, most, length)
                unknown = bool((encoded.labels[pool, m] < 0).any())
                _balance(program, distance, target, counts, int(encoded.sizes[m]), length, unknown)
    bound, exact = program.solve(time_limit, gap)
    return bound + SLACK, exact


def _means(
    program: Program, objective: Objective, pool: Ints, x: list[int], length: int, share: float
) -> None:
    encoded, signs = objective.bundle.encoded, _signs(objective, pool)
    for m, principle in enumerate(encoded.mean_of):
        weight, target = share * objective.weights[principle], float(objective.targets[principle])
        values = encoded.means[pool, m] / length
        if signs[m] != 0.0:
            # |p − q| is ±(p − q) for every list: what q adds is in the courses' gains.
            program.constant -= signs[m] * weight * target
        else:
            distance = program.variable(0.0, 1.0, gain=-weight)
            program.row({distance: 1.0, **dict(zip(x, values, strict=True))}, at_least=target)
            program.row({distance: 1.0, **dict(zip(x, -values, strict=True))}, at_least=-target)


def _counts(
    program: Program,
    labels: npt.NDArray[np.int32],
    taken: list[int],
    most: Ints,
    length: int,
    counted: npt.NDArray[np.bool_] | None = None,
) -> dict[int, int]:
    """One variable per label that counts: how many courses of the list have it. Whole because the
    groups' numbers are."""
    counts: dict[int, int] = {}
    for label in np.unique(labels[labels >= 0]).tolist():
        if counted is None or counted[label]:
            counts[label] = program.variable(0.0, min(length, int(most[label])))
            program.row(
                {counts[label]: 1.0, **{taken[at]: -1.0 for at in np.flatnonzero(labels == label)}},
                0.0,
                0.0,
            )
    return counts


def _best_overlap(roots: Floats, most: Ints, length: int) -> float:
    """The largest Σ sqrt(x_g c_g / k) with at most ``most`` courses of each label: the sum is
    concave, so one after the other is best."""
    steps = [
        roots[g] * np.diff(np.sqrt(np.arange(count + 1))) for g, count in enumerate(most.tolist())
    ]
    rises = np.sort(np.concatenate([np.zeros(0), *steps]))[::-1][:length]
    return min(1.0, float(rises.sum()) / float(np.sqrt(length)) + 1e-12)


def hellinger_cuts(counts: dict[int, int], roots: Floats, length: int, top: float) -> list[float]:
    """Where the familiarity curve is cut. With one label: at the overlaps there are. Else so that
    no chord lies more than LOOSE above it.

    With s = sqrt(1 − o), a chord over Δs lies at most Δs² / (4 (s₁ + s₂)) above; so sqrt(s) is cut
    evenly.
    """
    if len(counts) == 1:
        root = float(roots[next(iter(counts))])
        points = np.minimum(root * np.sqrt(np.arange(length + 1) / length), 1.0)
        return [*points[points < top - 1e-9].tolist(), top]
    ends = 1.0, float((1.0 - top) ** 0.25)
    pieces = max(1, int(np.ceil((ends[0] - ends[1]) / np.sqrt(2.0 * LOOSE))))
    inner = 1.0 - np.linspace(*ends, pieces + 1)[1:-1] ** 4
    return [0.0, *inner.tolist(), top]


def _match(
    program: Program,
    distance: int,
    target: float,
    counts: dict[int, int],
    roots: Floats,
    most: Ints,
    length: int,
) -> None:
    top = _best_overlap(roots[: len(most)], most, length)
    if not counts:
        program.row({distance: 1.0}, at_least=target)
        return
    overlap, value = program.variable(0.0, top), program.variable(0.0, 1.0)
    terms = {overlap: -1.0}
    for label, count in counts.items():
        root = program.variable(0.0, float(np.sqrt(length)))
        for whole in range(length):
            rise = float(np.sqrt(whole + 1) - np.sqrt(whole))
            program.row({root: 1.0, count: -rise}, at_most=float(np.sqrt(whole)) - rise * whole)
        terms[root] = float(roots[label] / np.sqrt(length))
    program.row(terms, at_least=0.0)
    cuts = hellinger_cuts(counts, roots, length, top)
    # The segment that the overlap lies in: one binary z per segment, with the overlap's part y in
    # it; the value is at most the chord there.
    chord, inside, one = {value: -1.0}, {overlap: -1.0}, {}
    for start, end in pairwise(cuts):
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
    program.row({distance: 1.0, value: 1.0}, at_least=target)
    if target < 1.0:
        # The curve lies above its tangents; they bound the value from below, and so the distance of
        # a list that matches too well.
        for at in cuts[:-1]:
            slope = float(0.5 / np.sqrt(1.0 - at))
            program.row(
                {distance: 1.0, overlap: -slope},
                at_least=float(1.0 - np.sqrt(1.0 - at)) - slope * at - target,
            )


def _balance(
    program: Program,
    distance: int,
    target: float,
    counts: dict[int, int],
    size: int,
    length: int,
    unknown: bool,
) -> None:
    if size == 1:
        program.row({distance: 1.0}, at_least=abs(target - 1.0))
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
                program.row(
                    {apart: 1.0, first: -1.0, second: 1.0, side: -2.0 * length}, at_most=0.0
                )
                program.row(
                    {apart: 1.0, first: 1.0, second: -1.0, side: 2.0 * length}, at_most=2.0 * length
                )
    unit = 1.0 / (length * (size - 1.0))
    program.row(
        {distance: 1.0, **{variable: -unit * value for variable, value in spread.items()}},
        at_least=target - 1.0,
    )
    if two_sided:
        program.row(
            {distance: 1.0, **{variable: unit * value for variable, value in spread.items()}},
            at_least=1.0 - target,
        )
