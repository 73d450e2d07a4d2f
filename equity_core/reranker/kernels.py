"""The compiled greedy re-ranker: one λ per learner, or the smallest λ that meets a floor.

At step n the course that maximises ``(1 − λ) R + λ Consistency(list + course)`` is picked. What a
group of courses with the same labels adds is one number per step; linear means are one number per
course (see :mod:`equity_core.reranker.kernels_prepare`). With linear means only, and the whole
catalogue as pool, courses without a score differ within a group by their pull alone: only the best
remaining one of each group, its *champion*, can be picked.

Everything is float64: the root in the Hellinger distance turns an error of 1e-7 into one of 3e-4.
"""

from __future__ import annotations

import numpy as np

from equity_core.jit import njit
from equity_core.metrics.kernels import balance_value, match_value
from equity_core.reranker.kernels_prepare import (
    BENT,
    CHAMPION,
    COURSE,
    FIRST,
    FROM,
    GONE,
    GROUP,
    KNOWN,
    LISTED,
    MARK,
    OVERLAP,
    PLACE,
    PULL,
    REL,
    SLACK,
    SPREAD,
    SUM,
    TAKEN,
    WORTH,
    add_course,
    empty_list,
    next_champion,
    prepare,
    scratch_for,
)

GRID = 20
"""The floor's grid is 0, 1/GRID … 1."""
HALVINGS = 3
TIE = 1e-12
"""Consistencies this close are equal: the same courses in another order differ by rounding."""


@njit
def _match_parts(m, slots, listed, n_groups, n, unit, target, overlap, roots, rise, counts, part):  # type: ignore[no-untyped-def]
    """Take what a match principle costs each group off ``part``."""
    # Most categories are new to the learner, and all of those are worth the same.
    new = unit * abs(target - match_value(overlap, n))
    for local in range(n_groups):
        slot = slots[m, listed[local]]
        if roots[slot] > 0.0:
            part[local] -= unit * abs(
                target - match_value(overlap + roots[slot] * rise[counts[slot]], n)
            )
        else:
            part[local] -= new


@njit
def _balance_parts(  # type: ignore[no-untyped-def]
    m, slots, listed, n_groups, unknown, size, unit, target, spread, known, upto, counts, part
):
    """Take what a balance principle costs each group off ``part``."""
    for local in range(n_groups):
        slot = slots[m, listed[local]]
        if slot == unknown:
            value = balance_value(spread, known, size)
        else:
            # One more of a value: pairs with counts up to its own drift apart, pairs with larger
            # ones close up.
            value = balance_value(
                spread + 2.0 * upto[m, counts[slot]] - 1.0 - size, known + 1.0, size
            )
        part[local] -= unit * abs(target - value)


@njit
def _worths(pull, gid, part, n, slope, out):  # type: ignore[no-untyped-def]
    for i in range(n):
        out[i] = slope * pull[i] + part[gid[i]]


@njit
def _take_gap(missing, weight, features, row, n, out):  # type: ignore[no-untyped-def]
    for i in range(n):
        out[i] -= weight * abs(missing - features[row, i])


@njit
def _best(rel, worth, gone, course, n, lam):  # type: ignore[no-untyped-def]
    """The candidate that maximises (1 − λ) R + λ worth, and that maximum; ties go by higher
    relevance, then position. −1 if none is left."""
    best, top, rest = -1, -np.inf, 1.0 - lam
    for i in range(n):
        value = rest * rel[i] + lam * worth[i] + gone[i]
        # Candidates come by relevance, then position, except for the catalogue's rest behind those
        # of lowest relevance.
        if (
            value >= top
            and value > -np.inf
            and (value > top or (rel[i] == rel[best] and course[i] < course[best]))
        ):
            best, top = i, value
    return best, top


