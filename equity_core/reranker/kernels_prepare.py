"""One learner's candidates, laid out for the greedy re-ranker: what is fixed whatever the λ.

The two facts that make the greedy cheap are prepared here:

* Familiarity and the like depend on a course only through its labels. Courses with the same labels
  are a *group*.
* While a mean's target is out of the list's reach (at or above the catalogue's highest value, or at
  or below its lowest), its part is linear in the course's value. All such means collapse into one
  number per course, the *pull*.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from equity_core.jit import njit
from equity_core.metrics.kernels import past_roots

MINMAX, RANK, NONE = 0, 1, 2
SLACK = 1e-9
"""How far below τ a consistency still meets it (rounding)."""


class Candidates(NamedTuple):
    """One algorithm's stored scores: per learner by raw score, highest first, then position; never
    a past course."""

    indptr: npt.NDArray[np.int64]
    courses: npt.NDArray[np.int32]
    scores: npt.NDArray[np.float64]


class Ask(NamedTuple):
    """What a policy asks, resolved against a bundle. Targets and weights: one row for all or one
    per learner; means come first."""

    k: int
    scale: int
    catalogue: bool
    targets: npt.NDArray[np.float64]
    weights: npt.NDArray[np.float64]
    pull: npt.NDArray[np.float64]
    """The pull of every course where all learners share targets and weights; else empty."""
    order: npt.NDArray[np.int32]
    """The courses by group, then pull (highest first), then position; empty unless shared and the
    pool is the catalogue."""
    unit_pull: npt.NDArray[np.float64]
    unit_order: npt.NDArray[np.int32]
    """Both once more, with every weight 1: as in the consistency that a floor asks for."""


class Scratch(NamedTuple):
    """Working memory of one thread. Few arrays, with one row per purpose: each further array makes
    calls and compilation slower."""

    pool: npt.NDArray[np.float64]
    """(4 + means, candidates): rows REL, PULL, GONE (−∞ once picked), WORTH, then the values of the
    means that are not linear."""
    where: npt.NDArray[np.int32]
    """(2, candidates): rows COURSE and GROUP (the group's local number)."""
    mean: npt.NDArray[np.float64]
    """(2, means): rows SIGN (of a linear mean; else 0) and SUM (over the list as it stands)."""
    bent: npt.NDArray[np.int64]
    """The means that are not linear."""
    group: npt.NDArray[np.int64]
    """(5, groups): rows STAMP, LOCAL, LISTED, CHAMPION, FIRST."""
    part: npt.NDArray[np.float64]
    """What each group adds to the objective."""
    roots: npt.NDArray[np.float64]
    """Square roots of the past's shares, per slot."""
    counts: npt.NDArray[np.int64]
    """Courses of the list, per slot."""
    rise: npt.NDArray[np.float64]
    """sqrt(c + 1) − sqrt(c)."""
    state: npt.NDArray[np.float64]
    """(3, categorical): rows OVERLAP, SPREAD and KNOWN of the list as it stands."""
    upto: npt.NDArray[np.int64]
    """(categorical, counts): how many values have a count of at most c."""
    picks: npt.NDArray[np.int32]
    chosen: npt.NDArray[np.int64]
    """(2, k): rows PLACE (the pick's place among the candidates) and FROM (its group, if it was a
    champion); the other one is −1."""
    seen: npt.NDArray[np.int64]
    """(2, courses): rows MARK (the learner whose candidate or past course it is, or from whom it is
    hidden) and TAKEN (the run that picked it)."""
    all_pull: npt.NDArray[np.float64]
    runs: npt.NDArray[np.int64]
    pending: npt.NDArray[np.int64]
    """(λs, 3): intervals of λ still to walk, with the number of courses that they share with the
    current list."""


REL, PULL, GONE, WORTH, BENT = 0, 1, 2, 3, 4
COURSE, GROUP = 0, 1
SIGN, SUM = 0, 1
STAMP, LOCAL, LISTED, CHAMPION, FIRST = 0, 1, 2, 3, 4
OVERLAP, SPREAD, KNOWN = 0, 1, 2
MARK, TAKEN = 0, 1
PLACE, FROM = 0, 1
PENDING = 64
"""Room for intervals that are waiting: cutting 21 λ leaves no more than 21."""


class Learner(NamedTuple):
    """What is fixed for one learner whatever the λ."""

    u: int
    row: int
    n: int
    """Candidates in the scratch arrays."""
    length: int
    """Of the list: k, or fewer where there are fewer courses."""
    n_groups: int
    n_bent: int
    """Means whose part is not linear."""
    low: float
    """Relevance of a course without a score."""
    champions: bool
    """Whether the groups' champions stand for the courses without a score (else those are in the
    scratch arrays, or no candidates)."""


@njit
def scratch_for(world, ask, widest):  # type: ignore[no-untyped-def]
    n_courses, n_mean = world.means.shape
    n_cat, n_groups, n_slot = world.sizes.size, world.group_start.size - 1, world.offsets[-1]
    room = n_courses if ask.catalogue else widest
    everywhere = n_courses if ask.catalogue else 0
    rise = np.empty(ask.k + 1)
    for count in range(ask.k + 1):
        rise[count] = math.sqrt(count + 1.0) - math.sqrt(count)
    return Scratch(
        np.empty((BENT + n_mean, room)),
        np.empty((2, room), dtype=np.int32),
        np.empty((2, n_mean)),
        np.empty(n_mean, dtype=np.int64),
        np.full((5, n_groups), -1, dtype=np.int64),
        np.empty(n_groups),
        np.empty(n_slot),
        np.empty(n_slot, dtype=np.int64),
        rise,
        np.empty((3, n_cat)),
        np.empty((n_cat, ask.k + 2), dtype=np.int64),
        np.empty(ask.k, dtype=np.int32),
        np.empty((2, ask.k), dtype=np.int64),
        np.full((2, everywhere), -1, dtype=np.int64),
        np.empty(everywhere),
        np.zeros(1, dtype=np.int64),
        np.empty((PENDING, 3), dtype=np.int64),
    )


@njit
def empty_list(sizes, sums, counts, state, upto):  # type: ignore[no-untyped-def]
    """Set sums and counts to those of a list without a course."""
    for m in range(sums.size):
        sums[m] = 0.0
    for slot in range(counts.size):
        counts[slot] = 0
    for m in range(sizes.size):
        state[OVERLAP, m], state[SPREAD, m], state[KNOWN, m] = 0.0, 0.0, 0.0
        for count in range(upto.shape[1]):
            upto[m, count] = sizes[m]


@njit
def add_course(course, means, labels, sizes, offsets, sums, roots, rise, counts, state, upto):  # type: ignore[no-untyped-def]
    """Bring sums and counts up to date with one more course."""
    for m in range(sums.size):
        sums[m] += means[course, m]
    for m in range(sizes.size):
        label = labels[course, m]
        if label >= 0:
            slot = offsets[m] + label
            count = counts[slot]
            state[OVERLAP, m] += roots[slot] * rise[count]
            state[SPREAD, m] += 2.0 * upto[m, count] - 1.0 - sizes[m]
            upto[m, count] -= 1
            counts[slot] = count + 1
            state[KNOWN, m] += 1.0


@njit
def _pulls(columns, course, n, sign, weights, out):  # type: ignore[no-untyped-def]
    """The pull of each candidate: Σ sign · weight · value over the linear means."""
    for i in range(n):
        out[i] = 0.0
    for m in range(sign.size):
        if sign[m] != 0.0:
            for i in range(n):
                out[i] += sign[m] * weights[m] * columns[m, course[i]]


@njit
def all_pulls(columns, sign, weights, out):  # type: ignore[no-untyped-def]
    """The pull of every course of the catalogue."""
    for i in range(out.size):
        out[i] = 0.0
    for m in range(sign.size):
        if sign[m] != 0.0:
            for i in range(out.size):
                out[i] += sign[m] * weights[m] * columns[m, i]


@njit
def next_champion(group, at, u, run, group_start, order, members, pulls, mark, taken):  # type: ignore[no-untyped-def]
    """Where the best course left of a group stands, searching from ``at`` where the courses are in
    order; −1 if none is left."""
    if order.size > 0:
        for j in range(at, group_start[group + 1]):
            if mark[order[j]] != u:
                return j
        return -1
    best, where = -np.inf, -1
    for j in range(group_start[group], group_start[group + 1]):
        course = members[j]
        if mark[course] != u and taken[course] != run and pulls[course] > best:
            best, where = pulls[course], j
    return where


@njit
def _bend(targets, weights, low, high, sign, bent):  # type: ignore[no-untyped-def]
    """Tell linear means (their sign) from the others (listed in ``bent``); returns how many
    others."""
    n_bent = 0
    for m in range(sign.size):
        sign[m] = 0.0
        if weights[m] > 0.0:
            if targets[m] >= high[m]:
                sign[m] = 1.0
            elif targets[m] <= low[m]:
                sign[m] = -1.0
            else:
                bent[n_bent] = m
                n_bent += 1
    return n_bent


@njit
def scaled_relevance(scores, start, end, scale, rel):  # type: ignore[no-untyped-def]
    """Relevance of the stored candidates, into ``rel``; returns the relevance of a course without a
    score."""
    n = end - start
    if n == 0:
        return 0.0
    top, bottom = scores[start], scores[end - 1]
    if scale == NONE:
        for i in range(n):
            rel[i] = scores[start + i]
        return bottom
    if scale == RANK:
        for i in range(n):
            rel[i] = 1.0 - i / (n - 1.0) if n > 1 else 1.0
    else:
        span = top - bottom
        if span <= 0.0:
            for i in range(n):
                rel[i] = 0.0
        else:
            for i in range(n):
                rel[i] = (scores[start + i] - bottom) / span
    return 0.0


@njit
def _list_groups(course, n, course_group, u, n_groups, groups, gid):  # type: ignore[no-untyped-def]
    """Number the groups among the candidates in the order they come up."""
    stamp, local, listed = groups[STAMP], groups[LOCAL], groups[LISTED]
    for i in range(n):
        group = course_group[course[i]]
        if stamp[group] != u:
            stamp[group] = u
            local[group] = n_groups
            listed[n_groups] = group
            n_groups += 1
        gid[i] = local[group]
    return n_groups


@njit
def _copy(table, start, n, out):  # type: ignore[no-untyped-def]
    for i in range(n):
        out[i] = table[start + i]


@njit
def _gather(course, n, table, out):  # type: ignore[no-untyped-def]
    for i in range(n):
        out[i] = table[course[i]]


@njit
def prepare(world, candidates, ask, u, s):  # type: ignore[no-untyped-def]
    """Gather one learner's candidates: scaled relevance, pull, group, and the values of the means
    that are not linear."""
    row = u if ask.targets.shape[0] > 1 else 0
    n_courses, weights, sign = world.means.shape[0], ask.weights[row], s.mean[SIGN]
    n_bent = _bend(ask.targets[row], weights, world.low, world.high, sign, s.bent)
    start, end = candidates.indptr[u], candidates.indptr[u + 1]
    n, course, rel = end - start, s.where[COURSE], s.pool[REL]
    _copy(candidates.courses, start, n, course)
    low = scaled_relevance(candidates.scores, start, end, ask.scale, rel)
    rest = 0
    champions = ask.catalogue and n_bent == 0
    if ask.catalogue:
        mark, past, past_start, past_end = (
            s.seen[MARK],
            world.past_courses,
            world.past_indptr[u],
            world.past_indptr[u + 1],
        )
        for i in range(n):
            mark[course[i]] = u
        for j in range(past_start, past_end):
            mark[past[j]] = u
        rest = n_courses - n - (past_end - past_start)
        for other in world.hidden:  # never a stored candidate; now and then of the past
            if mark[other] != u:
                mark[other] = u
                rest -= 1
        if not champions:
            rest = 0
            for other in range(n_courses):
                if mark[other] != u:
                    course[n] = other
                    rel[n] = low
                    n += 1
    n_groups = 0
    if champions:
        n_groups = world.group_start.size - 1
        stamp, local, listed = s.group[STAMP], s.group[LOCAL], s.group[LISTED]
        for group in range(n_groups):
            stamp[group], local[group], listed[group] = u, group, group
    n_groups = _list_groups(course, n, world.group, u, n_groups, s.group, s.where[GROUP])
    shared = ask.pull.size > 0
    if shared:
        _gather(course, n, ask.pull, s.pool[PULL])
    else:
        _pulls(world.columns, course, n, sign, weights, s.pool[PULL])
    for b in range(n_bent):
        _gather(course, n, world.columns[s.bent[b]], s.pool[BENT + b])
    if champions:
        if not shared:
            all_pulls(world.columns, sign, weights, s.all_pull)
        s.runs[0] += 1
        first, group_start, order, members, mark, taken = (
            s.group[FIRST],
            world.group_start,
            ask.order,
            world.group_members,
            s.seen[MARK],
            s.seen[TAKEN],
        )
        pulls, run = ask.pull if shared else s.all_pull, s.runs[0]
        for group in range(n_groups):
            first[group] = next_champion(
                group, group_start[group], u, run, group_start, order, members, pulls, mark, taken
            )
    past_roots(world, u, s.roots)
    return Learner(u, row, n, min(ask.k, n + rest), n_groups, n_bent, low, champions)
