"""The lower half of the Trade-off screen: curves over λ, what a loss buys, principles over λ, relevance density; and the dumbbells."""

from __future__ import annotations

from typing import Any

import streamlit as st

from equity_core.audit import choose, curves, density, paths, tradeoff_words
from equity_core.charts import curves as charts
from equity_core.charts import principles as dumbbell_charts
from equity_core.charts.live import filled, packed
from equity_core.recommenders.registry import label
from pages.shared import cached, jobs
from pages.shared.current import Current
from pages.shared.panels import figure

# Alternative texts of charts that follow the slider stay the same while it moves: a browser builds a chart with another text anew, which
# takes ten times as long as moving its marks. The sentence above the chart has the figures of the moment.
MOVED = "The mean of each principle over learners, before and after, with ±1 standard deviation and the target; the table has the figures."
NAMES = ("Strategies over λ", "What a loss buys", "Principles over λ", "Relevance density")


def tabs(cur: Current) -> None:
    """Four tabs; each computes when it is opened."""
    parts = st.tabs(NAMES, key="tradeoff_tabs", on_change="rerun")
    for part, draw in zip(parts, (_strategies, _bought, _principles, _density), strict=True):
        if part.open:
            with part:
                draw(cur)


def _algorithms(cur: Current) -> list[str]:
    """The recommenders to compare: the current one, and any others that are chosen."""
    others = [name for name in cur.bundle.algorithms if name != cur.algorithm]
    if not others:
        return [cur.algorithm]
    chosen = st.multiselect(
        "Beside the recommender in use",
        others,
        format_func=label,
        key="beside",
        placeholder="add other recommenders",
        persist_state="session",
    )
    return [cur.algorithm, *(name for name in chosen if name in others)]


def _paths(cur: Current, algorithms: list[str], strategies: tuple[str, ...]) -> dict[tuple[str, str], Any]:
    out = {}
    for algorithm in algorithms:
        for strategy in strategies:
            policy = cur.policy.but(lam=0.0, floor=None, strategy=strategy, weights=None)
            if strategy == cur.policy.strategy:
                policy = cur.policy.but(lam=0.0, floor=None)
            title = f"Computing {label(algorithm)}, {strategy}"
            out[algorithm, strategy] = jobs.result(cur, title, paths.lam_path, algorithm, policy, cur.split, cur.choosing_split)
    return out


def _lam(cur: Current) -> float | None:
    return cur.policy.lam if cur.policy.floor is None else None


def _strategies(cur: Current) -> None:
    algorithms = _algorithms(cur)
    found = _paths(cur, algorithms, curves.STRATEGIES)

    def build(_: Any, *settings: Any) -> Any:
        frame = curves.by_strategy(found)
        lines = curves.lines(frame)
        still = tradeoff_words.strategies(lines, None, cur.algorithm)
        return frame, lines, charts.strategies_grid(frame), packed(charts.strategies(frame, cur.dark)), still

    build.__qualname__ = "strategies"
    settings = tuple(algorithms), cur.policy.but(lam=0.0, floor=None), cur.split, cur.dark
    frame, lines, grid, spec, still = cached.keep(cur, build, *settings)
    lam = _lam(cur)
    figure(
        filled(spec, now=charts.strategies_at(grid, curves.at_lam(lines, lam or 0.0), lam)),
        title="One λ for all, by strategy",
        sentence=tradeoff_words.strategies(lines, lam, cur.algorithm),
        alt=still,
        frame=frame,
        name="strategies",
    )


def _bought(cur: Current) -> None:
    algorithms = _algorithms(cur)
    lines = curves.STRATEGIES if len(algorithms) == 1 else (cur.policy.strategy,)
    found = _paths(cur, algorithms, lines)
    if len(algorithms) == 1:
        policy = cur.policy.but(lam=0.0, floor=None)
        found[cur.algorithm, "floor"] = jobs.result(
            cur, "Computing the floor", paths.floor_path, cur.algorithm, policy, cur.split, cur.choosing_split
        )
    frame = curves.bought(found)
    words = tradeoff_words.bought(frame)
    for gain, name in (("gain_equality", "equality"), ("gain_consistency", "consistency")):
        title, said = f"What a loss of NDCG buys: {name}", words[gain]
        figure(charts.bought(frame, gain, cur.dark), title=title, sentence=said, alt=said, frame=frame, name=f"bought_{name}")


def _principles(cur: Current) -> None:
    path = _paths(cur, [cur.algorithm], (cur.policy.strategy,))[cur.algorithm, cur.policy.strategy]
    names = list(cur.names)

    def build(_: Any, *settings: Any) -> Any:
        frame = curves.by_principle(path, names)
        return frame, packed(charts.by_principle(frame, names, cur.dark))

    build.__qualname__ = "by_principle"
    frame, spec = cached.keep(cur, build, cur.algorithm, cur.policy.but(lam=0.0, floor=None), cur.split, cur.dark)
    now = charts.principles_at(frame, names, cached.evaluation(cur).principles["mean"], _lam(cur))
    words = tradeoff_words.by_principle(frame)
    figure(filled(spec, now=now), title="Each principle over λ", sentence=words, alt=words, frame=frame, name="principles_over_lam")


def _density(cur: Current) -> None:
    frame = cached.keep(cur, density.density, cur.bundle.algorithms)
    found = density.concentration(frame)
    path = _paths(cur, [cur.algorithm], (cur.policy.strategy,))[cur.algorithm, cur.policy.strategy]
    fall = choose.steepest(path, cached.own(cur).evaluation.ndcg)
    warning, words = tradeoff_words.density(found, cur.algorithm, fall)
    if warning:
        st.warning(warning)
    figure(
        charts.density(frame, cur.algorithm, cur.dark),
        title="How close together the scores lie",
        sentence=words,
        alt=words,
        frame=frame,
        name="density",
    )


def which_move(cur: Current, frame: Any) -> None:
    """The dumbbells: every principle before and after."""

    def build(_: Any, *settings: Any) -> Any:
        return packed(dumbbell_charts.dumbbells(list(cur.names), cur.dark))

    build.__qualname__ = "dumbbells"
    spec = cached.keep(cur, build, cur.names, cur.dark)
    words = tradeoff_words.moved(frame)
    said = f"{words} Line: ±1 sd over learners; tick: target."
    figure(dumbbell_charts.dumbbells_at(spec, frame), title="Which principles move", sentence=said, alt=MOVED, frame=frame, name="moved")
