"""What every screen is built of: the question with its answer, cards, figures with their table,
tables, panels of HTML, and names from the data as plain text."""

from __future__ import annotations

import re
from html import escape
from typing import Any

import streamlit as st

from equity_core.charts.base import panels
from pages.shared import shell
from pages.shared.current import current

_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~$:])")
_JS = """
export default function (component) {
  const { data, parentElement } = component
  const box = parentElement.querySelector(".box")
  if (!box) return
  const made = `<style>${data.css}</style>${data.html}`
  if (box.dataset.made !== made) {
    box.innerHTML = made
    box.dataset.made = made
  }
}
"""
_PANEL = st.components.v2.component("markup", html='<div class="box"></div>', js=_JS)


def question(title: str, sentence: str = "") -> None:
    """The title of a screen, with the status line, and under it the answer in one generated
    sentence (Markdown), unless that is a part of its own."""
    st.title(title, anchor=False)
    st.html(
        f'<div class="eq eq-status">{escape(shell.status(current()))}</div>'
    )  # beside the title where there is room
    if sentence:
        st.markdown(sentence)


def cards(made: list[dict[str, Any]]) -> None:
    """Cards beside each other, as audit.tradeoff.cards makes them. One piece of HTML: they all
    follow the slider, at every move."""
    st.html(
        panels.cards(
            [
                panels.card(*one["words"], tone=one["tone"], picture=panels.strip(*one["strip"]))
                for one in made
            ]
        )
    )


def head(title: str, name: str = "") -> None:
    """The title of a figure, with the button of its table at the right of it if the figure has a
    ``name``; then comes ``body``.

    On a screen that follows the slider the script draws this, and only the body is a part.
    """
    st.markdown(f"## {title}")
    if name:
        _button("Table", f"corner_{name}")  # the shell moves it up, beside the title


def body(
    chart: Any,
    *,
    title: str,
    sentence: str,
    alt: str,
    frame: Any,
    name: str,
    on_select: Any = "ignore",
    height: Any = "content",
) -> Any:
    """What stands below the head: the generated sentence and the chart. ``name`` is the key and the
    file's name of the table.

    Altair (drawn with the project's own theme: call ``theme.style`` on it), a Vega-Lite
    specification (``charts.live``), or Plotly.
    """
    _below(title, sentence, frame, name)
    if isinstance(chart, dict):
        out = st.vega_lite_chart(
            None,
            chart,
            key=f"chart_{name}",
            alt=alt,
            theme=None,
            on_select=on_select,
            height=height,
        )
    elif type(chart).__module__.startswith("plotly"):
        out = st.plotly_chart(
            chart, key=f"chart_{name}", alt=alt, theme="streamlit", on_select=on_select
        )
    else:
        out = st.altair_chart(
            chart, key=f"chart_{name}", alt=alt, theme=None, on_select=on_select, height=height
        )
    return out


def figure(chart: Any, *, title: str, name: str, **told: Any) -> Any:
    """A chart under its title and generated sentence, with its table and CSV one click away: head
    and body."""
    head(title, name)
    return body(chart, title=title, name=name, **told)


def heading(title: str, sentence: str = "", *, frame: Any = None, name: str = "") -> None:
    """A title with a sentence (Markdown) for what is no chart, and the button of its table if there
    is one."""
    head(title, "" if frame is None else name)
    _below(title, sentence, frame, name)


def table(frame: Any, *, name: str, label: str) -> None:
    """A button of its own that opens a table."""
    _button(label, f"table_{name}")
    _opened(f"table_{name}", label, frame, name)


def _below(title: str, sentence: str, frame: Any, name: str) -> None:
    if sentence:
        st.caption(sentence)
    if frame is not None:
        _opened(f"corner_{name}", title, frame, name)


def _button(label: str, key: str) -> None:
    """No popover: a browser goes through those again at every move of the slider."""
    st.button(label, icon=":material/table:", type="tertiary", key=key)


def _opened(key: str, title: str, frame: Any, name: str) -> None:
    """Over the screen, in the run after a click on the button; nothing of a table is sent to the
    browser before."""
    if st.session_state.get(key):
        st.dialog(title, width="large")(contents)(frame, name)


def contents(frame: Any, name: str) -> None:
    """A table, and its CSV."""
    st.dataframe(frame, key=f"frame_{name}")
    st.download_button(
        "CSV",
        frame.to_csv().encode(),
        f"{name}.csv",
        "text/csv",
        key=f"csv_{name}",
        on_click="ignore",
    )


def draw_html(html: str, css: str, *, key: str) -> None:
    """A panel of HTML that a function of equity_core.charts made (and escaped), with its style
    sheet, in the page's own colours."""
    _PANEL(key=key, data={"html": html, "css": css})


def plain(text: str) -> str:
    """A text, such as a name from the data, with everything escaped that Markdown (or Streamlit's
    own additions to it) could take as markup."""
    return _MARKUP.sub(r"\\\1", text.replace("\n", " "))
