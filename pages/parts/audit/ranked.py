"""Lists measured with a rank discount, kept: the optional reading on Learners and Audit."""

from __future__ import annotations

from functools import partial

import equity_core as eq
from equity_core.analysis.audit import rank_discount as position
from pages.shared.compute import remember
from pages.shared.current import Current
from pages.shared.results import Result


def discounted(cur: Current, found: Result) -> eq.Evaluation:
    """The measures of a result's lists with the rank discount."""

    make = partial(position.discounted, cur.bundle, found.run, cur.split)
    settings = found.run.algorithm, found.run.policy, cur.split
    measured: eq.Evaluation = remember(cur, "rank-discounted measures", make, *settings)
    return measured
