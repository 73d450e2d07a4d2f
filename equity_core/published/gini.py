"""Generalised Gini welfare: Do and Usunier, SIGIR 2022, doi:10.1145/3477495.3532035.

Do and Usunier choose rankings that maximise a weighted sum of two welfare functions, one of the
users' utilities and one of the items' exposures. A generalised Gini welfare weights utilities by
their rank, x_(1) ≤ … ≤ x_(n) and w_1 ≥ … ≥ w_n: the lower, the more it counts. Here both sides are
the learners', relevance and consistency:

    W = (1 − v) (1/n) Σ_u Σ_{i in L_u} R_ui + v (1/n) Σ_r w_r c_(r),    w_r = (n − r + 1) / n,

where c_(1) ≤ … ≤ c_(n) are the learners' consistencies (every principle counts the same), and v is
their λ. The w_r are their weights for the Gini index, so that the second sum is, up to terms of
1/n, half the mean consistency times equality; relevance is a plain mean, as in their first task.

As in their paper, W is maximised by Frank-Wolfe steps with a smoothed gradient. From the own lists
on, each step t = 0, 1, …

1. takes as weights y_u the gradient of the welfare's Moreau envelope at the consistencies z_u so
   far, with smoothing β_t = β / √(t + 1): without it, learners with almost equal consistency would
   change ranks at every step. It is a projection onto the permutahedron of w, by isotonic
   regression (:func:`rank_weights`);
2. gives every learner the best list under these weights, max (1 − v) Σ R + v y_u c(L): it is the
   re-ranker's greedy at λ_u = v y_u / (1 − v + v y_u);
3. moves on: z ← z + γ (c − z), γ = 2 / (t + 2).

What is adapted: (a) consistency takes the place of item exposure, so each learner has two
utilities. (b) Utilities are those of a list as a set, not discounted by rank. (c) Consistency is
not linear in the list: the exact sort that solves their linear problem becomes the greedy. (d)
Their result is a lottery over rankings; a learner here gets one list, the greedy's under the
weights after the last step.

Edge cases: v = 0 gives the own lists. At v = 1, weights only scale a learner's objective: λ_u is 1
for everybody. A learner without candidates has an empty list and no rank. With one learner, w is 1,
and the method is the re-ranker at λ = v.
"""

from __future__ import annotations

import numpy as np

from equity_core.metrics.evaluate import Floats
from equity_core.metrics.kernel_data import frozen, kernel_data
from equity_core.published.problem import Lists, Problem

STEPS = 12
"""Frank-Wolfe steps."""
SMOOTHING = 0.3
"""β. Both were set on real data (UserKNN): of 0.01, 0.1, 0.3, 0.5 and 1, 0.3 has the most equal
lists at a loss of 5 %, and W within 0.3 % of the highest; 24 steps gain no more than 12."""


def rank_weights(utilities: Floats, smoothing: float) -> Floats:
    """The gradient of the smoothed Gini welfare: the weight of each utility, from 1/n to 1.

    The smaller the smoothing, the nearer to w_r = (n − r + 1) / n by rank, lowest first; the larger
    it is, the nearer to the mean weight for everybody. The weights always sum to Σ w_r.
    """
    from scipy.optimize import isotonic_regression

    count = len(utilities)
    if count == 0:
        return np.empty(0)
    order = np.argsort(utilities, kind="stable")
    by_rank = np.arange(count, 0, -1) / count
    # Projection of −z / β onto the permutahedron of w, both from the highest to the lowest.
    point = -utilities[order] / smoothing
    fit = isotonic_regression(point - by_rank, increasing=False)
    out = np.empty(count)
    out[order] = point - fit.x
    return out


def _oracle(problem: Problem, lams: Floats) -> tuple[Lists, Floats]:
    """Each learner's greedy list at a λ of their own, and its consistency; NaN without a list."""
    from equity_core.reranker.kernels import lam_range

    world, given, lists = kernel_data(problem.bundle), frozen(lams, np.float64), problem.empty()
    consistency = np.full(len(lams), np.nan)
    problem.over(
        lambda lo, hi: lam_range(
            world, problem.candidates, problem.ask, given, lo, hi, lists, consistency
        )
    )
    return lists, consistency


def gini_welfare(problem: Problem, trade: float) -> Lists:
    """The lists at one trade-off."""
    lams = np.full(len(problem.bundle.learner_ids), trade)
    if trade in (0.0, 1.0):
        return _oracle(problem, lams)[0]
    own = _oracle(problem, np.zeros(len(lams)))[1]
    listed = ~np.isnan(own)
    reached = own[listed]
    for step in range(STEPS + 1):
        weights = rank_weights(reached, SMOOTHING / np.sqrt(step + 1.0))
        lams[listed] = trade * weights / (1.0 - trade + trade * weights)
        lists, found = _oracle(problem, lams)
        reached = reached + 2.0 / (step + 2.0) * (found[listed] - reached)
    return lists
