"""Overview: is it worth changing, and to what?"""

import streamlit as st

from pages.shared.shell import guard

guard()

from pages.parts import first_visit, overview_parts, tradeoff_front  # noqa: E402
from pages.shared.current import current  # noqa: E402
from pages.shared.panels import question  # noqa: E402

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
