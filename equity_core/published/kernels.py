"""The compiled greedy loop that the published methods share, and the order of a finished list.

At each position, the course is picked that maximises ``(1 − v) R + v a g``, where v is the method's
trade-off, R the relevance, and g what the course's labels are worth to the list as it stands. g is
one number per *group*, that is, per courses with the same labels. a is the relevance for xQuAD and
1 for the others. Ties go by the recommender's own order; the catalogue's rest comes last in it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from equity_core.jit import njit
from equity_core.reranker.kernels_prepare import scaled_relevance

CALIBRATED, MMR, XQUAD = 0, 1, 2
SMOOTHING = 0.01
"""Steck's α."""


class Labels(NamedTuple):
    """The labels that a method looks at. Column c owns the slots ``offsets[c] … offsets[c + 1]``,
    one per label."""

    offsets: npt.NDArray[np.int64]
    group: npt.NDArray[np.int32]
    """The group of each course."""
    slots: npt.NDArray[np.int64]
    """(columns, groups): the slot of a group's label; −1 for no label."""
    past_indptr: npt.NDArray[np.int64]
    past_courses: npt.NDArray[np.int32]


@njit
def _shares(labels, u, shares):  # type: ignore[no-untyped-def]
    """The share of each label among the learner's past courses that have one, column by column."""
    for slot in range(shares.size):
        shares[slot] = 0.0
    for column in range(labels.slots.shape[0]):
        known = 0
        for j in range(labels.past_indptr[u], labels.past_indptr[u + 1]):
            slot = labels.slots[column, labels.group[labels.past_courses[j]]]
            if slot >= 0:
                shares[slot] += 1.0
                known += 1
        if known > 0:
            for slot in range(labels.offsets[column], labels.offsets[column + 1]):
                shares[slot] /= known


@njit
def _pool(candidates, labels, u, scale, catalogue, mark, course, rel):  # type: ignore[no-untyped-def]
    """The learner's candidates and their relevance, in the recommender's own order; returns how
    many. ``mark`` says whose candidate or past course a course of the catalogue is."""
    start, end = candidates.indptr[u], candidates.indptr[u + 1]
    n = end - start
    for i in range(n):
        course[i] = candidates.courses[start + i]
    low = scaled_relevance(candidates.scores, start, end, scale, rel)
    if catalogue:
        for i in range(n):
            mark[course[i]] = u
        for j in range(labels.past_indptr[u], labels.past_indptr[u + 1]):
            mark[labels.past_courses[j]] = u
        for other in range(mark.size):
            if mark[other] != u:
                course[n] = other
                rel[n] = low
                n += 1
    return n


@njit
def _divergence_term(share, count, n):  # type: ignore[no-untyped-def]
    """p log(p / q̃) of one label with share p in the past and ``count`` of the list's n courses;
    q̃ = (1 − α) count / n + α p. 0 where p is 0."""
    if share <= 0.0:
        return 0.0
    return share * math.log(share / ((1.0 - SMOOTHING) * count / n + SMOOTHING * share))


@njit
def _calibrated_parts(slots, listed, groups, shares, counts, n, part):  # type: ignore[no-untyped-def]
    """Minus the divergence of the list with one more course, of n courses in all, for each group.
    Only the term of that course's label differs from group to group."""
    without = 0.0
    for slot in range(shares.size):
        without += _divergence_term(shares[slot], counts[slot], n)
    for local in range(groups):
        slot = slots[0, listed[local]]
        part[local] = -(
            without
            - _divergence_term(shares[slot], counts[slot], n)
            + _divergence_term(shares[slot], counts[slot] + 1.0, n)
        )


@njit
def _xquad_parts(slots, listed, groups, shares, counts, part):  # type: ignore[no-untyped-def]
    """What of the learner's interests a group's labels meet that the list does not yet satisfy.
    ``counts`` has the product over the list for each label."""
    columns = slots.shape[0]
    for local in range(groups):
        part[local] = 0.0
        for column in range(columns):
            slot = slots[column, listed[local]]
            if slot >= 0:
                part[local] += shares[slot] * counts[slot] / columns


