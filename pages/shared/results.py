"""What most screens ask for, each asked in one way: lists and measures of a policy, the search over
every λ and floor, the paths, and pictures.

All of it comes from the computation service (:mod:`pages.shared.compute`), which keeps it: never
change what is returned.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import streamlit as st

import equity_core as eq
from equity_core.analysis.tradeoff import headline, paths
from equity_core.charts.base import templates
from equity_core.reranker import search
from pages.shared.compute import compute, known, name_of, ready, remember
from pages.shared.current import Current

BIG = 8000
"""Learners from which a policy takes long enough for words that say so."""


@dataclass(frozen=True, eq=False)
class Result:
    """The lists of a policy, and their measures."""

    run: eq.Run
    evaluation: eq.Evaluation


def session(cur: Current, algorithm: str, policy: eq.Policy) -> eq.Session:
    """The resolved session for many λ or floors of one policy; its own λ and floor do not matter.
    Where a search was made, it is that one's, which looks lists up instead of re-ranking."""
    policy, cur = policy.but(lam=0.0, floor=None), cur.judged_by(policy)
    searched = known(cur, search.search, algorithm, policy, cur.split, cur.choosing_split)
    if searched is not None:
        from_search: eq.Session = searched.session
        return from_search
    resolved: eq.Session = compute(cur, eq.Session, algorithm, policy)
    return resolved


def _measured(cur: Current, algorithm: str, policy: eq.Policy, split: str) -> Result:
    cur = cur.judged_by(policy)
    made = session(cur, algorithm, policy)
    run = made.at_lam(policy.lam) if policy.floor is None else made.at_floor(policy.floor)
    run = replace(run, policy=policy)
    return Result(run, eq.evaluate(cur.bundle, run, policy, split))


def result(
    cur: Current,
    algorithm: str | None = None,
    policy: eq.Policy | None = None,
    split: str | None = None,
) -> Result:
    """Lists and measures of the current policy, or of the one given."""
    algorithm, split = algorithm or cur.algorithm, split or cur.split
    if policy is None:
        policy = cur.measured
    elif policy.floor is not None and policy.lam:
        policy = policy.but(lam=0.0)  # λ is ignored under a floor: one entry for all of them
    cur = cur.judged_by(policy)
    make = partial(_measured, cur, algorithm, policy, split)
    measured: Result = remember(cur, "result", make, algorithm, policy, split)
    return measured


def own(cur: Current, algorithm: str | None = None) -> Result:
    """The recommender's own lists (λ = 0)."""
    return result(cur, algorithm, cur.own)


def evaluation(
    cur: Current,
    algorithm: str | None = None,
    policy: eq.Policy | None = None,
    split: str | None = None,
) -> eq.Evaluation:
    """The measures alone."""
    return result(cur, algorithm, policy, split).evaluation


def comparison(cur: Current) -> Any:
    """The current policy against the own lists: NDCG, consistency and equality with intervals."""

    def make() -> Any:
        return headline.compare(evaluation(cur), own(cur).evaluation)

    return remember(cur, "comparison", make, cur.algorithm, cur.measured, cur.split)


def is_big(cur: Current) -> bool:
    """Whether re-ranking and measuring takes long enough for words that say so."""
    return len(cur.bundle.learner_ids) > BIG


def wait(cur: Current) -> None:
    """Re-rank and measure the current policy, with words that say so where that takes long."""
    if is_big(cur):
        with st.spinner(f"Re-ranking and measuring {len(cur.bundle.learner_ids):,} lists …"):
            own(cur), result(cur)


def compute_ahead(cur: Current) -> None:
    """Re-rank and measure before anything is drawn, where that is quick.

    A browser that gets a screen in one go draws it once; one that gets it piece by piece draws it
    again and again.
    """
    if not is_big(cur):
        comparison(cur)


def searched(cur: Current) -> search.SearchResult:
    """Every λ and every floor of the current recommender and policy, with progress."""
    settings = cur.algorithm, cur.without, cur.split, cur.choosing_split
    answer: search.SearchResult = compute(
        cur, search.search, *settings, title="Searching every λ and every floor"
    )
    return answer


_PATHS = {
    "lam": (paths.lam_path, "Computing the path of λ"),
    "floor": (paths.floor_path, "Computing the path of the floor"),
}


def path(cur: Current, kind: str, algorithm: str | None = None, policy: Any = None) -> Any:
    """The path of "lam" or "floor"; progress where it takes long."""
    function, title = _PATHS[kind]
    settings = algorithm or cur.algorithm, policy or cur.without, cur.split, cur.choosing_split
    return compute(cur, function, *settings, title=title)


def path_if_ready(cur: Current, kind: str) -> Any | None:
    """The path of "lam" or "floor" of the current policy if it is there; else it begins in the
    background."""
    function, _ = _PATHS[kind]
    return ready(cur, function, cur.algorithm, cur.without, cur.split, cur.choosing_split)


def both_paths(cur: Current) -> dict[str, Any]:
    """The path of one λ and the path of the floor."""
    return {kind: path(cur, kind) for kind in _PATHS}


def frame(
    cur: Current, function: Callable[..., Any], *inputs: Any, by: tuple[Hashable, ...] = ()
) -> Any:
    """``function(*inputs)`` of the own lists: made once for this data set, list length and targets.
    ``by``: what else the inputs depend on."""
    make = partial(function, *inputs)
    return remember(cur, name_of(function), make, cur.own, cur.split, *by)


def picture(
    cur: Current, draw: Callable[..., Any], *inputs: Any, by: tuple[Hashable, ...] = ()
) -> dict[str, Any]:
    """``draw(*inputs, dark)`` of the own lists as a Vega-Lite specification, built once: building a
    chart takes longer than all else on some screens."""

    def make() -> dict[str, Any]:
        return templates.compact(templates.specification(draw(*inputs, dark=cur.dark)))

    kept = remember(cur, f"picture {name_of(draw)}", make, cur.own, cur.split, cur.dark, *by)
    return templates.with_data(kept)


def template(cur: Current, name: str, build: Callable[[], Any], *settings: Hashable) -> Any:
    """``build()``, a picture in which the slider only moves marks: built once for each recommender,
    mode and ``settings``."""
    return remember(cur, f"template {name}", build, cur.algorithm, cur.split, cur.dark, *settings)
