"""All eight checks, and what they say together."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from equity_core.analysis.observations.dense import eighth
from equity_core.analysis.observations.facts import CHECKS, Facts, gather
from equity_core.analysis.observations.families import first, second
from equity_core.analysis.observations.levels import fourth, third
from equity_core.analysis.observations.model import Observation
from equity_core.analysis.observations.pasts import fifth
from equity_core.analysis.observations.strategies import seventh, sixth
from equity_core.analysis.words import count
from equity_core.bundle import Bundle
from equity_core.policy import Policy
from equity_core.progress import Progress, report

ALL = (first, second, third, fourth, fifth, sixth, seventh, eighth)


@dataclass(frozen=True, eq=False)
class Eight:
    """All eight, and what they were checked on: lists of ``k``, ``used`` of the data set's
    ``learners``."""

    observations: tuple[Observation, ...]
    learners: int
    used: int
    k: int


def check(facts: Facts, progress: Progress | None = None, before: int = 0) -> Eight:
    """The eight, on facts that are there. ``before``: steps done already."""
    out = []
    for done, one in enumerate(ALL):
        report(progress, before + done, before + CHECKS)
        out.append(one(facts))
    report(progress, before + CHECKS, before + CHECKS)
    return Eight(tuple(out), facts.learners, len(facts.past), facts.k)


def observe(
    bundle: Bundle, policy: Policy, split: str = "test", progress: Progress | None = None
) -> Eight:
    """The eight observations on a data set, by the policy's k, targets, relevance scale and pool.
    ``progress`` may cancel."""
    steps = 0

    def counted(done: int, total: int) -> object:
        nonlocal steps
        steps = total - CHECKS
        return progress(done, total) if progress is not None else None

    facts = gather(bundle, policy, split, counted)
    return check(facts, progress, steps)


def sentence(found: Eight) -> str:
    """``Of the paper's eight observations, 5 hold on this data, 1 does not, 2 are not clear.``"""
    many = {
        verdict: sum(one.verdict == verdict for one in found.observations)
        for verdict in ("does not hold", "not clear here", "cannot be checked")
    }
    hold = len(found.observations) - sum(many.values())
    parts = [f"{hold or 'none'} {'holds' if hold <= 1 else 'hold'} on this data"]
    if bad := many["does not hold"]:
        parts.append(f"{bad} {'does' if bad == 1 else 'do'} not")
    if unclear := many["not clear here"]:
        parts.append(f"{unclear} {'is' if unclear == 1 else 'are'} not clear")
    if unknown := many["cannot be checked"]:
        parts.append(f"{unknown} cannot be checked")
    return f"Of the paper's eight observations, {', '.join(parts)}."


def basis(found: Eight) -> str:
    """On what, and how the verdicts come about."""
    sampled = f"a fixed sample of {found.used:,} of {found.learners:,} learners"
    return (
        f"Lists of {found.k},"
        f" {sampled if found.used < found.learners else count(found.learners, 'learner')}. “Holds”:"
        " the whole 95 % interval (bootstrap over learners) is on the claimed side of the line;"
        " “does not hold”: on the other side; else not clear. With several parts, all have to"
        " hold."
    )


def table(found: Eight) -> pd.DataFrame:
    """A row a part (and one for an observation that cannot be checked): what the CSV holds."""
    rows = []
    for one in found.observations:
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
    ]
    return pd.DataFrame(rows, columns=columns).set_index("observation")
