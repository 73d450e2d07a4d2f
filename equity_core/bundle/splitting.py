"""Cutting a log of interactions into train, valid and test at one moment, as the paper does.

Train is what happened up to the moment, test what happened after it, so that nobody learns from the
future.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import numpy as np
import numpy.typing as npt
import pandas as pd

from equity_core.bundle.dates import dates, moment
from equity_core.bundle.faults import Faults
from equity_core.bundle.ids import read_ids
from equity_core.bundle.tables import Table


@dataclass(frozen=True)
class SplitReport:
    """What a split kept and what it dropped, and why."""

    at: pd.Timestamp
    """The moment (UTC): train ≤ at < test."""
    found: bool
    """Whether the moment was searched for, not given."""
    learners: int
    """Learners kept."""
    train: int
    valid: int
    test: int
    """Interactions kept in each part."""
    learners_dropped: int
    """Learners with fewer interactions on one side than asked for."""
    interactions_dropped: int
    """The interactions of those learners."""
    repeated: int
    """Later rows of a (learner, course) pair: the first one counts."""
    undated: int
    """Rows without a timestamp: they belong to no side."""


def split_by_time(
    interactions: pd.DataFrame,
    at: datetime | str | int | None = None,
    min_train: int = 4,
    min_test: int = 1,
    valid: int = 0,
) -> tuple[pd.DataFrame, SplitReport]:
    """The interactions of the learners with enough on both sides of a moment, with a column
    ``split``, and a report.

    * ``at``: a date, ISO text or unix seconds (UTC where no zone is given). None: the moment of
      an interaction that keeps the most learners; of several such the latest, which trains on the
      most.
    * ``min_train``, ``min_test``: a learner with fewer interactions up to the moment, or after it,
      is dropped.
    * ``valid``: how many of a learner's last training interactions become validation, for learners
      who then still have ``min_train`` in training; the others have none. In every case each
      learner kept has at least ``min_train`` training and ``min_test`` test interactions.

    A (learner, course) pair counts once, when it first happened. Rows keep their order, index and
    columns (an old ``split`` is replaced). Of interactions at the same moment the one in the later
    row is the later one. BundleError: a column or an id is missing, or a timestamp cannot be read.
    ValueError: no learner has enough on both sides.
    """
    for name, value, least in (
        ("min_train", min_train, 1),
        ("min_test", min_test, 1),
        ("valid", valid, 0),
    ):
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
            raise ValueError(f"{name} is {value!r}; give a whole number, {least} or more")
    table = Table(
        "interactions",
        {str(name): values for name, values in interactions.items()},
        len(interactions),
    )
    faults = Faults()
    table.require(["learner_id", "course_id", "timestamp"], faults)
    faults.stop()
    seconds = dates(table, "timestamp", faults)
    read_ids(table, "learner_id", faults)
    read_ids(table, "course_id", faults)
    cut = None if at is None else moment(at, "at", "split_by_time", faults)
    if at is not None and cut is None and not len(faults):
        faults.add(
            "split_by_time",
            f"this is not a date or time: {at!r}",
            "Give a date, ISO text, unix seconds or None",
            column="at",
        )
    faults.stop()
    assert seconds is not None  # else a fault was found
    undated = np.isnat(seconds)
    log = pd.DataFrame(
        {
            "row": np.arange(len(interactions)),
            "learner": pd.factorize(interactions["learner_id"])[0],
            "course": pd.factorize(interactions["course_id"])[0],
            "when": seconds,
        }
    )[~undated].sort_values(["learner", "when", "row"], ignore_index=True)
    repeated = log.duplicated(["learner", "course"]).to_numpy()
    log = log[~repeated].reset_index(drop=True)
    when, learner = log["when"].to_numpy(), log["learner"].to_numpy()

    starts = (
        np.flatnonzero(np.r_[True, learner[1:] != learner[:-1]])
        if len(log)
        else np.empty(0, np.int64)
    )
    sizes = np.diff(np.r_[starts, len(log)])
    border = (
        best_moment(when, starts, sizes, min_train, min_test)
        if cut is None
        else cut.to_datetime64()
    )
    before = np.add.reduceat(when <= border, starts, dtype=np.int64) if len(log) else sizes
    kept = (before >= min_train) & (sizes - before >= min_test)
    if not kept.any():
        raise ValueError(
            f"no learner has {min_train} or more interactions up to {pd.Timestamp(border)} and"
            f" {min_test} or more after it; give another moment, leave it out to have one searched"
            " for, or ask for fewer"
        )

    place = np.arange(len(log)) - np.repeat(
        starts, sizes
    )  # of each interaction in its learner's history
    held_out = np.where(before - valid >= min_train, valid, 0)
    first_valid, first_test = np.repeat(before - held_out, sizes), np.repeat(before, sizes)
    part = np.select([place < first_valid, place < first_test], ["train", "valid"], "test")
    here = np.repeat(kept, sizes)
    rows = log["row"].to_numpy()[here]
    order = np.argsort(rows)
    split = interactions.iloc[rows[order]].assign(split=part[here][order])
    counts = split["split"].value_counts()
    report = SplitReport(
        at=pd.Timestamp(border),
        found=cut is None,
        learners=int(kept.sum()),
        train=int(counts.get("train", 0)),
        valid=int(counts.get("valid", 0)),
        test=int(counts.get("test", 0)),
        learners_dropped=int((~kept).sum()),
        interactions_dropped=int((~here).sum()),
        repeated=int(repeated.sum()),
        undated=int(undated.sum()),
    )
    return split, report


def best_moment(
    when: npt.NDArray[np.datetime64],
    starts: npt.NDArray[np.int64],
    sizes: npt.NDArray[np.int64],
    min_train: int,
    min_test: int,
) -> np.datetime64:
    """The moment of an interaction at which the most learners have ``min_train`` up to it and
    ``min_test`` after it; of several the latest.

    ``when`` is sorted within each learner; learner u has ``sizes[u]`` of them from ``starts[u]``. A
    learner is in from the min_train-th interaction until just before the min_test-th from the end,
    so one pass over the sorted moments counts all learners at all of them.
    """
    enough = sizes >= min_train + min_test
    first = when[starts[enough] + min_train - 1]
    end = when[starts[enough] + sizes[enough] - min_test]
    moments = np.unique(when)
    steps = np.bincount(np.searchsorted(moments, first), minlength=len(moments)).astype(np.int64)
    steps -= np.bincount(np.searchsorted(moments, end), minlength=len(moments))
    learners = np.cumsum(steps)
    if not len(moments) or learners.max() < 1:
        raise ValueError(
            f"at no moment does any learner have {min_train} or more interactions so far and"
            f" {min_test} or more to come; ask for fewer"
        )
    latest: np.datetime64 = moments[len(moments) - 1 - int(np.argmax(learners[::-1]))]
    return latest
