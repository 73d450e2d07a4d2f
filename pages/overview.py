"""Overview: is it worth changing, and to what?"""

import streamlit as st

from pages.parts import first_visit
from pages.parts import overview as overview_parts
from pages.parts.tradeoff import front as tradeoff_front
from pages.shared.current import current
from pages.shared.panels import question


def screen() -> None:
    """The screen."""
    cur = current()
    question("Is it worth changing, and to what?")
    overview_parts.answer(cur)
    with st.container():  # keeps its place on the page, drawn or not
        first_visit.panel()
    overview_parts.measures(cur)

    left, right = st.columns(2)
    tradeoff_front.picture(cur, left.container(border=True, height="stretch"), small=True)
    overview_parts.worst_off(cur, right.container(border=True, height="stretch"))
    overview_parts.ways_on()
    first_visit.again()


if __name__ == "__main__":  # opened by a first deep link: docs/architecture.md, "A screen"
    from app import main

    main()
