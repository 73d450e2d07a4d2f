"""A learner's list before and after: the paper's Table 2, the principles, and both in words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from equity_core.analysis.words import amount, count, decimal, join, signed
from equity_core.metrics.inequality import lowest_tenth

if TYPE_CHECKING:
    from equity_core.bundle import Bundle
    from equity_core.metrics.evaluate import Evaluation
    from equity_core.reranker.api import Run

TABLE_2 = {
    "category": "category",
    "price": "fee",
    "level": "level",
    "last_update": "update",
    "enrolled": "learners",
    "assets": "assets",
}
"""The columns of the paper's Table 2 and their names on screen."""


def course_columns(bundle: Bundle) -> dict[str, str]:
    """The columns shown of a course, with their names on screen: those of Table 2 that are in the
    catalogue, and those of other principles, with the assets last."""
    others = {
        p.column: p.column.replace("_", " ") for p in bundle.principles if p.column not in TABLE_2
    }
    found = {**TABLE_2, **others, "assets": TABLE_2["assets"]}
    order = [*(column for column in found if column != "assets"), "assets"]
    return {column: found[column] for column in order if column in bundle.courses}


def _listed(row: npt.NDArray[np.int32]) -> list[int]:
    """The courses of a list, without the empty places at its end."""
    return [int(course) for course in row if course >= 0]


def _facts(bundle: Bundle, courses: list[int]) -> pd.DataFrame:
    """One row per course: its id, its title and what is shown of it."""
    chosen = bundle.courses.iloc[courses]
    facts = {"course_id": bundle.course_ids[courses], "title": chosen["title"].to_numpy()}
    return pd.DataFrame(
        {
            **facts,
            **{name: chosen[column].to_numpy() for column, name in course_columns(bundle).items()},
        }
    )


def before_after(
    bundle: Bundle, own: Run, run: Run, learner: int, split: str
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The recommender's own list and the new one, one row per place in each.

    Both have Table 2's columns, ``course`` (position in the catalogue) and ``taken_later`` (whether
    the learner took the course in the split). Before: ``state`` ("stays", "moves" or "leaves") and
    ``to`` (the new place, 0 if it left). After: ``state`` ("same", "up", "down" or "new"), ``from``
    (the old place, 0 if it is new) and ``move`` (places up, 0 for a new course).
    """
    old, new = _listed(own.courses[learner]), _listed(run.courses[learner])
    later = set(bundle.positives(split).row(learner).tolist())
    frames = []
    for courses, others, key in ((old, new, "to"), (new, old, "from")):
        places = np.arange(1, len(courses) + 1)
        other = np.array(
            [others.index(course) + 1 if course in others else 0 for course in courses],
            dtype=np.int64,
        )
        frame = _facts(bundle, courses)
        frame.insert(0, "place", places)
        frame["course"] = np.array(courses, dtype=np.int64)
        frame["taken_later"] = np.array([course in later for course in courses], dtype=np.bool_)
        frame[key] = other
        if key == "to":
            frame["state"] = np.select([other == 0, other == places], ["leaves", "stays"], "moves")
        else:
            frame["state"] = np.select(
                [other == 0, other == places, other > places], ["new", "same", "up"], "down"
            )
            frame["move"] = np.where(other > 0, other - places, 0)
        frames.append(frame)
    return frames[0], frames[1]


def learner_principles(before: Evaluation, after: Evaluation, learner: int) -> pd.DataFrame:
    """One row per principle: before, after, target, change (of the value) and closer (by how much
    the gap to the target shrinks)."""
    targets = after.targets[learner if len(after.targets) > 1 else 0]
    old, new = before.values[learner], after.values[learner]
    columns = {
        "before": old,
        "after": new,
        "target": targets,
        "change": new - old,
        "closer": np.abs(targets - old) - np.abs(targets - new),
    }
    return pd.DataFrame(columns, index=pd.Index(after.names, name="principle"))


def principles_sentence(frame: pd.DataFrame) -> str:
    """Which principles come closer to their targets, and which move away."""
    if frame["after"].isna().all():
        return "There is no list to judge."
    closer = frame[frame["closer"] >= 0.005].sort_values("closer", ascending=False, kind="stable")
    away = frame[frame["closer"] <= -0.005].sort_values("closer", kind="stable")
    if closer.empty and away.empty:
        return "Every principle stays as it was."
    parts = []
    if len(closer):
        first = [f"{name} ({signed(value)})" for name, value in closer["closer"].head(2).items()]
        text = join(first)
        one = len(first) == 1
        parts.append(
            f"{text[0].upper()}{text[1:]} come{'s' if one else ''} closer to"
            f" {'its target' if one else 'their targets'}"
        )
    if len(away):
        last = [f"{name} (by {-value:.2f})" for name, value in away["closer"].head(2).items()]
        one = len(last) == 1
        text = (
            f"{join(last)} move{'s' if one else ''} away from"
            f" {'its target' if one else 'their targets'}"
        )
        parts.append(text if parts else text[0].upper() + text[1:])
    return "; ".join(parts) + "."


def past_summary(bundle: Bundle, learner: int) -> str:
    """The learner's past in one line: how many courses, on which topics, at what fee."""
    past = bundle.past.row(learner)
    parts = [count(len(past), "course")]
    if "category" in bundle.courses:
        topics = bundle.courses["category"].iloc[past].value_counts()
        named = [f"{number} {topic}" for topic, number in topics.head(4).items()]
        more = len(topics) - len(named)
        parts[0] += (
            ": "
            + ", ".join(named)
            + (f" and {count(more, 'more topic', 'more topics')}" if more else "")
        )
    if "price" in bundle.courses:
        fees = bundle.courses["price"].iloc[past].dropna()
        if len(fees):
            median = float(fees.median())
            parts.append("median fee " + ("0 (free)" if median == 0 else amount(median)))
    return " · ".join(parts)


