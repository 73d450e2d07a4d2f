"""How sensitive the choice within the loss limit is to other settings: one small table, computed
when it is opened."""

from __future__ import annotations

import streamlit as st

from equity_core.algorithms import label
from equity_core.analysis.choosing import sensitivity
from pages.parts.choosing.chooser import limit
from pages.shared.compute import compute
from pages.shared.current import Current
from pages.shared.panels import heading, plain


def draw(cur: Current) -> None:
    """The table, in a part of the screen that opens."""
    opened = st.expander(
        "Does the choice depend on the settings? k, strategy, relevance scale, scale of"
        " manageability",
        icon=":material/tune:",
        key="sensitivity",
        on_change="rerun",
    )
    if not opened.open:
        return
    with opened:
        settings = cur.algorithm, cur.without, cur.split, cur.choosing_split, limit()
        title = "Choosing again under other settings"
        frame = compute(cur, sensitivity.sensitivity, *settings, title=title, slow=True)
        sentence = sensitivity.sensitivity_sentence(frame, limit())
        sentence = f"{sentence} {sensitivity.missing_sentence(frame)}".strip()
        heading(
            f"How sensitive the choice is: {plain(label(cur.algorithm))}",
            plain(sentence),
            frame=frame,
            name="sensitivity",
        )
        number, text = st.column_config.NumberColumn, st.column_config.TextColumn
        config = {
            "setting": text("Setting", pinned=True),
            "value": text("Value", pinned=True),
            "in_use": st.column_config.CheckboxColumn("In use"),
            "floor": number("Best floor", format="%.3f"),
            "floor_change": number("change", format="%+.3f"),
            "floor_equality": number("its equality", format="%.3f"),
            "floor_loss": number("its NDCG lost", format="%.1f %%"),
            "lam": number("Best λ", format="%.3f"),
            "lam_change": number("change", format="%+.3f"),
            "lam_equality": number("its equality", format="%.3f"),
            "lam_loss": number("its NDCG lost", format="%.1f %%"),
        }
        st.dataframe(
            sensitivity.sensitivity_table(frame),
            column_config=config,
            column_order=list(config),
            hide_index=True,
            height="content",
            key="sensitivity_table",
        )
        st.caption(sensitivity.reading_note(cur.split, cur.choosing_split))
