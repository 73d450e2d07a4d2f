"""Lists measured with a rank discount, kept: the optional reading on Learners and Audit."""

from __future__ import annotations

from typing import Any

import equity_core as eq
from equity_core.analysis.audit import rank_discount as position
from pages.shared import cached
from pages.shared.cached import Result
from pages.shared.current import Current


def discounted(cur: Current, found: Result) -> eq.Evaluation:
    """The measures of a result's lists with the rank discount."""

    def compute(bundle: eq.Bundle, *_: Any) -> eq.Evaluation:
        return position.discounted(bundle, found.run, cur.split)

    compute.__module__, compute.__qualname__ = position.__name__, "discounted"
    made: eq.Evaluation = cached.keep(
        cur, compute, found.run.algorithm, found.run.policy, cur.split
    )
    return made
