"""How sensitive the choice is: the best floor and the best λ within a loss limit, under settings
other than those in use, one changed at a time.

One row per setting and value: k 5, 10, 20; strategy glob, user, pers; relevance scale minmax, rank,
none; manageability linear, log; and whatever is in use. Each row is chosen on its own paths
(:mod:`equity_core.analysis.tradeoff.paths`) and measured by its own setting: its own k, and the
scale of manageability that the row has. So choices can be compared between rows; equality only
within a setting that leaves the measure as it is (strategy, relevance scale).
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from equity_core.analysis.tradeoff.paths import LAMS, best_within, floors_for
from equity_core.analysis.words import STRATEGIES, join, percent
from equity_core.bundle import Bundle
from equity_core.metrics.evaluate import measure, ndcg
from equity_core.metrics.inequality import equality, known_mean
from equity_core.metrics.targets import judged
from equity_core.policy import Policy
from equity_core.progress import Progress, report
from equity_core.reranker.api import Session
from equity_core.reranker.sampling import SampledSession, session_for

VALUES: dict[str, tuple[Hashable, ...]] = {
    "k": (5, 10, 20),
    "strategy": ("glob", "user", "pers"),
    "relevance scale": ("minmax", "rank", "none"),
    "manageability": ("linear", "log"),
}
JUDGED = "manageability"
HARDLY = 0.02
"""A choice that moves by no more than this hardly moves."""
KINDS = {"floor": "floor", "lam": "λ"}


def _in_use(bundle: Bundle, policy: Policy) -> dict[str, Hashable]:
    """The value of every setting as it is; manageability only where the data set is judged by it,
    on a scale."""
    found: dict[str, Hashable] = {
        "k": policy.k,
        "strategy": policy.strategy,
        "relevance scale": policy.relevance_scale,
    }
    for principle in judged(bundle, policy).principles:
        if principle.name == JUDGED and principle.kind == "mean":
            found[JUDGED] = principle.scale
    return found


def _changed(bundle: Bundle, policy: Policy, setting: str, value: Any) -> Policy:
    """The policy with one setting changed. Weights belong to the strategy custom: others have
    none."""
    if setting == "k":
        return policy.but(k=value)
    if setting == "strategy":
        return policy.but(strategy=value, weights=None)
    if setting == "relevance scale":
        return policy.but(relevance_scale=value)
    changed = tuple(
        replace(principle, scale=value) if principle.name == JUDGED else principle
        for principle in judged(bundle, policy).principles
    )
    return policy.but(principles=changed)


def _path(
    session: Session, kind: str, split: str, choosing: str, progress: Progress | None
) -> pd.DataFrame:
    """The grid of :mod:`equity_core.analysis.tradeoff.paths` with what a choice needs, without
    intervals: value, ndcg, chosen_ndcg, equality."""
    chosen = session.chosen if isinstance(session, SampledSession) else slice(None)
    grid, rows = list(LAMS) if kind == "lam" else floors_for(session, split), []
    for done, value in enumerate(grid):
        report(progress, done, len(grid))
        lists = (session.at_lam(value) if kind == "lam" else session.at_floor(value)).courses
        found = measure(
            session.bundle, lists, session.targets, session.weights, session.policy.k, split
        )
        of = (
            ndcg(session.bundle, lists, session.policy.k, choosing)
            if choosing != split
            else found.per_learner_ndcg
        )
        even = equality(np.maximum(found.per_learner_consistency[chosen], 0.0))
        rows.append(
            {
                "value": value,
                "ndcg": known_mean(found.per_learner_ndcg[chosen]),
                "chosen_ndcg": known_mean(of[chosen]),
                "equality": even,
            }
        )
    return pd.DataFrame(rows)


def _best(
    bundle: Bundle,
    algorithm: str,
    policy: Policy,
    split: str,
    choosing: str,
    limit: float,
    progress: Progress | None,
) -> dict[str, float]:
    """The best floor and the best λ within the limit, each with equality and the share of NDCG
    lost; NaN where there is none."""
    session = session_for(bundle, algorithm, policy)
    path = {kind: _path(session, kind, split, choosing, progress) for kind in KINDS}
    own, out = path["lam"].iloc[0], {}
    for kind in KINDS:
        best = best_within(path[kind], limit, float(own["chosen_ndcg"]))
        lost = best is not None and float(own["ndcg"]) > 0
        out[kind] = float(best["value"]) if best is not None else math.nan
        out[f"{kind}_equality"] = float(best["equality"]) if best is not None else math.nan
        out[f"{kind}_loss"] = (
            1.0 - float(best["ndcg"]) / float(own["ndcg"])
            if best is not None and lost
            else math.nan
        )
    return out


def sensitivity(
    bundle: Bundle,
    algorithm: str,
    policy: Policy,
    split: str = "test",
    choosing: str | None = None,
    limit: float = 0.1,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """One row per setting and value: setting, value, in_use, floor and lam (NaN: none keeps the
    limit, or NDCG is unknown), their equality and loss (floor_equality, floor_loss, …), and the
    change from the row in use (floor_change, floor_equality_change, …).

    λ and floor of the policy itself do not matter.
    """
    policy, now = policy.but(lam=0.0, floor=None), _in_use(bundle, policy)
    rows = [
        (setting, value)
        for setting in now
        for value in dict.fromkeys((*VALUES[setting], now[setting]))
    ]
    others = [(setting, value) for setting, value in rows if value != now[setting]]
    total = len(others) + 1
    found: dict[tuple[str, Hashable], dict[str, float]] = {}

    def inside(done: int) -> Progress:
        return lambda *_: progress(done, total) if progress is not None else None

    report(progress, 0, total)
    current = _best(bundle, algorithm, policy, split, choosing or split, limit, inside(0))
    for done, (setting, value) in enumerate(others, start=1):
        report(progress, done, total)
        changed = _changed(bundle, policy, setting, value)
        found[setting, value] = _best(
            bundle, algorithm, changed, split, choosing or split, limit, inside(done)
        )
    report(progress, total, total)
    out = []
    for setting, value in rows:
        row = found.get((setting, value), current)
        change = {
            f"{name}_change": row[name] - current[name]
            for kind in KINDS
            for name in (kind, f"{kind}_equality")
        }
        out.append(
            {
                "setting": setting,
                "value": str(value),
                "in_use": value == now[setting],
                **row,
                **change,
            }
        )
    return pd.DataFrame(out)


def sensitivity_table(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame as it is drawn: losses in per cent, strategies by their names."""
    names = [STRATEGIES.get(value, value) for value in frame["value"]]
    losses = {f"{kind}_loss": 100.0 * frame[f"{kind}_loss"] for kind in KINDS}
    return frame.assign(value=names, **losses)


