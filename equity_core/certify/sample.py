"""Certificates: of one learner's list, and of a sample of learners on all cores."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from equity_core import threads
from equity_core.progress import Progress, report

if TYPE_CHECKING:
    from equity_core.bundle import Bundle
    from equity_core.reranker.api import Run

COLUMNS = [
    "learner_id",
    "lam",
    "objective",
    "swapped",
    "bound",
    "ratio",
    "swapped_ratio",
    "solved",
    "seconds",
]
GAP = 0.001
"""The search for a bound ends once it is proven to this share: tighter takes far longer and says
nothing more on screen."""


@dataclass(frozen=True)
class Certificate:
    """What one list reaches, what no list can beat, and what swaps would change."""

    learner: int
    lam: float
    courses: tuple[int, ...]
    objective: float
    swapped_courses: tuple[int, ...]
    """The list after the swap step; the list itself without one."""
    swapped: float
    """The objective after the swap step; NaN without one."""
    bound: float
    solved: bool
    """False where the time limit ended the search: the bound holds, but is looser."""
    seconds: float

    @property
    def ratio(self) -> float:
        """The share of the best possible that the list is proven to reach."""
        return proven(self.objective, self.bound)

    @property
    def swapped_ratio(self) -> float:
        """The same after the swap step."""
        return proven(self.swapped, self.bound)


def proven(objective: float, bound: float) -> float:
    """objective / bound, at most 1. A bound of 0 or less is no measure: 1 where the objective
    reaches it, else NaN."""
    if bound > 0:
        return float(min(objective / bound, 1.0)) if objective == objective else float("nan")
    return 1.0 if objective >= bound - 1e-9 else float("nan")


def certificate(
    bundle: Bundle, run: Run, learner: int, *, swap: bool = False, time_limit: float = 10.0
) -> Certificate:
    """The certificate of one learner's list. Without a list: all NaN."""
    from equity_core.certify.bound import contenders, pool_of, upper_bound
    from equity_core.certify.swap import improve
    from equity_core.reranker.objective import Objective

    start = time.perf_counter()
    courses = tuple(int(course) for course in run.courses[learner] if course >= 0)
    nothing = float("nan")
    if not courses:
        return Certificate(learner, nothing, (), nothing, (), nothing, nothing, True, 0.0)
    objective, catalogue = Objective(bundle, run, learner), run.policy.pool == "catalogue"
    better, swapped = list(courses), nothing
    if swap:
        better, swapped = improve(
            objective, courses, contenders(objective, pool_of(objective, catalogue), len(courses))
        )
    bound, solved = upper_bound(
        objective, run.policy.k, catalogue=catalogue, time_limit=time_limit, gap=GAP
    )
    took = time.perf_counter() - start
    return Certificate(
        learner,
        objective.lam,
        courses,
        objective(courses),
        tuple(better),
        swapped,
        bound,
        solved,
        took,
    )


def certify(
    bundle: Bundle,
    run: Run,
    *,
    sample: int = 200,
    seed: int = 0,
    swap: bool = False,
    time_limit: float = 10.0,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """One row per learner of a seeded sample: what the list reaches, what no list can beat, and the
    ratio that is proven.

    ``ratio`` = objective / bound: the list reaches at least this share of the best possible.
    ``swapped`` is the objective after the swap step (NaN without ``swap``). ``solved`` is False
    where the time limit (seconds per learner) ended the search: the bound still holds, but is
    looser. Learners without a list are not drawn.
    """
    if sample < 1:
        raise ValueError(f"the sample must have at least one learner, not {sample}")
    listed = np.flatnonzero(run.courses[:, 0] >= 0)
    drawn: npt.NDArray[np.int64] = np.sort(
        np.random.default_rng(seed).choice(listed, size=min(sample, len(listed)), replace=False)
    )
    rows: dict[int, tuple[object, ...]] = {}
    report(progress, 0, len(drawn))
    with ThreadPoolExecutor(threads.count(), thread_name_prefix="certify") as pool:
        waiting = {
            pool.submit(certificate, bundle, run, int(learner), swap=swap, time_limit=time_limit)
            for learner in drawn
        }
        try:
            for future in as_completed(waiting):
                rows[future.result().learner] = _row(bundle, future.result())
                report(progress, len(rows), len(drawn))
        except BaseException:
            for future in waiting:
                future.cancel()
            raise
    return pd.DataFrame([rows[learner] for learner in sorted(rows)], columns=COLUMNS)


def _row(bundle: Bundle, found: Certificate) -> tuple[object, ...]:
    ratios = found.ratio, found.swapped_ratio
    values = (
        found.lam,
        found.objective,
        found.swapped,
        found.bound,
        *ratios,
        found.solved,
        found.seconds,
    )
    return (bundle.learner_ids[found.learner], *values)
