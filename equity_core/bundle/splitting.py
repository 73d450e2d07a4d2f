"""Cutting a log of interactions into train, valid and test: at one moment, as the paper does, or
learner by learner.

Train is what a recommender may learn from, test what it is measured on, valid what a policy is
chosen on. :class:`Cut` says how; :func:`split_log` does it and reports what was kept.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
import pandas as pd

from equity_core.bundle.dates import dates, moment
from equity_core.bundle.faults import Faults
from equity_core.bundle.ids import read_ids
from equity_core.bundle.interactions import SPLITS
from equity_core.bundle.tables import Table

Kind = Literal["auto", "column", "time", "last", "share", "random", "none"]
KINDS: tuple[Kind, ...] = get_args(Kind)

HALF = 0.5
"""The paper's cut is the default while it keeps this share of the learners who have enough
courses."""
MANY = 100
"""So many learners are enough to choose a policy on, whatever their share."""

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Cut:
    """How a log is split. ValueError: a setting that makes no sense.

    * ``time``: at one moment, ``at``, or the one that keeps the most learners: the paper's cut.
    * ``last``: the ``last`` courses of each learner are the test part.
    * ``share``: so is the latest ``share`` of each learner's courses, at least one.
    * ``random``: so is the same share, drawn at random by ``seed``; it needs no timestamps.
    * ``column``: the log's own column ``split`` says it.
    * ``none``: everything is train. Nothing can be measured: for deploying.
    * ``auto``: ``column`` if there is one with a training part; ``time`` if ``at`` is given, or if
      it keeps at least half of the learners who have enough courses (``min_train`` and ``min_test``
      together); else ``last``.

    Learners with fewer than ``min_train`` or ``min_test`` courses in a part are left out. ``valid``
    courses of each learner are set apart from train, if ``min_train`` remain; None sets one apart
    where it can be spared (:func:`spared`). ``column`` and ``none`` change nothing of that kind.
    """

    at: Any = None
    min_train: int = 4
    min_test: int = 1
    valid: int | None = None
    kind: Kind = "auto"
    last: int = 1
    share: float = 0.2
    seed: int = 0

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"the kind of split is {self.kind!r}; use one of {', '.join(KINDS)}")
        for name, least in (
            ("min_train", 1),
            ("min_test", 1),
            ("valid", 0),
            ("last", 1),
            ("seed", 0),
        ):
            value = getattr(self, name)
            if value is None and name == "valid":
                continue
            if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
                raise ValueError(f"{name} is {value!r}; give a whole number, {least} or more")
        if isinstance(self.share, bool) or not isinstance(self.share, int | float | np.number):
            raise ValueError(f"share is {self.share!r}; give a number between 0 and 1")
        if not 0 < self.share < 1:
            raise ValueError(f"share is {self.share:g}; give a number between 0 and 1")


@dataclass(frozen=True)
class SplitReport:
    """What a split kept and what it dropped, and why."""

    kind: Kind
    """How it was split; never "auto"."""
    at: pd.Timestamp | None
    """The moment (UTC): train ≤ at < test. None where each learner has their own."""
    found: bool
    """Whether the moment was searched for, not given."""
    learners: int
    """Learners kept."""
    train: int
    valid: int
    test: int
    """Interactions kept in each part."""
    learners_dropped: int
    """Learners with fewer interactions in one part than asked for."""
    interactions_dropped: int
    """The interactions of those learners."""
    repeated: int
    """Later rows of a (learner, course) pair: the first one counts."""
    undated: int
    """Rows without a timestamp, where it takes one: they belong to no part."""
    enough: int
    """Learners with enough courses for train and test together, whenever they took them."""


@dataclass(frozen=True, eq=False)
class _Histories:
    """The log by learner, each learner's courses in order, every pair once: rows of the log, when,
    and where each learner starts and how many courses they have."""

    rows: Ints
    when: npt.NDArray[np.datetime64]
    starts: Ints
    sizes: Ints
    repeated: int
    undated: int


def split_log(interactions: pd.DataFrame, cut: Cut) -> tuple[pd.DataFrame, SplitReport]:
    """The interactions that a cut keeps, with a column ``split``, and a report.

    A (learner, course) pair counts once, when it first happened. Rows keep their order, index and
    columns (an old ``split`` is replaced). Of interactions at the same moment the one in the later
    row is the later one. BundleError: a column or an id is missing, or a timestamp cannot be read.
    ValueError: no learner has enough.
    """
    kind = cut.kind
    if kind == "auto" and has_past(interactions):
        kind = "column"
    if kind == "column":
        return _own_column(interactions, cut)
    log = _histories(interactions, cut if kind == "random" else None, dated=kind not in _UNDATED)
    enough = int((log.sizes >= cut.min_train + cut.min_test).sum())
    at, border = None, None
    if kind in ("auto", "time"):
        at = _moment(cut.at)
        kind, border = _border(log, at, kind, cut, enough)
    if border is not None:
        before = _up_to(log, border)
    elif kind == "none":
        before = log.sizes
    elif kind == "last":
        before = np.maximum(log.sizes - cut.last, 0)
    else:
        before = log.sizes - np.maximum(1, np.floor(cut.share * log.sizes + 0.5)).astype(np.int64)
    if kind == "none":
        cut = replace(cut, min_train=1, valid=0)
        kept = log.sizes > 0
    else:
        kept = (before >= cut.min_train) & (log.sizes - before >= cut.min_test)
    if not kept.any():
        raise ValueError(_nobody(kind, cut, border))
    split, dropped = _parts(interactions, log, before, kept, cut)
    counts = split["split"].value_counts()
    return split, SplitReport(
        kind=kind,
        at=None if border is None else pd.Timestamp(border),
        found=border is not None and at is None,
        learners=int(kept.sum()),
        **{part: int(counts.get(part, 0)) for part in SPLITS},
        learners_dropped=int((~kept).sum()),
        interactions_dropped=dropped,
        repeated=log.repeated,
        undated=log.undated,
        enough=enough,
    )


_UNDATED = ("random", "none")
"""Kinds that need no timestamps."""


def split_by_time(
    interactions: pd.DataFrame,
    at: datetime | str | int | None = None,
    min_train: int = 4,
    min_test: int = 1,
    valid: int = 0,
) -> tuple[pd.DataFrame, SplitReport]:
    """The interactions of the learners with enough on both sides of a moment, with a column
    ``split``, and a report: :func:`split_log` with the paper's cut.

    * ``at``: a date, ISO text or unix seconds (UTC where no zone is given). None: the moment of
      an interaction that keeps the most learners; of several such the latest, which trains on the
      most.
    * ``min_train``, ``min_test``: a learner with fewer interactions up to the moment, or after it,
      is dropped.
    * ``valid``: how many of a learner's last training interactions become validation, for learners
      who then still have ``min_train`` in training; the others have none. In every case each
      learner kept has at least ``min_train`` training and ``min_test`` test interactions.
    """
    return split_log(interactions, Cut(at, min_train, min_test, valid, kind="time"))


def spared(before: Ints, min_train: int) -> int:
    """How many courses of each learner can be spared for a validation part: 1 or 0.

    ``before`` is how many courses each learner has outside the test part. A learner can spare the
    last of them if ``min_train`` remain. The part is made if half of the learners can, or
    :data:`MANY` of them: on fewer, a policy would be chosen by chance.
    """
    able = int((before > min_train).sum())
    return int(able > 0 and (able >= HALF * len(before) or able >= MANY))


def compare_kinds(interactions: pd.DataFrame, cut: Cut) -> dict[Kind, SplitReport | str]:
    """What each kind of split would keep under the same settings; where one is not possible, why
    not. ``column`` is there if the log has one."""
    found: dict[Kind, SplitReport | str] = {}
    for kind in KINDS[1:]:
        if kind == "column" and "split" not in interactions:
            continue
        try:
            found[kind] = split_log(interactions, replace(cut, kind=kind))[1]
        except ValueError as error:
            reasons = getattr(error, "faults", ())
            found[kind] = reasons[0].message if reasons else str(error)
    return found


def has_past(interactions: pd.DataFrame) -> bool:
    """Whether a log has a column with a split, and a training part in it."""
    return "split" in interactions and bool((interactions["split"] == "train").any())


def _own_column(interactions: pd.DataFrame, cut: Cut) -> tuple[pd.DataFrame, SplitReport]:
    faults = Faults()
    table = _as_table(interactions)
    table.require(["learner_id", "course_id", "split"], faults)
    faults.stop()
    if not has_past(interactions):
        raise ValueError(
            "no row of the file's own split is train, so no learner has a past; mark the earlier"
            " interactions of each learner as train, or choose another kind of split"
        )
    learners = interactions.groupby("learner_id", sort=False)["course_id"].nunique()
    counts = interactions["split"].value_counts()
    report = SplitReport(
        kind="column",
        at=None,
        found=False,
        learners=len(learners),
        **{part: int(counts.get(part, 0)) for part in SPLITS},
        learners_dropped=0,
        interactions_dropped=0,
        repeated=0,
        undated=0,
        enough=int((learners >= cut.min_train + cut.min_test).sum()),
    )
    return interactions, report


def _as_table(interactions: pd.DataFrame) -> Table:
    columns = {str(name): values for name, values in interactions.items()}
    return Table("interactions", columns, len(interactions))


def _histories(interactions: pd.DataFrame, drawn: Cut | None, *, dated: bool) -> _Histories:
    """The learners' courses in the order of time; if ``drawn``, in a random order by its seed,
    which depends on the ids alone and not on the order of rows."""
    table, faults = _as_table(interactions), Faults()
    required = ["learner_id", "course_id", *(["timestamp"] if dated else [])]
    table.require(required, faults)
    faults.stop()
    seconds = dates(table, "timestamp", faults) if "timestamp" in table.columns else None
    read_ids(table, "learner_id", faults)
    read_ids(table, "course_id", faults)
    faults.stop()
    if seconds is None:
        seconds = np.full(len(interactions), np.datetime64("NaT", "s"))
    undated = np.isnat(seconds) & dated
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
    if drawn is not None:
        ids = interactions.iloc[log["row"].to_numpy()]
        words = ids["learner_id"].astype(str) + "\x1f" + ids["course_id"].astype(str)
        key = pd.util.hash_array((f"{drawn.seed}\x1f" + words).to_numpy(dtype=object))
        log = log.assign(key=key).sort_values(["learner", "key"], ignore_index=True)
    learner = log["learner"].to_numpy()
    starts = (
        np.flatnonzero(np.r_[True, learner[1:] != learner[:-1]])
        if len(log)
        else np.empty(0, np.int64)
    )
    return _Histories(
        log["row"].to_numpy(),
        log["when"].to_numpy(),
        starts,
        np.diff(np.r_[starts, len(log)]),
        int(repeated.sum()),
        int(undated.sum()),
    )


def _moment(at: Any) -> pd.Timestamp | None:
    if at is None:
        return None
    faults = Faults()
    found = moment(at, "at", "split_by_time", faults)
    if found is None and not len(faults):
        faults.add(
            "split_by_time",
            f"this is not a date or time: {at!r}",
            "Give a date, ISO text, unix seconds or None",
            column="at",
        )
    faults.stop()
    return found


def _border(
    log: _Histories, at: pd.Timestamp | None, kind: Kind, cut: Cut, enough: int
) -> tuple[Kind, np.datetime64 | None]:
    """The kind of split, and its moment if it has one."""
    if at is not None:
        return "time", at.to_datetime64()
    if kind == "auto" and not enough:
        raise ValueError(_nobody("last", cut, None))
    try:
        border = best_moment(log.when, log.starts, log.sizes, cut.min_train, cut.min_test)
    except ValueError:
        if kind == "time":
            raise
        return "last", None
    before = _up_to(log, border)
    kept = int(((before >= cut.min_train) & (log.sizes - before >= cut.min_test)).sum())
    return ("time", border) if kind == "time" or kept >= HALF * enough else ("last", None)


def _up_to(log: _Histories, border: np.datetime64) -> Ints:
    """How many of each learner's courses lie up to the moment."""
    if not len(log.starts):
        return log.sizes
    return np.add.reduceat(log.when <= border, log.starts, dtype=np.int64)


