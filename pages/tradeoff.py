"""Trade-off: which λ, or which floor?"""

import streamlit as st

from pages.shared.shell import guard

guard()

from equity_core.audit import tradeoff  # noqa: E402
from equity_core.audit.before_after import principles  # noqa: E402
from equity_core.charts import panels  # noqa: E402
from pages.parts import tradeoff_front, tradeoff_tabs  # noqa: E402
from pages.shared import cached  # noqa: E402
from pages.shared.current import current  # noqa: E402
from pages.shared.panels import card, question  # noqa: E402

cur = current()
own, now = cached.own(cur), cached.result(cur)
found = tradeoff.compared(now.evaluation, own.evaluation)
both = tradeoff_front.both_paths(cur)
question("Which λ, or which floor?", tradeoff.answer(found, cur.policy, own.run, now.run) + tradeoff_front.other_way(cur, both))
for column, made in zip(st.columns(3), tradeoff.cards(found, cur.policy.k), strict=True):
    with column:
        card(*made["words"], tone=made["tone"], picture=panels.strip(*made["strip"], dark=cur.dark))

left, right = st.columns([21, 10])
with left.container(border=True, height="stretch"):
    tradeoff_front.picture(cur, both)
with right.container(border=True, height="stretch"):
    tradeoff_front.chooser(cur, both)

left, right = st.columns([6, 5])
with left.container(border=True, height="stretch"):
    tradeoff_tabs.tabs(cur)
with right.container(border=True, height="stretch"):
    tradeoff_tabs.which_move(cur, principles(own.evaluation, now.evaluation))
