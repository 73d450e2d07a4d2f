"""Where the figures come from: splits, what was filled in, what was dropped or merged, and the
sentence that says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from equity_core.analysis.words import count, day, join, percent

if TYPE_CHECKING:
    from equity_core.bundle import Bundle

ROLES = {
    "train": "to learn from",
    "valid": "to choose a policy on",
    "test": "to report its accuracy on",
}

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
}


def splits(bundle: Bundle) -> pd.DataFrame:
    """A row a split: interactions, learners, courses, mean per learner, first and last day, share
    with a rating, what it is for."""
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
    """A row a principle: its kind and column, courses known and filled in, and with what they were
    filled."""
    names, kinds, columns = zip(
        *((p.name, p.kind, p.column) for p in bundle.principles), strict=True
    )
    filled = bundle.coverage["filled"].to_numpy(dtype=np.int64)
    ways = {
        "mean": "the mean of the known values",
        "balance": "nothing: unknown courses do not count",
        "match": "a category “unknown”",
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


def dropped(bundle: Bundle) -> pd.DataFrame:
    """A row for each kind of thing that loading left out or merged: what, algorithm (empty unless
    it is about one), count."""
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


def answer(bundle: Bundle) -> tuple[str, str]:
    """The answer to "What is this built on?": synthetic or real first, then how much of what, and
    when."""
    head = (
        "Synthetic data: no real person is in it."
        if bundle.synthetic
        else "Data of a real platform, as the bundle says."
    )
    size = (
        f"{count(len(bundle.learner_ids), 'learner')}, {count(len(bundle.courses), 'course')} and "
        f"{count(len(bundle.interactions), 'interaction')}"
    )
    moments = bundle.interactions["timestamp"].dropna()
    when = f" from {day(moments.min())} to {day(moments.max())}" if len(moments) else ""
    missing = [split for split in ("valid", "test") if split not in bundle.splits]
    gap = {
        (
            "valid",
        ): " There is no valid part, so a policy can only be chosen on test, which flatters it.",
        ("test",): " There is no test part, so accuracy can only be measured on valid.",
        (
            "valid",
            "test",
        ): " There is neither a valid nor a test part, so accuracy cannot be measured.",
    }.get(tuple(missing), "")
    return head, f"{size}{when}.{gap} {filled_sentence(bundle)}"


def filled_sentence(bundle: Bundle) -> str:
    """Which principles are not known for many courses."""
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
    return f"Not known for part of the courses: {join(named)}."


def dropped_sentence(bundle: Bundle) -> str:
    """What loading left out or merged."""
    frame = dropped(bundle)
    found = frame[(frame["count"] > 0) & (frame["algorithm"] == "")]
    other = int(frame.loc[frame["algorithm"] != "", "count"].sum())
    if found.empty and not other:
        return "Nothing was left out or merged when the data were loaded."
    said = [f"{row['count']:,} {row['what']}" for _, row in found.iterrows()]
    if other:
        said.append(f"{count(other, 'candidate')} left out, for reasons that the table gives")
    return f"{'; '.join(said)}."


def splits_sentence(frame: pd.DataFrame) -> str:
    """How much each split has, and whether the splits follow each other in time."""
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
