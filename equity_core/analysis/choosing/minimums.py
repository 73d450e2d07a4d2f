"""The chooser's third question: the cheapest policy whose lists have, on average, a minimum of each
principle asked for; or that there is none."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from equity_core.analysis.choosing.limits import SLACK, Answer, measure_answer
from equity_core.bundle import Bundle
from equity_core.metrics.targets import judged
from equity_core.policy import Policy
from equity_core.progress import Progress
from equity_core.reranker.search import COARSE, SearchResult, search

STRENGTHS = (2.0, 8.0)
"""Weights of the principles that are asked for, against 1 for the others."""
SINGLE = 3
"""Up to this many principles asked for, each is also aimed at alone."""
TRIES = 12
"""Policies checked on all learners, where a sample was searched."""
ROUNDS = 3
"""How often the weight of what the cheapest policy so far has too much of is reduced."""


@dataclass(frozen=True, eq=False)
class PrincipleMinimums:
    """The cheapest policy with the minimum of each principle asked for, or none."""

    asked: dict[str, float]
    answer: Answer | None
    highest: dict[str, tuple[float, Policy]]
    """By principle asked for: the most that any policy searched reaches, and that policy."""
    policies_searched: int

    @property
    def answers(self) -> list[Answer]:
        """The answer, if there is one."""
        return [self.answer] if self.answer is not None else []


def families(
    bundle: Bundle, policy: Policy, asked: Mapping[str, float], own: Mapping[str, float]
) -> list[Policy]:
    """The strategies that are searched: glob, user, pers, the policy's own weights, and weights
    that aim at what is asked for.

    Weights that aim: the principles asked for count 2 or 8 times as much as the others; only they
    count, either equally or each by how much the own lists (``own``: means) fall short of it; each
    of them alone, if they are few.
    """
    policy = policy.but(lam=0.0, floor=None)
    names = [principle.name for principle in judged(bundle, policy).principles]

    def only(weights: Mapping[str, float]) -> Policy:
        return policy.but(
            strategy="custom", weights={name: weights.get(name, 0.0) for name in names}
        )

    out = [policy.but(strategy=name, weights=None) for name in ("glob", "user", "pers")]
    out += [policy] if policy.strategy == "custom" else []
    out += [
        policy.but(strategy="custom", weights=dict.fromkeys(asked, strength))
        for strength in STRENGTHS
    ]
    out.append(only(dict.fromkeys(asked, 1.0)))
    short = {
        name: max(0.0, value - own[name])
        for name, value in asked.items()
        if not math.isnan(own[name])
    }
    most = max(short.values(), default=0.0)
    if most > 0:
        out.append(only({name: round(gap / most, 3) for name, gap in short.items()}))
    if 1 < len(asked) <= SINGLE:
        out += [only({name: 1.0}) for name in asked]
    return list(dict.fromkeys(out))


def adjusted(
    policy: Policy, asked: Mapping[str, float], reached: Mapping[str, float]
) -> Policy | None:
    """The policy with half the weight on the principle that exceeds its minimum by most; None where
    nothing can be reduced."""
    over = {name: reached[name] - value for name, value in asked.items()}
    weights = dict(policy.weights) if isinstance(policy.weights, Mapping) else {}
    name = max(
        (name for name in over if weights.get(name, 1.0) > 0), key=over.__getitem__, default=None
    )
    if name is None or len(asked) < 2 or over[name] < 0.005:
        return None
    return policy.but(
        lam=0.0,
        floor=None,
        strategy="custom",
        weights={**weights, name: weights.get(name, 1.0) / 2},
    )


def principle_minimums(
    bundle: Bundle,
    algorithm: str,
    policy: Policy,
    asked: tuple[tuple[str, float], ...],
    split: str = "test",
    choosing: str | None = None,
    progress: Progress | None = None,
) -> PrincipleMinimums:
    """The policy that loses the least NDCG of all whose lists have, averaged over learners, at
    least the value asked for of each principle.

    Searched: every λ and every floor in steps of 0.005, for each strategy of :func:`families`, then
    for the weights of the cheapest policy, adjusted where it has too much of a principle
    (:func:`adjusted`). Ties in NDCG go to the more equal policy. Where NDCG is unknown, it is the
    policy that changes lists least (mean λ).
    """
    bundle, wanted = judged(bundle, policy), dict(asked)
    names = [principle.name for principle in bundle.principles]
    if unknown := [name for name in wanted if name not in names]:
        raise ValueError(
            f"{unknown[0]!r} is not a principle of this data set; it has {', '.join(names)}"
        )
    if not wanted:
        raise ValueError("ask for at least one principle")
    searches: list[SearchResult] = []
    rows = pd.DataFrame()

    def search_family(family: Policy, of: int) -> None:
        nonlocal rows
        begun, at = len(searches), 1000 // of

        def report_share(done: int, total: int) -> object:
            return (
                None
                if progress is None
                else progress(min(begun * at + at * done // max(total, 1), 1000), 1000)
            )

        searches.append(search(bundle, algorithm, family, split, choosing, COARSE, report_share))
        found = [searches[-1].path(kind).assign(search=begun) for kind in ("lam", "floor")]
        rows = pd.concat([rows, *found] if len(rows) else found, ignore_index=True)

    search_family(policy.but(lam=0.0, floor=None, strategy="glob", weights=None), 8)
    own = {name: float(rows[name].iloc[0]) for name in wanted}
    strategies = families(bundle, policy, wanted, own)
    for family in strategies[1:]:
        search_family(family, len(strategies) + ROUNDS)
    for _ in range(ROUNDS):
        best = _cheapest(rows, wanted).head(1)
        row = None if best.empty else best.iloc[0]
        better = (
            None
            if row is None
            else adjusted(
                _policy(searches, row), wanted, {name: float(row[name]) for name in wanted}
            )
        )
        if better is None or better in [one.session.policy for one in searches]:
            break
        search_family(better, len(strategies) + ROUNDS)
    highest = {}
    for name in wanted:
        if rows[name].notna().any():
            top = rows.iloc[int(rows[name].argmax())]
            highest[name] = (float(top[name]), _policy(searches, top))
    return PrincipleMinimums(
        wanted, _first_that_holds(searches, _cheapest(rows, wanted), wanted), highest, len(rows)
    )


def _policy(searches: list[SearchResult], row: pd.Series) -> Policy:
    return searches[int(row["search"])].policy(str(row["kind"]), float(row["value"]))


def _cheapest(rows: pd.DataFrame, wanted: Mapping[str, float]) -> pd.DataFrame:
    """The policies that have everything asked for, the cheapest first."""
    good = rows[(rows[list(wanted)] >= pd.Series(wanted) - SLACK).all(axis=1)]
    if good["chosen_ndcg"].isna().all():
        return good.sort_values(["mean_lam", "equality"], ascending=[True, False], kind="stable")
    return good.sort_values(
        ["chosen_ndcg", "equality", "mean_lam"], ascending=[False, False, True], kind="stable"
    )


def _first_that_holds(
    searches: list[SearchResult], rows: pd.DataFrame, wanted: dict[str, float]
) -> Answer | None:
    """The first policy whose principles hold for all learners; where the sample was misleading, the
    next one needs that much more of a margin."""
    room = dict.fromkeys(wanted, 0.0)
    for _ in range(TRIES):
        for name, value in wanted.items():
            rows = rows[rows[name] >= value + room[name] - SLACK]
        if rows.empty:
            return None
        first = rows.iloc[0]
        searched = searches[int(first["search"])]
        answer = measure_answer(
            searched, searched.policy(str(first["kind"]), float(first["value"]))
        )
        means = answer.evaluation.principles["mean"]
        short = {name: value - float(means.loc[name]) for name, value in wanted.items()}
        if all(gap <= SLACK for gap in short.values()):
            return answer
        for name, gap in short.items():
            if gap > SLACK:
                room[name] = max(room[name], float(first[name]) - float(means.loc[name]) + 1e-6)
        rows = rows.iloc[1:]
    return None
