"""The compiled half of the measures: what a list is worth by each kind of principle, and NDCG.

The value of a list by each kind of principle is defined here only; the re-ranker builds its tables
with the same functions.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from equity_core.jit import njit


class KernelData(NamedTuple):
    """What the kernels know of a bundle: courses, principles, past. Categorical principle m owns
    the slots ``offsets[m] … offsets[m] + sizes[m]``: one per value, the last for an unknown label.
    """

    means: npt.NDArray[np.float64]
    columns: npt.NDArray[np.float64]
    """The means once more, one row per principle."""
    low: npt.NDArray[np.float64]
    high: npt.NDArray[np.float64]
    labels: npt.NDArray[np.int32]
    sizes: npt.NDArray[np.int32]
    offsets: npt.NDArray[np.int64]
    is_match: npt.NDArray[np.bool_]
    group: npt.NDArray[np.int32]
    group_slots: npt.NDArray[np.int64]
    """(categorical, groups): the slot of a group's label."""
    group_start: npt.NDArray[np.int64]
    group_members: npt.NDArray[np.int32]
    past_indptr: npt.NDArray[np.int64]
    past_courses: npt.NDArray[np.int32]
    hidden: npt.NDArray[np.int32]
    """Courses that nobody may get: those from the future."""


@njit(inline="always")  # type: ignore[untyped-decorator]
def match_value(overlap: float, n: int) -> float:
    """1 − Hellinger distance; ``overlap`` is Σ sqrt(x_g c_g) for past shares x and counts c of a
    list of n courses.

    Equal shares give an overlap of 1 − 1e-16, whose root would be 1e-8: anything smaller than
    counts can produce is no distance.
    """
    distance = 1.0 - overlap / math.sqrt(n)
    return 1.0 - math.sqrt(distance) if distance > 1e-14 else 1.0


@njit(inline="always")  # type: ignore[untyped-decorator]
def balance_value(spread: float, known: int, size: int) -> float:
    """1 − normalised Gini of the shares; ``spread`` is Σ_{i<j} |c_i − c_j| over the counts of all
    ``size`` values.

    One value in the catalogue: 1. Nothing known in the list: 0.
    """
    if size == 1:
        return 1.0
    if known == 0:
        return 0.0
    return 1.0 - spread / (known * (size - 1.0))


@njit
def past_roots(world, u, roots):  # type: ignore[no-untyped-def]
    """Square roots of the past's shares, in the slots of every match principle; zero elsewhere."""
    for slot in range(roots.size):
        roots[slot] = 0.0
    start, end = world.past_indptr[u], world.past_indptr[u + 1]
    for m in range(world.sizes.size):
        if world.is_match[m]:
            at = world.offsets[m]
            for j in range(start, end):
                roots[at + world.labels[world.past_courses[j], m]] += 1.0
            for slot in range(at, at + world.sizes[m]):
                if roots[slot] > 0.0:
                    roots[slot] = math.sqrt(roots[slot] / (end - start))


@njit
def list_values(world, courses, length, roots, counts, out):  # type: ignore[no-untyped-def]
    """Values of one list by every principle (means first, then categorical), into ``out``."""
    n_mean = world.means.shape[1]
    for m in range(n_mean):
        total = 0.0
        for r in range(length):
            total += world.means[courses[r], m]
        out[m] = total / length
    for m in range(world.sizes.size):
        at, size, known = world.offsets[m], world.sizes[m], 0
        for slot in range(at, at + size):
            counts[slot] = 0
        for r in range(length):
            label = world.labels[courses[r], m]
            if label >= 0:
                counts[at + label] += 1
                known += 1
        if world.is_match[m]:
            overlap = 0.0
            for slot in range(at, at + size):
                overlap += roots[slot] * math.sqrt(counts[slot])
            out[n_mean + m] = match_value(overlap, length)
        else:
            # Sorted counts would do it in n log n; lists are short and most counts are 0, so only
            # pairs with a course count.
            spread = 0.0
            for a in range(at, at + size):
                if counts[a] > 0:
                    for b in range(at, at + size):
                        if counts[b] < counts[a]:
                            spread += counts[a] - counts[b]
            out[n_mean + m] = balance_value(spread, known, size)


@njit
def values_range(world, courses, lo, hi, out):  # type: ignore[no-untyped-def]
    """Values of the lists of learners lo … hi − 1 by every principle; NaN for an empty list."""
    roots = np.zeros(world.offsets[-1])
    counts = np.zeros(world.offsets[-1], dtype=np.int64)
    for u in range(lo, hi):
        length = 0
        while length < courses.shape[1] and courses[u, length] >= 0:
            length += 1
        if length == 0:
            for m in range(out.shape[1]):
                out[u, m] = np.nan
        else:
            past_roots(world, u, roots)
            list_values(world, courses[u], length, roots, counts, out[u])


@njit
def ndcg_range(courses, k, indptr, positives, lo, hi, out):  # type: ignore[no-untyped-def]
    """NDCG@k with binary gains of learners lo … hi − 1; NaN for a learner with nothing to find.
    Positives are sorted per learner."""
    ideal = np.zeros(k + 1)
    for r in range(k):
        ideal[r + 1] = ideal[r] + 1.0 / math.log2(r + 2.0)
    for u in range(lo, hi):
        start, end = indptr[u], indptr[u + 1]
        if start == end:
            out[u] = np.nan
            continue
        gain = 0.0
        for r in range(min(k, courses.shape[1])):
            if courses[u, r] < 0:
                break
            # A learner has few courses in one split: a plain search beats a clever one.
            for j in range(start, end):
                if positives[j] == courses[u, r]:
                    gain += 1.0 / math.log2(r + 2.0)
                    break
        out[u] = gain / ideal[min(k, end - start)]
