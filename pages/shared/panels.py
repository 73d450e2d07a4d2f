"""What every screen is built of: the question with its answer, cards, figures with their table, tables."""

from __future__ import annotations

from html import escape
from typing import Any

import streamlit as st

from equity_core.charts import panels
from pages.shared import shell
from pages.shared.current import current


def question(title: str, sentence: str = "") -> None:
    """The title of a screen, with the status line, and under it the answer in one generated sentence (Markdown), unless that is a part
    of its own."""
    st.title(title, anchor=False)
    st.html(f'<div class="eq eq-status">{escape(shell.status(current()))}</div>')  # beside the title where there is room
    if sentence:
        st.markdown(sentence)


def cards(made: list[dict[str, Any]]) -> None:
    """Cards beside each other, as audit.tradeoff.cards makes them. One piece of HTML: they all follow the slider, at every move."""
    st.html(panels.cards([panels.card(*one["words"], tone=one["tone"], picture=panels.strip(*one["strip"])) for one in made]))


def heading(title: str, sentence: str = "", *, frame: Any = None, name: str = "") -> None:
    """The title of a figure, the button of its table at the right, and the generated sentence (Markdown) under both."""
    with st.container(horizontal=True, gap=None, key=f"head_{name or title}"):  # the shell puts the button into the corner
        st.markdown(f"## {title}\n\n{sentence}")  # one element: a browser goes through all of them several times at every move
        if frame is not None:
            table(frame, name=name)


def figure(
    chart: Any, *, title: str, sentence: str, alt: str, frame: Any, name: str, on_select: Any = "ignore", height: Any = "content"
) -> Any:  # fmt: skip
    """A chart under its title and generated sentence, with its table and CSV one click away. ``name`` is the key and the file's name.

    Altair (drawn with the project's own theme: call ``theme.style`` on it), a Vega-Lite specification (``charts.live``), or Plotly.
    """
    heading(title, sentence, frame=frame, name=name)
    if isinstance(chart, dict):
        out = st.vega_lite_chart(None, chart, key=f"chart_{name}", alt=alt, theme=None, on_select=on_select, height=height)
    elif type(chart).__module__.startswith("plotly"):
        out = st.plotly_chart(chart, key=f"chart_{name}", alt=alt, theme="streamlit", on_select=on_select)
    else:
        out = st.altair_chart(chart, key=f"chart_{name}", alt=alt, theme=None, on_select=on_select, height=height)
    return out


def table(frame: Any, *, name: str, label: str = "Table") -> None:
    """A popover with the frame and its CSV; nothing is sent to the browser before it is opened."""
    opened = st.popover(label, icon=":material/table:", type="tertiary", key=f"table_{name}", on_change="rerun", width="content")
    if opened.open:
        with opened:
            st.dataframe(frame, key=f"frame_{name}")
            st.download_button("CSV", frame.to_csv().encode(), f"{name}.csv", "text/csv", key=f"csv_{name}", on_click="ignore")
