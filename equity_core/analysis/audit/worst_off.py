"""The worst-off tenth: how far its lists are below the others', and which principles the gap comes
from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from equity_core.analysis.words import amount, count, decimal, join, percent
from equity_core.metrics.evaluate import Evaluation
from equity_core.metrics.inequality import known_mean, lowest_tenth
from equity_core.principles import Principle, numeric

if TYPE_CHECKING:
    from equity_core.bundle import Bundle

Lists = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]

_MEASURES = {
    "price": "mean price",
    "enrolled": "mean enrolment",
    "rating": "mean rating",
    "assets": "asset types per course",
    "last_update": "mean last update",
}
_CLEAR = 0.05
"""A smaller difference of shares is not mentioned."""


def gap_by_principle(bundle: Bundle, lists: Lists, evaluation: Evaluation) -> pd.DataFrame:
    """One row per principle: its mean for the worst-off tenth (worst) and for the others (others),
    its part of the gap between their consistencies, and that part's share of the gap.

    The parts add up to the gap: consistency is 1 − mean |p − q|, so the part of principle m is the
    difference of the mean |p_m − q_m| / |C|. ``measure``, ``worst_measured`` and
    ``others_measured`` say the same in the catalogue's own units.
    """
    worst = lowest_tenth(evaluation.per_learner_consistency)
    others = ~worst & ~np.isnan(evaluation.per_learner_consistency)
    missed = np.abs(evaluation.targets - evaluation.values)
    rows = []
    for m, principle in enumerate(bundle.principles):
        part = (known_mean(missed[worst, m]) - known_mean(missed[others, m])) / len(
            bundle.principles
        )
        measure, (low, high) = _measured(bundle, lists, principle, (worst, others))
        rows.append(
            {
                "principle": principle.name,
                "worst": known_mean(evaluation.values[worst, m]),
                "others": known_mean(evaluation.values[others, m]),
                "part": part,
                "measure": measure,
                "worst_measured": low,
                "others_measured": high,
            }
        )
    frame = pd.DataFrame(rows)
    whole = float(frame["part"].sum())
    frame.insert(4, "share", frame["part"] / whole if whole > 1e-12 else float("nan"))
    return frame


def _measured(
    bundle: Bundle, lists: Lists, principle: Principle, groups: tuple[Mask, Mask]
) -> tuple[str, tuple[str, str]]:
    """A principle in the units of its column, for both groups."""
    if principle.kind == "mean":
        values = numeric(bundle.courses, principle.column)
        shown = [known_mean(values[lists[group][lists[group] >= 0]]) for group in groups]
        moment = pd.api.types.is_datetime64_any_dtype(bundle.courses[principle.column].dtype)
        written = [
            _moment(value) if moment else "unknown" if np.isnan(value) else amount(value)
            for value in shown
        ]
        return _MEASURES.get(principle.column, f"mean {principle.column}"), (written[0], written[1])
    column = list(bundle.encoded.cat_of).index(bundle.principles.index(principle))
    labels, size = bundle.encoded.labels[:, column], int(bundle.encoded.sizes[column])
    if principle.kind == "balance":
        shares = [_one_label(labels, lists[group]) for group in groups]
        return f"lists with only one {principle.column}", (percent(shares[0]), percent(shares[1]))
    shares = [_known_label(bundle, labels, size, lists, group) for group in groups]
    return f"courses in a {principle.column} they know", (percent(shares[0]), percent(shares[1]))


def _moment(seconds: float) -> str:
    return "unknown" if np.isnan(seconds) else f"{pd.Timestamp(round(seconds), unit='s'):%b %Y}"


def _one_label(labels: npt.NDArray[np.int32], lists: Lists) -> float:
    """The share of lists whose known labels are all the same."""
    found = np.where(lists >= 0, labels[np.maximum(lists, 0)], -1)
    highest = found.max(axis=1, initial=-1)
    lowest = np.where(found >= 0, found, np.iinfo(np.int32).max).min(
        axis=1, initial=np.iinfo(np.int32).max
    )
    listed = highest >= 0
    return float((highest == lowest)[listed].mean()) if listed.any() else float("nan")


def _known_label(
    bundle: Bundle, labels: npt.NDArray[np.int32], size: int, lists: Lists, group: Mask
) -> float:
    """The share of the listed courses whose label is among those of the learner's past."""
    known = np.zeros((len(bundle.learner_ids), size), dtype=np.bool_)
    known[
        np.repeat(np.arange(len(known)), np.diff(bundle.past.indptr)), labels[bundle.past.indices]
    ] = True
    rows = np.flatnonzero(group)
    listed = lists[rows] >= 0
    hit = known[rows[:, None], labels[np.maximum(lists[rows], 0)]]
    return float(hit[listed].mean()) if listed.any() else float("nan")


