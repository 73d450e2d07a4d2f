"""The main picture of the Trade-off screen."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import streamlit as st

from equity_core.analysis.tradeoff import front, headline, paths, published
from equity_core.analysis.words import few_learners_note
from equity_core.charts.base.templates import compact
from equity_core.charts.tradeoff.front import front_chart, front_template
from pages.parts.choosing import chooser
from pages.shared import live, results, state
from pages.shared.compute import compute
from pages.shared.current import Current
from pages.shared.panels import body, cards, head

KEY = "chart_front"


@live.part
def answer(cur: Current) -> Iterator[None]:
    """The answer in a sentence, and the three cards."""
    own, now = results.own(cur), results.result(cur)
    compared = results.comparison(cur)
    words = headline.answer_sentence(compared, cur.policy, own.run, now.run) + _other_kind(
        cur, results.both_paths(cur)
    )
    made = headline.cards(compared, cur.policy.k)
    changed = headline.changed_ndcg(now.evaluation, own.evaluation)
    yield
    st.markdown(words + few_learners_note(len(cur.bundle.learner_ids), changed))
    cards(made)


def _other_kind(cur: Current, both: dict[str, Any]) -> str:
    """What the other kind of policy gives at the same NDCG, as a sentence."""
    kind, _ = headline.policy_kind(cur.policy)
    now = results.evaluation(cur)
    other = both["lam" if kind == "floor" else "floor"]
    return headline.other_kind_sentence(
        kind, paths.crossing(other, now.ndcg, "ndcg", "equality"), now.equality
    )


def _picture(cur: Current, both: dict[str, Any], small: bool, beside: Any) -> Any:
    """Both paths in one frame, in words, and as a picture without its point: built once.
    ``beside``: the paths of published methods, or None."""
    answers = [] if small else chooser.marks(cur)

    def build() -> Any:
        own = results.own(cur).evaluation
        rows, start = (
            paths.both_in_one(both["lam"], both["floor"]),
            {"ndcg": own.ndcg, "equality": own.equality},
        )
        share = chooser.limit() if small or chooser.question() == chooser.MAXIMUM_LOSS else None
        chart = front_template(
            rows,
            start,
            limit=share,
            answers=answers,
            k=cur.policy.k,
            dark=cur.dark,
            small=small,
            published=beside,
        )
        return rows, front.alternative_text(both, beside), compact(chart)

    return results.template(cur, "front", build, chooser.settings(cur), small, beside is not None)


TITLE = "What each policy buys, and what it costs"


def picture(cur: Current, place: Any, *, small: bool = False) -> None:
    """Both paths, the limit, the current point, what beats it. A click on a point sets the
    slider."""
    compared = False
    with place:
        head(TITLE, "front_small" if small else "front")
        chart = st.container()
        if not small:
            compared = st.toggle(
                "Published methods",
                key="published",
                help="Calibrated re-ranking (Steck 2018), MMR, xQuAD and Gini welfare (Do and"
                " Usunier 2022) on the same candidates, each over its own trade-off. Methods has"
                " the formulas.",
                persist_state="session",
            )
    _points(cur, small, compared, place=chart)
    if not small:
        live.draw_last(partial(_floor_against_lam, cur), place)


def _published(cur: Current) -> Any:
    """The paths of the published methods; the policy's own weights make no difference to them."""
    policy = cur.without.but(strategy="glob", weights=None)
    title = "Computing the published methods"
    return compute(cur, published.published_paths, cur.algorithm, policy, cur.split, title=title)


@live.part
def _points(cur: Current, small: bool, compared: bool) -> Iterator[None]:
    now, (kind, _) = results.evaluation(cur), headline.policy_kind(cur.policy)
    both = results.both_paths(cur)
    beside = _published(cur) if compared else None
    rows, alt, spec = _picture(cur, both, small, beside)
    better = paths.dominating(rows, now.ndcg, now.equality)
    gap = front.gap_to_other_path(now, both["lam" if kind == "floor" else "floor"])
    spec = front_chart(spec, front.current_point(cur.policy, now), gap, better)
    words = f"Up and to the right is better. {front.better_policies_sentence(better)}"
    words += front.sample_sentence(rows, len(cur.bundle.learner_ids))
    if not small and chooser.answers(cur):
        words += " Large marks are the chooser's answers."
    table = rows
    if beside is not None:
        own = results.own(cur).evaluation
        words += f" {published.published_sentence(beside, both, cur.policy, own, now)}"
        table = front.with_published(rows, beside)
    yield
    body(
        spec,
        title=TITLE,
        sentence=words if small else f"{words} Click a point to use it.",
        alt=alt,
        frame=table,
        name="front_small" if small else "front",
        on_select=_clicked if "params" in spec else "ignore",
    )


def _floor_against_lam(cur: Current) -> None:
    if sentence := chooser.floor_against_lam(cur):
        st.caption(sentence)


def _clicked() -> None:
    picked = st.session_state[KEY].selection.get("pick") or []
    if picked:
        (state.use_floor if picked[0]["kind"] == "floor" else state.use_lam)(
            float(picked[0]["value"])
        )
        st.rerun()
