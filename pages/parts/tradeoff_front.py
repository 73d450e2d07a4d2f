"""The main picture of the Trade-off screen."""

from __future__ import annotations

from typing import Any

import streamlit as st

from equity_core.audit import choose, paths, sentences, tradeoff
from equity_core.charts import front
from equity_core.charts.live import packed
from pages.parts import chooser
from pages.shared import cached, jobs, slider, state
from pages.shared.current import Current
from pages.shared.panels import figure

KEY = "chart_front"


def both_paths(cur: Current) -> dict[str, Any]:
    """The path of one λ and the path of the floor, computed once for each policy but its λ or floor."""
    titles = {"lam": "Computing the path of λ", "floor": "Computing the path of the floor"}
    return {kind: jobs.result(cur, title, *slider.path_of(cur, kind)) for kind, title in titles.items()}


def other_way(cur: Current, both: dict[str, Any]) -> str:
    """What the other kind of policy gives at the same NDCG, as a sentence."""
    kind, _ = tradeoff.kind_of(cur.policy)
    now = cached.evaluation(cur)
    other = both["lam" if kind == "floor" else "floor"]
    return sentences.other_kind(kind, choose.crossing(other, now.ndcg, "ndcg", "equality"), now.equality)


def _picture(cur: Current, both: dict[str, Any], small: bool) -> Any:
    """Both paths in one frame, and the picture without its point, built once."""
    own = cached.own(cur).evaluation
    share = chooser.limit() if small or chooser.question() == chooser.WITHIN else None
    answers = [] if small else chooser.marks(cur)

    def build(_: Any, *settings: Any) -> Any:
        rows, start = paths.joined(both["lam"], both["floor"]), {"ndcg": own.ndcg, "equality": own.equality}
        return rows, packed(front.front(rows, start, limit=share, answers=answers, k=cur.policy.k, dark=cur.dark, small=small))

    build.__qualname__ = "front"
    return cached.keep(cur, build, chooser.settings(cur), cur.dark, small)


def picture(cur: Current, both: dict[str, Any], *, small: bool = False) -> None:
    """Both paths, the limit, the current point, what beats it. A click on a point sets the slider."""
    now, (kind, _) = cached.evaluation(cur), tradeoff.kind_of(cur.policy)
    rows, spec = _picture(cur, both, small)
    better = choose.dominating(rows, now.ndcg, now.equality)
    gap = tradeoff.gap(cur.policy, now, both["lam" if kind == "floor" else "floor"])
    spec = front.at(spec, tradeoff.here(cur.policy, now), gap, better)
    words = f"Up and to the right is better. {tradeoff.beaten(better)}{tradeoff.sampled(rows, len(cur.bundle.learner_ids))}"
    figure(
        spec,
        title="What each policy buys, and what it costs",
        sentence=words
        if small
        else f"{words}{' Large marks answer what is asked.' if chooser.answers(cur) else ''} Click a point to use it.",
        alt=tradeoff.picture_words(both),
        frame=rows,
        name="front_small" if small else "front",
        on_select=_clicked if "params" in spec else "ignore",
    )
    if not small and (truth := chooser.both_sides(cur)):
        st.caption(truth)


def _clicked() -> None:
    picked = st.session_state[KEY].selection.get("pick") or []
    if picked:
        (state.use_floor if picked[0]["kind"] == "floor" else state.use_lam)(float(picked[0]["value"]))
