"""Trade-off: which λ, or which floor?"""

import streamlit as st

from pages.shared.shell import guard

guard()

from pages.parts import chooser, tradeoff_front, tradeoff_tabs  # noqa: E402
from pages.shared.current import current  # noqa: E402
from pages.shared.panels import question  # noqa: E402

cur = current()
question("Which λ, or which floor?")
tradeoff_front.answer(cur)

left, right = st.columns([21, 10], border=True)
tradeoff_front.picture(cur, left)
chooser.chooser(cur, right)

left, right = st.columns([6, 5], border=True)
tradeoff_tabs.tabs(cur, left)
tradeoff_tabs.which_move(cur, right)
