"""The compiled greedy re-ranker: one λ a learner, or the smallest λ that meets a floor.

At step n the course that maximises ``(1 − λ) R + λ Consistency(list + course)`` is picked. What a group of courses with the same labels
adds is one number a step; linear means are one number a course (see :mod:`equity_core.reranker.kernels_prepare`). With linear means only,
and the whole catalogue as pool, courses without a score differ within a group by their pull alone: only the best one left of each
group, its *champion*, can be picked.

Everything is float64: the root in the Hellinger distance turns an error of 1e-7 into one of 3e-4.
"""

from __future__ import annotations

import numpy as np

from equity_core.jit import njit
from equity_core.metrics.kernels import balance_value, match_value
from equity_core.reranker.kernels_prepare import (
    BASE,
    BENT,
    CHAMPION,
    COURSE,
    FIRST,
    GROUP,
    KNOWN,
    LISTED,
    MARK,
    OVERLAP,
    PULL,
    REL,
    SPREAD,
    SUM,
    TAKEN,
    VALUE,
    next_champion,
    prepare,
    scratch_for,
)

GRID = 20
"""The floor's grid is 0, 1/GRID … 1."""
HALVINGS = 3
SLACK = 1e-9
"""How far below τ a consistency still meets it (rounding)."""
TIE = 1e-12
"""Consistencies this close are equal: the same courses in another order differ by rounding."""


@njit
def _reset(sizes, sums, counts, state, upto):  # type: ignore[no-untyped-def]
    for m in range(sums.size):
        sums[m] = 0.0
    for slot in range(counts.size):
        counts[slot] = 0
    for m in range(sizes.size):
        state[OVERLAP, m], state[SPREAD, m], state[KNOWN, m] = 0.0, 0.0, 0.0
        for count in range(upto.shape[1]):
            upto[m, count] = sizes[m]


@njit
def _add(course, means, labels, sizes, offsets, sums, roots, rise, counts, state, upto):  # type: ignore[no-untyped-def]
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
def _match_parts(m, slots, listed, n_groups, n, unit, target, overlap, roots, rise, counts, part):  # type: ignore[no-untyped-def]
    """Take what a match principle costs each group off ``part``."""
    # Most categories are new to the learner, and all of those are worth the same.
    new = unit * abs(target - match_value(overlap, n))
    for local in range(n_groups):
        slot = slots[m, listed[local]]
        if roots[slot] > 0.0:
            part[local] -= unit * abs(target - match_value(overlap + roots[slot] * rise[counts[slot]], n))
        else:
            part[local] -= new


@njit
def _balance_parts(m, slots, listed, n_groups, unknown, size, unit, target, spread, known, upto, counts, part):  # type: ignore[no-untyped-def]
    """Take what a balance principle costs each group off ``part``."""
    for local in range(n_groups):
        slot = slots[m, listed[local]]
        if slot == unknown:
            value = balance_value(spread, known, size)
        else:
            # One more of a value: pairs with counts up to its own drift apart, pairs with larger ones close up.
            value = balance_value(spread + 2.0 * upto[m, counts[slot]] - 1.0 - size, known + 1.0, size)
        part[local] -= unit * abs(target - value)


@njit
def _best_linear(base, pull, gid, part, n, slope):  # type: ignore[no-untyped-def]
    best, top = -1, -np.inf
    for i in range(n):
        value = base[i] + slope * pull[i] + part[gid[i]]
        if value > top:
            best, top = i, value
    return best, top


@njit
def _all_linear(base, pull, gid, part, n, slope, out):  # type: ignore[no-untyped-def]
    for i in range(n):
        out[i] = base[i] + slope * pull[i] + part[gid[i]]


@njit
def _take_gap(missing, weight, features, row, n, out):  # type: ignore[no-untyped-def]
    for i in range(n):
        out[i] -= weight * abs(missing - features[row, i])


