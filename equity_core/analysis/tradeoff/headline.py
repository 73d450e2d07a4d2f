"""What Overview and Trade-off say of the current policy: the cards, and the marks of the main
picture."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd

from equity_core.analysis.tradeoff import reading as choose
from equity_core.analysis.tradeoff import sentences
from equity_core.analysis.words import decimal, signed
from equity_core.metrics.evaluate import Evaluation
from equity_core.metrics.inequality import known_mean, lowest_tenth
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
    """NDCG, consistency and equality with their 95 % intervals, and the paired change
    (metrics.intervals)."""
    return intervals(after, before)


def cards(found: pd.DataFrame, k: int) -> list[dict[str, Any]]:
    """A card a measure: its words (heading, value, change, interval, what higher means), its tone,
    and the numbers of its strip."""
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
            detail = (
                f"95 %: {sentences.interval(float(row[ends[0]]), float(row[ends[1]]), share=share)}"
            )
            detail = (
                detail.replace("95 %:", "95 % interval")
                if clear
                else detail + " · no clear difference"
            )
        out.append(
            {
                "words": (
                    NAMES[name].format(k=k),
                    decimal(float(row["value"]), digits),
                    text,
                    detail,
                    MEANS[name],
                ),
                "tone": "good" if clear > 0 else "bad" if clear < 0 else "same",
                "strip": (
                    float(row["before"]),
                    float(row["value"]),
                    (
                        (float(row["before_low"]), float(row["before_high"])),
                        (float(row["low"]), float(row["high"])),
                    ),
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
    missed, learners = int((~now.reached).sum()), len(now.courses)
    reached = sentences.reach(policy.floor, kept_lists(own, now), missed, learners)
    return f"{text} {sentences.figures(found)}{reached}"


def here(policy: Policy, evaluation: Evaluation) -> dict[str, Any]:
    """The current point of the main picture."""
    name = "Own lists" if kind_of(policy) == ("lam", 0.0) else sentences.name(*kind_of(policy))
    return {"ndcg": evaluation.ndcg, "equality": evaluation.equality, "text": f"{name}: chosen"}


def gap(policy: Policy, evaluation: Evaluation, other: pd.DataFrame) -> dict[str, Any] | None:
    """How far the other kind of policy is at the same NDCG; None where its path does not pass
    there, or by less than shows."""
    there = choose.crossing(other, evaluation.ndcg, "ndcg", "equality")
    if math.isnan(there) or abs(there - evaluation.equality) < 1e-3:
        return None
    text = f"{signed(evaluation.equality - there, 3)} equality\nat the same NDCG"
    return {
        "ndcg": evaluation.ndcg,
        "low": min(there, evaluation.equality),
        "high": max(there, evaluation.equality),
        "text": text,
    }


def worst_off(own: Evaluation, now: Evaluation) -> pd.DataFrame:
    """The tenth that is worst off in the own lists, and everybody else: learners, consistency
    before and after, NDCG before and after."""
    tenth = lowest_tenth(own.per_learner_consistency)
    rows = []
    for name, chosen in (
        ("worst-off tenth", tenth),
        ("others", ~tenth & ~np.isnan(own.per_learner_consistency)),
    ):
        row: dict[str, Any] = {"group": name, "learners": int(chosen.sum())}
        for when, evaluation in (("before", own), ("after", now)):
            row[f"consistency_{when}"] = known_mean(evaluation.per_learner_consistency[chosen])
            row[f"ndcg_{when}"] = known_mean(evaluation.per_learner_ndcg[chosen])
        rows.append(row)
    return pd.DataFrame(rows).set_index("group")


def worst_off_principles(own: Evaluation, now: Evaluation) -> pd.DataFrame:
    """The principles of the worst-off tenth: before, after, and the others before."""
    tenth = lowest_tenth(own.per_learner_consistency)
    rest = ~tenth & ~np.isnan(own.per_learner_consistency)
    return pd.DataFrame(
        {
            "before": [known_mean(own.values[tenth, m]) for m in range(len(own.names))],
            "after": [known_mean(now.values[tenth, m]) for m in range(len(own.names))],
            "others": [known_mean(own.values[rest, m]) for m in range(len(own.names))],
        },
        index=pd.Index(own.names, name="principle"),
    )


def beaten(better: pd.DataFrame) -> str:
    """Whether some policy is at least as good in both and better in one, in words."""
    if better.empty:
        return "No policy of either path beats the current one in both."
    top = better.iloc[0]
    name = sentences.name(str(top["kind"]), float(top["value"]))
    name = name if name.startswith("λ") else name[0].lower() + name[1:]
    return (
        f"Ringed in green: {len(better)} that beat{'s' if len(better) == 1 else ''} the current one"
        f" in both, {name} first."
    )


def sampled(paths: pd.DataFrame, learners: int) -> str:
    """That the paths come from a sample, where they do."""
    used = int(paths.attrs.get("learners", learners))
    return (
        ""
        if used >= learners
        else f" Both paths are of a sample of {used:,} learners, the point of all {learners:,}."
    )


def picture_words(both: dict[str, pd.DataFrame]) -> str:
    """The main picture for those who do not see it. Of the paths only: an alternative text that
    followed the slider would make the browser build the whole picture anew at every move; the
    current policy is in the sentence above it."""
    parts = []
    for kind, name in (("floor", "the floor"), ("lam", "one λ for all")):
        path = both[kind].dropna(subset=["ndcg", "equality"])
        if len(path):
            parts.append(
                f"{name} runs from NDCG {path['ndcg'].iloc[0]:.4f} and equality"
                f" {path['equality'].iloc[0]:.3f} to {path['ndcg'].iloc[-1]:.4f} and"
                f" {path['equality'].iloc[-1]:.3f}"
            )
    return f"NDCG against equality: {'; '.join(parts) or 'nothing to draw'}."


def both_sides(lam_path: pd.DataFrame, floor: Evaluation | None) -> str:
    """What one λ has at a floor's mean consistency."""
    if floor is None:
        return sentences.like(
            math.nan, {"ndcg": math.nan, "equality": math.nan}, math.nan, math.nan
        )
    return sentences.like(
        floor.consistency,
        choose.like_consistency(lam_path, floor.consistency),
        floor.ndcg,
        floor.equality,
    )


def differences(found: pd.DataFrame) -> str:
    """A comparison of two policies in a sentence, each difference with its interval or called not
    clear."""
    parts = []
    for measure, row in found.iterrows():
        name = "NDCG" if measure == "ndcg" else str(measure)
        if math.isnan(float(row["change"])):
            parts.append(f"{name} unknown")
        elif sentences.clear(row):
            ends = sentences.interval(
                float(row["change_low"]), float(row["change_high"]), digits=DIGITS[str(measure)]
            )
            parts.append(
                f"{name} {signed(float(row['change']), DIGITS[str(measure)])} (95 % interval"
                f" {ends})"
            )
        else:
            parts.append(f"no clear difference in {name}")
    return ", ".join(parts) + "."
