"""The lower half of the Trade-off screen: curves over λ, what a loss buys, principles over λ,
relevance density, the order of the lists; and the dumbbells."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import streamlit as st

from equity_core.algorithms import label
from equity_core.analysis.tradeoff import curves, density, orders, principles
from equity_core.analysis.tradeoff.paths import steepest_fall
from equity_core.charts.base.templates import compact, with_data
from equity_core.charts.tradeoff.curves import (
    gains_chart,
    strategies_template,
    strategy_grid,
    strategy_marks,
)
from equity_core.charts.tradeoff.density import density_chart
from equity_core.charts.tradeoff.orders import orders_panel
from equity_core.charts.tradeoff.principles import (
    dumbbells_chart,
    dumbbells_template,
    over_path_marks,
    over_path_template,
)
from pages.shared import live, results
from pages.shared.compute import compute
from pages.shared.current import Current
from pages.shared.panels import body, figure, head, heading

# Alternative texts of charts that follow the slider stay the same while it moves: a browser builds
# a chart with another text again, which takes ten times as long as moving its marks. The sentence
# above the chart has the figures of the moment.
MOVED = (
    "The mean of each principle over learners, before and after, with ±1 standard deviation and the"
    " target; the table has the figures."
)
NAMES = (
    "Strategies over λ",
    "What a loss buys",
    "Principles over λ",
    "Relevance density",
    "List order",
)
HEADS = {
    NAMES[0]: ("One λ for all, by strategy", "strategies"),
    NAMES[2]: ("Each principle over λ", "principles_over_lam"),
}
"""Views of one chart that follows the slider: title and name. They are drawn by the script."""
MOVES = "Which principles move", "moved"


def tabs(cur: Current, place: Any) -> None:
    """Five views; the one that is chosen computes. No st.tabs: those go through everything in
    them at every move of the slider."""
    with place:
        view = st.segmented_control(
            "View",
            NAMES,
            key="tradeoff_tabs",
            default=NAMES[0],
            required=True,
            width="stretch",
            wrap=False,
            label_visibility="collapsed",
            persist_state="session",
        )
        algorithms = _algorithms(cur) if view in NAMES[:2] else [cur.algorithm]
        if view in HEADS:
            head(*HEADS[view])
    _shown(cur, view, algorithms, place=place)


@live.part
def _shown(cur: Current, view: str, algorithms: list[str]) -> Iterator[None]:
    views = _strategies, _bought, _principles, _density, _orders
    yield from dict(zip(NAMES, views, strict=True))[view](cur, algorithms)


def _algorithms(cur: Current) -> list[str]:
    """The recommenders to compare: the current one, and any others that are chosen."""
    others = [name for name in cur.bundle.algorithms if name != cur.algorithm]
    if not others:
        return [cur.algorithm]
    chosen = st.multiselect(
        "Compare with",
        others,
        format_func=label,
        key="beside",
        placeholder="add other recommenders",
        persist_state="session",
    )
    return [cur.algorithm, *(name for name in chosen if name in others)]


def _paths(
    cur: Current, algorithms: list[str], strategies: tuple[str, ...]
) -> dict[tuple[str, str], Any]:
    out = {}
    for algorithm in algorithms:
        for strategy in strategies:
            policy = cur.without
            if strategy != cur.policy.strategy:
                policy = policy.but(strategy=strategy, weights=None)
            out[algorithm, strategy] = results.path(cur, "lam", algorithm, policy)
    return out


def _lam(cur: Current) -> float | None:
    return cur.policy.lam if cur.policy.floor is None else None


def _strategies(cur: Current, algorithms: list[str]) -> Iterator[None]:
    found = _paths(cur, algorithms, curves.COMPARED_STRATEGIES)

    def build() -> Any:
        frame = curves.by_strategy(found)
        lines = curves.strategy_lines(frame)
        alt = curves.strategies_sentence(lines, None, cur.algorithm)
        return (
            frame,
            lines,
            strategy_grid(frame),
            compact(strategies_template(frame, cur.dark)),
            alt,
        )

    frame, lines, grid, spec, alt = results.template(
        cur, "strategies", build, tuple(algorithms), cur.without
    )
    lam = _lam(cur)
    now = results.evaluation(cur)
    exact: dict[tuple[str, str, str], float] = {}
    if lam is not None:
        line = cur.algorithm, cur.policy.strategy
        exact = {(*line, name): getattr(now, name) for name in curves.MEASURES}
    chart = with_data(
        spec, now=strategy_marks(grid, curves.lines_at_lam(lines, lam or 0.0, exact), lam)
    )
    words = curves.strategies_sentence(lines, lam, cur.algorithm, exact)
    yield
    title, name = HEADS[NAMES[0]]
    body(chart, title=title, sentence=words, alt=alt, frame=frame, name=name)


def _bought(cur: Current, algorithms: list[str]) -> Iterator[None]:
    lines = curves.COMPARED_STRATEGIES if len(algorithms) == 1 else (cur.policy.strategy,)
    found = _paths(cur, algorithms, lines)
    if len(algorithms) == 1:
        found = {**found, (cur.algorithm, "floor"): results.path(cur, "floor")}
    frame = curves.gains_for_loss(found)
    words = curves.gains_sentences(frame)
    yield
    for gain, name in (("gain_equality", "equality"), ("gain_consistency", "consistency")):
        title, sentence = f"What a loss of NDCG buys: {name}", words[gain]
        figure(
            gains_chart(frame, gain, cur.dark),
            title=title,
            sentence=sentence,
            alt=sentence,
            frame=frame,
            name=f"bought_{name}",
        )


def _principles(cur: Current, algorithms: list[str]) -> Iterator[None]:
    path = _paths(cur, algorithms, (cur.policy.strategy,))[cur.algorithm, cur.policy.strategy]
    names = list(cur.names)

    def build() -> Any:
        frame = principles.over_path(path, names)
        return frame, compact(over_path_template(frame, names, cur.dark))

    frame, spec = results.template(cur, "by_principle", build, cur.without)
    now = over_path_marks(frame, names, results.evaluation(cur).principles["mean"], _lam(cur))
    words = principles.over_lam_sentence(frame)
    chart = with_data(spec, now=now)
    yield
    title, name = HEADS[NAMES[2]]
    body(chart, title=title, sentence=words, alt=words, frame=frame, name=name)


def _density(cur: Current, algorithms: list[str]) -> Iterator[None]:
    frame = compute(cur, density.density, cur.bundle.algorithms)
    found = density.concentration(frame)
    path = _paths(cur, algorithms, (cur.policy.strategy,))[cur.algorithm, cur.policy.strategy]
    fall = steepest_fall(path, results.own(cur).evaluation.ndcg)
    warning = density.sensitivity_warning(found, cur.algorithm, fall)
    words = density.density_sentence(found, cur.algorithm)
    yield
    if warning:
        st.warning(warning)
    figure(
        density_chart(frame, cur.algorithm, cur.dark),
        title="How close together the scores lie",
        sentence=words,
        alt=words,
        frame=frame,
        name="density",
    )


def _orders(cur: Current, algorithms: list[str]) -> Iterator[None]:
    settings = algorithms[0], cur.measured, cur.split
    found = compute(cur, orders.orders, *settings, title="Making the lists in every way")
    words, panel = orders.orders_sentence(found), orders_panel(found.frame)
    yield
    heading("Order of the lists", words, frame=found.frame, name="orders")
    st.html(panel)
    st.caption(
        "Change: NDCG against the own lists. Ranked: top positions count more. Methods says how"
        " lists are made and ordered."
    )


def which_move(cur: Current, place: Any) -> None:
    """The dumbbells: every principle before and after."""
    with place:
        head(*MOVES)
    _dumbbells(cur, place=place)


@live.part
def _dumbbells(cur: Current) -> Iterator[None]:
    frame = principles.before_and_after(results.own(cur).evaluation, results.evaluation(cur))
    spec = results.template(
        cur,
        "dumbbells",
        lambda: compact(dumbbells_template(list(cur.names), cur.dark)),
        cur.names,
    )
    words = principles.before_and_after_sentence(frame)
    sentence = f"{words} Line: ±1 sd over learners; tick: target."
    chart = dumbbells_chart(spec, frame)
    yield
    title, name = MOVES
    body(chart, title=title, sentence=sentence, alt=MOVED, frame=frame, name=name)