@njit
def _best_value(value, rel, course, n):  # type: ignore[no-untyped-def]
    best, top = -1, -np.inf
    for i in range(n):
        # Candidates come by relevance, then position, except for the catalogue's rest behind those of lowest relevance.
        if value[i] >= top and value[i] > -np.inf and (value[i] > top or (rel[i] == rel[best] and course[i] < course[best])):
            best, top = i, value[i]
    return best, top


@njit
def _greedy(world, ask, s, who, lam):  # type: ignore[no-untyped-def]
    """One learner's list for one λ, into ``picks``; returns its length."""
    # Every array is taken out of its tuple once, here: taken out inside the loops, counting references costs more than the work itself.
    means, labels, sizes, offsets, is_match, slots = (
        world.means,
        world.labels,
        world.sizes,
        world.offsets,
        world.is_match,
        world.group_slots,
    )
    targets, weights = ask.targets, ask.weights
    rel, pull, base, value = s.pool[REL], s.pool[PULL], s.pool[BASE], s.pool[VALUE]
    course, gid, listed, champion, bent, features = s.where[COURSE], s.where[GROUP], s.group[LISTED], s.group[CHAMPION], s.bent, s.pool
    sums, part, roots, rise, counts, state, upto, picks = s.mean[SUM], s.part, s.roots, s.rise, s.counts, s.state, s.upto, s.picks
    n_mean, n_cat, row = sums.size, sizes.size, who.row
    _reset(sizes, sums, counts, state, upto)
    length = min(ask.k, who.n + who.rest)
    if lam <= 0.0:
        # The recommender's own order; the catalogue's rest follows by position.
        other, mark = -1, s.seen[MARK]
        for step in range(length):
            if step < who.n:
                picks[step] = course[step]
            else:
                other += 1
                while mark[other] == who.u:
                    other += 1
                picks[step] = other
            _add(picks[step], means, labels, sizes, offsets, sums, roots, rise, counts, state, upto)
        return length
    for i in range(who.n):
        base[i] = (1.0 - lam) * rel[i]
    if who.champions:
        s.runs[0] += 1
        first = s.group[FIRST]
        for group in range(who.n_groups):
            champion[group] = first[group]
    for step in range(length):
        n = step + 1
        slope = lam / ((n_mean + n_cat) * n)
        for local in range(who.n_groups):
            part[local] = 0.0
        for m in range(n_cat):
            unit, target = lam * weights[row, n_mean + m] / (n_mean + n_cat), targets[row, n_mean + m]
            if is_match[m]:
                _match_parts(m, slots, listed, who.n_groups, n, unit, target, state[OVERLAP, m], roots, rise, counts, part)
            else:
                unknown = offsets[m] + sizes[m]
                _balance_parts(
                    m, slots, listed, who.n_groups, unknown, sizes[m], unit, target, state[SPREAD, m], state[KNOWN, m], upto, counts, part
                )
        if who.n_bent == 0:
            best, top = _best_linear(base, pull, gid, part, who.n, slope)
        else:
            _all_linear(base, pull, gid, part, who.n, slope, value)
            for b in range(who.n_bent):
                m = bent[b]
                _take_gap(targets[row, m] * n - sums[m], slope * weights[row, m], features, BENT + b, who.n, value)
            best, top = _best_value(value, rel, course, who.n)
        group = -1
        if who.champions:
            picks[step], group = _best_champion(world, ask, s, who, lam, slope, best, top)
        else:
            picks[step] = course[best]
        if group >= 0:
            s.seen[TAKEN, picks[step]] = s.runs[0]
            champion[group] = next_champion(world, ask, s, who.u, group, champion[group] + 1)
        else:
            base[best] = -np.inf
        _add(picks[step], means, labels, sizes, offsets, sums, roots, rise, counts, state, upto)
    return length


