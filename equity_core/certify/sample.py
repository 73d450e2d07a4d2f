"""Certificates of a sample of learners, on all cores."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from equity_core import threads
from equity_core.certify.learner import (
    Certificate,
    FloorCertificate,
    certificate,
    floor_certificate,
    own_lists,
)
from equity_core.progress import Progress, report

if TYPE_CHECKING:
    from equity_core.bundle import Bundle
    from equity_core.reranker.api import Run

COLUMNS = [
    "lam",
    "objective",
    "own",
    "swapped",
    "bound",
    "ratio",
    "own_ratio",
    "swapped_ratio",
    "gain_share",
    "swapped_gain_share",
    "nothing_to_gain",
    "below_own",
    "solved",
    "seconds",
]
"""The columns under a λ, after learner_id: those of :class:`Certificate`."""
FLOOR_COLUMNS = [
    "floor",
    "state",
    "consistency",
    "own_consistency",
    "highest",
    "consistency_share",
    "relevance",
    "own_relevance",
    "optimum",
    "kept",
    "necessary",
    "solved",
    "seconds",
]
"""The columns under a floor, after learner_id: those of :class:`FloorCertificate`."""


def certify(
    bundle: Bundle,
    run: Run,
    *,
    own: Run | None = None,
    sample: int = 200,
    seed: int = 0,
    swap: bool = False,
    time_limit: float = 10.0,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """One row per learner of a seeded sample: what the list reaches beside what the own list
    reaches and what no list can beat.

    Under a λ (:data:`COLUMNS`): ``ratio`` = objective / bound, ``own_ratio`` the same for the own
    list, ``gain_share`` the share of the attainable gain, ``swapped`` the objective after the swap
    step (NaN without ``swap``). Under a floor (:data:`FLOOR_COLUMNS`): how the list stands to it
    (``state``), and ``kept``, its relevance against that of the most relevant list that meets the
    floor; lists are not swapped. ``solved`` is False where the time limit (seconds per learner and
    search) ended a search: the bound still holds, but is looser. Learners without a list are not
    drawn. ``own``: the own lists, where they are known already.
    """
    if sample < 1:
        raise ValueError(f"the sample must have at least one learner, not {sample}")
    listed = np.flatnonzero(run.courses[:, 0] >= 0)
    drawn: npt.NDArray[np.int64] = np.sort(
        np.random.default_rng(seed).choice(listed, size=min(sample, len(listed)), replace=False)
    )
    before = own_lists(bundle, run) if own is None else own
    columns = COLUMNS if run.policy.floor is None else FLOOR_COLUMNS

    def prove(learner: int) -> Certificate | FloorCertificate:
        if run.policy.floor is None:
            return certificate(bundle, run, learner, own=before, swap=swap, time_limit=time_limit)
        return floor_certificate(bundle, run, learner, own=before, time_limit=time_limit)

    rows: dict[int, tuple[object, ...]] = {}
    report(progress, 0, len(drawn))
    with ThreadPoolExecutor(threads.count(), thread_name_prefix="certify") as pool:
        waiting = {pool.submit(prove, int(learner)) for learner in drawn}
        try:
            for future in as_completed(waiting):
                made = future.result()
                rows[made.learner] = (
                    bundle.learner_ids[made.learner],
                    *(getattr(made, name) for name in columns),
                )
                report(progress, len(rows), len(drawn))
        except BaseException:
            for future in waiting:
                future.cancel()
            raise
    return pd.DataFrame(
        [rows[learner] for learner in sorted(rows)], columns=["learner_id", *columns]
    )