def choice_ranges(frame: pd.DataFrame, kind: str) -> dict[str, tuple[float, float]]:
    """By setting: the lowest and the highest choice of a kind; settings with fewer than two choices
    are left out."""
    out = {}
    for setting, rows in frame.groupby("setting", sort=False):
        known = rows[kind].dropna()
        if len(known) > 1:
            out[str(setting)] = (float(known.min()), float(known.max()))
    return out


def _range(span: tuple[float, float]) -> str:
    low, high = (f"{end:.3f}".rstrip("0").rstrip(".") for end in span)
    return low if low == high else f"{low}–{high}"


def _moves(frame: pd.DataFrame, kind: str) -> str:
    """Which setting moves a choice most, and which hardly move it."""
    found, name = choice_ranges(frame, kind), f"The best {KINDS[kind]}"
    if not found:
        return f"{name}: too few settings have one to compare."
    wide = {setting: high - low for setting, (low, high) in found.items()}
    steady = [
        f"{setting} ({_range(found[setting])})"
        for setting in found
        if wide[setting] <= HARDLY + 1e-9
    ]
    most = max(wide, key=lambda setting: wide[setting])
    if len(steady) == len(found):
        low, high = min(low for low, _ in found.values()), max(high for _, high in found.values())
        return f"{name} hardly moves with any of these settings ({_range((low, high))})."
    words = f"{name} moves most with {most} ({_range(found[most])})"
    return (
        f"{words}; it hardly moves with {join(steady)}."
        if steady
        else f"{words}, and with each of the others, too."
    )


def sensitivity_sentence(frame: pd.DataFrame, limit: float) -> str:
    """How far the choice depends on the settings."""
    within = f"at a loss of at most {percent(limit)} of NDCG"
    if frame[["floor", "lam"]].isna().all().all():
        return (
            f"No floor and no λ can be chosen {within}: NDCG is unknown here, or nothing keeps the"
            " limit."
        )
    return (
        f"{_moves(frame, 'floor')} {_moves(frame, 'lam')} Choices {within}, one setting changed at"
        " a time."
    )


def reading_note(split: str, choosing: str) -> str:
    """How to read the table."""
    parts = (
        f"chosen on the {choosing} part, NDCG lost on the {split} part"
        if choosing != split
        else f"chosen and shown on the {split} part"
    )
    return (
        "On the coarse grid of the paths (the chooser of Trade-off searches in finer steps),"
        f" {parts}. The choices are bold ones: the limit is kept on the part used for choosing,"
        " without the confidence that the chooser's safe answer has. Each row has its own setting:"
        " choices can be compared, equality only between rows of strategy and of relevance scale,"
        " which leave the measure as it is. Changes are from the settings in use."
    )


def missing_sentence(frame: pd.DataFrame) -> str:
    """Rows without a choice, in a sentence; nothing if there are none."""
    parts = []
    for kind, word in KINDS.items():
        names = [
            f"{row['setting']} {STRATEGIES.get(row['value'], row['value'])}"
            for row in frame[frame[kind].isna()].to_dict("records")
        ]
        if names and len(names) < len(frame):
            parts.append(f"No {word} keeps the limit with {join(names)}.")
    return " ".join(parts)