@njit
def _best_champion(world, ask, s, who, lam, slope, best, top):  # type: ignore[no-untyped-def]
    """The best of the best candidate and the groups' champions: its course, and its group (−1: a candidate)."""
    champion, order, members, pulls, all_pull, part = s.group[CHAMPION], ask.order, world.group_members, ask.pull, s.all_pull, s.part
    picked, group = -1, -1
    rel = -np.inf
    if best >= 0:
        picked, rel = s.where[COURSE, best], s.pool[REL, best]
    for other in range(who.n_groups):
        at = champion[other]
        if at >= 0:
            course = order[at] if order.size > 0 else members[at]
            pull = pulls[course] if pulls.size > 0 else all_pull[course]
            value = (1.0 - lam) * who.low + slope * pull + part[other]
            if value > top or (value == top and (who.low > rel or (who.low == rel and course < picked))):
                top, rel, picked, group = value, who.low, course, other
    return picked, group


@njit
def _consistency(world, ask, s, row, length):  # type: ignore[no-untyped-def]
    """Consistency (w = 1) of the list that the running sums and counts describe; NaN for an empty one."""
    if length == 0:
        return np.nan
    n_mean, n_cat = world.means.shape[1], world.sizes.size
    gap = 0.0
    for m in range(n_mean):
        gap += abs(ask.targets[row, m] - s.mean[SUM, m] / length)
    for m in range(n_cat):
        if world.is_match[m]:
            value = match_value(s.state[OVERLAP, m], length)
        else:
            value = balance_value(s.state[SPREAD, m], s.state[KNOWN, m], world.sizes[m])
        gap += abs(ask.targets[row, n_mean + m] - value)
    return 1.0 - gap / (n_mean + n_cat)


@njit
def _widest(candidates, lo, hi):  # type: ignore[no-untyped-def]
    widest = 0
    for u in range(lo, hi):
        widest = max(widest, candidates.indptr[u + 1] - candidates.indptr[u])
    return widest


@njit
def _store(s, length, out):  # type: ignore[no-untyped-def]
    for r in range(out.size):
        out[r] = s.picks[r] if r < length else -1


@njit
def lam_range(world, candidates, ask, lams, lo, hi, out, consistency):  # type: ignore[no-untyped-def]
    """Lists of learners lo … hi − 1 for one λ each, with the consistency (w = 1) of each list."""
    s = scratch_for(world, ask, _widest(candidates, lo, hi))
    for u in range(lo, hi):
        who = prepare(world, candidates, ask, u, s)
        length = _greedy(world, ask, s, who, lams[u])
        _store(s, length, out[u])
        consistency[u] = _consistency(world, ask, s, who.row, length)


@njit
def floor_range(world, candidates, ask, tau, known, lo, hi, out, lams, reached):  # type: ignore[no-untyped-def]
    """Lists of learners lo … hi − 1 for the smallest λ found that meets the floor ``tau``.

    ``known[u, j]``: consistency of u's list at λ = j / GRID, NaN where not yet computed; filled in on the way, so that the
    next floor of a sweep finds it.
    """
    s = scratch_for(world, ask, _widest(candidates, lo, hi))
    for u in range(lo, hi):
        who = prepare(world, candidates, ask, u, s)
        lams[u], reached[u] = np.nan, False
        if who.n + who.rest == 0:
            _store(s, 0, out[u])
            continue
        at, best, held = -1, 0, -1.0
        for j in range(GRID + 1):
            if np.isnan(known[u, j]):
                length = _greedy(world, ask, s, who, j / GRID)
                known[u, j] = _consistency(world, ask, s, who.row, length)
                held = j / GRID
            if known[u, j] >= tau - SLACK:
                at = j
                break
            if known[u, j] > known[u, best] + TIE:
                best = j
        reached[u] = at >= 0
        upper = (at if at >= 0 else best) / GRID
        if held != upper:
            length = _greedy(world, ask, s, who, upper)
        _store(s, length, out[u])
        if at > 0:
            lower = (at - 1) / GRID
            for _ in range(HALVINGS):
                middle = 0.5 * (lower + upper)
                length = _greedy(world, ask, s, who, middle)
                if _consistency(world, ask, s, who.row, length) >= tau - SLACK:
                    upper = middle
                    _store(s, length, out[u])
                else:
                    lower = middle
        lams[u] = upper
