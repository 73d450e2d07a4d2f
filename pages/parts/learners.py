"""The parts of the Learners screen: finding a learner, how good the lists are, every learner as a
point."""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st

from equity_core.analysis.learners import certificates
from equity_core.analysis.learners.population import (
    ORDERS,
    find_learners,
    learner_changes,
    learner_line,
    learner_order,
    learner_points,
    points_sentence,
    selection_sentence,
)
from equity_core.charts.learners.certificates import proven_shares
from equity_core.charts.learners.population import learner_cloud, selected_learners
from pages.shared import results
from pages.shared.compute import remember
from pages.shared.current import Current
from pages.shared.panels import figure, heading, plain, table
from pages.shared.results import Result

MOST_OPTIONS = 200
"""The most learners in the select box; the arrows and the search reach everybody."""
CERTIFICATE_HELP = (
    "The re-ranker does not always find the best list. An exact solver finds what no list of this"
    " length can exceed under the same policy. With one λ: the value of the objective; as the own"
    " list often comes close to it, what counts is the share of the gain over the own list. With a"
    " floor: the most relevance of the lists that meet it. The shares are proven: a list may be"
    " better than that, but not worse."
)
CLOUD_ALT = (
    "One point per learner: consistency of the own list against consistency under the policy; above"
    " the dotted line it rises"
)
_ASKED = "_certificates_asked"
"""The policy and the sample size for which certificates were asked for."""


# Finding a learner


def changes_of(cur: Current) -> Any:
    """One row per learner, before and after (analysis.learners.population.learner_changes),
    kept."""

    def make() -> Any:
        own, now = results.own(cur), results.result(cur)
        return learner_changes(cur.bundle, own.run, now.run, own.evaluation, now.evaluation)

    return remember(cur, "population", make, cur.algorithm, cur.policy, cur.split)


def _go(learner_id: Any) -> None:
    st.session_state["learner"] = str(learner_id)


def _go_to_choice(ids: Any) -> None:
    if st.session_state["pick"] is not None:
        _go(ids[st.session_state["pick"]])


def find_learner(cur: Current, people: Any) -> int:
    """Draw the finder (an order, a search by id, a select box, arrows) and return the position of
    the learner in view."""
    ids = cur.bundle.learner_ids
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="finder"):
        by = st.segmented_control(
            "Order of the learners",
            list(ORDERS),
            format_func=ORDERS.__getitem__,
            key="order",
            bind="query-params",
            default="worst",
            required=True,
            label_visibility="collapsed",
            on_change=_go,
            args=("",),
            width="content",
        )
        typed = st.text_input(
            "Find by id",
            key="learner",
            bind="query-params",
            placeholder="Find by id",
            icon=":material/search:",
            label_visibility="collapsed",
            width=140,
        )
        matches = find_learners(cur.bundle, typed)
        line = learner_order(people, by) if len(matches) < 2 else matches
        here = int(matches[0]) if len(matches) else int(line[0])
        at = int((line == here).argmax())
        options = line[:MOST_OPTIONS].tolist()
        if at >= MOST_OPTIONS:
            options = [here, *options]
        st.session_state["pick"] = here
        st.selectbox(
            "Learner",
            options,
            format_func=lambda learner: learner_line(people, learner),
            key="pick",
            on_change=_go_to_choice,
            args=(ids,),
            label_visibility="collapsed",
            width=400,
        )
        for word, icon, step in (
            ("Previous", ":material/chevron_left:", -1),
            ("Next", ":material/chevron_right:", 1),
        ):
            there = at + step
            off = not 0 <= there < len(line)
            st.button(
                word,
                key=f"step{step}",
                icon=icon,
                type="tertiary",
                disabled=off,
                on_click=_go,
                args=("" if off else ids[line[there]],),
            )
    if typed.strip() and not len(matches):
        st.warning(
            f"No learner's id contains “{typed.strip()}”. This is the first learner in the order.",
            icon=":material/search_off:",
        )
    elif len(matches) > 1:
        st.caption(
            f"{len(matches):,} ids contain “{typed.strip()}”: use the arrows to go through them."
        )
    return here


