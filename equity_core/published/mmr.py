"""Maximal marginal relevance: Carbonell and Goldstein, SIGIR 1998, doi:10.1145/290941.291025.

Greedily, the course i is picked that maximises

    (1 − v) R_i − v max_{j in L} sim(i, j)

where v is 1 minus their λ, so that 0 gives the own lists here as everywhere. sim(i, j) is the share
of the categorical principles' columns (category and level for the paper's seven) in which both
courses have the same label.

Edge cases: for the first course, the list is empty and the maximum 0. An unknown label is the same
as no other, not even as another unknown one. With one label in every column, all courses are
equally similar: the own list. Without a categorical principle, the method does not apply.
"""

from __future__ import annotations

from equity_core.published.problem import Lists, Problem, label_columns, labels_of


def maximal_marginal_relevance(problem: Problem, trade: float) -> Lists:
    """The lists at one trade-off."""
    from equity_core.published.kernels import MMR

    columns = label_columns(problem.bundle)
    return problem.greedy(MMR, trade, labels_of(problem.bundle, columns, unknown_is_label=False))