def tenth_and_others(evaluation: Evaluation) -> dict[str, float]:
    """Number of learners, mean consistency and mean NDCG of the worst-off tenth and of the
    others."""
    worst = lowest_tenth(evaluation.per_learner_consistency)
    others = ~worst & ~np.isnan(evaluation.per_learner_consistency)
    return {
        "learners": int(worst.sum()),
        "others": int(others.sum()),
        "consistency": known_mean(evaluation.per_learner_consistency[worst]),
        "consistency_others": known_mean(evaluation.per_learner_consistency[others]),
        "ndcg": known_mean(evaluation.per_learner_ndcg[worst]),
        "ndcg_others": known_mean(evaluation.per_learner_ndcg[others]),
    }


def worst_off_sentence(bundle: Bundle, lists: Lists, evaluation: Evaluation) -> str:
    """Who the worst-off are: the gap, the principles behind it, and a topic recommended to them
    more often than they took it."""
    found = tenth_and_others(evaluation)
    if not found["learners"]:
        return "No learner has a list."
    many = count(int(found["learners"]), "learner")
    if not found["others"]:
        return (
            f"{many} in total, with consistency {decimal(found['consistency'])}: there are no"
            " others to compare with."
        )
    both = decimal(found["consistency"]), decimal(found["consistency_others"])
    head = (
        f"The lists of {many} meet {both[0]} of what the principles ask for, the others' lists"
        f" {both[1]}."
    )
    frame = gap_by_principle(bundle, lists, evaluation)
    leading = frame[frame["part"] > 0].nlargest(2, "part")
    if frame["share"].isna().all() or leading.empty:
        return f"{head} There is no gap to explain."
    named = [
        f"{row['principle']} ({percent(float(row['share']))})" for _, row in leading.iterrows()
    ]
    words = (
        "Most of the gap comes from"
        if leading["share"].sum() > 0.5
        else "The largest parts of the gap are"
    )
    return f"{head} {words} {join(named)}.{_topic(bundle, lists, evaluation)}"


def _topic(bundle: Bundle, lists: Lists, evaluation: Evaluation) -> str:
    """The label of the first match principle that is recommended to the worst-off clearly more
    often than they took it; empty if there is none."""
    if not bundle.encoded.is_match.any():
        return ""
    column = int(np.flatnonzero(bundle.encoded.is_match)[0])
    labels, size = bundle.encoded.labels[:, column], int(bundle.encoded.sizes[column])
    worst = lowest_tenth(evaluation.per_learner_consistency)
    taken = bundle.past.indices[np.repeat(worst, np.diff(bundle.past.indptr))]
    shown = lists[worst][lists[worst] >= 0]
    past = np.bincount(labels[taken], minlength=size) / max(len(taken), 1)
    now = np.bincount(labels[shown], minlength=size) / max(len(shown), 1)
    at = int((now - past).argmax())
    if now[at] - past[at] < _CLEAR:
        return ""
    name = bundle.encoded.values[column][at]
    return (
        f" {percent(float(past[at]))} of the courses they took are in “{name}”, yet"
        f" {percent(float(now[at]))} of those recommended to them."
    )


def worst_off_numbers(bundle: Bundle, lists: Lists, evaluation: Evaluation) -> list[dict[str, Any]]:
    """Up to four numbers: the three principles with the largest parts of the gap, then NDCG. Each
    has name, value, others (their value), note."""
    frame = gap_by_principle(bundle, lists, evaluation)
    out = [
        {
            "name": str(row["principle"]),
            "value": decimal(row["worst"]),
            "others": decimal(row["others"]),
            "note": f"{row['measure']} {row['worst_measured']}, others {row['others_measured']}",
        }
        for _, row in frame.sort_values("part", ascending=False, kind="stable").head(3).iterrows()
    ]
    found = tenth_and_others(evaluation)
    out.append(
        {
            "name": "NDCG",
            "value": decimal(found["ndcg"], 3),
            "others": decimal(found["ndcg_others"], 3),
            "note": "courses taken later that are in the list",
        }
    )
    return out


def worst_off_learners(bundle: Bundle, evaluation: Evaluation) -> pd.DataFrame:
    """One row per learner of the worst-off tenth, worst-off first: learner_id, consistency, ndcg,
    past_courses, furthest_behind (the principle that misses its target by most, compared with all
    learners), its value, and the mean value of all learners."""
    got = evaluation.per_learner_consistency
    worst = np.flatnonzero(lowest_tenth(got))
    worst = worst[np.argsort(got[worst], kind="stable")]
    missed = np.abs(evaluation.targets - evaluation.values)
    usual = np.array([known_mean(column) for column in missed.T])
    behind = (missed[worst] - usual).argmax(axis=1) if len(worst) else np.zeros(0, dtype=np.int64)
    means = np.array([known_mean(column) for column in evaluation.values.T])
    return pd.DataFrame(
        {
            "learner_id": np.asarray(evaluation.learner_ids)[worst],
            "consistency": got[worst],
            "ndcg": evaluation.per_learner_ndcg[worst],
            "past_courses": np.diff(bundle.past.indptr)[worst],
            "furthest_behind": [evaluation.names[m] for m in behind],
            "value": evaluation.values[worst, behind],
            "mean_of_all": means[behind],
        }
    )
