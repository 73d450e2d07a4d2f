"""The compiled swaps under one λ: the better of the greedy's list and the own list, and then the
swap that raises the objective most, until none raises it."""

from __future__ import annotations

import numpy as np

from equity_core.jit import njit
from equity_core.reranker.kernels import most_candidates, own_list, store_list, walk_lams
from equity_core.reranker.kernels_grid import WINDOW, with_room
from equity_core.reranker.kernels_prepare import prepare, scratch_for
from equity_core.reranker.kernels_swaps import (
    FIRST,
    HERE,
    LEAST,
    ROUNDS,
    SECOND,
    best_swap,
    bring_champions,
    fill_tables,
    follow_champion,
    hold,
    lay_out,
    measure_list,
    read_list,
    read_own_list,
    relevance_of,
    swap,
    swaps_for,
    write_list,
)


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
    hold(t, length, SECOND)
    other, _ = measure_list(world, targets, row, s, t, length)
    other_rel = relevance_of(s, t, length)
    hold(t, length, FIRST)
    consistency, left = measure_list(world, targets, row, s, t, length)
    more, less = other_rel - relevance_of(s, t, length), other - consistency
    at_first = (1.0 - lams[first]) * more + lams[first] * less > LEAST
    while last > first and ((1.0 - lams[last]) * more + lams[last] * less > LEAST) != at_first:
        last -= 1
    if at_first:
        hold(t, length, SECOND)
        consistency, left = measure_list(world, targets, row, s, t, length)
    for _ in range(ROUNDS):
        fill_tables(world, targets, row, s, t, length)
        out, came, more, less = best_swap(
            world, targets, row, s, t, length, lams[first], consistency, left
        )
        while last > first:
            rival, entrant, other_more, other_less = best_swap(
                world, targets, row, s, t, length, lams[last], consistency, left
            )
            if rival == out and entrant == came:
                break
            last = _last_no_worse(lams, first, last, more, less, other_more, other_less)
        if out < 0:
            break
        swap(t, out, came)
        follow_champion(world, ask, s, who, t, False, came)
        consistency, left = measure_list(world, targets, row, s, t, length)
    return last


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
        lay_out(world, ask, s, who, t, False)
        read_list(world, s, who, t, lists[u], FIRST)
        read_own_list(world, s, who, t, SECOND)
        bring_champions(world, ask, s, who, t, False)
        improve(world, ask, s, who, t, lams, u, u)
        write_list(s, t, who.length, HERE, lists[u])


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
            lay_out(world, ask, s, who, t, False)
            read_list(world, s, who, t, out[j], FIRST)
            read_own_list(world, s, who, t, SECOND)
            bring_champions(world, ask, s, who, t, False)
            while j <= last:
                held_to = improve(world, ask, s, who, t, lams, j, last)
                for place in range(out.shape[1]):
                    out[j, place] = -1
                write_list(s, t, who.length, HERE, out[j])
                new[j] = 1
                j = held_to + 1
