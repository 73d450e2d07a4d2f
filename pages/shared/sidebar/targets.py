"""Targets and weights: a compact form. Drafts are separate from the values in force until Apply;
the values in force are in the link, as text.

A field in a popover that is closed is not on the page, and the browser goes on sending what it had
when it was last seen. So the fields that carry the policy are always on the page, unseen
(:func:`carry`), and those in the popover only show them and set them.
"""

from __future__ import annotations

from collections.abc import Collection

import streamlit as st

import equity_core as eq
from equity_core.analysis.decisions.scenarios import procedure_words
from equity_core.analysis.words import STRATEGIES, count, join
from equity_core.metrics.reach import reachable
from equity_core.metrics.targets import judged, learner_targets
from equity_core.policy import LearnerValues
from pages.shared import state
from pages.shared.compute import compute
from pages.shared.current import Current
from pages.shared.datasets import Dataset
from pages.shared.sidebar import principles

_NEXT = "_aims_next"
_WHAT = {"targets": "Target", "weights": "Weight"}
CHOICES = {
    "scale": (
        "Relevance scaled",
        {
            "minmax": "between each learner's lowest and highest",
            "rank": "by rank",
            "none": "as stored",
        },
    ),
    "pool": (
        "Courses to choose from",
        {"stored": "the stored candidates", "catalogue": "the whole catalogue"},
    ),
    "order": (
        "Order of the lists",
        {"relevance": "the recommender's", "greedy": "as picked (the paper's)"},
    ),
    "floor_method": (
        "List under a floor",
        {
            "least-loss": "the most relevant one found that reaches it",
            "first-lambda": "that of the first λ that reaches it",
        },
    ),
    "method": (
        "List under one λ",
        {"greedy+swaps": "greedy, then swaps", "greedy": "greedy alone (the paper's)"},
    ),
}
"""By key of the control: its label, and the words of its options."""


Values = dict[str, dict[str, float | None]]
"""By "targets" and "weights", then by principle; None: the learners' own targets."""


def _applied(bundle: eq.Bundle) -> Values:
    """Targets and weights in force."""
    names, own = [principle.name for principle in bundle.principles], learner_targets(bundle)
    out: Values = {}
    for what, highest in (("targets", 1.0), ("weights", float("inf"))):
        keep = own if what == "targets" else {}
        text = str(st.session_state.get(what) or "")
        given, _ = state.read_values(text, names, highest, keep)
        out[what] = {name: given.get(name, None if name in keep else 1.0) for name in names}
    return out


def _key(what: str, name: str) -> str:
    return f"draft_{what}_{name}"


def summary(cur: Current) -> list[str]:
    """What was changed, such as "Targets: quality 0.8", and which targets are the learners' own;
    one sentence each."""
    policy, own, out = cur.policy, learner_targets(cur.bundle), []
    for what, given in (("Targets", policy.targets), ("Weights", policy.weights)):
        if isinstance(given, LearnerValues):
            out.append(f"{what}: from a file, for {count(len(given.ids), 'learner')}")
        elif given is not None:
            values = ", ".join(f"{name} {value:g}" for name, value in dict(given).items())
            out.append(f"{what}: {values}")
    if paper := procedure_words(policy):
        out.append(f"Procedure: {', '.join(paper)}")
    if policy.principles is not None:
        out.append(f"Principles: {join(list(cur.names))}")
    asked = policy.targets
    replaced = asked.names if isinstance(asked, LearnerValues) else asked or ()
    if left := [name for name in own if name not in replaced]:
        out.append(f"Each learner’s own targets for {join(left)} are in force")
    return out


def carry(data: Dataset) -> None:
    """The fields that the link has the policy from. Drawn in every run, and never seen: a browser
    knows only of fields that are on its page."""
    with st.container(key="policy_fields"):
        for what in _WHAT:
            st.text_input(f"{what.capitalize()} in force", key=what, bind="query-params")
        principles.carry(data)
        for key, (label, options) in CHOICES.items():
            words = options.__getitem__
            st.selectbox(label, list(options), format_func=words, key=key, bind="query-params")


def panel(cur: Current, base: Dataset) -> None:
    """The popover, drawn only when it is open, and below it what was changed.

    Its label never changes: Streamlit knows a popover by its label, and one with another label
    would be closed.
    """
    opened = st.popover(
        "Targets and weights",
        icon=":material/tune:",
        width="stretch",
        key="aims",
        on_change="rerun",
    )
    if opened.open:
        with opened:
            _form(cur)
            st.divider()
            _texts(base)
            st.divider()
            principles.add(base)
    with st.container():  # always there, so that what follows does not move
        if words := summary(cur):
            st.caption(". ".join(words))


def _texts(base: Dataset) -> None:
    """The rest of the policy: as text, and by choice."""
    for what, example, words in (
        (
            "targets",
            "quality=0.8, variety=0.5",
            "Principles that are not named have the learners' own targets if the data set has some,"
            " else 1.",
        ),
        ("weights", "affordability=2", f"Used with the strategy {STRATEGIES['custom']}."),
    ):
        st.session_state[f"shown_{what}"] = st.session_state[what]
        st.text_input(
            f"{what.capitalize()} as text",
            key=f"shown_{what}",
            placeholder=example,
            help=words,
            on_change=_typed,
            args=(what, base),
        )
    principles.choose(base)
    for key, (label, options) in CHOICES.items():
        st.session_state[f"shown_{key}"] = st.session_state[key]
        st.selectbox(
            label,
            list(options),
            format_func=options.__getitem__,
            key=f"shown_{key}",
            on_change=_picked,
            args=(key,),
        )


