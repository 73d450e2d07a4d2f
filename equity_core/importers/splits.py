"""Splitting an imported log, and what is said about it: what was kept, why this kind of split, what
the others would keep."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd

from equity_core.bundle.splitting import (
    HALF,
    MANY,
    Cut,
    Kind,
    SplitReport,
    compare_kinds,
    has_past,
    split_log,
)
from equity_core.importers.report import Report

TIMED: tuple[Kind, ...] = ("auto", "time", "last", "share")
"""Kinds that need timestamps."""


def kind_in_words(kind: Kind, cut: Cut) -> str:
    """What is the test part in a kind of split."""
    share = f"{cut.share:.0%}".replace("%", " %")
    last = "last course" if cut.last == 1 else f"last {cut.last} courses"
    return {
        "auto": "chosen by what keeps the learners",
        "column": "as the file's own column says",
        "time": "what came after one moment (the paper's cut)",
        "last": f"each learner's {last}",
        "share": f"the latest {share} of each learner's courses",
        "random": f"{share} of each learner's courses, drawn at random (seed {cut.seed})",
        "none": "nothing; everything is past, for deploying, and nothing can be measured",
    }[kind]


def cut_log(log: pd.DataFrame, cut: Cut, report: Report) -> tuple[pd.DataFrame, SplitReport]:
    """The log with its split, and what it kept; both are noted. BundleError without a timestamp
    where it takes one; ValueError when no learner has enough."""
    own = cut.kind == "column" or (cut.kind == "auto" and has_past(log))
    if "split" in log and cut.kind == "auto" and not own:
        report.note("no row of it is a training part, so it is not used as the split", "split")
    if cut.kind == "column" and "split" not in log:
        report.refuse(
            "has no column with a split",
            "map a column of train, valid and test to split, or choose another kind of split",
            column="split",
        )
    undated = "timestamp" not in log or log["timestamp"].isna().all()
    if not own and cut.kind in TIMED and undated:
        report.refuse(
            "has neither a split nor timestamps to split by",
            "map a column with the split, or one with the time; or split at random (random), or not"
            " at all (none)",
            column="timestamp",
        )
    split, did = split_log(log, cut)
    for sentence in split_sentences(log, cut, did):
        report.note(sentence)
    if did.kind == "time" and did.learners < HALF * did.enough:
        report.warn(
            f"this moment keeps {did.learners:,} of the {did.enough:,} learners who have enough"
            " courses; splitting off each learner's last course would keep"
            f" {_kept(log, replace(cut, kind='last')):,}"
        )
    return split, did


def split_sentences(log: pd.DataFrame, cut: Cut, did: SplitReport) -> list[str]:
    """How the log was split, what that kept, and why it was done so."""
    if did.kind == "column":
        return [f"split as the file says: {_sizes(did)}"]
    if did.kind == "none":
        return [
            f"not split: all {did.train:,} interactions of {did.learners:,} learners are past, so"
            " recommendations can be made from everything, but nothing can be measured;"
            f" {_merged(did)}"
        ]
    why = ""
    if did.kind == "time":
        assert did.at is not None
        searched = " (chosen because it keeps the most learners)" if did.found else ""
        how = f"split at {did.at:%Y-%m-%d %H:%M:%S} UTC{searched}"
    else:
        how = f"the test part is {kind_in_words(did.kind, cut)}"
        if cut.kind == "auto":
            moment = _kept(log, replace(cut, kind="time"))
            why = (
                f"; a cut at one moment would keep only {moment:,} of the {did.enough:,} learners"
                " who have enough courses"
            )
    sentences = [
        f"{how}: {_sizes(did)}{why}; left out: {did.learners_dropped:,} learners with too few"
        f" interactions ({did.interactions_dropped:,} in all), {_merged(did)}"
    ]
    if cut.valid is None and not did.valid:
        sentences.append(
            "no validation part: too few learners can spare a course (fewer than half of them, and"
            f" fewer than {MANY}), so a policy is chosen on the test part"
        )
    return sentences


def _sizes(did: SplitReport) -> str:
    return (
        f"{did.learners:,} learners, {did.train:,} training, {did.valid:,} validation and"
        f" {did.test:,} test interactions"
    )


def _merged(did: SplitReport) -> str:
    return f"{did.repeated:,} repeated pairs, {did.undated:,} rows without a time"


def _kept(log: pd.DataFrame, cut: Cut) -> int:
    """How many learners another split would keep."""
    try:
        return split_log(log.drop(columns="split", errors="ignore"), cut)[1].learners
    except ValueError:
        return 0


def provenance_of(cut: Cut, did: SplitReport) -> dict[str, Any]:
    """How a data set was split, for its manifest: ``split``, and the settings that the kind uses.
    The moment, if there is one for all, has a field of its own: ``split_at``."""
    uses = {
        "time": ("min_train", "min_test"),
        "last": ("last", "min_train", "min_test"),
        "share": ("share", "min_train", "min_test"),
        "random": ("share", "seed", "min_train", "min_test"),
    }.get(did.kind, ())
    settings = ", ".join(f"{name} = {getattr(cut, name)}" for name in uses)
    return {
        "split": did.kind,
        **({"split_settings": settings} if settings else {}),
    }


def kinds_frame(log: pd.DataFrame, cut: Cut) -> pd.DataFrame:
    """What each kind of split keeps: split, test_part, learners, train, valid, test, and remark
    (why a kind is not possible, or that it is what ``auto`` takes)."""
    try:
        usual: Kind | None = split_log(log, replace(cut, kind="auto"))[1].kind
    except ValueError:
        usual = None
    rows = []
    for kind, did in compare_kinds(log, cut).items():
        made = did if isinstance(did, SplitReport) else None
        rows.append(
            {
                "split": kind,
                "test_part": kind_in_words(kind, cut),
                "learners": 0 if made is None else made.learners,
                "train": 0 if made is None else made.train,
                "valid": 0 if made is None else made.valid,
                "test": 0 if made is None else made.test,
                "remark": (
                    str(did) if made is None else "the default here" if kind == usual else ""
                ),
            }
        )
    return pd.DataFrame(rows)
