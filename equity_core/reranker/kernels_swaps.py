"""The compiled swaps: one course of a list for another, as long as that helps.

Two uses. Under one λ, the swap that raises the objective most is made until none raises it
(:func:`improve_range`). Under a floor, the most relevant list that reaches τ is looked for
(:func:`least_loss_range`): the own list is repaired at the least loss of relevance per gain in
consistency, and what consistency there is above τ is given back for relevance.

What a list is worth depends on its set of courses alone, so a swap is a course out and a course in.
What the categorical principles cost after a swap depends on the two courses' groups only
(:mod:`equity_core.reranker.kernels_prepare`): a table, made once per round. Linear means are one
number per course, the pull; a mean that is not linear costs a term per swap.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from equity_core.jit import njit
from equity_core.metrics.kernels import balance_value, match_value
from equity_core.reranker.kernels import most_candidates, own_list, store_list, walk_lams
from equity_core.reranker.kernels_grid import WINDOW, with_room
from equity_core.reranker.kernels_prepare import (
    CHAMPION,
    COURSE,
    GROUP,
    KNOWN,
    LISTED,
    MARK,
    OVERLAP,
    REL,
    SPREAD,
    SUM,
    TAKEN,
    add_course,
    all_pulls,
    empty_list,
    next_champion,
    prepare,
    scratch_for,
)

LEAST = 1e-9
"""A swap has to gain more than this: rounding must not keep it going."""
SLACK = 1e-9
"""How far below τ a consistency still meets it (rounding)."""
ROUNDS = 1000
"""A bound that no list comes near: every swap gains, so no list comes back."""


class Swaps(NamedTuple):
    """Working memory of one thread. Candidates are those of the re-ranker's scratch arrays; a list
    is a row of their places."""

    pull: npt.NDArray[np.float64]
    """Per candidate: Σ sign · weight · value over the linear means."""
    held: npt.NDArray[np.int64]
    """Per candidate: 1 if it is in the list as it stands."""
    place: npt.NDArray[np.int64]
    """(2, courses): rows OWNER (the layout in which it is a candidate) and PLACE."""
    lists: npt.NDArray[np.int64]
    """(5, k): rows HERE (the list as it stands), FIRST, SECOND and BEST (lists put aside), and ROW
    (each course's row of ``part``)."""
    part: npt.NDArray[np.float64]
    """(k, groups): what the categorical principles cost once a course of the row's group has given
    way to one of the column's."""
    label: npt.NDArray[np.int64]
    """(categorical, groups): which of the ``used`` labels a group has."""
    used: npt.NDArray[np.int64]
    """(categorical, slots): the slots of the labels that candidates have."""
    many: npt.NDArray[np.int64]
    """(4 + categorical): how many CANDIDATES, GROUPS and BENT means there are, how often candidates
    were laid out (BEGUN), and how many LABELS each categorical principle has."""
    slot: npt.NDArray[np.int64]
    """(2, slots): rows OWNER and PLACE of the used labels."""
    cost: npt.NDArray[np.float64]
    """(slots): what each used label costs, for one row of ``part``."""
    top: npt.NDArray[np.float64]
    """Per group: the most that one of its candidates brings into the objective."""
    front: npt.NDArray[np.int64]
    """The candidates that a swap may bring in, by relevance."""
    which: npt.NDArray[np.int64]
    """(2, groups): rows TOP (the candidate behind ``top``) and ROW_OF (the group's row of
    ``part``, −1 for none)."""
    sign: npt.NDArray[np.float64]
    """Per mean: 1 or −1 if it is linear, else 0."""
    weight: npt.NDArray[np.float64]
    """Per principle, means first."""
    bent: npt.NDArray[np.int64]
    """The means that are not linear."""


HERE, FIRST, SECOND, BEST, ROW = 0, 1, 2, 3, 4
OWNER, PLACE = 0, 1
TOP, ROW_OF = 0, 1
CANDIDATES, GROUPS, BENT, BEGUN, LABELS = 0, 1, 2, 3, 4


@njit
def swaps_for(world, ask, widest):  # type: ignore[no-untyped-def]
    n_courses, n_mean = world.means.shape
    n_cat, n_slot = world.sizes.size, world.offsets[-1]
    room = n_courses if ask.catalogue else widest
    n_groups = min(world.group_start.size - 1, room)
    k = min(ask.k, room)
    return Swaps(
        np.empty(room),
        np.zeros(room, dtype=np.int64),
        np.full((2, n_courses), -1, dtype=np.int64),
        np.empty((5, k), dtype=np.int64),
        np.empty((k, n_groups)),
        np.empty((n_cat, n_groups), dtype=np.int64),
        np.empty((n_cat, n_slot), dtype=np.int64),
        np.zeros(4 + n_cat, dtype=np.int64),
        np.full((2, n_slot), -1, dtype=np.int64),
        np.empty(n_slot),
        np.empty(n_groups),
        np.empty(room, dtype=np.int64),
        np.full((2, n_groups), -1, dtype=np.int64),
        np.empty(n_mean),
        np.empty(n_mean + n_cat),
        np.empty(n_mean, dtype=np.int64),
    )


# ------------------------------------------------------------------------------------------
# one learner's candidates


@njit
def _pulls(columns, course, first, last, sign, weight, out):  # type: ignore[no-untyped-def]
    for i in range(first, last):
        out[i] = 0.0
    for m in range(sign.size):
        factor = sign[m] * weight[m]
        if factor != 0.0:
            for i in range(first, last):
                out[i] += factor * columns[m, course[i]]


@njit
def _append(world, s, who, t, course):  # type: ignore[no-untyped-def]
    """A course without a score becomes a candidate like any other; returns its place."""
    n = t.many[CANDIDATES]
    s.where[COURSE, n], s.where[GROUP, n] = course, world.group[course]
    s.pool[REL, n] = who.low
    t.place[OWNER, course], t.place[PLACE, course] = t.many[BEGUN], n
    t.held[n] = 0
    _pulls(world.columns, s.where[COURSE], n, n + 1, t.sign, t.weight, t.pull)
    s.seen[TAKEN, course] = s.runs[0]
    t.many[CANDIDATES] = n + 1
    return n


@njit
def _append_champion(world, ask, s, who, t, group, at, order, pulls):  # type: ignore[no-untyped-def]
    """The best course of a group that has no score and is no candidate yet becomes one."""
    start, members, mark, taken = (
        world.group_start,
        world.group_members,
        s.seen[MARK],
        s.seen[TAKEN],
    )
    while True:
        at = next_champion(group, at, who.u, s.runs[0], start, order, members, pulls, mark, taken)
        if at < 0:
            break
        course = order[at] if order.size > 0 else members[at]
        if taken[course] != s.runs[0]:
            _append(world, s, who, t, course)
            break
        at += 1
    s.group[CHAMPION, group] = at


@njit
def _begin(world, ask, s, who, t, unit):  # type: ignore[no-untyped-def]
    """Lay out one learner's candidates for swaps. ``unit``: every weight counts as 1, as in the
    consistency that a floor asks for."""
    targets, row, n, n_mean = ask.targets, who.row, who.n, t.sign.size
    course, sign, weight = s.where[COURSE], t.sign, t.weight
    n_bent = 0
    for m in range(weight.size):
        weight[m] = 1.0 if unit else ask.weights[row, m]
    for m in range(n_mean):
        sign[m] = 0.0
        if targets[row, m] >= world.high[m]:
            sign[m] = 1.0
        elif targets[row, m] <= world.low[m]:
            sign[m] = -1.0
        elif weight[m] > 0.0:
            t.bent[n_bent] = m
            n_bent += 1
    t.many[CANDIDATES], t.many[GROUPS], t.many[BENT] = n, who.n_groups, n_bent
    t.many[BEGUN] += 1
    now = t.many[BEGUN]
    for i in range(n):
        t.held[i] = 0
        t.place[OWNER, course[i]], t.place[PLACE, course[i]] = now, i
    _pulls(world.columns, course, 0, n, sign, weight, t.pull)
    listed, slots, owner, place = s.group[LISTED], world.group_slots, t.slot[OWNER], t.slot[PLACE]
    for m in range(world.sizes.size):
        count = 0
        for g in range(who.n_groups):
            slot = slots[m, listed[g]]
            if owner[slot] != now:
                owner[slot], place[slot] = now, count
                t.used[m, count] = slot
                count += 1
            t.label[m, g] = place[slot]
        t.many[LABELS + m] = count
    if who.champions:
        s.runs[0] += 1


@njit
def _champions(world, ask, s, who, t, unit):  # type: ignore[no-untyped-def]
    """The courses without a score that a swap may bring in: the best one of each group; all of
    them, where a mean is not linear."""
    if not who.champions:
        return
    n_courses, mark, taken = world.means.shape[0], s.seen[MARK], s.seen[TAKEN]
    if t.many[BENT] > 0:
        for course in range(n_courses):
            if mark[course] != who.u and taken[course] != s.runs[0]:
                _append(world, s, who, t, course)
        return
    order = ask.unit_order if unit else ask.order
    shared = ask.unit_pull if unit else ask.pull
    if shared.size == 0:
        all_pulls(world.columns, t.sign, t.weight, s.all_pull)
    pulls = shared if shared.size > 0 else s.all_pull
    for group in range(t.many[GROUPS]):
        _append_champion(world, ask, s, who, t, group, world.group_start[group], order, pulls)


@njit
def _follow_champion(world, ask, s, who, t, unit, came):  # type: ignore[no-untyped-def]
    """Where a swap took in a course without a score, the next one of its group stands ready."""
    if who.champions and came >= who.n and t.many[BENT] == 0:
        order = ask.unit_order if unit else ask.order
        shared = ask.unit_pull if unit else ask.pull
        pulls = shared if shared.size > 0 else s.all_pull
        group = s.where[GROUP, came]
        at = s.group[CHAMPION, group]
        if (
            at >= 0
            and (order[at] if order.size > 0 else world.group_members[at]) == s.where[COURSE, came]
        ):
            _append_champion(world, ask, s, who, t, group, at + 1, order, pulls)


@njit
def _read_list(world, s, who, t, courses, row):  # type: ignore[no-untyped-def]
    """A list of courses as a row of places."""
    for r in range(who.length):
        course = courses[r]
        if t.place[OWNER, course] == t.many[BEGUN]:
            t.lists[row, r] = t.place[PLACE, course]
        else:
            t.lists[row, r] = _append(world, s, who, t, course)


@njit
def _own_list(world, s, who, t, row):  # type: ignore[no-untyped-def]
    """The recommender's own list as a row of places."""
    other, mark = -1, s.seen[MARK]
    for r in range(who.length):
        if r < who.n:
            t.lists[row, r] = r
        else:
            other += 1
            while mark[other] == who.u:
                other += 1
            if t.place[OWNER, other] == t.many[BEGUN]:
                t.lists[row, r] = t.place[PLACE, other]
            else:
                t.lists[row, r] = _append(world, s, who, t, other)


# ------------------------------------------------------------------------------------------
# the list as it stands, and what a swap would make of it


@njit
def _hold(t, length, row):  # type: ignore[no-untyped-def]
    """Make a list that was put aside the list as it stands."""
    here, held = t.lists[HERE], t.held
    for i in range(t.many[CANDIDATES]):
        held[i] = 0
    for r in range(length):
        here[r] = t.lists[row, r]
        held[here[r]] = 1


@njit
def _keep(t, length, row):  # type: ignore[no-untyped-def]
    """Put the list as it stands aside."""
    for r in range(length):
        t.lists[row, r] = t.lists[HERE, r]


@njit
def _swap(t, r, came):  # type: ignore[no-untyped-def]
    t.held[t.lists[HERE, r]] = 0
    t.lists[HERE, r] = came
    t.held[came] = 1


@njit
def _relevance(s, t, length):  # type: ignore[no-untyped-def]
    total, rel, here = 0.0, s.pool[REL], t.lists[HERE]
    for r in range(length):
        total += rel[here[r]]
    return total


@njit
def _measure(world, targets, row, s, t, length):  # type: ignore[no-untyped-def]
    """Bring sums and counts up to the list as it stands. Returns its consistency under the weights
    of the swaps, and 1 less the gaps of the linear means alone."""
    sizes, offsets, sums, state = world.sizes, world.offsets, s.mean[SUM], s.state
    here, course, sign, weight = t.lists[HERE], s.where[COURSE], t.sign, t.weight
    n_mean, n_cat = sums.size, sizes.size
    empty_list(sizes, sums, s.counts, state, s.upto)
    for r in range(length):
        add_course(
            course[here[r]],
            world.means,
            world.labels,
            sizes,
            offsets,
            sums,
            s.roots,
            s.rise,
            s.counts,
            state,
            s.upto,
        )
    linear, rest = 0.0, 0.0
    for m in range(n_mean):
        gap = targets[row, m] - sums[m] / length
        if sign[m] != 0.0:
            linear += weight[m] * sign[m] * gap
        else:
            rest += weight[m] * abs(gap)
    for m in range(n_cat):
        if world.is_match[m]:
            value = match_value(state[OVERLAP, m], length)
        else:
            value = balance_value(state[SPREAD, m], state[KNOWN, m], sizes[m])
        rest += weight[n_mean + m] * abs(targets[row, n_mean + m] - value)
    left = 1.0 - linear / (n_mean + n_cat)
    return left - rest / (n_mean + n_cat), left


@njit
def _match_costs(used, count, gone, n, unit, target, overlap, roots, rise, counts, cost):  # type: ignore[no-untyped-def]
    """What a match principle costs once a course of label ``gone`` gave way to each used label."""
    overlap -= roots[gone] * rise[counts[gone] - 1]
    new = unit * abs(target - match_value(overlap, n))
    for j in range(count):
        slot = used[j]
        if roots[slot] > 0.0:
            held = counts[slot] - (1 if slot == gone else 0)
            cost[j] = unit * abs(target - match_value(overlap + roots[slot] * rise[held], n))
        else:
            cost[j] = new


@njit
def _balance_costs(  # type: ignore[no-untyped-def]
    used, count, gone, unknown, size, unit, target, spread, known, upto, counts, cost
):
    """The same for a balance principle. ``upto[c]``: how many values have at most c courses."""
    fewer = -1
    if gone != unknown:
        # One course less: the value counts among those with one fewer from now on.
        fewer = counts[gone] - 1
        spread -= 2.0 * (upto[fewer] + 1) - 1.0 - size
        known -= 1.0
    for j in range(count):
        slot = used[j]
        if slot == unknown:
            value = balance_value(spread, known, size)
        else:
            held = counts[slot] - (1 if slot == gone else 0)
            up = upto[held] + (1 if held == fewer else 0)
            value = balance_value(spread + 2.0 * up - 1.0 - size, known + 1.0, size)
        cost[j] = unit * abs(target - value)


@njit
def _tables(world, targets, row, s, t, length):  # type: ignore[no-untyped-def]
    """Fill ``part``: one row per group of the list as it stands."""
    slots, listed, gid, here = world.group_slots, s.group[LISTED], s.where[GROUP], t.lists[HERE]
    n_mean, n_cat, n_groups = t.sign.size, world.sizes.size, t.many[GROUPS]
    row_of, rows, part, cost = t.which[ROW_OF], t.lists[ROW], t.part, t.cost
    count = 0
    for r in range(length):
        group = gid[here[r]]
        if row_of[group] >= 0:
            rows[r] = row_of[group]
            continue
        row_of[group] = rows[r] = count
        for g in range(n_groups):
            part[count, g] = 0.0
        for m in range(n_cat):
            unit, target = t.weight[n_mean + m] / (n_mean + n_cat), targets[row, n_mean + m]
            gone = slots[m, listed[group]]
            if world.is_match[m]:
                _match_costs(
                    t.used[m],
                    t.many[LABELS + m],
                    gone,
                    length,
                    unit,
                    target,
                    s.state[OVERLAP, m],
                    s.roots,
                    s.rise,
                    s.counts,
                    cost,
                )
            else:
                _balance_costs(
                    t.used[m],
                    t.many[LABELS + m],
                    gone,
                    world.offsets[m] + world.sizes[m],
                    world.sizes[m],
                    unit,
                    target,
                    s.state[SPREAD, m],
                    s.state[KNOWN, m],
                    s.upto[m],
                    s.counts,
                    cost,
                )
            for g in range(n_groups):
                part[count, g] += cost[t.label[m, g]]
        count += 1
    for r in range(length):
        row_of[gid[here[r]]] = -1


@njit
def _bent_cost(world, targets, row, s, t, length, gone, came):  # type: ignore[no-untyped-def]
    """What the means that are not linear cost after a swap."""
    total, n_all = 0.0, t.weight.size
    course, sums, columns = s.where[COURSE], s.mean[SUM], world.columns
    for b in range(t.many[BENT]):
        m = t.bent[b]
        mean = (sums[m] - columns[m, course[gone]] + columns[m, course[came]]) / length
        total += t.weight[m] * abs(targets[row, m] - mean)
    return total / n_all


@njit
def _front(s, t):  # type: ignore[no-untyped-def]
    """List the candidates outside the list that are worth a look, by relevance. Where all means are
    linear, that leaves out those with both less relevance and less pull than another one of their
    group. Returns how many there are."""
    gid, pull, held, front, top = s.where[GROUP], t.pull, t.held, t.front, t.top
    count = 0
    if t.many[BENT] > 0:
        for i in range(t.many[CANDIDATES]):
            if held[i] == 0:
                front[count] = i
                count += 1
        return count
    for g in range(t.many[GROUPS]):
        top[g] = -np.inf
    for i in range(t.many[CANDIDATES]):
        if held[i] == 0 and pull[i] > top[gid[i]]:
            top[gid[i]] = pull[i]
            front[count] = i
            count += 1
    return count


# ------------------------------------------------------------------------------------------
# one λ: the objective


@njit
def _best_swap(world, targets, row, s, t, length, lam, consistency, left):  # type: ignore[no-untyped-def]
    """The swap that raises the objective most: the place in the list, the candidate, and what it
    adds in relevance and in consistency. Ties go to the first place, then to the candidate that
    comes first. (−1, −1) with LEAST for both if no swap gains more than that."""
    rel, gid, here, rows = s.pool[REL], s.where[GROUP], t.lists[HERE], t.lists[ROW]
    pull, held, part, top, which = t.pull, t.held, t.part, t.top, t.which[TOP]
    n, n_groups = t.many[CANDIDATES], t.many[GROUPS]
    slope, rest = 1.0 / (t.weight.size * length), 1.0 - lam
    best, out, came = LEAST, -1, -1
    if t.many[BENT] == 0:
        # Within a group the same candidate is the best one whatever leaves.
        for g in range(n_groups):
            top[g], which[g] = -np.inf, -1
        for i in range(n):
            if held[i] == 0:
                value, g = rest * rel[i] + lam * slope * pull[i], gid[i]
                if value > top[g]:
                    top[g], which[g] = value, i
        for r in range(length):
            gone = here[r]
            base = lam * (left - consistency) - rest * rel[gone] - lam * slope * pull[gone]
            row_part = part[rows[r]]
            for g in range(n_groups):
                gain = base + top[g] - lam * row_part[g]
                if gain > best:
                    best, out, came = gain, r, which[g]
    else:
        for r in range(length):
            gone = here[r]
            row_part = part[rows[r]]
            for i in range(n):
                if held[i] == 0:
                    after = (
                        left
                        + slope * (pull[i] - pull[gone])
                        - row_part[gid[i]]
                        - _bent_cost(world, targets, row, s, t, length, gone, i)
                    )
                    gain = rest * (rel[i] - rel[gone]) + lam * (after - consistency)
                    if gain > best:
                        best, out, came = gain, r, i
    if out < 0:
        return -1, -1, LEAST, LEAST
    gone = here[out]
    after = left + slope * (pull[came] - pull[gone]) - part[rows[out], gid[came]]
    if t.many[BENT] > 0:
        after -= _bent_cost(world, targets, row, s, t, length, gone, came)
    return out, came, rel[came] - rel[gone], after - consistency


@njit
def _last_no_worse(lams, first, last, more, less, other_more, other_less):  # type: ignore[no-untyped-def]
    """The last of ``lams[first … last − 1]`` at which the first of two swaps is no worse than the
    second; each has its gain in relevance and in consistency."""
    cut = last - 1
    while (
        cut > first
        and (1.0 - lams[cut]) * (more - other_more) + lams[cut] * (less - other_less) < 0.0
    ):
        cut -= 1
    return cut


@njit
def improve(world, ask, s, who, t, lams, first, last):  # type: ignore[no-untyped-def]
    """The better of two lists (rows FIRST and SECOND; the first where they are equal), improved by
    swaps until none raises the objective, for ``lams[first]`` and as many of the λ after it as give
    the same swaps, up to ``last``. Left in HERE; returns the last λ it holds for.

    For a list as it stands, what a swap gains is linear in λ: the swap that gains most at both ends
    of an interval gains most within.
    """
    targets, row, length = ask.targets, who.row, who.length
    _hold(t, length, SECOND)
    other, _ = _measure(world, targets, row, s, t, length)
    other_rel = _relevance(s, t, length)
    _hold(t, length, FIRST)
    consistency, left = _measure(world, targets, row, s, t, length)
    more, less = other_rel - _relevance(s, t, length), other - consistency
    at_first = (1.0 - lams[first]) * more + lams[first] * less > LEAST
    while last > first and ((1.0 - lams[last]) * more + lams[last] * less > LEAST) != at_first:
        last -= 1
    if at_first:
        _hold(t, length, SECOND)
        consistency, left = _measure(world, targets, row, s, t, length)
    for _ in range(ROUNDS):
        _tables(world, targets, row, s, t, length)
        out, came, more, less = _best_swap(
            world, targets, row, s, t, length, lams[first], consistency, left
        )
        while last > first:
            rival, entrant, other_more, other_less = _best_swap(
                world, targets, row, s, t, length, lams[last], consistency, left
            )
            if rival == out and entrant == came:
                break
            last = _last_no_worse(lams, first, last, more, less, other_more, other_less)
        if out < 0:
            break
        _swap(t, out, came)
        _follow_champion(world, ask, s, who, t, False, came)
        consistency, left = _measure(world, targets, row, s, t, length)
    return last


# ------------------------------------------------------------------------------------------
# a floor: the most relevance at a consistency of τ


@njit
def _repair(world, ask, s, who, t, tau):  # type: ignore[no-untyped-def]
    """From the list as it stands to τ: the swap that loses least relevance per gain in consistency
    (what goes beyond τ gains nothing), again and again. On the way, the best swap that reaches τ at
    once is tried too. The most relevant list that reaches τ is left in BEST; returns its relevance,
    −∞ if there is none."""
    targets, row, length = ask.targets, who.row, who.length
    rel, gid, here, rows = s.pool[REL], s.where[GROUP], t.lists[HERE], t.lists[ROW]
    pull, part, front = t.pull, t.part, t.front
    slope, bent = 1.0 / (t.weight.size * length), t.many[BENT]
    found = -np.inf
    relevance = _relevance(s, t, length)
    for _ in range(ROUNDS):
        consistency, left = _measure(world, targets, row, s, t, length)
        if consistency >= tau - SLACK:
            if relevance > found:
                found = relevance
                _keep(t, length, BEST)
            break
        _tables(world, targets, row, s, t, length)
        n_front = _front(s, t)
        out, came, best_gain, best_loss = -1, -1, 0.0, 1.0
        done_out, done_came, done_loss, done_at = -1, -1, np.inf, 0.0
        for r in range(length):
            gone = here[r]
            row_part, base, rel_gone = part[rows[r]], left - slope * pull[gone], rel[gone]
            for f in range(n_front):
                i = front[f]
                after = base + slope * pull[i] - row_part[gid[i]]
                if after <= consistency + LEAST:
                    continue
                if bent > 0:
                    after -= _bent_cost(world, targets, row, s, t, length, gone, i)
                    if after <= consistency + LEAST:
                        continue
                loss = rel_gone - rel[i]
                if after >= tau - SLACK:
                    if loss < done_loss or (loss == done_loss and after > done_at):
                        done_out, done_came, done_loss, done_at = r, i, loss, after
                    after = tau
                gain, loss = after - consistency, max(loss, 1e-9)
                if gain * best_loss > best_gain * loss:
                    out, came, best_gain, best_loss = r, i, gain, loss
        if done_out >= 0 and relevance - done_loss > found:
            found = relevance - done_loss
            _keep(t, length, BEST)
            t.lists[BEST, done_out] = done_came
        if out < 0:
            break
        relevance += rel[came] - rel[here[out]]
        _swap(t, out, came)
        _follow_champion(world, ask, s, who, t, True, came)
        if relevance <= found:
            break
    return found


@njit
def _give_back(world, ask, s, who, t, tau):  # type: ignore[no-untyped-def]
    """From a list that reaches τ: the swap with the largest gain in relevance that keeps τ (ties:
    higher consistency), until there is none. Returns the relevance of the list."""
    targets, row, length = ask.targets, who.row, who.length
    rel, gid, here, rows = s.pool[REL], s.where[GROUP], t.lists[HERE], t.lists[ROW]
    pull, part, front = t.pull, t.part, t.front
    slope, bent = 1.0 / (t.weight.size * length), t.many[BENT]
    for _ in range(ROUNDS):
        _, left = _measure(world, targets, row, s, t, length)
        _tables(world, targets, row, s, t, length)
        n_front = _front(s, t)
        out, came, best, best_at = -1, -1, LEAST, 0.0
        for r in range(length):
            gone = here[r]
            row_part, base, rel_gone = part[rows[r]], left - slope * pull[gone], rel[gone]
            # Candidates come by relevance: those further on gain less than what there is.
            for f in range(n_front):
                i = front[f]
                gain = rel[i] - rel_gone
                if gain < best:
                    break
                after = base + slope * pull[i] - row_part[gid[i]]
                if after < tau - SLACK:
                    continue
                if bent > 0:
                    after -= _bent_cost(world, targets, row, s, t, length, gone, i)
                    if after < tau - SLACK:
                        continue
                if gain > best or (gain == best and out >= 0 and after > best_at):
                    out, came, best, best_at = r, i, gain, after
        if out < 0:
            break
        _swap(t, out, came)
    return _relevance(s, t, length)


@njit
def _climb(world, ask, s, who, t, tau):  # type: ignore[no-untyped-def]
    """From the list as it stands: swaps that raise consistency most, until it reaches τ or none
    does. Returns the consistency."""
    targets, row, length = ask.targets, who.row, who.length
    consistency, left = _measure(world, targets, row, s, t, length)
    for _ in range(ROUNDS):
        if consistency >= tau - SLACK:
            break
        _tables(world, targets, row, s, t, length)
        out, came, _more, _less = _best_swap(
            world, targets, row, s, t, length, 1.0, consistency, left
        )
        if out < 0:
            break
        _swap(t, out, came)
        _follow_champion(world, ask, s, who, t, True, came)
        consistency, left = _measure(world, targets, row, s, t, length)
    return consistency


# ------------------------------------------------------------------------------------------
# ranges of learners


@njit
def _write_list(s, t, length, row, out):  # type: ignore[no-untyped-def]
    course = s.where[COURSE]
    for r in range(length):
        out[r] = course[t.lists[row, r]]


@njit
def improve_range(world, candidates, ask, lams, lo, hi, lists):  # type: ignore[no-untyped-def]
    """The lists of learners lo … hi − 1, made by the greedy at one λ each, after swaps: never worse
    in the objective than the own list."""
    widest = most_candidates(candidates, lo, hi)
    s, t = scratch_for(world, ask, widest), swaps_for(world, ask, widest)
    for u in range(lo, hi):
        if not lams[u] > 0.0:
            continue
        who = prepare(world, candidates, ask, u, s)
        if who.length == 0:
            continue
        _begin(world, ask, s, who, t, False)
        _read_list(world, s, who, t, lists[u], FIRST)
        _own_list(world, s, who, t, SECOND)
        _champions(world, ask, s, who, t, False)
        improve(world, ask, s, who, t, lams, u, u)
        _write_list(s, t, who.length, HERE, lists[u])


@njit
def _least_loss(world, ask, s, who, t, tau, reached):  # type: ignore[no-untyped-def]
    """The most relevant list found that reaches τ, from the list in FIRST (``reached``: whether
    that one does) and from the own list, in SECOND. Left in HERE; returns whether it reaches τ."""
    length = who.length
    _hold(t, length, SECOND)
    found = _repair(world, ask, s, who, t, tau)
    if found > -np.inf:
        _hold(t, length, BEST)
        found = _give_back(world, ask, s, who, t, tau)
        _keep(t, length, BEST)
    elif not reached:
        # Nothing reaches τ yet: swaps that raise consistency alone, from either list.
        _hold(t, length, SECOND)
        most = _climb(world, ask, s, who, t, tau)
        _keep(t, length, SECOND)
        _hold(t, length, FIRST)
        other = _climb(world, ask, s, who, t, tau)
        if most > other:
            _hold(t, length, SECOND)
        if max(most, other) < tau - SLACK:
            return False
        _give_back(world, ask, s, who, t, tau)
        return True
    if reached:
        _hold(t, length, FIRST)
        if not _give_back(world, ask, s, who, t, tau) < found:
            return True
    _hold(t, length, BEST)
    return True


@njit
def least_loss_range(world, candidates, ask, tau, lo, hi, wanted, lists, reached):  # type: ignore[no-untyped-def]
    """The lists of those learners lo … hi − 1 who are ``wanted``, made by the first λ that reaches
    τ (``reached``: whether one does), exchanged for the most relevant ones found that reach it.

    Who is there with the own list keeps it. Where τ is out of reach, the most consistent list
    found. It is then the same at every higher τ: what never comes up to τ never meets a bound that
    depends on it.
    """
    widest = most_candidates(candidates, lo, hi)
    s, t = scratch_for(world, ask, widest), swaps_for(world, ask, widest)
    for u in range(lo, hi):
        if not wanted[u]:
            continue
        who = prepare(world, candidates, ask, u, s)
        if who.length == 0:
            continue
        _begin(world, ask, s, who, t, True)
        _own_list(world, s, who, t, SECOND)
        _read_list(world, s, who, t, lists[u], FIRST)
        _hold(t, who.length, SECOND)
        consistency, _left = _measure(world, ask.targets, who.row, s, t, who.length)
        if consistency < tau - SLACK:
            _champions(world, ask, s, who, t, True)
            reached[u] = _least_loss(world, ask, s, who, t, tau, reached[u])
        else:
            reached[u] = True
        _write_list(s, t, who.length, HERE, lists[u])


@njit
def improved_grid_range(world, candidates, ask, lams, lo, hi, fresh, lists):  # type: ignore[no-untyped-def]
    """Lists of learners lo … hi − 1 at all of ``lams`` (ascending; the first is 0), as
    :func:`improve_range` makes them. Row r of what is written is learner lo + r.

    ``fresh[r, j]``: 1 where a list is written to ``lists[r, j]``; it holds for all j up to the next
    one. Elsewhere ``lists`` stays as it is.
    """
    widest = most_candidates(candidates, lo, hi)
    s, t = scratch_for(world, ask, widest), swaps_for(world, ask, widest)
    s = with_room(s, WINDOW)
    count = lams.size
    known = np.empty(count)
    for u in range(lo, hi):
        who = prepare(world, candidates, ask, u, s)
        r = u - lo
        new, out = fresh[r], lists[r]
        for j in range(count):
            known[j], new[j] = np.nan, 0
        new[0] = 1
        own_list(world, ask, s, who)
        store_list(s.picks, who.length, out, 0)
        if who.length == 0:
            continue
        j = 1
        while j < count:
            # Any consistency meets −∞: the walk ends with the first stretch, whose list is in
            # picks.
            walk_lams(world, ask, s, who, lams, j, min(j + WINDOW, count) - 1, 0, -np.inf, known)
            last = j
            while last + 1 < count and not np.isnan(known[last + 1]):
                last += 1
            store_list(s.picks, who.length, out, j)
            _begin(world, ask, s, who, t, False)
            _read_list(world, s, who, t, out[j], FIRST)
            _own_list(world, s, who, t, SECOND)
            _champions(world, ask, s, who, t, False)
            while j <= last:
                held_to = improve(world, ask, s, who, t, lams, j, last)
                for place in range(out.shape[1]):
                    out[j, place] = -1
                _write_list(s, t, who.length, HERE, out[j])
                new[j] = 1
                j = held_to + 1
