"""The main picture of the Trade-off screen."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import streamlit as st

from equity_core.analysis.tradeoff import headline as tradeoff
from equity_core.analysis.tradeoff import paths, sentences
from equity_core.analysis.tradeoff import reading as choose
from equity_core.analysis.words import few_learners_note
from equity_core.charts.base.templates import packed
from equity_core.charts.tradeoff import front
from pages.parts.choosing import chooser
from pages.shared import live, results, state
from pages.shared.current import Current
from pages.shared.panels import body, cards, head

KEY = "chart_front"


@live.part
def answer(cur: Current) -> Iterator[None]:
    """The answer in a sentence, and the three cards."""
    own, now = results.own(cur), results.result(cur)
    found = results.comparison(cur)
    words = tradeoff.answer(found, cur.policy, own.run, now.run) + _other_way(
        cur, results.both_paths(cur)
    )
    made = tradeoff.cards(found, cur.policy.k)
    yield
    st.markdown(words + few_learners_note(len(cur.bundle.learner_ids)))
    cards(made)


def _other_way(cur: Current, both: dict[str, Any]) -> str:
    """What the other kind of policy gives at the same NDCG, as a sentence."""
    kind, _ = tradeoff.kind_of(cur.policy)
    now = results.evaluation(cur)
    other = both["lam" if kind == "floor" else "floor"]
    return sentences.other_kind(
        kind, choose.crossing(other, now.ndcg, "ndcg", "equality"), now.equality
    )


def _picture(cur: Current, both: dict[str, Any], small: bool) -> Any:
    """Both paths in one frame, in words, and as a picture without its point: built once."""
    answers = [] if small else chooser.marks(cur)

    def build() -> Any:
        own = results.own(cur).evaluation
        rows, start = (
            paths.joined(both["lam"], both["floor"]),
            {"ndcg": own.ndcg, "equality": own.equality},
        )
        share = chooser.limit() if small or chooser.question() == chooser.WITHIN else None
        chart = front.front(
            rows, start, limit=share, answers=answers, k=cur.policy.k, dark=cur.dark, small=small
        )
        return rows, tradeoff.picture_words(both), packed(chart)

    return results.template(cur, "front", build, chooser.settings(cur), small)


TITLE = "What each policy buys, and what it costs"


def picture(cur: Current, place: Any, *, small: bool = False) -> None:
    """Both paths, the limit, the current point, what beats it. A click on a point sets the
    slider."""
    with place:
        head(TITLE, "front_small" if small else "front")
    _points(cur, small, place=place)
    if not small:
        live.later(partial(_both_sides, cur), place)


@live.part
def _points(cur: Current, small: bool) -> Iterator[None]:
    now, (kind, _) = results.evaluation(cur), tradeoff.kind_of(cur.policy)
    both = results.both_paths(cur)
    rows, alt, spec = _picture(cur, both, small)
    better = choose.dominating(rows, now.ndcg, now.equality)
    gap = tradeoff.gap(cur.policy, now, both["lam" if kind == "floor" else "floor"])
    spec = front.at(spec, tradeoff.here(cur.policy, now), gap, better)
    words = (
        "Up and to the right is better."
        f" {tradeoff.beaten(better)}{tradeoff.sampled(rows, len(cur.bundle.learner_ids))}"
    )
    if not small and chooser.answers(cur):
        words += " Large marks answer what is asked."
    yield
    body(
        spec,
        title=TITLE,
        sentence=words if small else f"{words} Click a point to use it.",
        alt=alt,
        frame=rows,
        name="front_small" if small else "front",
        on_select=_clicked if "params" in spec else "ignore",
    )


def _both_sides(cur: Current) -> None:
    if truth := chooser.both_sides(cur):
        st.caption(truth)


def _clicked() -> None:
    picked = st.session_state[KEY].selection.get("pick") or []
    if picked:
        (state.use_floor if picked[0]["kind"] == "floor" else state.use_lam)(
            float(picked[0]["value"])
        )
        st.rerun()
