"""Where the data come from and how they were read: splits, values filled in, rows dropped or
merged, and the scale of every principle."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from equity_core.analysis.words import amount, count, day, join, percent
from equity_core.metrics.targets import learner_targets
from equity_core.principles import ends, numeric

if TYPE_CHECKING:
    from equity_core.bundle import Bundle
    from equity_core.principles import Principle

ROLES = {
    "train": "for training",
    "valid": "for choosing a policy",
    "test": "for reporting its accuracy",
}
STAND_IN = "stand-in"
"""The word by which a field of the provenance marks a column."""
MOSTLY_FILLED = 0.5
"""A principle that is filled in for a larger share of the courses says more about the filling than
about the courses."""

_DROPPED = {
    "learners_without_past": "learners left out: no course in train",
    "repeated_pairs": "repeated interactions counted once",
    "pairs_in_train_and_other": "interactions in train and in another split, kept in train only",
    "learners_rows_without_past": "rows of the learners table left out: no course in train",
    "learners_without_row_in_learners": "learners without a row in the learners table",
    "targets_rows_without_past": "rows of the targets table left out: no course in train",
    "learners_without_row_in_targets": "learners without targets of their own: their targets are 1",
    "relevance_without_past": "candidates left out: their learner has no course in train",
    "relevance_of_past_courses": "candidates left out: the learner took the course already",
    "courses_from_the_future": "courses left out of every list: they appeared after the split",
    "relevance_of_future_courses": "candidates left out: the course appeared after the split",
}


def splits(bundle: Bundle) -> pd.DataFrame:
    """One row per split: interactions, learners, courses, interactions per learner, first and last
    timestamp, share with a rating, what the split is used for."""
    rows = []
    for split in bundle.splits:
        chosen = bundle.interactions[bundle.interactions["split"] == split]
        learners = int(chosen["learner"].nunique())
        rows.append(
            {
                "split": split,
                "interactions": len(chosen),
                "learners": learners,
                "courses": int(chosen["course"].nunique()),
                "per_learner": len(chosen) / learners,
                "first": chosen["timestamp"].min(),
                "last": chosen["timestamp"].max(),
                "rated": float(chosen["rating"].notna().mean()),
                "used_for": ROLES[split],
            }
        )
    return pd.DataFrame(rows)


def coverage(bundle: Bundle) -> pd.DataFrame:
    """One row per principle: its kind and column, how many courses are known and how many filled
    in (with shares), and what they were filled with."""
    names, kinds, columns = zip(
        *((p.name, p.kind, p.column) for p in bundle.principles), strict=True
    )
    filled = bundle.coverage["filled"].to_numpy(dtype=np.int64)
    ways = {
        "mean": "the mean of the known values",
        "balance": "nothing: unknown courses do not count",
        "match": "the label “unknown”",
    }
    return pd.DataFrame(
        {
            "principle": names,
            "kind": kinds,
            "column": columns,
            "known": len(bundle.courses) - filled,
            "filled": filled,
            "share_known": 1.0 - bundle.coverage["share_filled"].to_numpy(dtype=np.float64),
            "share_filled": bundle.coverage["share_filled"].to_numpy(dtype=np.float64),
            "filled_with": [ways[kind] for kind in kinds],
        }
    )


def learner_targets_sentence(bundle: Bundle) -> str:
    """For which principles learners have targets of their own, how many have one below 1, and when
    these are in force; empty if the data set has none."""
    found = learner_targets(bundle)
    if not found:
        return ""
    total = count(len(bundle.learner_ids), "learner")
    parts = [f"{name} ({number:,} of {total} below 1)" for name, number in found.items()]
    return (
        f"Learners have targets of their own for {join(parts)}. They are in force unless the policy"
        " gives a target for all learners; that one then replaces theirs for its principle only."
    )


def dropped_rows(bundle: Bundle) -> pd.DataFrame:
    """One row per kind of row that loading left out or merged: what, algorithm (empty unless it
    concerns only one), count; largest first."""
    rows = []
    for key, number in bundle.counts.items():
        what, _, algorithm = key.partition("[")
        rows.append(
            {
                "what": _DROPPED.get(what, what.replace("_", " ")),
                "algorithm": algorithm.rstrip("]"),
                "count": int(number),
            }
        )
    return pd.DataFrame(rows, columns=["what", "algorithm", "count"]).sort_values(
        "count", ascending=False, kind="stable", ignore_index=True
    )


def data_answer(bundle: Bundle) -> tuple[str, str]:
    """The answer to "What is this built on?", as headline and rest: synthetic or real, then sizes,
    period, missing splits and unknown values."""
    head = (
        "Synthetic data: no real person is in them."
        if bundle.synthetic
        else "Data from a real platform, according to the bundle."
    )
    size = (
        f"{count(len(bundle.learner_ids), 'learner')}, {count(len(bundle.courses), 'course')} and "
        f"{count(len(bundle.interactions), 'interaction')}"
    )
    moments = bundle.interactions["timestamp"].dropna()
    when = f" from {day(moments.min())} to {day(moments.max())}" if len(moments) else ""
    missing = [split for split in ("valid", "test") if split not in bundle.splits]
    gap = {
        ("valid",): (
            " There is no validation part, so a policy can only be chosen on the test part, which"
            " makes it look better than it is."
        ),
        ("test",): (
            " There is no test part, so accuracy can only be measured on the validation part."
        ),
        ("valid", "test"): (
            " There is neither a validation nor a test part, so accuracy cannot be measured."
        ),
    }.get(tuple(missing), "")
    return head, f"{size}{when}.{gap} {coverage_sentence(bundle)}"


def coverage_sentence(bundle: Bundle) -> str:
    """Which principles are unknown for many courses, and for what share of them."""
    frame = coverage(bundle)
    gaps = frame[frame["filled"] > 0].sort_values("share_filled", ascending=False, kind="stable")
    if gaps.empty:
        return "Every principle is known for every course."
    worst = gaps.iloc[0]
    if worst["share_filled"] < 0.05:
        return (
            f"Every principle is known for at least {percent(float(worst['share_known']))} of the"
            " courses."
        )
    weak = gaps[gaps["share_filled"] >= 0.05]
    named = [
        f"{row['principle']} ({percent(float(row['share_filled']))})" for _, row in weak.iterrows()
    ]
    return f"Unknown for some courses: {join(named)}."


def incomparable_principles(bundle: Bundle) -> dict[str, str]:
    """By principle: why its values are not what its name says, for those where that is so. Its
    column is a stand-in for another one, or most of its values are filled in.

    A bundle says that a column is a stand-in where the provenance has a field of the column's name
    with that word in its text.
    """
    out = {}
    for principle in bundle.principles:
        said = bundle.provenance.get(principle.column, "")
        share = float(bundle.coverage["share_filled"].loc[principle.name])
        if isinstance(said, str) and STAND_IN in said.lower():
            out[principle.name] = f"its column, {principle.column}, is a stand-in"
        elif share > MOSTLY_FILLED:
            out[principle.name] = f"filled in for {percent(share)} of the courses"
    return out


def dropped_sentence(bundle: Bundle) -> str:
    """What was left out or merged when the data were loaded."""
    frame = dropped_rows(bundle)
    known = frame[(frame["count"] > 0) & (frame["algorithm"] == "")]
    other = int(frame.loc[frame["algorithm"] != "", "count"].sum())
    if known.empty and not other:
        return "Nothing was left out or merged when the data were loaded."
    parts = [f"{row['count']:,} {row['what']}" for _, row in known.iterrows()]
    if other:
        parts.append(f"{count(other, 'candidate')} left out (the table gives the reasons)")
    return f"{'; '.join(parts)}."


def future_sentence(bundle: Bundle) -> str:
    """Whether courses that came after the split are left out of the lists, how many, and on what
    evidence; empty if the bundle does not ask for that."""
    if bundle.future_courses == "keep":
        return ""
    future = bundle.future
    if future.at is None:
        return f"No course is left out for appearing after the split: {future.why}."
    hidden = int(future.hidden.sum())
    when = f"the moment of the split, {day(future.at)}"
    if not hidden:
        return f"No course is known to have appeared after {when}."
    evidence = [
        f"{number:,} by {what}"
        for number, what in (
            (future.published, "the day of publication"),
            (future.taken, "the first interaction, which is weaker evidence"),
        )
        if number
    ]
    missed = int(future.hidden[bundle.positives("test").indices].sum())
    cost = (
        f" NDCG counts {count(missed, 'test interaction')} with such courses as missed." if missed else ""
    )
    return (
        f"{count(hidden, 'course')} of {len(bundle.courses):,} can be in no list: judging by what"
        f" is known, {'it' if hidden == 1 else 'they'} appeared after {when} ({join(evidence)}).{cost}"
    )


def splits_sentence(frame: pd.DataFrame) -> str:
    """How many interactions each split has, and whether test follows train in time."""
    parts = [
        f"{row['interactions']:,} interactions {ROLES[row['split']]} ({row['split']})"
        for _, row in frame.iterrows()
    ]
    ends = frame.set_index("split").to_dict("index")
    order = ""
    if {"train", "test"} <= set(ends) and frame["first"].notna().all():
        after = ends["test"]["first"] >= ends["train"]["last"]
        order = " Test follows train in time." if after else " Test and train overlap in time."
    return f"{join(parts)}.{order}"


def _ends(bundle: Bundle, principle: Principle) -> tuple[str, str]:
    """What scores 0 and what scores 1, in words."""
    if principle.kind == "match":
        return (
            f"no {principle.column} in common with the past",
            f"the same shares of {principle.column} as in the past",
        )
    if principle.kind == "balance":
        return f"only one {principle.column}", f"every {principle.column} equally often"
    values = numeric(bundle.courses, principle.column)
    low, high = ends(
        principle,
        values,
        bundle.courses,
        now=bundle.now,
        opened=bundle.opened,
        rating_scale=bundle.rating_scale,
    )
    moment = pd.api.types.is_datetime64_any_dtype(bundle.courses[principle.column].dtype)
    written = [
        day(pd.Timestamp(round(end), unit="s")) if moment else amount(end) for end in (low, high)
    ]
    return (written[0], written[1]) if principle.better == "high" else (written[1], written[0])


def principle_scales(bundle: Bundle) -> pd.DataFrame:
    """One row per principle: kind, column, scale, what scores 0 and what scores 1, share of courses
    filled in."""
    rows = []
    for principle in bundle.principles:
        zero, one = _ends(bundle, principle)
        share = float(bundle.coverage["share_filled"].loc[principle.name])
        scale = principle.scale if principle.kind == "mean" else "–"
        rows.append((principle.name, principle.kind, principle.column, scale, zero, one, share))
    columns = ["principle", "kind", "column", "scale", "scores_0", "scores_1", "share_filled"]
    return pd.DataFrame(rows, columns=columns).set_index("principle")
