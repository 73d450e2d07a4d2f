"""Learners: what changes for a person?"""

import streamlit as st

from equity_core.analysis.audit import rank_discount
from equity_core.analysis.learners.lists import (
    before_after,
    course_columns,
    learner_principles,
    learner_sentence,
    past_summary,
    principles_sentence,
)
from equity_core.analysis.learners.phrases import principle_note
from equity_core.analysis.learners.population import (
    changes_by_tenth,
    gains_sentence,
    hits_sentence,
)
from equity_core.analysis.learners.reasons import left_table, picked_table, reasons
from equity_core.charts.learners.lists import LISTS_CSS, lists_panel
from equity_core.charts.learners.population import gains_by_tenth
from equity_core.charts.learners.principles import PRINCIPLES_CSS, principles_panel
from pages.parts.audit.evaluations import discounted_evaluation
from pages.parts.learners import certificate_panel, changes_of, cloud_panel, find_learner
from pages.shared import results, state
from pages.shared.current import current
from pages.shared.panels import draw_html, figure, heading, plain, question, table


def screen() -> None:
    """Draw the Learners screen."""
    cur = current()
    own, now = results.own(cur), results.result(cur)
    people = changes_of(cur)

    answer = st.container()
    learner = find_learner(cur, people)
    head, rest = learner_sentence(
        cur.bundle, own.run, now.run, (own.evaluation, now.evaluation), learner
    )
    with answer:
        question("What changes for a person?", f"**{plain(head)}** {plain(rest)}")
    st.caption(f"**Past:** {plain(past_summary(cur.bundle, learner))}")

    before, after = before_after(cur.bundle, own.run, now.run, learner, cur.split)
    why = reasons(cur.bundle, own.run, now.run, learner)
    # A least-loss floor uses no λ.
    used = cur.policy.floor is not None and why.edition != "floor" and len(after)
    words = state.describe(cur.policy) + (f", with λ = {why.lam:.2f}" if used else "")
    draw_html(
        lists_panel(before, after, why, course_columns(cur.bundle), words, cur.dark),
        LISTS_CSS,
        key="lists",
    )
    with st.container(horizontal=True):
        table(before, name="list_before", label="Before")
        table(picked_table(after, why), name="list_after", label="After, with reasons")
        table(
            left_table(cur.bundle, why),
            name="courses_that_left",
            label="Courses that left, and why",
        )

    proof = st.container(border=True)

    left, right = st.columns(2)
    with left, st.container(border=True, height="stretch"):
        slot = st.container()
        by_rank = st.toggle(
            "Weight top positions more",
            key="by_rank",
            help=rank_discount.HELP,
            persist_state="session",
        )
        was, now_is = (
            discounted_evaluation(cur, one) if by_rank else one.evaluation for one in (own, now)
        )
        changes = learner_principles(was, now_is, learner)
        if by_rank:
            st.caption(
                rank_discount.learner_discount_sentence(
                    (own.evaluation, was), (now.evaluation, now_is), learner
                )
            )
    with slot:
        heading(
            "This learner’s principles",
            plain(principles_sentence(changes)),
            frame=changes,
            name="learner_principles",
        )
        draw_html(
            principles_panel(
                changes, {p.name: principle_note(p) for p in cur.bundle.principles}, cur.dark
            ),
            PRINCIPLES_CSS,
            key="dumbbells",
        )
    with right, st.container(border=True, height="stretch"):
        tenths = changes_by_tenth(people)
        figure(
            gains_by_tenth(tenths, int(people["tenth"].iloc[learner]), cur.dark),
            title="Who gains, and who pays?",
            sentence=f"{gains_sentence(people)} {hits_sentence(people, cur.split)}",
            alt=(
                "Bars by tenth of the learners, worst-off first: mean gain in consistency upwards,"
                " mean change in NDCG downwards"
            ),
            frame=tenths,
            name="gains_by_tenth",
        )
        table(people, name="every_learner", label="Every learner")

    cloud_panel(cur, people, learner)

    with proof:
        # Drawn last, as it may have to be computed: the rest of the screen does not wait for it.
        certificate_panel(cur, now, learner)


if __name__ == "__main__":  # opened by a first deep link: docs/architecture.md, "A screen"
    from app import main

    main()
