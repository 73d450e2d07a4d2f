"""Trade-off: which λ, or which floor?"""

import streamlit as st

from pages.shared.shell import guard

guard()

from equity_core.audit import certainty, tradeoff  # noqa: E402
from equity_core.audit.before_after import principles  # noqa: E402
from pages.parts import chooser, tradeoff_front, tradeoff_tabs  # noqa: E402
from pages.shared import cached  # noqa: E402
from pages.shared.current import current  # noqa: E402
from pages.shared.panels import cards, question  # noqa: E402

cur = current()
own, now = cached.own(cur), cached.result(cur)
found = tradeoff.compared(now.evaluation, own.evaluation)
both = tradeoff_front.both_paths(cur)
question(
    "Which λ, or which floor?",
    tradeoff.answer(found, cur.policy, own.run, now.run)
    + tradeoff_front.other_way(cur, both)
    + certainty.note(len(cur.bundle.learner_ids)),
)
cards(tradeoff.cards(found, cur.policy.k), cur.dark)

left, right = st.columns([21, 10], border=True)
with left:
    tradeoff_front.picture(cur, both)
with right:
    chooser.chooser(cur)

left, right = st.columns([6, 5], border=True)
with left:
    tradeoff_tabs.tabs(cur)
with right:
    tradeoff_tabs.which_move(cur, principles(own.evaluation, now.evaluation))
