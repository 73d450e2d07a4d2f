"""What Overview and Trade-off say of the current policy: the cards, the main picture's marks, the chooser's answers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd

from equity_core.audit import choose, sentences, tenths
from equity_core.audit.words import decimal, signed
from equity_core.metrics.evaluate import Evaluation
from equity_core.metrics.intervals import intervals
from equity_core.policy import Policy
from equity_core.reranker.api import Run

MEANS = {
    "ndcg": "higher: more of the courses later taken",
    "consistency": "higher: closer to the targets",
    "equality": "higher: learners are served more alike",
}
NAMES = {"ndcg": "NDCG@{k}", "consistency": "Consistency", "equality": "Equality"}
DIGITS = {"ndcg": 4, "consistency": 3, "equality": 3}


def kind_of(policy: Policy) -> tuple[str, float]:
    """("floor", τ) or ("lam", λ)."""
    return ("lam", policy.lam) if policy.floor is None else ("floor", policy.floor)


def compared(after: Evaluation, before: Evaluation) -> pd.DataFrame:
    """NDCG, consistency and equality with their 95 % intervals, and the paired change (metrics.intervals)."""
    return intervals(after, before)


def cards(found: pd.DataFrame, k: int) -> list[dict[str, Any]]:
    """A card a measure: heading, value, change with its tone, interval, what higher means, and the numbers of its strip."""
    out = []
    for measure, row in found.iterrows():
        name, digits = str(measure), DIGITS[str(measure)]
        change = float(row["relative"] if name == "ndcg" else row["change"])
        clear, share = sentences.clear(row), name == "ndcg"
        if math.isnan(change):
            text, detail = "", "unknown here"
        else:
            size = signed(change * 100, 1) + " %" if share else signed(change, 3)
            arrow = "▲" if change > 0 else "▼"
            same = size.lstrip("+−").strip(" %").strip("0.") == ""
            text = f"{'=' if same else arrow} {size} from {decimal(float(row['before']), digits)}"
            ends = ("relative_low", "relative_high") if share else ("change_low", "change_high")
            detail = f"95 % interval {sentences.interval(float(row[ends[0]]), float(row[ends[1]]), share=share)}"
            detail += "" if clear else ": no clear difference"
        out.append(
            {
                "heading": NAMES[name].format(k=k),
                "value": decimal(float(row["value"]), digits),
                "change": text,
                "tone": "good" if clear > 0 else "bad" if clear < 0 else "same",
                "detail": detail,
                "means": MEANS[name],
                "strip": (
                    float(row["before"]),
                    float(row["value"]),
                    ((float(row["before_low"]), float(row["before_high"])), (float(row["low"]), float(row["high"]))),
                ),
            }
        )
    return out


def kept_lists(own: Run, now: Run) -> int:
    """Learners whose list is the recommender's own, course by course."""
    return int((own.courses == now.courses).all(axis=1).sum())


def answer(found: pd.DataFrame, policy: Policy, own: Run, now: Run) -> str:
    """The generated sentence of Overview and Trade-off."""
    kind, value = kind_of(policy)
    text = sentences.verdict(found, kind, value)
    if kind == "lam" and value == 0:
        return text
    learners = len(now.courses)
    return f"{text} {sentences.figures(found)}{sentences.reach(policy.floor, kept_lists(own, now), int((~now.reached).sum()), learners)}"


def here(policy: Policy, evaluation: Evaluation) -> dict[str, Any]:
    """The current point of the main picture."""
    name = sentences.name(*kind_of(policy))
    return {"ndcg": evaluation.ndcg, "equality": evaluation.equality, "text": f"{name}: chosen"}


def gap(policy: Policy, evaluation: Evaluation, other: pd.DataFrame) -> dict[str, Any] | None:
    """How far the other kind of policy is at the same NDCG; None where its path does not pass there, or by less than shows."""
    there = choose.crossing(other, evaluation.ndcg, "ndcg", "equality")
    if math.isnan(there) or abs(there - evaluation.equality) < 1e-3:
        return None
    text = f"{signed(evaluation.equality - there, 3)} equality\nat the same NDCG"
    return {"ndcg": evaluation.ndcg, "low": min(there, evaluation.equality), "high": max(there, evaluation.equality), "text": text}


def option(row: pd.Series, own: Evaluation, k: int) -> list[tuple[str, str, str, str]]:
    """The rows of one of the chooser's answers: measure, value, change against the own lists, tone."""
    out = []
    for measure in ("ndcg", "consistency", "equality"):
        value, before = float(row[measure]), float(getattr(own, measure))
        change = value / before - 1 if measure == "ndcg" and before else value - before
        text = (signed(change * 100, 1) + " %") if measure == "ndcg" else signed(change, 3)
        tone = "same" if abs(change) < 5e-4 else "good" if change > 0 else "bad"
        out.append((NAMES[measure].format(k=k), decimal(value, DIGITS[measure]), "" if math.isnan(change) else text, tone))
    return out


def worst_off(own: Evaluation, now: Evaluation) -> pd.DataFrame:
    """The tenth that is worst off in the own lists, and everybody else: learners, consistency before and after, NDCG before and after."""
    tenth = tenths.lowest(own.per_learner_consistency)
    rows = []
    for name, chosen in (("worst-off tenth", tenth), ("others", ~tenth & ~np.isnan(own.per_learner_consistency))):
        row: dict[str, Any] = {"group": name, "learners": int(chosen.sum())}
        for when, evaluation in (("before", own), ("after", now)):
            row[f"consistency_{when}"] = tenths.mean(evaluation.per_learner_consistency[chosen])
            row[f"ndcg_{when}"] = tenths.mean(evaluation.per_learner_ndcg[chosen])
        rows.append(row)
    return pd.DataFrame(rows).set_index("group")


def worst_off_principles(own: Evaluation, now: Evaluation) -> pd.DataFrame:
    """The principles of the worst-off tenth: before, after, and the others before."""
    tenth = tenths.lowest(own.per_learner_consistency)
    rest = ~tenth & ~np.isnan(own.per_learner_consistency)
    return pd.DataFrame(
        {
            "before": [tenths.mean(own.values[tenth, m]) for m in range(len(own.names))],
            "after": [tenths.mean(now.values[tenth, m]) for m in range(len(own.names))],
            "others": [tenths.mean(own.values[rest, m]) for m in range(len(own.names))],
        },
        index=pd.Index(own.names, name="principle"),
    )
