"""Decisions: what did we choose, and why?"""

import streamlit as st

from equity_core.analysis.decisions.scenarios import (
    caveats,
    comparison_sentence,
    paired_sentence,
)
from equity_core.analysis.words import few_learners_note
from equity_core.charts.decisions import SCENARIOS_CSS, scenarios_panel, scenarios_plane
from pages.parts.choosing import sensitivity
from pages.parts.decisions import (
    available_scenarios,
    choose_scenarios,
    compared_table,
    exchange_panel,
    measured_scenarios,
    paired_table,
)
from pages.shared.current import current
from pages.shared.panels import draw_html, figure, heading, plain, question


def screen() -> None:
    """Draw the Decisions screen."""
    cur = current()
    answer = st.container()
    options = available_scenarios(cur)
    chosen = choose_scenarios(cur, options)
    measured = measured_scenarios(cur, chosen)
    if not measured:
        with answer:
            question("What did we choose, and why?", "No scenario is chosen.")
        st.info(
            "Choose two to five scenarios above. “Save” in the sidebar keeps the current policy"
            " under a name."
        )
    else:
        frame = compared_table(cur, chosen, measured)
        with answer:
            question("What did we choose, and why?", plain(comparison_sentence(frame, measured)))
        for note in caveats(frame, measured):
            st.warning(note)
        left, right = st.columns([7, 5])
        with left, st.container(border=True, height="stretch"):
            heading(
                "Side by side",
                "Changes are relative to the same recommender’s own lists; brackets hold 95 %"
                " bootstrap intervals. The best value in each row is"
                f" underlined.{few_learners_note(len(cur.bundle.learner_ids))}",
                frame=frame,
                name="scenarios",
            )
            names = list(dict.fromkeys(name for one in measured for name in one.evaluation.names))
            draw_html(scenarios_panel(frame, names, cur.dark), SCENARIOS_CSS, key="side_by_side")
        with right, st.container(border=True, height="stretch"):
            figure(
                scenarios_plane(frame, cur.dark),
                title="Relevance and equality",
                sentence=(
                    "Up and to the right is better. Squares: floors, circles: one λ, diamonds: own"
                    " lists. Thin lines: 95 % intervals."
                ),
                alt=(
                    "Scenarios as points by NDCG and equality, each with a line to its"
                    " recommender's own lists"
                ),
                frame=frame.filter(
                    regex="^(recommender|policy|(ndcg|equality)(_own|_low|_high)?$)"
                ),
                name="scenarios_plane",
            )
            if len(measured) > 1:
                head = st.container()
                one, two = st.columns(2)
                names = [option.name for option in chosen]
                first = one.selectbox("From", names, key="paired_from")
                second = two.selectbox("To", names, key="paired_to", index=1)
                pair = paired_table(cur, chosen[names.index(first)], chosen[names.index(second)])
                with head:
                    sentence = plain(paired_sentence(pair, first, second))
                    heading(
                        "Do two scenarios differ?", sentence, frame=pair, name="paired_comparison"
                    )

    sensitivity.draw(cur)

    with st.container(border=True):
        heading("Export or import a scenario", "As a file, as a link, or into the sidebar.")
        exchange_panel(cur, options)


if __name__ == "__main__":  # opened by a first deep link: docs/architecture.md, "A screen"
    from app import main

    main()
