"""The loops over relevance rows, compiled: millions of rows, each looked at once."""

from __future__ import annotations

import numpy as np
from numba import types

from equity_core.jit import njit

_IDS = types.Array(types.int64, 1, "C", readonly=True)


@njit(types.void(_IDS, _IDS, types.int32[::1]))
def locate(values, keys, out):  # type: ignore[no-untyped-def]
    """The position of each value among the (distinct) keys, −1 when it is not there: a hash table,
    and a look at the row before."""
    bits = 4
    while (1 << bits) < 2 * len(keys):
        bits += 1
    mask = (1 << bits) - 1
    shift = np.uint64(64 - bits)
    slots = np.full(1 << bits, -1, dtype=np.int32)
    held = np.zeros(1 << bits, dtype=np.int64)
    for at in range(len(keys)):
        slot = np.int64((np.uint64(keys[at]) * np.uint64(0x9E3779B97F4A7C15)) >> shift)
        while slots[slot] >= 0:
            slot = (slot + 1) & mask
        slots[slot] = at
        held[slot] = keys[at]
    for row in range(len(values)):
        value = values[row]
        if row > 0 and value == values[row - 1]:
            out[row] = out[row - 1]
            continue
        slot = np.int64((np.uint64(value) * np.uint64(0x9E3779B97F4A7C15)) >> shift)
        while held[slot] != value and slots[slot] >= 0:
            slot = (slot + 1) & mask
        out[row] = slots[
            slot
        ]  # an empty slot holds −1, also where the value is the 0 that it was born with


@njit("Tuple((int64[::1], boolean))(int32[::1], int64)")
def group(learners, count):  # type: ignore[no-untyped-def]
    """The indptr of rows by learner, and whether the rows are in the order of the learners already,
    none of them unknown (−1)."""
    indptr = np.zeros(count + 1, dtype=np.int64)
    ordered = True
    before = 0
    for row in range(len(learners)):
        learner = learners[row]
        if learner < before:
            ordered = False
        if learner >= 0:
            indptr[learner + 1] += 1
            before = learner
    for learner in range(count):
        indptr[learner + 1] += indptr[learner]
    return indptr, ordered


@njit("Tuple((int32[::1], float64[::1]))(int32[::1], int32[::1], float64[::1], int64[::1])")
def gather(learners, courses, scores, indptr):  # type: ignore[no-untyped-def]
    """The rows of known learners, brought together by learner (a counting sort, stable)."""
    total = indptr[-1]
    out_courses = np.empty(total, dtype=np.int32)
    out_scores = np.empty(total, dtype=np.float64)
    following = indptr[:-1].copy()
    for row in range(len(learners)):
        learner = learners[row]
        if learner >= 0:
            at = following[learner]
            out_courses[at] = courses[row]
            out_scores[at] = scores[row]
            following[learner] = at + 1
    return out_courses, out_scores


@njit("boolean(int64[::1], int32[::1], int64)")
def has_repeats(indptr, courses, n_courses):  # type: ignore[no-untyped-def]
    """Whether some learner has a course twice."""
    mark = np.zeros(n_courses, dtype=np.int32)
    for learner in range(len(indptr) - 1):
        stamp = np.int32(learner + 1)
        for at in range(indptr[learner], indptr[learner + 1]):
            if mark[courses[at]] == stamp:
                return True
            mark[courses[at]] = stamp
    return False


@njit(
    "Tuple((int64[::1], int64, int64))(int64[::1], int32[::1], float64[::1], int64[::1],"
    " int32[::1], boolean[::1])"
)
def settle(indptr, courses, scores, past_indptr, past, hidden):  # type: ignore[no-untyped-def]
    """In place: the past and hidden courses dropped, the rest sorted by score, highest first, then
    by course. The new indptr, and how many were dropped of the past and of the other hidden ones.
    """
    count = len(indptr) - 1
    out = np.zeros(count + 1, dtype=np.int64)
    mark = np.zeros(len(hidden), dtype=np.int32)
    end, of_hidden = 0, 0
    for learner in range(count):
        stamp = np.int32(learner + 1)
        for at in range(past_indptr[learner], past_indptr[learner + 1]):
            mark[past[at]] = stamp
        start = end
        ordered = True
        for at in range(indptr[learner], indptr[learner + 1]):
            course = courses[at]
            if mark[course] == stamp:
                continue
            if hidden[course]:
                of_hidden += 1
                continue
            score = scores[at]
            if end > start and (
                scores[end - 1] < score or (scores[end - 1] == score and courses[end - 1] > course)
            ):
                ordered = False
            courses[end] = course
            scores[end] = score
            end += 1
        if not ordered:
            by_course = np.argsort(courses[start:end], kind="mergesort")
            order = by_course[np.argsort(-scores[start:end][by_course], kind="mergesort")]
            courses[start:end] = courses[start:end][order]
            scores[start:end] = scores[start:end][order]
        out[learner + 1] = end
    return out, indptr[-1] - end - of_hidden, of_hidden


@njit("Tuple((uint64, uint64))(int64[::1], int32[::1], float64[::1], uint64[::1], uint64[::1])")
def digest(indptr, courses, scores, learner_hashes, course_hashes):  # type: ignore[no-untyped-def]
    """Two sums over all rows of a 64-bit hash of (learner, course, score): the same in any order of
    rows, learners and courses."""
    first = np.uint64(0)
    second = np.uint64(0)
    one = np.empty(1, dtype=np.float64)
    bits = one.view(np.uint64)
    for learner in range(len(indptr) - 1):
        for at in range(indptr[learner], indptr[learner + 1]):
            one[0] = scores[at]
            for lane in range(2):
                h = learner_hashes[learner] + np.uint64(0x9E3779B97F4A7C15) * np.uint64(lane + 1)
                for part in range(3):
                    if part == 1:
                        h ^= course_hashes[courses[at]]
                    elif part == 2:
                        h ^= bits[0]
                    h = (h ^ (h >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
                    h = (h ^ (h >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
                    h ^= h >> np.uint64(31)
                if lane == 0:
                    first += h
                else:
                    second += h
    return first, second
