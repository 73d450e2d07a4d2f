"""Trade-off: which λ, or which floor?"""

import streamlit as st

from pages.parts.choosing import chooser
from pages.parts.tradeoff import front as tradeoff_front
from pages.parts.tradeoff import tabs as tradeoff_tabs
from pages.shared.current import current
from pages.shared.panels import question


def screen() -> None:
    """The screen."""
    cur = current()
    question("Which λ, or which floor?")
    tradeoff_front.answer(cur)

    left, right = st.columns([21, 10], border=True)
    tradeoff_front.picture(cur, left)
    chooser.chooser(cur, right)

    left, right = st.columns([6, 5], border=True)
    tradeoff_tabs.tabs(cur, left)
    tradeoff_tabs.which_move(cur, right)


if __name__ == "__main__":  # opened by a first deep link: docs/architecture.md, "A screen"
    from app import main

    main()
