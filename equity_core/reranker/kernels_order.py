"""The compiled order of a list: the recommender's own, whatever the order it was picked in."""

from __future__ import annotations

import numpy as np

from equity_core.jit import njit


@njit
def order_range(candidates, n_courses, learners, lo, hi, lists):  # type: ignore[no-untyped-def]
    """Put lists lo … hi − 1 into the recommender's order: raw score, highest first, then position;
    courses without a score come last, by position. List i is of learner ``learners[i]``.

    Consistency and equality do not change with the order; NDCG does.
    """
    place = np.empty(n_courses, dtype=np.int64)
    for course in range(n_courses):
        place[course] = n_courses + course
    before = -1
    for i in range(lo, hi):
        u = learners[i]
        if u != before:
            if before >= 0:
                for j in range(candidates.indptr[before], candidates.indptr[before + 1]):
                    course = candidates.courses[j]
                    place[course] = n_courses + course
            for j in range(candidates.indptr[u], candidates.indptr[u + 1]):
                place[candidates.courses[j]] = j - candidates.indptr[u]
            before = u
        courses = lists[i]
        # Lists are short, and nearly in order where little was changed.
        for r in range(1, courses.size):
            course = courses[r]
            if course < 0:
                break
            at = r
            while at > 0 and place[courses[at - 1]] > place[course]:
                courses[at] = courses[at - 1]
                at -= 1
            courses[at] = course
