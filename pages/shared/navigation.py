"""The row of screens at the top of every page, and the way from one to another.

Streamlit's own row is drawn again by the browser at every message of a run, a quarter of all that a
move of the slider makes it draw; this one is a single element that stays. Links are real ones:
another tab, a copied address and the keyboard work as anywhere. A click changes the address, as
Back and Forward do, and keeps what it says of the policy, which Streamlit's own way loses
(``st.switch_page`` and ``st.page_link`` forget what a part of a screen has written into it). What
belongs to one screen is remembered for the way back.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any
from uuid import uuid4

import streamlit as st

from pages.shared import links

_JS = """export default function({ parentElement, data }) {
  // One for the whole page: what was drawn last, and by screen the address that it was left with.
  const row = (window.equityScreens ??= { left: {}, went: null })
  const first = row.data === undefined
  row.data = data
  const search = () => [...new URLSearchParams(window.location.search)]
  const shared = ([name]) => row.data.shared.includes(name)
  const to = (path, asked = {}) => {
    const address = new URL("./" + path, window.location.href)
    const own = (row.left[path] || []).filter((pair) => !shared(pair) && !(pair[0] in asked))
    address.search = new URLSearchParams(
      [...search().filter(shared), ...own, ...Object.entries(asked)])
    return address
  }
  const go = (path, asked) => {
    const address = to(path, asked)
    row.left[row.data.here] = search()
    window.history.pushState(null, "", address)
    window.dispatchEvent(new PopStateEvent("popstate"))
  }
  const link = ({ path, title, question }) => {
    const made = document.createElement("a")
    made.className = "eq-go"
    made.href = "./" + path
    made.textContent = title
    made.title = question
    if (path === data.here) made.setAttribute("aria-current", "page")
    return made
  }
  parentElement.querySelector("nav").replaceChildren(...data.screens.map(link))
  if (first) {
    const path = (event) =>
      event.target.closest?.("a.eq-go")?.getAttribute("href").match(/([a-z]*)([?]|$)/)[1]
    // In another tab, too, the policy is the same.
    document.addEventListener("pointerdown", (event) => {
      if (path(event) !== undefined) event.target.closest("a").href = to(path(event))
    })
    document.addEventListener("click", (event) => {
      const modified = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey
      if (path(event) === undefined || modified) return
      event.preventDefault()
      if (path(event) !== row.data.here) go(path(event))
    })
  }
  if (data.go && row.went !== data.go.once) {
    row.went = data.go.once
    go(data.go.path, data.go.asked)
  }
}"""
# In the page's own tree, not in one apart: the link that skips to the content counts as one only if
# other links follow it there.
_ROW = st.components.v2.component(
    "screens", html='<nav aria-label="Screens"></nav>', js=_JS, isolate_styles=False
)
_GO = "_go"
LAYOUT = """
.st-key-screens nav {display: flex; flex-wrap: wrap; gap: 2px; margin-left: -9px;}
.eq-ways {display: flex; flex-wrap: wrap; gap: .3rem 1.2rem;}
.eq-ways a {color: var(--eq-text); text-decoration: none;}
.eq-ways a:hover {text-decoration: underline;}
.st-key-screens a {padding: 4px 9px; border-radius: 6px; color: var(--eq-text);
  text-decoration: none; line-height: 1.4;}
.st-key-screens a:hover, .st-key-screens a[aria-current] {background: var(--eq-surface);}
.st-key-screens a:focus-visible {outline: 2px solid var(--eq-after);}
.st-key-screens a[aria-current] {font-weight: 600;}
@media (min-width: 1000px) {
.st-key-screens {position: sticky; top: 12px; z-index: 999991; margin: -51px 0 8px;
  width: max-content !important;}
.stSidebar[data-collapsed="true"] ~ div .st-key-screens {margin-left: 190px;}}
"""
"""How the row looks, and where it stands: in the line of the logo, and under it where there is no
room."""


def row(screens: Sequence[Any], page: Any) -> None:
    """For the shell: draw the row."""
    shown = [{"path": one.url_path, "title": one.title, "question": one.help} for one in screens]
    asked = {
        "screens": shown,
        "here": page.url_path,
        "shared": links.SHARED,
        "go": st.session_state.pop(_GO, None),
    }
    _ROW(key="screens", data=asked, height="content")


def link(file: str, words: str) -> str:
    """A link to another screen, as HTML."""
    return f'<a class="eq-go" href="./{file}">→ {escape(words)}</a>'


def go(path: str, **asked: str) -> None:
    """From a callback: go to another screen. ``asked``: what its link is to say beside the
    policy."""
    st.session_state[_GO] = {"path": path, "asked": asked, "once": uuid4().hex}
