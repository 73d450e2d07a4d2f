"""Overview: is it worth changing, and to what?"""

import streamlit as st

from pages.shared.shell import guard

guard()

from equity_core.audit import certainty, tradeoff  # noqa: E402
from pages.parts import first_visit, overview_parts, tradeoff_front  # noqa: E402
from pages.shared import cached  # noqa: E402
from pages.shared.current import current  # noqa: E402
from pages.shared.panels import cards, question  # noqa: E402

cur = current()
own, now = cached.own(cur), cached.result(cur)
found = tradeoff.compared(now.evaluation, own.evaluation)
question(
    "Is it worth changing, and to what?", tradeoff.answer(found, cur.policy, own.run, now.run) + certainty.note(len(cur.bundle.learner_ids))
)
with st.container():  # keeps its place on the page, drawn or not
    first_visit.panel()
cards(tradeoff.cards(found, cur.policy.k), cur.dark)
if cur.baseline is not None:
    overview_parts.against_baseline(cur)

left, right = st.columns(2)
with left.container(border=True, height="stretch"):
    place = st.container()
with right.container(border=True, height="stretch"):
    overview_parts.worst_off(cur)
overview_parts.ways_on()
first_visit.again()
with place:
    # Last, because its curves may have to be computed: the rest of the screen does not wait for them.
    tradeoff_front.picture(cur, tradeoff_front.both_paths(cur), small=True)