def _typed(what: str, base: Dataset) -> None:
    state.use_values(what, st.session_state[f"shown_{what}"])
    forget_drafts(base.bundle)


def _picked(key: str) -> None:
    st.session_state[key] = st.session_state[f"shown_{key}"]


@st.fragment
def _form(cur: Current) -> None:
    names, applied, own = cur.names, _applied(cur.bundle), learner_targets(cur.bundle)
    best: dict[str, float] = compute(cur, reachable, cur.policy.k)
    for what in _WHAT:
        for name in names:
            st.session_state.setdefault(_key(what, name), applied[what][name])
    drafts = _drafts(names, applied)
    changed = drafts != applied
    st.markdown("**Targets and weights**" + (" · :orange[changes not applied]" if changed else ""))
    st.caption(
        "Target: the value that every list should have; 1 = as much as possible. Weight: how much a"
        f" gap counts, with the strategy {STRATEGIES['custom']}."
        + (
            f" The data set has targets of single learners for {join(list(own))}: a value given"
            " here replaces them for all learners, an empty field keeps them."
            if own
            else ""
        )
    )
    for name in names:
        first, second, third, fourth = st.columns(
            [2.2, 1.6, 1.6, 0.7], vertical_alignment="bottom", gap="small", wrap=False
        )
        first.markdown(
            f"{name.capitalize()}"
            + (f"  \n:small[at most {best[name]:.2f}]" if best[name] < 0.995 else "")
        )
        for place, what, highest, step in (
            (second, "targets", 1.0, 0.05),
            (third, "weights", 100.0, 0.5),
        ):
            # The default never changes: a field whose default followed the value in force would be
            # a different field after Apply.
            key, words = _key(what, name), f"{_WHAT[what]} of {name}"
            theirs = what == "targets" and name in own
            place.number_input(
                words,
                0.0,
                highest,
                None if theirs else 1.0,
                step,
                key=key,
                placeholder="each learner’s" if theirs else None,
                label_visibility="collapsed",
                persist_state="session",
            )
        untouched = all(drafts[what][name] == _usual(what, name, own) for what in _WHAT)
        fourth.button(
            "",
            icon=":material/undo:",
            key=f"reset_{name}",
            disabled=untouched,
            on_click=_reset,
            args=((name,), tuple(own)),
            help=f"{name}: back to {'each learner’s own target' if name in own else '1'}",
        )
    beyond = [
        name
        for name in names
        if (asked := drafts["targets"][name]) not in (None, 1.0) and asked > best[name] + 1e-9
    ]
    if beyond:
        st.info(
            f"Out of reach for any list of {cur.policy.k}: the target of {', '.join(beyond)}. Lists"
            " come as close as they can."
        )
    nothing = all(value == 0.0 for value in drafts["weights"].values())
    if nothing:
        st.warning(
            "All weights are 0: no principle would count. Give at least one a weight above 0."
        )
    left, right = st.columns(2)
    if left.button(
        "Apply",
        key="aims_apply",
        disabled=not changed or nothing,
        on_click=_apply,
        args=(cur.bundle,),
        width="stretch",
    ):
        st.rerun()
    right.button(
        "Reset all" if own else "Reset all to 1",
        key="aims_reset",
        on_click=_reset,
        args=(names, tuple(own)),
        width="stretch",
    )


def _usual(what: str, name: str, own: Collection[str]) -> float | None:
    """What a field has before anything is set."""
    return None if what == "targets" and name in own else 1.0


def _reset(names: tuple[str, ...], own: tuple[str, ...]) -> None:
    for what in _WHAT:
        for name in names:
            st.session_state[_key(what, name)] = _usual(what, name, own)


def _drafts(names: tuple[str, ...], applied: Values) -> Values:
    """The values in the form, whether in force or not."""
    return {
        what: {name: st.session_state.get(_key(what, name), applied[what][name]) for name in names}
        for what in _WHAT
    }


def _apply(bundle: eq.Bundle) -> None:
    names, own = tuple(one.name for one in bundle.principles), learner_targets(bundle)
    drafts, applied = _drafts(names, _applied(bundle)), _applied(bundle)
    st.session_state[_NEXT] = {
        what: state.write_values(
            {name: value for name, value in values.items() if value is not None},
            own if what == "targets" else (),
        )
        for what, values in drafts.items()
        if values != applied[what]
    }


def apply_pending() -> None:
    """Put applied drafts into force before the controls are drawn: the form is a fragment, and may
    not set what is drawn outside it."""
    for what, text in st.session_state.pop(_NEXT, {}).items():
        state.use_values(what, text)


def forget_drafts(bundle: eq.Bundle) -> None:
    """Set the drafts to the values in force, after something else has set the policy (call it from
    a callback, or before the form is drawn). ``bundle``: with its own principles."""
    policy, _ = state.read(bundle)
    applied = _applied(judged(bundle, policy))
    for key in [str(key) for key in st.session_state if str(key).startswith("draft_")]:
        _, what, name = key.split("_", 2)
        st.session_state[key] = applied[what].get(name, 1.0)
