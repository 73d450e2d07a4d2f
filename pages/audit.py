"""Audit: how unequal is it today?"""

import streamlit as st

from equity_core.analysis.audit import rank_discount, recommenders, worst_off
from equity_core.analysis.audit.principles import principles_by_algorithm, principles_sentence
from equity_core.analysis.audit.spread import (
    lorenz_curves,
    lorenz_sentence,
    sorted_consistency,
    sorted_consistency_sentence,
)
from equity_core.analysis.words import count, few_learners_note
from equity_core.charts.audit.principles import principle_grid
from equity_core.charts.audit.spread import lorenz_gap_lines, lorenz_lines, sorted_curves
from pages.parts.audit.evaluations import (
    discounted_evaluations,
    evaluations,
    interval_frames,
)
from pages.parts.audit.recommender_table import bar_ends_sentence, recommender_table
from pages.parts.audit.tabs import BARS, TABS
from pages.shared import results
from pages.shared.current import current
from pages.shared.panels import figure, heading, plain, question


def screen() -> None:
    """The screen."""
    cur = current()
    dark, chosen = cur.dark, cur.algorithm
    found = evaluations(cur)
    measured, lists = found[chosen], results.own(cur).run.courses
    overall = results.frame(cur, recommenders.table, found, interval_frames(cur, found))
    head, rest = recommenders.audit_answer(overall, chosen)
    question("How unequal is it today?", f"**{plain(head)}** {plain(rest)}")

    def choose(algorithm: str) -> None:
        """A row of the table was clicked: the sidebar's recommender follows."""
        st.session_state["algo"] = algorithm

    left, right = st.columns([13, 8])
    with left.container(border=True, height="stretch"):
        shown, said = overall, ""
        if st.session_state.get("by_rank"):
            other = discounted_evaluations(cur)
            shown = results.frame(
                cur, recommenders.table, other, interval_frames(cur, other), by=("position",)
            )
            change = results.frame(
                cur, rank_discount.discount_change, measured, other[chosen], by=(chosen,)
            )
            name = str(overall.loc[chosen, "label"])
            said = (
                f"{rank_discount.discount_change_sentence(change, name)}"
                f" {rank_discount.equality_order_sentence(overall, shown)}"
            )
        paper = recommenders.with_paper(shown) if st.session_state.get("paper") else None
        heading(
            "Recommenders before re-ranking",
            f"Their own lists{', with top positions weighted more' if said else ''}. Choose a row"
            f" to audit that recommender. {bar_ends_sentence(shown)} Small print: 95 % bootstrap"
            f" intervals over learners.{few_learners_note(len(cur.bundle.learner_ids))}",
            frame=shown if paper is None else paper,
            name="recommenders",
        )
        recommender_table(shown, chosen, cur.policy.k, dark, paper, key="table1", on_choose=choose)
        if said:
            st.caption(plain(said))
        if paper is not None:
            st.caption(recommenders.paper_sentence(shown))
        with st.container(horizontal=True):
            st.toggle("The paper's values", key="paper", persist_state="session")
            st.toggle(
                "Weight top positions more",
                key="by_rank",
                help=rank_discount.HELP,
                persist_state="session",
            )

    VIEWS = {
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
            lorenz_sentence(found, chosen),
        ),
        "Zoomed in": (
            lorenz_gap_lines,
            lorenz_curves,
            "Lorenz curve, zoomed in",
            lorenz_sentence(found, chosen),
        ),
    }
    with right.container(border=True, height="stretch"):
        slot = st.container()
        view = st.segmented_control(
            "Curve",
            list(VIEWS),
            default="Sorted",
            key="curve",
            required=True,
            label_visibility="collapsed",
        )
        draw, make, title, said = VIEWS[view]
        curves = results.frame(cur, make, found)
        with slot:
            figure(
                results.picture(cur, draw, curves, chosen, by=(chosen,)),
                title=title,
                sentence=plain(said),
                alt=f"{title}. {said}",
                frame=curves,
                name="curves",
            )

    with st.container(border=True):
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
                    f"NDCG@{cur.policy.k}"
                    if number["name"] == "NDCG"
                    else number["name"].capitalize()
                )
                st.metric(
                    plain(name),
                    number["value"],
                    f"others {number['others']}",
                    delta_color="off",
                    delta_arrow="off",
                )
                st.caption(plain(number["note"]))

    with st.container(border=True):
        by_algorithm = results.frame(cur, principles_by_algorithm, found)
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

    for tab, fill in zip(
        st.tabs(list(TABS), key="audit_tab", on_change="rerun"), TABS.values(), strict=True
    ):
        if tab.open:
            with tab:
                fill(cur, found, overall)


if __name__ == "__main__":  # opened by a first deep link: docs/architecture.md, "A screen"
    from app import main

    main()
