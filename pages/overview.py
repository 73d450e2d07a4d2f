"""Overview: is it worth changing, and to what?"""

import streamlit as st

from pages.shared.shell import guard

guard()

from pages.shared import cached  # noqa: E402
from pages.shared.current import current  # noqa: E402
from pages.shared.panels import card, question  # noqa: E402

cur = current()
now, before = cached.result(cur).evaluation, cached.own(cur).evaluation
question(
    "Is it worth changing, and to what?",
    f"**Equality goes from {before.equality:.3f} to {now.equality:.3f}**, NDCG from {before.ndcg:.4f} to {now.ndcg:.4f}.",
)
for column, (name, digits) in zip(st.columns(3), (("ndcg", 4), ("consistency", 3), ("equality", 3)), strict=True):
    with column:
        card(name, f"{getattr(now, name):.{digits}f}", f"{getattr(now, name) - getattr(before, name):+.{digits}f}")