@njit
def _better_champion(  # type: ignore[no-untyped-def]
    champion, n_groups, order, members, pulls, part, slope, lam, low, top, tied, picked
):
    """The group whose champion beats the best candidate (of objective ``top``, relevance ``tied``,
    course ``picked``); −1 if none does."""
    group, rest = -1, (1.0 - lam) * low
    for other in range(n_groups):
        at = champion[other]
        if at >= 0:
            course = order[at] if order.size > 0 else members[at]
            value = rest + lam * (slope * pulls[course] + part[other])
            if value > top or (value == top and (low > tied or (low == tied and course < picked))):
                top, tied, picked, group = value, low, course, other
    return group


@njit
def _consistency(targets, row, sums, state, sizes, is_match, length):  # type: ignore[no-untyped-def]
    """Consistency (w = 1) of the list that the running sums and counts describe; NaN for an empty
    one."""
    if length == 0:
        return np.nan
    n_mean, n_cat = sums.size, sizes.size
    gap = 0.0
    for m in range(n_mean):
        gap += abs(targets[row, m] - sums[m] / length)
    for m in range(n_cat):
        if is_match[m]:
            value = match_value(state[OVERLAP, m], length)
        else:
            value = balance_value(state[SPREAD, m], state[KNOWN, m], sizes[m])
        gap += abs(targets[row, n_mean + m] - value)
    return 1.0 - gap / (n_mean + n_cat)


@njit
def own_list(world, ask, s, who):  # type: ignore[no-untyped-def]
    """The list for λ = 0, the recommender's own order; the catalogue's rest follows by position.
    Returns its consistency."""
    means, labels, sizes, offsets = world.means, world.labels, world.sizes, world.offsets
    sums, roots, rise, counts, state, upto = s.mean[SUM], s.roots, s.rise, s.counts, s.state, s.upto
    picks, course, mark = s.picks, s.where[COURSE], s.seen[MARK]
    empty_list(sizes, sums, counts, state, upto)
    other = -1
    for step in range(who.length):
        if step < who.n:
            picks[step] = course[step]
        else:
            other += 1
            while mark[other] == who.u:
                other += 1
            picks[step] = other
        add_course(
            picks[step], means, labels, sizes, offsets, sums, roots, rise, counts, state, upto
        )
    return _consistency(ask.targets, who.row, sums, state, sizes, world.is_match, who.length)


