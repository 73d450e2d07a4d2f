"""The panel "How good are these lists?" of the Learners screen: what is proven of this list, and of
a sample."""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st

from equity_core.analysis.learners import certificates
from equity_core.charts.learners.certificates import proven_shares
from pages.shared.compute import remember
from pages.shared.current import Current
from pages.shared.panels import figure, heading, table
from pages.shared.plain import plain
from pages.shared.results import Result

_ASKED = "_certificates_asked"
HELP = (
    "The re-ranker picks course after course, which need not give the best list. An exact solver"
    " says what no list of this length can beat under the same policy; the share is the list's"
    " objective against that number. It is proven: the list may be better, not worse."
)


def panel(cur: Current, now: Result, learner: int) -> None:
    """Draw the panel: left this learner, right a sample on demand."""
    st.markdown("## How good are these lists?", help=HELP)
    left, right = st.columns([2, 3], gap="large")
    with right:
        slot = st.container()
        size = _choice(cur)
    with left:
        _learner(cur, now, learner)
    if size is not None:
        with slot:
            _sample(cur, now, size)


def _key(cur: Current) -> tuple[Any, ...]:
    return cur.key, cur.algorithm, cur.policy


def _learner(cur: Current, now: Result, learner: int) -> None:
    found = remember(
        cur,
        "certificate of a learner",
        partial(certificates.learner_certificate, cur.bundle, now.run, learner),
        cur.algorithm,
        cur.policy,
        learner,
        title="Looking for a better list",
    )
    head, rest = certificates.certificate_sentences(found)
    st.markdown(f"**{plain(head)}** {plain(rest)}")
    swaps = certificates.swap_table(cur.bundle, found)
    for row in swaps.to_dict("records")[:3]:
        st.caption(
            f"Place {row['place']}: “{plain(str(row['enters_title']))}” for"
            f" “{plain(str(row['leaves_title']))}”."
        )
    if len(swaps):
        table(swaps, name="swaps", label="All swaps")


def _choice(cur: Current) -> int | None:
    """The size of the sample, once it is asked for: as long as the policy stays the same."""
    asked = st.session_state.get(_ASKED)
    known = asked[1] if asked and asked[0] == _key(cur) else None
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        size = st.segmented_control(
            "Learners in the sample",
            list(certificates.SAMPLE_SIZES),
            default=certificates.SAMPLE_SIZES[0],
            key="certify_sample",
            required=True,
            width="content",
        )
        if st.button(
            "Prove it for a sample",
            key="certify",
            icon=":material/verified:",
            disabled=known == size,
        ):
            known = size
            st.session_state[_ASKED] = (_key(cur), size)
    if known is None:
        st.caption(
            "A sample of learners takes about a tenth of a second each; a newer input stops it."
        )
    return known


def _sample(cur: Current, now: Result, size: int) -> None:
    frame = remember(
        cur,
        "certificates of a sample",
        partial(certificates.sample_certificates, cur.bundle, now.run, size),
        cur.algorithm,
        cur.policy,
        size,
        title="Proving bounds for a sample of learners",
        slow=True,
    )
    said = certificates.sample_sentence(frame, len(now.run.courses) - now.evaluation.without_list)
    if not len(frame):
        heading("A sample of learners", said)
        return
    figure(
        proven_shares(
            certificates.share_histogram(frame), certificates.sample_summary(frame), cur.dark
        ),
        title="A sample of learners",
        sentence=said,
        alt=(
            "How many learners' lists are proven to reach which share of the best possible one, as"
            f" they are and after swaps. {said}"
        ),
        frame=frame,
        name="certificates",
    )
