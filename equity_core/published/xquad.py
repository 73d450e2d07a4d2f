"""xQuAD, explicit query aspect diversification: Santos, Macdonald and Ounis, WWW 2010,
doi:10.1145/1772690.1772780.

Greedily, the course i is picked that maximises

    (1 − v) P(i | u) + v Σ_a P(a | u) P(i | a) Π_{j in L} (1 − P(j | a))

where v is their λ, the learner u stands for the query, and the labels a of the categorical
principles' columns (category and level for the paper's seven) for its aspects. P(i | u) is the
scaled relevance R_i. P(a | u) is the share of a among the learner's past courses that have a label
in that column, divided by the number of columns. P(i | a) is R_i if the course has the label, and 0
otherwise.

Edge cases: an unknown label is no aspect: it is in no share, and a course with it meets nothing in
that column. Relevance that is not scaled (raw scores) is cut off at 0 and 1 where it stands for a
probability given an aspect. Courses of relevance 0 meet no aspect. Without a categorical principle,
the method does not apply.
"""

from __future__ import annotations

from equity_core.published.problem import Lists, Problem, label_columns, labels_of


def xquad(problem: Problem, trade: float) -> Lists:
    """The lists at one trade-off."""
    from equity_core.published.kernels import XQUAD

    columns = label_columns(problem.bundle)
    return problem.greedy(XQUAD, trade, labels_of(problem.bundle, columns, unknown_is_label=False))
