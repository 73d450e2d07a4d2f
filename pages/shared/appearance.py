"""Light or dark: colours are drawn for one of them, so a change of the browser's mode has to draw
them again.

Streamlit tells a script which mode a page has, but runs none when a reader or the evening changes
it: half of the words would stay dark on dark until the next click. A few lines of JavaScript watch
the mode and ask for a run.
"""

from __future__ import annotations

import streamlit as st

_JS = """export default function({ setTriggerValue }) {
  const app = document.querySelector("[data-testid=stApp]")
  const mode = () => getComputedStyle(app).colorScheme
  let was = mode()
  const watch = new MutationObserver(() => {
    if (mode() !== was) { was = mode(); setTriggerValue("changed", was) }
  })
  watch.observe(app, { attributes: true, attributeFilter: ["class"] })
  return () => watch.disconnect()
}"""
_WATCH = st.components.v2.component("appearance", html="<span></span>", js=_JS)


def is_dark() -> bool:
    """Whether the page is dark in this run."""
    return st.context.theme.type == "dark"


def watch() -> None:
    """For the shell: ask for a new run when the mode changes. It takes no room."""
    _WATCH(key="appearance", on_changed_change=lambda: None, height=0)
