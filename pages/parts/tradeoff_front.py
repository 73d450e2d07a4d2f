"""The main picture of the Trade-off screen, and the chooser beside it."""

from __future__ import annotations

from typing import Any

import streamlit as st

from equity_core.audit import choose, paths, sentences, tradeoff
from equity_core.charts import front, panels
from equity_core.charts.live import packed
from pages.shared import cached, jobs, slider, state
from pages.shared.current import Current
from pages.shared.panels import figure

LOSS = "loss"
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


def limit() -> float:
    """The accepted loss of NDCG, as a share."""
    value = st.session_state.get(LOSS, 10)
    return min(max(float(value), 0.0), 100.0) / 100 if isinstance(value, int | float) else 0.1


def _picture(cur: Current, both: dict[str, Any], small: bool) -> Any:
    """Both paths in one frame, and the picture without its point, built once."""
    own, share = cached.own(cur).evaluation, limit()

    def build(_: Any, *settings: Any) -> Any:
        rows = paths.joined(both["lam"], both["floor"])
        picture = front.front(rows, {"ndcg": own.ndcg, "equality": own.equality}, limit=share, k=cur.policy.k, dark=cur.dark, small=small)
        return rows, packed(picture)

    build.__qualname__ = "front"
    return cached.keep(cur, build, cur.algorithm, cur.policy.but(lam=0.0, floor=None), cur.split, share, cur.dark, small)


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
        sentence=words if small else f"{words} Click a point to use it.",
        alt=tradeoff.picture_words(both, now.ndcg, now.equality),
        frame=rows,
        name="front_small" if small else "front",
        on_select=_clicked if "params" in spec else "ignore",
    )


def _clicked() -> None:
    picked = st.session_state[KEY].selection.get("pick") or []
    if picked:
        (state.use_floor if picked[0]["kind"] == "floor" else state.use_lam)(float(picked[0]["value"]))


def chooser(cur: Current, both: dict[str, Any]) -> None:
    """From the loss one accepts to the best floor and the best λ within it, a button each; and both sides of the truth."""
    left, right = st.columns([3, 2], vertical_alignment="center")
    left.markdown("## I accept at most  \n:small[this loss of NDCG, in per cent]")
    st.session_state.setdefault(LOSS, 10)
    right.number_input(
        "Loss of NDCG in per cent", 0, 100, step=1, key=LOSS, bind="query-params", label_visibility="collapsed", icon=":material/percent:"
    )
    own = cached.own(cur).evaluation
    start = cached.evaluation(cur, policy=cur.own, split=cur.choosing_split).ndcg
    best = {kind: choose.best_within(path, limit(), start) for kind, path in both.items()}
    for kind, hue in (("floor", "floor"), ("lam", "lam")):
        row = best[kind]
        if row is None:
            st.info(tradeoff.no_choice(kind, limit(), own.ndcg))
            continue
        value = float(row["value"])
        name = sentences.name(kind, value)
        st.html(panels.option(name if value or kind == "floor" else "λ = 0: own lists", hue, tradeoff.option(row, own, cur.policy.k)))
        in_use = tradeoff.kind_of(cur.policy) == (kind, value)
        st.button(
            f"In use: {name}" if in_use else f"Use {name}", key=f"use_{kind}", icon=":material/check:" if in_use else None, width="stretch",
            disabled=in_use, on_click=state.use_floor if kind == "floor" else state.use_lam, args=(value,),
        )  # fmt: skip
    st.caption(tradeoff.both_sides(both["lam"], best["floor"]) + tradeoff.chosen_on(cur.choosing_split, cur.split))
    st.download_button(
        "Take the policy away (JSON)", cur.policy.to_json(), "policy.json", "application/json", key="policy_json",
        icon=":material/download:", width="stretch", on_click="ignore",
    )  # fmt: skip
