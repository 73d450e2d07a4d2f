"""The guided first visit: a slim panel on the Overview, in five steps. Those who dismiss it do
not see it again in that browser.

A cookie remembers it: Streamlit can read one before anything is drawn, so that nothing flashes up
and goes, but cannot write one. A line of JavaScript does that, in the runs that follow the click.
"""

from __future__ import annotations

import streamlit as st

from pages.shared import navigation as screens

COOKIE = "equity_tour"
_SHOWN, _STEP = "_tour_shown", "tour_step"
_YEAR = 365 * 24 * 3600

# Heading, what it says, the screen that shows it (file), and the link's words.
STEPS = (
    (
        "What the numbers mean",
        (
            "NDCG: how relevant the lists are. Consistency: how close a list comes to the targets"
            " of all principles. Equality: how evenly that is spread over learners. Higher is"
            " better, but lists that are all equally poor are equal, too."
        ),
        "methods",
        "Read the Methods",
    ),
    (
        "The policy and its slider",
        (
            "The sidebar holds the policy, the same on every screen. A floor changes each list only"
            " as much as it takes to reach it; one λ asks the same of everybody. Move the slider,"
            " and the cards below follow."
        ),
        "audit",
        "See how it is today",
    ),
    (
        "The chooser",
        (
            "No need to search: on Trade-off, say how much relevance you are ready to lose. It"
            " answers with a floor and a λ, and a button for each."
        ),
        "tradeoff",
        "Choose one",
    ),
    (
        "One learner",
        (
            "What a policy does to one person: the list before and after, and the reason for each"
            " course that was added, moved or dropped. It opens with the worst-off learner."
        ),
        "learners",
        "Look at a learner",
    ),
    (
        "Download and share",
        (
            "Save policies, compare them side by side, and download the chosen one as a file or"
            " share it as a link. For your own tables: the arrow beside “Data set”."
        ),
        "decisions",
        "Compare and export",
    ),
)


def wanted() -> bool:
    """Whether the panel is on the page: in a new browser, or when it was asked for."""
    asked = st.session_state.get(_SHOWN)
    return COOKIE not in st.context.cookies if asked is None else bool(asked)


def show() -> None:
    """Bring the panel back (from a callback)."""
    st.session_state[_SHOWN], st.session_state[_STEP] = True, 1


def _dismiss() -> None:
    st.session_state[_SHOWN] = False


def panel() -> None:
    """The panel, or nothing."""
    if wanted():
        _steps()


@st.fragment
def _steps() -> None:
    if not wanted():
        # dismissed: the click runs this fragment alone, and the way back is drawn outside it
        st.rerun()
    with st.container(border=True, key="first_visit"):
        with st.container(
            horizontal=True,
            horizontal_alignment="distribute",
            vertical_alignment="center",
            gap="small",
        ):
            at = st.segmented_control(
                "Step of the tour",
                range(1, len(STEPS) + 1),
                default=1,
                key=_STEP,
                required=True,
                label_visibility="collapsed",
                width="content",
                persist_state="session",
                wrap=False,
            )
            heading, text, file, words = STEPS[at - 1]
            st.markdown(f"**New here? {at} of {len(STEPS)}: {heading}**", width="stretch")
            st.html(f'<div class="eq eq-ways">{screens.link(file, words)}</div>', width="content")
            st.button(
                "Don't show again",
                key="tour_dismiss",
                icon=":material/close:",
                type="tertiary",
                help="“Tour” below brings it back",
                on_click=_dismiss,
            )
        st.caption(text)


def again() -> None:
    """At the end of the screen: the way back to the panel where it was dismissed, and the line that
    remembers that."""
    if wanted():
        return
    st.button(
        "Tour",
        key="tour_again",
        icon=":material/explore:",
        type="tertiary",
        on_click=show,
        help="The five steps for a first visit",
    )
    if (
        COOKIE not in st.context.cookies
    ):  # those of the session's start: written in this session, it is only seen in the next
        written = f"{COOKIE}=seen; max-age={_YEAR}; path=/; SameSite=Lax"
        st.html(
            f"<span></span><script>document.cookie = '{written}'</script>",
            unsafe_allow_javascript=True,
            width="content",
        )
