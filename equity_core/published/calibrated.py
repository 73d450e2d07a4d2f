"""Calibrated recommendations: Steck, RecSys 2018, doi:10.1145/3240323.3240372.

The labels of a list should have the shares that they have in the learner's past. Greedily, from the
empty list, the course i is picked that maximises

    (1 − v) Σ_{j in L + i} R_j − v KL(p, q̃_{L + i}),    KL(p, q̃) = Σ_g p_g log(p_g / q̃_g),
    q̃ = (1 − α) q + α p,  α = 0.01,

where p_g is the share of label g in the learner's past, q_g its share in the list, and v Steck's λ.
Past courses and positions all count the same (Steck's weights w_ui and w_r(i) are 1). Steck blends
p into q for every list, so that a label of the past that the list lacks costs p_g log(1 / α), not
infinity.

Edge cases: an unknown label is a label like any other, in the past and in the list. A label that
the past does not have adds nothing by itself, but takes share from the others. With one label in
the catalogue, or in the past and all candidates, KL is the same whatever is picked: the own list.
A learner without candidates has an empty list. The greedy is Steck's; at v = 1 it need not find the
list with the smallest KL.
"""

from __future__ import annotations

from equity_core.published.problem import Lists, Problem, labels_of


def calibrated(problem: Problem, column: str, trade: float) -> Lists:
    """The lists at one trade-off, calibrated on one column."""
    from equity_core.published.kernels import CALIBRATED

    labels = labels_of(problem.bundle, [column], unknown_is_label=True)
    return problem.greedy(CALIBRATED, trade, labels)
