"""The split of an imported log: its own, or one cut by time, and what that left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from equity_core.bundle.splitting import split_by_time
from equity_core.importers.report import Report


@dataclass(frozen=True)
class Cut:
    """How to split by time; see :func:`equity_core.bundle.splitting.split_by_time`."""

    at: Any = None
    min_train: int = 4
    min_test: int = 1
    valid: int = 0


def cut_log(log: pd.DataFrame, cut: Cut, report: Report) -> pd.DataFrame:
    """The log with a split by time; what was left out is noted. BundleError without a timestamp;
    ValueError when no learner has enough."""
    if "timestamp" not in log or log["timestamp"].isna().all():
        report.refuse(
            "has neither a split nor timestamps to split by",
            "map a column with the split, or one with the time",
            column="timestamp",
        )
    split, did = split_by_time(
        log, at=cut.at, min_train=cut.min_train, min_test=cut.min_test, valid=cut.valid
    )
    report.note(
        f"split at {did.at:%Y-%m-%d %H:%M:%S}"
        f" UTC{' (found: it keeps the most learners)' if did.found else ''}: {did.learners:,}"
        f" learners, {did.train:,} training, {did.valid:,} validation and {did.test:,} test"
        f" interactions; left out: {did.learners_dropped:,} learners with too few"
        f" ({did.interactions_dropped:,} interactions), {did.repeated:,} repeated pairs,"
        f" {did.undated:,} rows without a time"
    )
    return split.reset_index(drop=True)
