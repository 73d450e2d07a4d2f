"""Certificates for a sample of learners, on all cores."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from equity_core import threads
from equity_core.progress import Progress, report

if TYPE_CHECKING:
    from equity_core.bundle import Bundle
    from equity_core.reranker.api import Run

COLUMNS = ["learner_id", "lam", "objective", "swapped", "bound", "ratio", "swapped_ratio", "solved", "seconds"]


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
    """A row a learner of a seeded sample: what the list reaches, what no list can beat, and the ratio that is proven.

    ``ratio`` = objective / bound: the list reaches at least this share of the best possible. ``swapped`` is the objective after the swap
    step (NaN without ``swap``). ``solved`` is False where the time limit (seconds a learner) ended the search: the bound still holds, but
    is looser. Learners without a list are not drawn.
    """
    from equity_core.audit.one_learner import Objective
    from equity_core.certify.bound import contenders, pool_of, upper_bound
    from equity_core.certify.swap import improve

    listed = np.flatnonzero(run.courses[:, 0] >= 0)
    drawn: npt.NDArray[np.int64] = np.sort(np.random.default_rng(seed).choice(listed, size=min(sample, len(listed)), replace=False))
    catalogue = run.policy.pool == "catalogue"

    def one(learner: int) -> tuple[object, ...]:
        start = time.perf_counter()
        objective = Objective(bundle, run, learner)
        courses = [int(course) for course in run.courses[learner] if course >= 0]
        reached, swapped = objective(courses), float("nan")
        bound, solved = upper_bound(objective, run.policy.k, catalogue=catalogue, time_limit=time_limit)
        if swap:
            swapped = improve(objective, courses, contenders(objective, pool_of(objective, catalogue), len(courses)))[1]
        ratios = (reached / bound, swapped / bound) if bound > 0 else (1.0, 1.0)
        return (bundle.learner_ids[learner], objective.lam, reached, swapped, bound, *ratios, solved, time.perf_counter() - start)

    rows: dict[int, tuple[object, ...]] = {}
    report(progress, 0, len(drawn))
    with ThreadPoolExecutor(threads.count(), thread_name_prefix="certify") as pool:
        waiting = {pool.submit(one, int(learner)): int(learner) for learner in drawn}
        try:
            for future in as_completed(waiting):
                rows[waiting[future]] = future.result()
                report(progress, len(rows), len(drawn))
        except BaseException:
            for future in waiting:
                future.cancel()
            raise
    return pd.DataFrame([rows[learner] for learner in sorted(rows)], columns=COLUMNS)