def _later_sentence(
    bundle: Bundle, frames: tuple[pd.DataFrame, pd.DataFrame], learner: int, split: str
) -> str:
    """What happened to the courses that the learner took later."""
    taken = len(bundle.positives(split).row(learner))
    if not taken:
        return (
            f"The {split} part has no later course of this learner."
            if split in bundle.splits
            else "Courses taken later are not known."
        )
    old, new = (set(frame.loc[frame["taken_later"], "course"]) for frame in frames)
    words = (
        f"Of the {count(taken, 'course')} taken later, "
        if taken > 1
        else "The one course taken later "
    )
    kinds = [
        (len(old & new), "in both lists"),
        (len(new - old), "only in the new list"),
        (len(old - new), "only in the old list"),
    ]
    found = [(number, where) for number, where in kinds if number]
    if taken == 1:
        return words + (f"is {found[0][1]}." if found else "is in neither list.")
    if not found:
        return words + "none is in either list."
    return (
        words
        + join([f"{number} {'is' if number == 1 else 'are'} {where}" for number, where in found])
        + "."
    )


def learner_sentence(
    bundle: Bundle, own: Run, run: Run, evaluations: tuple[Evaluation, Evaluation], learner: int
) -> tuple[str, str]:
    """What changes for a learner: the headline, and the sentences after it."""
    before, after = evaluations
    name = f"Learner {bundle.learner_ids[learner]}"
    frames = before_after(bundle, own, run, learner, after.split)
    if not len(frames[1]):
        return (
            f"{name} has no list:",
            "the recommender has no candidates for this learner, before or after.",
        )
    old, new = (
        float(before.per_learner_consistency[learner]),
        float(after.per_learner_consistency[learner]),
    )
    if lowest_tenth(before.per_learner_consistency)[learner]:
        name += ", one of the worst-off tenth,"
    fresh, moved = (
        int((frames[1]["state"] == "new").sum()),
        int(frames[1]["state"].isin(["up", "down"]).sum()),
    )
    rest = _later_sentence(bundle, frames, learner, after.split)
    if not fresh and not moved:
        met = run.policy.floor is not None and run.reached[learner]
        why = (
            f"consistency {decimal(old, 3)} already meets the floor of {run.policy.floor:g}"
            if met
            else f"consistency stays {decimal(old, 3)}"
        )
        return f"{name} keeps the recommender's list:", f"{why}. {rest}"
    gets = (
        f"gets {count(fresh, 'new course')} out of {len(frames[1])}"
        if fresh
        else "gets the same courses in another order"
    )
    moves = "stays" if math.isclose(old, new, abs_tol=5e-4) else "rises" if new > old else "falls"
    level = (
        f"at {decimal(new, 3)}"
        if moves == "stays"
        else f"from {decimal(old, 3)} to {decimal(new, 3)}"
    )
    missed = (
        ""
        if run.reached[learner] or run.policy.floor is None
        else f", short of the floor of {run.policy.floor:g}"
    )
    changed = learner_principles(before, after, learner)["closer"]
    best = str(changed.idxmax())
    values = (
        f"{before.learners[best].iloc[learner]:.2f} to {after.learners[best].iloc[learner]:.2f}"
    )
    most = (
        f" {best[0].upper()}{best[1:]} contributes most, going from {values}."
        if changed.max() >= 0.005 and moves == "rises"
        else ""
    )
    return f"{name} {gets}:", f"consistency {moves} {level}{missed}.{most} {rest}"