@njit
def walk_lams(world, ask, s, who, lams, first, last, shared, tau, known):  # type: ignore[no-untyped-def]
    """Lists for ``lams[first … last]`` (ascending, above 0) from the left, until one has a
    consistency of ``tau``: it is left in ``picks``.

    For a list as it stands, the objective of every course is linear in λ: a course that is best at
    both ends of an interval is best within. So all λ walk together, from one state, as long as the
    first and the last of them choose the same course; where they part, the interval is cut, and its
    left part goes on first. One λ is the interval without a middle.

    The first ``shared`` courses in ``picks`` are kept. Fills in ``known`` (consistencies); returns
    where tau was met (−1: nowhere) and how many courses the list there is known to share with
    the list of the λ before.
    """
    # Every array is taken out of its tuple here, once per learner: doing so counts a reference each
    # time, and all of them together cost more than a step of the greedy.
    means, labels, sizes, offsets, is_match, slots = (
        world.means,
        world.labels,
        world.sizes,
        world.offsets,
        world.is_match,
        world.group_slots,
    )
    members, group_start, targets, weights, order = (
        world.group_members,
        world.group_start,
        ask.targets,
        ask.weights,
        ask.order,
    )
    rel, pull, gone, worth, features = (
        s.pool[REL],
        s.pool[PULL],
        s.pool[GONE],
        s.pool[WORTH],
        s.pool,
    )
    course, gid, bent, sums, part, roots, rise = (
        s.where[COURSE],
        s.where[GROUP],
        s.bent,
        s.mean[SUM],
        s.part,
        s.roots,
        s.rise,
    )
    counts, state, upto, picks, from_place, from_group = (
        s.counts,
        s.state,
        s.upto,
        s.picks,
        s.chosen[PLACE],
        s.chosen[FROM],
    )
    listed, champion, first_champion, mark, taken = (
        s.group[LISTED],
        s.group[CHAMPION],
        s.group[FIRST],
        s.seen[MARK],
        s.seen[TAKEN],
    )
    pulls = ask.pull if ask.pull.size > 0 else s.all_pull
    runs, pending = s.runs, s.pending
    n_mean, n_cat, row, n_candidates, n_groups = sums.size, sizes.size, who.row, who.n, who.n_groups
    depth = 1
    pending[0, 0], pending[0, 1], pending[0, 2] = first, last, shared
    while depth > 0:
        depth -= 1
        left, right, start = pending[depth, 0], pending[depth, 1], pending[depth, 2]
        # Back to the first courses of the list: what is on the stack has them in common with the
        # list just finished.
        empty_list(sizes, sums, counts, state, upto)
        for i in range(n_candidates):
            gone[i] = 0.0
        if who.champions:
            runs[0] += 1
            for group in range(n_groups):
                champion[group] = first_champion[group]
        for step in range(who.length):
            if step < start:
                place, group = from_place[step], from_group[step]
            else:
                n = step + 1
                slope = 1.0 / ((n_mean + n_cat) * n)
                for local in range(n_groups):
                    part[local] = 0.0
                for m in range(n_cat):
                    unit, target = (
                        weights[row, n_mean + m] / (n_mean + n_cat),
                        targets[row, n_mean + m],
                    )
                    if is_match[m]:
                        _match_parts(
                            m,
                            slots,
                            listed,
                            n_groups,
                            n,
                            unit,
                            target,
                            state[OVERLAP, m],
                            roots,
                            rise,
                            counts,
                            part,
                        )
                    else:
                        unknown, spread, certain = (
                            offsets[m] + sizes[m],
                            state[SPREAD, m],
                            state[KNOWN, m],
                        )
                        _balance_parts(
                            m,
                            slots,
                            listed,
                            n_groups,
                            unknown,
                            sizes[m],
                            unit,
                            target,
                            spread,
                            certain,
                            upto,
                            counts,
                            part,
                        )
                _worths(pull, gid, part, n_candidates, slope, worth)
                for b in range(who.n_bent):
                    m = bent[b]
                    _take_gap(
                        targets[row, m] * n - sums[m],
                        slope * weights[row, m],
                        features,
                        BENT + b,
                        n_candidates,
                        worth,
                    )
                # The choice at the left end, then at the right one, which moves left until both
                # agree.
                place, group, end, rel_left, worth_left = -1, -1, left, 0.0, 0.0
                while True:
                    lam = lams[end]
                    best, top = _best(rel, worth, gone, course, n_candidates, lam)
                    rival = -1
                    if who.champions:
                        tied, picked = (
                            (rel[best], course[best]) if best >= 0 else (-np.inf, np.int32(-1))
                        )
                        rival = _better_champion(
                            champion,
                            n_groups,
                            order,
                            members,
                            pulls,
                            part,
                            slope,
                            lam,
                            who.low,
                            top,
                            tied,
                            picked,
                        )
                    if rival >= 0:
                        at, best = champion[rival], -1
                        rel_end, worth_end = (
                            who.low,
                            slope * pulls[order[at] if order.size > 0 else members[at]]
                            + part[rival],
                        )
                    else:
                        rel_end, worth_end = rel[best], worth[best]
                    if end == left:
                        place, group, rel_left, worth_left = best, rival, rel_end, worth_end
                        if right == left:
                            break
                    elif best == place and rival == group:
                        break
                    else:
                        # The last λ at which the left choice is no worse than the right one: the
                        # next right end.
                        cut = right - 1
                        while (
                            cut > left
                            and (1.0 - lams[cut]) * (rel_left - rel_end)
                            + lams[cut] * (worth_left - worth_end)
                            < 0.0
                        ):
                            cut -= 1
                        pending[depth, 0], pending[depth, 1], pending[depth, 2] = (
                            cut + 1,
                            right,
                            step,
                        )
                        depth += 1
                        right = cut
                        if right == left:
                            break
                    end = right
            if group >= 0:
                at = champion[group]
                picks[step] = order[at] if order.size > 0 else members[at]
                taken[picks[step]] = runs[0]
                champion[group] = next_champion(
                    group, at + 1, who.u, runs[0], group_start, order, members, pulls, mark, taken
                )
            else:
                picks[step] = course[place]
                gone[place] = -np.inf
            from_place[step], from_group[step] = place, group
            add_course(
                picks[step], means, labels, sizes, offsets, sums, roots, rise, counts, state, upto
            )
        consistency = _consistency(targets, row, sums, state, sizes, is_match, who.length)
        for j in range(left, right + 1):
            known[j] = consistency
        if consistency >= tau - SLACK:
            return left, start
    return -1, 0


