"""Draws a panel of HTML that equity_core made (and escaped) in the page's own colours."""

from __future__ import annotations

import streamlit as st

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


def draw(html: str, css: str, *, key: str) -> None:
    """A panel made by a function of equity_core.charts, with its style sheet."""
    _PANEL(key=key, data={"html": html, "css": css})
