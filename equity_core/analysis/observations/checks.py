"""All eight checks in order, and what they say together."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import pandas as pd

from equity_core.analysis.observations.density import check_score_density
from equity_core.analysis.observations.evidence import CHECKS, Evidence, gather_evidence
from equity_core.analysis.observations.own_lists import (
    check_past_and_lists,
    check_principles_met,
    check_principles_with_consistency,
)
from equity_core.analysis.observations.recommenders import (
    check_consistency_with_equality,
    check_content_metadata,
)
from equity_core.analysis.observations.reranking import (
    check_principles_after_reranking,
    check_strategies,
)
from equity_core.analysis.observations.verdicts import Observation
from equity_core.analysis.words import count
from equity_core.bundle import Bundle
from equity_core.policy import Policy
from equity_core.progress import Progress, report

IN_ORDER = (
    check_content_metadata,
    check_consistency_with_equality,
    check_principles_met,
    check_principles_with_consistency,
    check_past_and_lists,
    check_strategies,
    check_principles_after_reranking,
    check_score_density,
)
"""Observations 1 to 8."""


@dataclass(frozen=True, eq=False)
class CheckedObservations:
    """All eight observations, and what they were checked on: lists of ``k`` courses, ``used`` of
    the data set's ``learners``."""

    observations: tuple[Observation, ...]
    learners: int
    used: int
    k: int


def check_evidence(
    evidence: Evidence, progress: Progress | None = None, before: int = 0
) -> CheckedObservations:
    """The eight observations, checked on evidence gathered already. ``before``: steps of
    ``progress`` done already."""
    out = []
    for done, one in enumerate(IN_ORDER):
        report(progress, before + done, before + CHECKS)
        out.append(one(evidence))
    report(progress, before + CHECKS, before + CHECKS)
    return CheckedObservations(tuple(out), evidence.learners, len(evidence.past), evidence.k)


def check_observations(
    bundle: Bundle, policy: Policy, split: str = "test", progress: Progress | None = None
) -> CheckedObservations:
    """The paper's eight observations, checked on a data set with the policy's k, targets, relevance
    scale and pool. ``progress`` may cancel."""
    steps = 0

    def counted(done: int, total: int) -> object:
        nonlocal steps
        steps = total - CHECKS
        return progress(done, total) if progress is not None else None

    evidence = gather_evidence(bundle, policy, split, counted)
    return check_evidence(evidence, progress, steps)


def verdicts_sentence(checked: CheckedObservations) -> str:
    """``Of the paper's eight observations, 2 hold on these data, 3 hold in part, 1 does not, 2 are
    not clear.``"""
    many: Counter[str] = Counter(one.verdict for one in checked.observations)
    hold = many["holds"]
    parts = [f"{hold or 'none'} {'holds' if hold <= 1 else 'hold'} on these data"]
    for verdict, one, several in (
        ("holds, but negligible", "holds, but is negligible", "hold, but are negligible"),
        ("holds in part", "holds in part", "hold in part"),
        ("does not hold", "does not", "do not"),
        ("not clear here", "is not clear", "are not clear"),
        ("not comparable", "is not comparable", "are not comparable"),
        ("cannot be checked", "cannot be checked", "cannot be checked"),
    ):
        if number := many[verdict]:
            parts.append(f"{number} {one if number == 1 else several}")
    return f"Of the paper's eight observations, {', '.join(parts)}."


def basis_sentence(checked: CheckedObservations) -> str:
    """What the observations were checked on, and how the verdicts are reached."""
    learners = (
        f"a fixed sample of {checked.used:,} of {checked.learners:,} learners"
        if checked.used < checked.learners
        else count(checked.learners, "learner")
    )
    return (
        f"Lists of {checked.k} courses for {learners}. “Holds”: the whole 95 % interval (bootstrap"
        " over learners) is on the claimed side of the threshold; “does not hold”: it is on the"
        " other side; otherwise not clear. With several parts, all must hold; if only some do, it"
        " holds in part."
    )


def verdicts_table(checked: CheckedObservations) -> pd.DataFrame:
    """One row per part (and one per observation that cannot be checked): claim, verdict, reason,
    the part's claim, statistic, verdict, value, interval, threshold (line), claimed side, chance,
    the λ at which a claim about every λ clearly holds, and why it is not comparable."""
    rows = []
    for one in checked.observations:
        common = {
            "observation": one.number,
            "claim": one.claim,
            "verdict": one.verdict,
            "reason": one.reason,
        }
        for part in one.parts or (None,):
            if part is None:
                rows.append(common)
                continue
            rows.append(
                {
                    **common,
                    "part": part.name,
                    "statistic": part.what,
                    "part_verdict": part.verdict,
                    "value": part.value,
                    "low": part.low,
                    "high": part.high,
                    "line": part.line,
                    "side": part.side,
                    "chance": part.chance,
                    "holds_at_lam": ", ".join(f"{lam:g}" for lam in part.at),
                    "not_comparable": part.incomparable,
                }
            )
    columns = [
        "observation",
        "claim",
        "verdict",
        "reason",
        "part",
        "statistic",
        "part_verdict",
        "value",
        "low",
        "high",
        "line",
        "side",
        "chance",
        "holds_at_lam",
        "not_comparable",
    ]
    return pd.DataFrame(rows, columns=columns).set_index("observation")