# How good the lists are


def certificate_panel(cur: Current, now: Result, learner: int) -> None:
    """The panel "How good are these lists?": this learner on the left, a sample on demand on the
    right."""
    st.markdown("## How good are these lists?", help=CERTIFICATE_HELP)
    left, right = st.columns([2, 3], gap="large")
    with right:
        slot = st.container()
        size = _sample_size(cur)
    with left:
        _learner_certificate(cur, now, learner)
    if size is not None:
        with slot:
            _sample_certificates(cur, now, size)


def _learner_certificate(cur: Current, now: Result, learner: int) -> None:
    certificate = remember(
        cur,
        "certificate of a learner",
        partial(
            certificates.learner_certificate, cur.bundle, now.run, learner, results.own(cur).run
        ),
        cur.algorithm,
        cur.policy,
        learner,
        title="Looking for a better list",
    )
    head, rest = certificates.certificate_sentences(certificate)
    st.markdown(f"**{plain(head)}** {plain(rest)}")
    swaps = certificates.swap_table(cur.bundle, certificate)
    for row in swaps.to_dict("records")[:3]:
        st.caption(
            f"Position {row['place']}: “{plain(str(row['enters_title']))}” instead of"
            f" “{plain(str(row['leaves_title']))}”."
        )
    if len(swaps):
        table(swaps, name="swaps", label="All changes")


def _policy_key(cur: Current) -> tuple[Any, ...]:
    return cur.key, cur.algorithm, cur.policy


def _sample_size(cur: Current) -> int | None:
    """The size of the sample once it is asked for, as long as the policy stays the same."""
    asked = st.session_state.get(_ASKED)
    known = asked[1] if asked and asked[0] == _policy_key(cur) else None
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
            "Certify a sample",
            key="certify",
            icon=":material/verified:",
            disabled=known == size,
        ):
            known = size
            st.session_state[_ASKED] = (_policy_key(cur), size)
    if known is None:
        st.caption(
            "A sample takes about a third of a second per learner; changing a setting stops it."
        )
    return known


def _sample_certificates(cur: Current, now: Result, size: int) -> None:
    frame = remember(
        cur,
        "certificates of a sample",
        partial(certificates.sample_certificates, cur.bundle, now.run, size, results.own(cur).run),
        cur.algorithm,
        cur.policy,
        size,
        title="Proving bounds for a sample of learners",
        slow=True,
    )
    sentence = certificates.sample_sentence(
        frame, len(now.run.courses) - now.evaluation.without_list
    )
    if not len(frame):
        heading("A sample of learners", sentence)
        return
    bars, summary = certificates.share_histogram(frame), certificates.sample_summary(frame)
    figure(
        proven_shares(bars, summary, certificates.share_title(frame), cur.dark),
        title="A sample of learners",
        sentence=sentence,
        alt=(f"Histogram of learners. {certificates.share_title(frame)}. {sentence}"),
        frame=frame,
        name="certificates",
    )


# Every learner as a point


def cloud_panel(cur: Current, people: Any, learner: int) -> None:
    """Every learner as a point to draw around. Folded until it is opened: its library is the
    largest on the screens."""
    opened = st.expander(
        "Every learner as a point: draw around some to see who they are",
        icon=":material/scatter_plot:",
        key="explorer",
        on_change="rerun",
    )
    if not opened.open:
        return
    with opened:
        shown = learner_points(people)
        selection = figure(
            learner_cloud(shown, learner, cur.dark),
            title="Before and after",
            sentence=points_sentence(shown),
            alt=CLOUD_ALT,
            frame=shown,
            name="learners_before_after",
            on_select="rerun",
        )
        selected = selected_learners(selection)
        if selected:
            st.markdown(selection_sentence(shown, selected))
            rows = shown.loc[[at for at in selected if at in shown.index]]
            st.dataframe(rows, hide_index=True, height=260, key="picked_learners")
            table(rows, name="picked_out", label="Selected learners")
