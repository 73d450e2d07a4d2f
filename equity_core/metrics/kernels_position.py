"""Lists read with a rank discount: what stands higher counts more.

Place r of a list of n courses counts v_r = d_r / (d_1 + … + d_n), d_r = 1 / log2(r + 1), as in
NDCG. A mean becomes Σ v_r x_r, and the shares of labels, which balance and match look at, become
sums of v_r. All else is as in :mod:`equity_core.metrics.kernels`.
"""

from __future__ import annotations

import math

import numpy as np

from equity_core.jit import njit
from equity_core.metrics.kernels import balance_value, match_value, past_roots


@njit
def discounted_values(world, courses, length, roots, places, shares, out):  # type: ignore[no-untyped-def]
    """Values of one list by every principle (means first, then categorical), into ``out``;
    ``places``: v of each place."""
    n_mean = world.means.shape[1]
    for m in range(n_mean):
        total = 0.0
        for r in range(length):
            total += places[r] * world.means[courses[r], m]
        out[m] = total
    for m in range(world.sizes.size):
        at, size, known = world.offsets[m], world.sizes[m], 0.0
        for slot in range(at, at + size):
            shares[slot] = 0.0
        for r in range(length):
            label = world.labels[courses[r], m]
            if label >= 0:
                shares[at + label] += places[r]
                known += places[r]
        if world.is_match[m]:
            overlap = 0.0
            for slot in range(at, at + size):
                overlap += roots[slot] * math.sqrt(shares[slot])
            out[n_mean + m] = match_value(overlap, 1)
        else:
            spread = 0.0
            for a in range(at, at + size):
                if shares[a] > 0.0:
                    for b in range(at, at + size):
                        if shares[b] < shares[a]:
                            spread += shares[a] - shares[b]
            # Rounding may put a list of one label just below 0.
            out[n_mean + m] = max(0.0, balance_value(spread, known, size))


@njit
def discounted_range(world, courses, lo, hi, out):  # type: ignore[no-untyped-def]
    """Discounted values of the lists of learners lo … hi − 1 by every principle; NaN for an empty
    list."""
    roots = np.zeros(world.offsets[-1])
    shares = np.zeros(world.offsets[-1])
    places = np.zeros(courses.shape[1])
    for u in range(lo, hi):
        length, total = 0, 0.0
        while length < courses.shape[1] and courses[u, length] >= 0:
            total += 1.0 / math.log2(length + 2.0)
            length += 1
        if length == 0:
            for m in range(out.shape[1]):
                out[u, m] = np.nan
        else:
            for r in range(length):
                places[r] = 1.0 / math.log2(r + 2.0) / total
            past_roots(world, u, roots)
            discounted_values(world, courses[u], length, roots, places, shares, out[u])
