"""The compiled walk over a whole grid of λ: every list that a learner gets anywhere on it, each
computed once.

For a list as it stands, a course that is best at both ends of an interval of λ is best within (see
``walk_lams``), so that a learner's list is one and the same on whole stretches of the grid. A grid
of a thousand λ holds some forty different lists per learner: walking from stretch to stretch costs
what forty λ cost, and leaves nothing out.
"""

from __future__ import annotations

import numpy as np

from equity_core.jit import njit
from equity_core.reranker.kernels import most_candidates, own_list, store_list, walk_lams
from equity_core.reranker.kernels_prepare import Scratch, prepare, scratch_for

WINDOW = 48
"""How many λs walk together at most. Wider than most stretches, narrow enough that both ends soon
agree."""


@njit
def with_room(s, together):  # type: ignore[no-untyped-def]
    """The scratch arrays with room for that many λs walking together."""
    # Every cut of an interval waits on the stack: there are never more of them than λs walking
    # together.
    pending = np.empty((together + 1, 3), dtype=np.int64)
    return Scratch(
        s.pool,
        s.where,
        s.mean,
        s.bent,
        s.group,
        s.part,
        s.roots,
        s.counts,
        s.rise,
        s.state,
        s.upto,
        s.picks,
        s.chosen,
        s.seen,
        s.all_pull,
        s.runs,
        pending,
    )


@njit
def grid_range(world, candidates, ask, lams, lo, hi, known, fresh, lists):  # type: ignore[no-untyped-def]
    """Lists of learners lo … hi − 1 at all of ``lams`` (ascending; the first is 0). Row r of what
    is written is learner lo + r.

    ``known[r, j]``: consistency (w = 1) of the list at ``lams[j]``; NaN for a learner without
    candidates. ``fresh[r, j]``: 1 where a list is written to ``lists[r, j]``; it holds for all j up
    to the next one. Elsewhere ``lists`` stays as it is.
    """
    s = with_room(scratch_for(world, ask, most_candidates(candidates, lo, hi)), WINDOW)
    count = lams.size
    for u in range(lo, hi):
        who = prepare(world, candidates, ask, u, s)
        r = u - lo
        mine, new, out = known[r], fresh[r], lists[r]
        for j in range(count):
            mine[j], new[j] = np.nan, 0
        new[0] = 1
        if who.length == 0:
            store_list(s.picks, 0, out, 0)
            continue
        mine[0] = own_list(world, ask, s, who)
        store_list(s.picks, who.length, out, 0)
        j = 1
        while j < count:
            # Any consistency meets −∞: the walk ends with the first stretch, whose list is in
            # picks.
            walk_lams(world, ask, s, who, lams, j, min(j + WINDOW, count) - 1, 0, -np.inf, mine)
            store_list(s.picks, who.length, out, j)
            new[j] = 1
            j += 1
            while j < count and not np.isnan(mine[j]):
                j += 1