@njit
def _nearest(slots, listed, groups, picked, part):  # type: ignore[no-untyped-def]
    """Minus the largest similarity to a course of the list, brought up to date with one more of
    the group ``picked``."""
    columns = slots.shape[0]
    for local in range(groups):
        same = 0
        for column in range(columns):
            slot = slots[column, listed[local]]
            if slot >= 0 and slot == slots[column, picked]:
                same += 1
        part[local] = min(part[local], -same / columns)


@njit
def _unit(value):  # type: ignore[no-untyped-def]
    """A relevance as a probability: it is one on the scales of a policy, but raw scores need not
    be."""
    return min(1.0, max(0.0, value))


@njit
def _best(rel, gone, gid, part, n, method, trade):  # type: ignore[no-untyped-def]
    best, top = -1, -np.inf
    for i in range(n):
        if gone[i]:
            continue
        gain = part[gid[i]]
        if method == XQUAD:
            gain *= _unit(rel[i])
        value = (1.0 - trade) * rel[i] + trade * gain
        if value > top:
            best, top = i, value
    return best


@njit
def greedy_range(candidates, labels, method, trade, k, scale, catalogue, lo, hi, out):  # type: ignore[no-untyped-def]
    """Lists of learners lo … hi − 1 by one method and trade-off, in the order picked."""
    slots, widest = labels.slots, 0
    for u in range(lo, hi):
        widest = max(widest, candidates.indptr[u + 1] - candidates.indptr[u])
    room = labels.group.size if catalogue else widest
    mark = np.full(labels.group.size if catalogue else 0, -1, dtype=np.int64)
    course, rel, gone = np.empty(room, np.int32), np.empty(room), np.empty(room, np.bool_)
    gid, part = np.empty(room, np.int64), np.empty(slots.shape[1])
    stamp, local_of = np.full(slots.shape[1], -1, np.int64), np.empty(slots.shape[1], np.int64)
    listed = np.empty(slots.shape[1], np.int64)
    shares, counts = np.empty(labels.offsets[-1]), np.empty(labels.offsets[-1])
    for u in range(lo, hi):
        n = _pool(candidates, labels, u, scale, catalogue, mark, course, rel)
        groups = 0
        for i in range(n):
            gone[i] = False
            group = labels.group[course[i]]
            if stamp[group] != u:
                stamp[group], local_of[group], listed[groups] = u, groups, group
                groups += 1
            gid[i] = local_of[group]
        _shares(labels, u, shares)
        for slot in range(counts.size):
            counts[slot] = 1.0 if method == XQUAD else 0.0
        for local in range(groups):
            part[local] = 0.0
        for step in range(k):
            if step >= n:
                out[u, step] = -1
                continue
            if method == CALIBRATED:
                _calibrated_parts(slots, listed, groups, shares, counts, step + 1.0, part)
            elif method == XQUAD:
                _xquad_parts(slots, listed, groups, shares, counts, part)
            best = _best(rel, gone, gid, part, n, method, trade)
            gone[best] = True
            out[u, step] = course[best]
            picked = listed[gid[best]]
            if method == MMR:
                _nearest(slots, listed, groups, picked, part)
            else:
                for column in range(slots.shape[0]):
                    slot = slots[column, picked]
                    if slot >= 0:
                        if method == XQUAD:
                            counts[slot] *= 1.0 - _unit(rel[best])
                        else:
                            counts[slot] += 1.0


@njit
def _place(candidates, u, course):  # type: ignore[no-untyped-def]
    """Where the recommender has a course; courses without a score come last, by position."""
    start, end = candidates.indptr[u], candidates.indptr[u + 1]
    for i in range(start, end):
        if candidates.courses[i] == course:
            return i - start
    return end - start + course


@njit
def own_order_range(candidates, lo, hi, lists):  # type: ignore[no-untyped-def]
    """Bring the lists of learners lo … hi − 1 into the recommender's own order, in place."""
    places = np.empty(lists.shape[1], np.int64)
    for u in range(lo, hi):
        for r in range(lists.shape[1]):
            course = lists[u, r]
            if course < 0:
                break
            place, at = _place(candidates, u, course), r
            while at > 0 and places[at - 1] > place:
                places[at], lists[u, at] = places[at - 1], lists[u, at - 1]
                at -= 1
            places[at], lists[u, at] = place, course
