"""Methods: what do these numbers mean?"""

import streamlit as st

from equity_core.analysis.data import provenance
from equity_core.analysis.methods import bounds_sentence, reach_frame, reach_sentence
from pages.parts.methods import METHODS, STYLE, TABLE_1, bounds, sections
from pages.shared import state
from pages.shared.current import current
from pages.shared.panels import heading, plain, question


def screen() -> None:
    """Draw the Methods screen."""
    cur = current()
    parts = sections()
    source = parts.pop("")
    question(
        "What do these numbers mean?",
        "**Consistency is how close a list comes to the targets, equality how similar that is"
        " across learners, NDCG how relevant the lists are.** Every formula is shown as printed in"
        " the paper and as computed here; the current policy is"
        f" {plain(state.describe(cur.policy))}.",
    )
    first = next(iter(parts))
    if st.session_state.get("section", first) not in parts:
        st.session_state["section"] = first
    section = st.segmented_control(
        "Section",
        list(parts),
        key="section",
        bind="query-params",
        default=first,
        required=True,
        label_visibility="collapsed",
    )

    # Keeps lines readably short. Formulas do not wrap, so on a phone every row of a table becomes a
    # small card.
    st.html(STYLE)
    with st.container(border=True, key="methods"):
        st.markdown(f"## {section}")
        st.markdown(parts[section])
        if section == "Principles":
            frame = provenance.principle_scales(cur.bundle)
            heading(
                "In this data set",
                plain(provenance.coverage_sentence(cur.bundle)),
                frame=frame,
                name="principles_of_this_data_set",
            )
            config = {
                "share_filled": st.column_config.ProgressColumn(
                    "filled in", format="percent", min_value=0, max_value=1
                )
            }
            st.dataframe(frame, column_config=config, key="scales")
        elif section == "Limits":
            frame = reach_frame(cur.bundle, cur.policy)
            heading(
                "Which targets can be met here",
                plain(reach_sentence(frame, cur.policy.k)),
                frame=frame,
                name="reachable_targets",
            )
            st.dataframe(frame, key="reach")
        elif section == TABLE_1:
            frame = bounds(cur)
            heading(
                "How unequal lists can be here",
                plain(bounds_sentence(frame, cur.policy.k)),
                frame=frame,
                name="bounds_on_equality",
            )
            st.dataframe(frame, key="bounds")
        elif section == "In short":
            st.caption(source)
    st.download_button(
        "Download all sections (Markdown)",
        METHODS.read_bytes(),
        "methods.md",
        "text/markdown",
        key="methods_md",
        icon=":material/download:",
    )


if __name__ == "__main__":  # opened by a first deep link: docs/architecture.md, "A screen"
    from app import main

    main()