@njit
def most_candidates(candidates, lo, hi):  # type: ignore[no-untyped-def]
    widest = 0
    for u in range(lo, hi):
        widest = max(widest, candidates.indptr[u + 1] - candidates.indptr[u])
    return widest


@njit
def store_list(picks, length, out, u):  # type: ignore[no-untyped-def]
    for r in range(out.shape[1]):
        out[u, r] = picks[r] if r < length else -1


@njit
def lam_range(world, candidates, ask, lams, lo, hi, out, consistency):  # type: ignore[no-untyped-def]
    """Lists of learners lo … hi − 1 for one λ each, with the consistency (w = 1) of each list."""
    s = scratch_for(world, ask, most_candidates(candidates, lo, hi))
    for u in range(lo, hi):
        who = prepare(world, candidates, ask, u, s)
        if lams[u] <= 0.0:
            consistency[u] = own_list(world, ask, s, who)
        else:
            walk_lams(world, ask, s, who, lams, u, u, 0, 0.0, consistency)
        store_list(s.picks, who.length, out, u)


@njit
def floor_range(world, candidates, ask, tau, known, lo, hi, out, lams, reached):  # type: ignore[no-untyped-def]
    """Lists of learners lo … hi − 1 for the smallest λ found that meets the floor ``tau``.

    ``known[u, j]``: consistency of u's list at λ = j / GRID, NaN where not yet computed; filled in
    on the way, so that the next floor of a sweep finds it.
    """
    s = scratch_for(world, ask, most_candidates(candidates, lo, hi))
    grid, one, value = np.empty(GRID + 1), np.empty(1), np.empty(1)
    for j in range(GRID + 1):
        grid[j] = j / GRID
    for u in range(lo, hi):
        who = prepare(world, candidates, ask, u, s)
        lams[u], reached[u] = np.nan, False
        if who.length == 0:
            store_list(s.picks, 0, out, u)
            continue
        mine, at, held, shared = known[u], -1, -1, 0
        if np.isnan(mine[0]):
            mine[0] = own_list(world, ask, s, who)
            held = 0
        for j in range(GRID + 1):
            if np.isnan(mine[j]):
                at, shared = walk_lams(world, ask, s, who, grid, j, GRID, 0, tau, mine)
                held = at
                break
            if mine[j] >= tau - SLACK:
                at = j
                break
        reached[u] = at >= 0
        if at < 0:
            at = 0
            for j in range(1, GRID + 1):
                if mine[j] > mine[at] + TIE:
                    at = j
        if held != at:
            if at == 0:
                own_list(world, ask, s, who)
            else:
                walk_lams(world, ask, s, who, grid, at, at, 0, tau, mine)
        store_list(s.picks, who.length, out, u)
        lower, upper = grid[max(at - 1, 0)], grid[at]
        if reached[u] and at > 0:
            for _ in range(HALVINGS):
                one[0] = 0.5 * (lower + upper)
                walk_lams(world, ask, s, who, one, 0, 0, shared, tau, value)
                if value[0] >= tau - SLACK:
                    upper = one[0]
                    store_list(s.picks, who.length, out, u)
                else:
                    lower = one[0]
        lams[u] = upper