def _nobody(kind: Kind, cut: Cut, border: np.datetime64 | None) -> str:
    if border is not None:
        return (
            f"no learner has {cut.min_train} or more interactions up to {pd.Timestamp(border)} and"
            f" {cut.min_test} or more after it; give another moment, leave it out to have one"
            " searched for, or ask for fewer"
        )
    if kind == "none":
        return "there is no interaction; give at least one"
    tests = f"{cut.last if kind == 'last' else cut.min_test} for the test part"
    return (
        f"no learner has {cut.min_train} or more courses for training and {tests}; ask for fewer,"
        " or split nothing (none) to use all of them as the past"
    )


def _parts(
    interactions: pd.DataFrame, log: _Histories, before: Ints, kept: npt.NDArray[np.bool_], cut: Cut
) -> tuple[pd.DataFrame, int]:
    """The rows of the learners kept, each with its part, and the number of the others' rows."""
    valid = spared(before[kept], cut.min_train) if cut.valid is None else cut.valid
    # The place of each interaction in its learner's history.
    place = np.arange(len(log.rows)) - np.repeat(log.starts, log.sizes)
    held_out = np.where(before - valid >= cut.min_train, valid, 0)
    first_valid, first_test = np.repeat(before - held_out, log.sizes), np.repeat(before, log.sizes)
    part = np.select([place < first_valid, place < first_test], ["train", "valid"], "test")
    here = np.repeat(kept, log.sizes)
    rows = log.rows[here]
    order = np.argsort(rows)
    return interactions.iloc[rows[order]].assign(split=part[here][order]), int((~here).sum())


def best_moment(
    when: npt.NDArray[np.datetime64],
    starts: Ints,
    sizes: Ints,
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
