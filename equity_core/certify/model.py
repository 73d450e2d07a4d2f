"""The lists of k courses as the whole-number solutions of a linear program, with their consistency
as a linear expression that is never too low.

x says which courses are in the list, Σ x = k. Courses that are alike to every categorical principle
form a group, with a variable for the number taken of it. Consistency is 1 − Σ_m w_m g_m / |C| with
g_m ≥ |p_m − q_m|, written as:

* **mean**: q is linear in x; g ≥ p − q and g ≥ q − p. Exact.
* **balance**: with counts c_v and t courses of known label, q = 1 − Σ_{v<w} |c_v − c_w| / (t (s −
  1)). Each |c_v − c_w| is a variable e above both differences. Where labels are unknown, one binary
  per number t switches on the row with that t. A target below 1 needs g ≥ q − p too, where larger e
  would help: one binary per pair then keeps e at |c_v − c_w|. Exact.
* **match**: q = 1 − sqrt(1 − o), o = Σ_g sqrt(x_g c_g / k). sqrt(c_g) is concave: the chords
  between whole numbers bound it from above, and are exact there. 1 − sqrt(1 − o) is convex: it is
  bounded from above by chords over segments of o, one binary per segment, up to the largest overlap
  that the candidates allow. Exact at the ends of the segments, at most LOOSE too high between them.
  A list that can match better than its target needs g ≥ q − p as well: one binary per label and
  count then makes o exact, tangents bound the curve from below, and for single combinations of
  counts g is given outright.

So a solution may look more consistent than its list is, never less: what is proven about all
solutions holds for all lists. :mod:`equity_core.certify.bound` and
:mod:`equity_core.certify.floor` make the match exact at the solution found (``exact``) and solve
again, until that solution is what it looks like.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from equity_core.certify.pool import groups_of, pulls_of, signs_of
from equity_core.certify.program import Program
from equity_core.metrics.kernels import match_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from equity_core.reranker.objective import Objective

# The kernel's own formula as plain Python: no compiler to wait for.
_match_value = match_value.py_func

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

LOOSE = 0.004
"""How far a chord may lie above the familiarity curve 1 − sqrt(1 − o) before segments are cut."""
NEAR = 1e-7
"""Ends of segments are at least this far apart."""


@dataclass(frozen=True)
class Model:
    """The program of all lists of one learner, before anything is asked of them."""

    program: Program
    pool: Ints
    groups: Ints
    x: list[int]
    """The variable of each course of the pool."""
    taken: list[int]
    """The variable of each group: how many of its courses are in the list."""
    consistency: dict[int, float]
    """Consistency less ``constant``, as coefficients of variables."""
    constant: float
    whole: bool
    """Whether each x is whole, or only the groups' numbers."""

    def courses(self, values: Floats, gains: Floats) -> list[int]:
        """The list of a solution. Where x is not whole: of each group the number that was taken,
        its best by gain."""
        chosen: list[int] = []
        for number, variable in enumerate(self.taken):
            mine = np.flatnonzero(self.groups == number)
            inside = np.round(values[np.array(self.x)[mine]]) if self.whole else np.zeros(len(mine))
            order = np.lexsort((mine, -gains[mine], -inside))
            chosen += self.pool[mine[order[: round(float(values[variable]))]]].tolist()
        return chosen


