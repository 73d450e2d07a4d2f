"""Audit: how unequal is it today?"""

from typing import Any

import streamlit as st

import equity_core as eq
from equity_core.analysis.audit import recommenders, worst_off
from equity_core.analysis.audit.principles import principles_by_algorithm, principles_sentence
from equity_core.analysis.audit.spread import (
    lorenz_curves,
    lorenz_sentence,
    sorted_consistency,
    sorted_consistency_sentence,
)
from equity_core.analysis.words import count
from equity_core.charts.audit.principles import principle_grid
from equity_core.charts.audit.spread import lorenz_gap_lines, lorenz_lines, sorted_curves
from pages.parts.audit.evaluations import evaluations, interval_frames
from pages.parts.audit.recommender_table import recommenders_panel
from pages.parts.audit.tabs import BARS, TABS
from pages.shared import results
from pages.shared.current import Current, current
from pages.shared.panels import figure, heading, plain, question

Measured = dict[str, eq.Evaluation]
"""By recommender: the measures of its own lists."""


def screen() -> None:
    """The screen."""
    cur = current()
    measured = evaluations(cur)
    overall = results.frame(cur, recommenders.table, measured, interval_frames(cur, measured))
    head, rest = recommenders.audit_answer(overall, cur.algorithm)
    question("How unequal is it today?", f"**{plain(head)}** {plain(rest)}")

    left, right = st.columns([13, 8])
    with left.container(border=True, height="stretch"):
        recommenders_panel(cur, measured, overall)
    with right.container(border=True, height="stretch"):
        _curves(cur, measured, overall)
    with st.container(border=True):
        _worst_off(cur, measured[cur.algorithm])
    with st.container(border=True):
        _principles(cur, measured)
    for tab, fill in zip(
        st.tabs(list(TABS), key="audit_tab", on_change="rerun"), TABS.values(), strict=True
    ):
        if tab.open:
            with tab:
                fill(cur, measured, overall)


def _curves(cur: Current, measured: Measured, overall: Any) -> None:
    """Consistency over learners: sorted (figure 3a), or as a Lorenz curve."""
    chosen = cur.algorithm
    views = {
        "Sorted": (
            sorted_curves,
            sorted_consistency,
            "Every learner, sorted by consistency",
            sorted_consistency_sentence(overall, chosen),
        ),
        "Lorenz": (
            lorenz_lines,
            lorenz_curves,
            "Lorenz curve of consistency",
            lorenz_sentence(measured, chosen),
        ),
        "Zoomed in": (
            lorenz_gap_lines,
            lorenz_curves,
            "Lorenz curve, zoomed in",
            lorenz_sentence(measured, chosen),
        ),
    }
    slot = st.container()
    view = st.segmented_control(
        "Curve",
        list(views),
        default="Sorted",
        key="curve",
        required=True,
        label_visibility="collapsed",
    )
    draw, make, title, said = views[view]
    curves = results.frame(cur, make, measured)
    with slot:
        figure(
            results.picture(cur, draw, curves, chosen, by=(chosen,)),
            title=title,
            sentence=plain(said),
            alt=f"{title}. {said}",
            frame=curves,
            name="curves",
        )


def _worst_off(cur: Current, measured: eq.Evaluation) -> None:
    """The worst-off tenth of the chosen recommender, in words and numbers."""
    chosen, lists = cur.algorithm, results.own(cur).run.courses
    numbers = results.frame(
        cur, worst_off.worst_off_numbers, cur.bundle, lists, measured, by=(chosen,)
    )
    words, *columns = st.columns([2.3, *([1] * len(numbers))])
    with words.container():
        many = count(int(worst_off.tenth_and_others(measured)["learners"]), "learner")
        said = results.frame(
            cur, worst_off.worst_off_sentence, cur.bundle, lists, measured, by=(chosen,)
        )
        gap = results.frame(
            cur, worst_off.gap_by_principle, cur.bundle, lists, measured, by=(chosen,)
        )
        heading(f"The worst-off tenth: {many}", plain(said), frame=gap, name="worst_off_tenth")
    for column, number in zip(columns, numbers, strict=True):
        with column:
            name = (
                f"NDCG@{cur.policy.k}" if number["name"] == "NDCG" else number["name"].capitalize()
            )
            st.metric(
                plain(name),
                number["value"],
                f"others {number['others']}",
                delta_color="off",
                delta_arrow="off",
            )
            st.caption(plain(number["note"]))


def _principles(cur: Current, measured: Measured) -> None:
    """Every principle for every recommender (figures 4 and 5)."""
    chosen = cur.algorithm
    by_algorithm = results.frame(cur, principles_by_algorithm, measured)
    slot, ways = st.container(), {"algorithm": "By recommender", "principle": "By principle"}
    way = st.segmented_control(
        "Arrange",
        list(ways),
        default="algorithm",
        format_func=ways.__getitem__,
        key="grid",
        required=True,
        label_visibility="collapsed",
    )
    said = principles_sentence(by_algorithm)
    with slot:
        figure(
            results.picture(cur, principle_grid, by_algorithm, chosen, way, by=(chosen, way)),
            title="Where the gap comes from",
            sentence=f"{plain(said)} {BARS}",
            alt=f"Each principle for each recommender. {said}",
            frame=by_algorithm,
            name="principles",
        )


if __name__ == "__main__":  # opened by a first deep link: docs/architecture.md, "A screen"
    from app import main

    main()
