"""Taking a policy away, and bringing one in: JSON, a link, named scenarios."""

from __future__ import annotations

from urllib.parse import urlencode

import streamlit as st

import equity_core as eq
from equity_core.analysis.decisions.exchange import NamedPolicy, read_scenarios, write_scenarios
from equity_core.analysis.decisions.scenarios import policy_description
from equity_core.policy import LearnerValues
from equity_core.recommenders.registry import label
from pages.parts.decisions.compared import NOW, OWN, Option
from pages.shared import scenarios, state
from pages.shared.current import Current
from pages.shared.plain import plain
from pages.shared.sidebar import targets as aims


def _use(policy: eq.Policy, algorithm: str | None) -> None:
    state.use(policy, algorithm)
    aims.forget_drafts()


def link(algorithm: str, policy: eq.Policy) -> str:
    """The address that restores a scenario: what the address bar holds now, with this policy's
    values."""
    values: dict[str, object] = {"algo": algorithm, "strategy": policy.strategy, "k": policy.k}
    values |= (
        {"by": "lam", "lam": policy.lam}
        if policy.floor is None
        else {"by": "floor", "tau": policy.floor}
    )
    values |= {"scale": policy.relevance_scale, "pool": policy.pool}
    for what, given in (("targets", policy.targets), ("weights", policy.weights)):
        if given is not None and not isinstance(given, LearnerValues):
            values[what] = state.write_values(dict(given))
    kept = {
        key: value
        for key, value in st.query_params.to_dict().items()
        if key not in ("lam", "tau", "targets", "weights")
    }
    kept["data"] = st.session_state.get("data", "")
    address = (st.context.url or "").split("?")[0]
    asked = {key: value for key, value in values.items() if value != ""}
    return f"{address}?{urlencode({**kept, **asked})}"


def take(cur: Current, options: dict[str, Option]) -> None:
    """One scenario as a file and as a link; use it, rename it, forget it; all of them as a file;
    others from a file."""
    if st.session_state.get("taken") not in options:
        st.session_state["taken"] = NOW if NOW in options else OWN
    with st.container(horizontal=True, vertical_alignment="bottom"):
        key = st.selectbox(
            "Scenario",
            list(options),
            format_func=lambda key: options[key].name,
            key="taken",
            width=420,
        )
        one = options[key]
        st.button(
            "Use it",
            icon=":material/check:",
            key="use_scenario",
            on_click=_use,
            args=(one.policy, one.algorithm),
            disabled=key == NOW,
        )
        st.download_button(
            "Policy",
            one.policy.to_json(),
            "policy.json",
            "application/json",
            key="policy_json",
            icon=":material/download:",
            on_click="ignore",
        )
        rows = [
            NamedPolicy(option.name, option.algorithm, option.policy) for option in options.values()
        ]
        st.download_button(
            "All scenarios",
            lambda: write_scenarios(rows, cur.bundle),
            "scenarios.json",
            "application/json",
            key="scenarios_json",
            icon=":material/download:",
            on_click="ignore",
        )
        if one.saved is not None:
            _edit(one.saved)
        opened = st.popover("From a file", icon=":material/upload:", key="bring", on_change="rerun")
        if opened.open:
            with opened:
                _bring(cur)
    way = (
        "This link restores it, once these tables are loaded again and chosen:"
        if cur.private
        else "This link restores it:"
    )
    st.caption(f"{label(one.algorithm)}: {plain(policy_description(one.policy))}. {way}")
    st.code(link(one.algorithm, one.policy), language=None, wrap_lines=True)
    if isinstance(one.policy.targets, LearnerValues) or isinstance(
        one.policy.weights, LearnerValues
    ):
        st.caption("Values per learner do not fit into a link: take the policy as a file.")


def _edit(name: str) -> None:
    """Rename or forget a saved scenario."""
    with st.popover("Edit", icon=":material/edit:", key="edit_scenario"):
        st.text_input("New name", value=name, key="new_name")
        st.button(
            "Rename",
            key="rename",
            on_click=lambda: scenarios.rename(name, st.session_state["new_name"]),
        )
        st.button("Remove", key="remove", on_click=scenarios.remove, args=(name,))


def _bring(cur: Current) -> None:
    """A policy or scenarios from a file: checked, explained, then used or saved."""
    file = st.file_uploader(
        "A policy or scenarios from a file (JSON)",
        type="json",
        key="policy_file",
        max_upload_size=20,
    )
    if file is None:
        return
    try:
        found, notes = read_scenarios(
            file.getvalue().decode("utf-8"), cur.bundle, file.name.removesuffix(".json")
        )
    except (ValueError, UnicodeDecodeError) as error:
        reason = "it is no text in UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
        st.error(f"**{plain(file.name)}** cannot be used: {plain(reason)}. Nothing was changed.")
        return
    for note in notes:
        st.warning(plain(note))
    for at, one in enumerate(found):
        st.markdown(f"**{plain(one.name)}**: {plain(policy_description(one.policy))}")
        with st.container(horizontal=True):
            st.button(
                "Use it", key=f"use_file_{at}", on_click=_use, args=(one.policy, one.algorithm)
            )
            st.button(
                "Save as scenario",
                key=f"save_file_{at}",
                on_click=scenarios.add,
                args=(cur, one.name, one.algorithm, one.policy),
            )