def match_counts(objective: Objective, courses: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """How many courses of a list have each label of the past, by each match: what its match values
    depend on."""
    encoded, listed = objective.bundle.encoded, np.asarray(courses, dtype=np.int64)
    return tuple(
        tuple(
            np.where(past > 0, np.bincount(encoded.labels[listed, m], minlength=len(past)), 0)
            .astype(int)
            .tolist()
        )
        for m, past in enumerate(objective.past_counts)
        if past is not None
    )


def list_model(
    objective: Objective,
    pool: Ints,
    length: int,
    *,
    whole: bool,
    exact: Iterable[tuple[tuple[int, ...], ...]] = (),
) -> Model:
    """All lists of ``length`` courses of the pool, with their consistency under the objective's
    weights.

    ``whole``: each x is whole. Else, while every mean is linear, only the numbers taken of the
    groups are: once those are settled, the best courses of each group are taken. ``exact``:
    :func:`match_counts` of lists whose consistency has to be exact.
    """
    program, encoded = Program(), objective.bundle.encoded
    signs, groups = signs_of(objective, pool), groups_of(objective, pool)
    whole = whole or bool((signs == 0.0).any())
    x = [program.variable(0, 1, whole=whole) for _ in range(len(pool))]
    taken = []
    for number in range(int(groups.max()) + 1):
        mine = np.flatnonzero(groups == number)
        taken.append(program.variable(0, min(length, len(mine)), whole=not whole))
        program.row({taken[-1]: 1.0, **{x[at]: -1.0 for at in mine}}, 0.0, 0.0)
    program.row(dict.fromkeys(taken, 1.0), length, length)

    parts = dict(zip(x, pulls_of(objective, pool, signs, length).tolist(), strict=True))
    weights, constant = objective.weights / len(objective.targets), 1.0
    for m, principle in enumerate(encoded.mean_of):
        weight, target = float(weights[principle]), float(objective.targets[principle])
        values = encoded.means[pool, m] / length
        if signs[m] != 0.0:
            # |p − q| is ±(p − q) for every list: what q adds is in the courses' pulls.
            constant -= signs[m] * weight * target
        else:
            distance = program.variable(0.0, 1.0)
            parts[distance] = -weight
            program.row({distance: 1.0, **dict(zip(x, values, strict=True))}, at_least=target)
            program.row({distance: 1.0, **dict(zip(x, -values, strict=True))}, at_least=-target)

    first = np.array([pool[np.argmax(groups == number)] for number in range(len(taken))])
    matches, points = 0, list(exact)
    for m, principle in enumerate(encoded.cat_of):
        past, target = objective.past_counts[m], float(objective.targets[principle])
        known = [one[matches] for one in points] if past is not None else []
        matches += past is not None
        if weights[principle] <= 0.0:
            continue
        distance = program.variable(0.0, 1.0)
        parts[distance] = -float(weights[principle])
        labels = encoded.labels[pool, m]
        most = np.bincount(labels[labels >= 0])
        if past is not None:
            roots = np.where(past > 0, np.sqrt(past / past.sum()), 0.0)
            # Alike to this match or not, a group has one label that counts, or none.
            counts = _counts(program, encoded.labels[first, m], taken, most, length, roots > 0.0)
            _match(
                program, distance, target, counts, roots, np.minimum(most, length), length, known
            )
        else:
            counts = _counts(program, encoded.labels[first, m], taken, most, length)
            unknown = int((labels < 0).sum())
            _balance(program, distance, target, counts, int(encoded.sizes[m]), length, unknown)
    return Model(program, pool, groups, x, taken, parts, constant, whole)


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


def hellinger_cuts(
    counts: dict[int, int], roots: Floats, length: int, top: float, ends: Sequence[float] = ()
) -> list[float]:
    """Where the familiarity curve is cut: at ``ends``, and so that no chord lies more than LOOSE
    above it. With one label: at the overlaps there are.

    With s = sqrt(1 − o), a chord over Δs lies at most Δs² / (4 (s₁ + s₂)) above; so sqrt(s) is cut
    evenly.
    """
    if len(counts) == 1:
        root = float(roots[next(iter(counts))])
        points = np.minimum(root * np.sqrt(np.arange(length + 1) / length), 1.0)
    else:
        last = float((1.0 - top) ** 0.25)
        pieces = max(1, int(np.ceil((1.0 - last) / np.sqrt(2.0 * LOOSE))))
        points = 1.0 - np.linspace(1.0, last, pieces + 1)[:-1] ** 4
    # Given ends come first: of two that are near, the one that has to be exact stays.
    cuts = [0.0, top]
    for point in [*ends, *points.tolist()]:
        if all(abs(point - other) > NEAR for other in cuts) and 0.0 < point < top:
            cuts.append(point)
    return sorted(cuts)


def _match(
    program: Program,
    distance: int,
    target: float,
    counts: dict[int, int],
    roots: Floats,
    most: Ints,
    length: int,
    known: Sequence[tuple[int, ...]],
) -> None:
    """``known``: numbers of courses per label at which the value has to be exact."""
    top = _best_overlap(roots[: len(most)], most, length)
    if not counts:
        program.row({distance: 1.0}, at_least=target)
        return
    overlap, value = program.variable(0.0, top), program.variable(0.0, 1.0)
    too_well = 1.0 - np.sqrt(1.0 - top) > target
    terms, level_of = {overlap: -1.0}, {}
    for label, count in counts.items():
        root = program.variable(0.0, float(np.sqrt(length)))
        if too_well:
            highest = int(most[label])
            levels = [program.variable(0, 1, whole=True) for _ in range(highest + 1)]
            program.row(dict.fromkeys(levels, 1.0), 1.0, 1.0)
            level_of[label] = levels
            for variable, power in ((count, 1.0), (root, 0.5)):
                steps = {at: float(j**power) for j, at in enumerate(levels)}
                program.row({variable: -1.0, **steps}, 0.0, 0.0)
        else:
            for number in range(length):
                rise = float(np.sqrt(number + 1) - np.sqrt(number))
                at_most = float(np.sqrt(number)) - rise * number
                program.row({root: 1.0, count: -rise}, at_most=at_most)
        terms[root] = float(roots[label] / np.sqrt(length))
    program.row(terms, 0.0, 1e-9 if too_well else np.inf)
    meeting = [float(roots @ np.sqrt(one)) / float(np.sqrt(length)) for one in known]
    cuts = hellinger_cuts(counts, roots, length, top, meeting)
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
    if too_well:
        # The curve lies above its tangents; they bound the value from below, and so the distance of
        # a list that matches too well. They are too steep to be cut as finely near an overlap of 1:
        # for the numbers that are known, the distance is said outright.
        for at in cuts[:-1]:
            slope = float(0.5 / np.sqrt(1.0 - at))
            program.row(
                {distance: 1.0, overlap: -slope},
                at_least=float(1.0 - np.sqrt(1.0 - at)) - slope * at - target,
            )
        for numbers, point in zip(known, meeting, strict=True):
            gap = abs(target - _match_value(point * np.sqrt(length), length))
            switches = [level_of[label][numbers[label]] for label in counts]
            program.row(
                {distance: 1.0, **dict.fromkeys(switches, -gap)},
                at_least=gap * (1 - len(switches)),
            )


def _balance(
    program: Program,
    distance: int,
    target: float,
    counts: dict[int, int],
    size: int,
    length: int,
    unknown: int,
) -> None:
    """``unknown``: how many courses of the pool have no known label."""
    if size == 1:
        program.row({distance: 1.0}, at_least=abs(target - 1.0))
        return
    present, absent = list(counts.values()), size - len(counts)
    # Pairs with a value that no candidate has differ by the whole count.
    spread: dict[int, float] = dict.fromkeys(present, float(absent))
    for a, first in enumerate(present):
        for second in present[a + 1 :]:
            apart = program.variable(0.0, length)
            spread[apart] = 1.0
            program.row({apart: 1.0, first: -1.0, second: 1.0}, at_least=0.0)
            program.row({apart: 1.0, first: 1.0, second: -1.0}, at_least=0.0)
            if target < 1.0:
                side = program.variable(0, 1, whole=True)
                program.row(
                    {apart: 1.0, first: -1.0, second: 1.0, side: -2.0 * length}, at_most=0.0
                )
                program.row(
                    {apart: 1.0, first: 1.0, second: -1.0, side: 2.0 * length}, at_most=2.0 * length
                )

    def gini(known: int, sign: float) -> dict[int, float]:
        unit = sign / (known * (size - 1.0))
        return {distance: 1.0, **{at: unit * value for at, value in spread.items()}}

    # With k courses of known label; with fewer the spread counts for more, so it holds for them.
    program.row(gini(length, -1.0), at_least=target - 1.0)
    if not unknown:
        if target < 1.0:
            program.row(gini(length, 1.0), at_least=1.0 - target)
        return
    switches = {}
    for known in range(max(0, length - unknown), length + 1):
        switch = program.variable(0, 1, whole=True)
        switches[switch] = known
        if known == 0:
            program.row({distance: 1.0, switch: -target}, at_least=0.0)
            continue
        # Far enough below 0 to say nothing where the switch is off.
        off = length / known
        program.row({**gini(known, -1.0), switch: -off}, at_least=target - 1.0 - off)
        if target < 1.0:
            program.row({**gini(known, 1.0), switch: -1.0}, at_least=-target)
    program.row(dict.fromkeys(switches, 1.0), 1.0, 1.0)
    program.row({**dict.fromkeys(present, -1.0), **switches}, 0.0, 0.0)
