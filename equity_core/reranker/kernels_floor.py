"""The compiled least-loss floor: the most relevant list found that reaches τ.

The own list is repaired at the least loss of relevance per gain in consistency, and what
consistency there is above τ is given back for relevance; the same from the list of the first λ that
reaches τ, and the more relevant of the two is taken.
"""

from __future__ import annotations

import numpy as np

from equity_core.jit import njit
from equity_core.reranker.kernels import most_candidates
from equity_core.reranker.kernels_prepare import GROUP, REL, SLACK, prepare, scratch_for
from equity_core.reranker.kernels_swaps import (
    BENT,
    BEST,
    FIRST,
    HERE,
    LEAST,
    ROUNDS,
    ROW,
    SECOND,
    bent_cost,
    best_swap,
    bring_champions,
    fill_tables,
    follow_champion,
    hold,
    lay_out,
    list_front,
    measure_list,
    put_aside,
    read_list,
    read_own_list,
    relevance_of,
    swap,
    swaps_for,
    write_list,
)


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
    relevance = relevance_of(s, t, length)
    for _ in range(ROUNDS):
        consistency, left = measure_list(world, targets, row, s, t, length)
        if consistency >= tau - SLACK:
            if relevance > found:
                found = relevance
                put_aside(t, length, BEST)
            break
        fill_tables(world, targets, row, s, t, length)
        n_front = list_front(s, t)
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
                    after -= bent_cost(world, targets, row, s, t, length, gone, i)
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
            put_aside(t, length, BEST)
            t.lists[BEST, done_out] = done_came
        if out < 0:
            break
        relevance += rel[came] - rel[here[out]]
        swap(t, out, came)
        follow_champion(world, ask, s, who, t, True, came)
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
        _, left = measure_list(world, targets, row, s, t, length)
        fill_tables(world, targets, row, s, t, length)
        n_front = list_front(s, t)
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
                    after -= bent_cost(world, targets, row, s, t, length, gone, i)
                    if after < tau - SLACK:
                        continue
                if gain > best or (gain == best and out >= 0 and after > best_at):
                    out, came, best, best_at = r, i, gain, after
        if out < 0:
            break
        swap(t, out, came)
    return relevance_of(s, t, length)


@njit
def _climb(world, ask, s, who, t, tau):  # type: ignore[no-untyped-def]
    """From the list as it stands: swaps that raise consistency most, until it reaches τ or none
    does. Returns the consistency."""
    targets, row, length = ask.targets, who.row, who.length
    consistency, left = measure_list(world, targets, row, s, t, length)
    for _ in range(ROUNDS):
        if consistency >= tau - SLACK:
            break
        fill_tables(world, targets, row, s, t, length)
        out, came, _more, _less = best_swap(
            world, targets, row, s, t, length, 1.0, consistency, left
        )
        if out < 0:
            break
        swap(t, out, came)
        follow_champion(world, ask, s, who, t, True, came)
        consistency, left = measure_list(world, targets, row, s, t, length)
    return consistency


@njit
def _least_loss(world, ask, s, who, t, tau, reached):  # type: ignore[no-untyped-def]
    """The most relevant list found that reaches τ, from the list in FIRST (``reached``: whether
    that one does) and from the own list, in SECOND. Left in HERE; returns whether it reaches τ."""
    length = who.length
    hold(t, length, SECOND)
    found = _repair(world, ask, s, who, t, tau)
    if found > -np.inf:
        hold(t, length, BEST)
        found = _give_back(world, ask, s, who, t, tau)
        put_aside(t, length, BEST)
    elif not reached:
        # Nothing reaches τ yet: swaps that raise consistency alone, from either list.
        hold(t, length, SECOND)
        most = _climb(world, ask, s, who, t, tau)
        put_aside(t, length, SECOND)
        hold(t, length, FIRST)
        other = _climb(world, ask, s, who, t, tau)
        if most > other:
            hold(t, length, SECOND)
        if max(most, other) < tau - SLACK:
            return False
        _give_back(world, ask, s, who, t, tau)
        return True
    if reached:
        hold(t, length, FIRST)
        if not _give_back(world, ask, s, who, t, tau) < found:
            return True
    hold(t, length, BEST)
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
        lay_out(world, ask, s, who, t, True)
        read_own_list(world, s, who, t, SECOND)
        read_list(world, s, who, t, lists[u], FIRST)
        hold(t, who.length, SECOND)
        consistency, _left = measure_list(world, ask.targets, who.row, s, t, who.length)
        if consistency < tau - SLACK:
            bring_champions(world, ask, s, who, t, True)
            reached[u] = _least_loss(world, ask, s, who, t, tau, reached[u])
        else:
            reached[u] = True
        write_list(s, t, who.length, HERE, lists[u])
