"""The parts of the Decisions screen: which scenarios are compared, and their export and import."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from urllib.parse import urlencode

import streamlit as st

import equity_core as eq
from equity_core.algorithms import label
from equity_core.analysis.decisions.exchange import NamedPolicy, read_scenarios, write_scenarios
from equity_core.analysis.decisions.scenarios import (
    MeasuredScenario,
    comparison_table,
    paired_comparison,
    policy_description,
    scenario_intervals,
)
from equity_core.metrics.targets import learner_targets
from equity_core.policy import LearnerValues
from pages.shared import results, scenarios, state
from pages.shared.compute import remember
from pages.shared.current import Current, current
from pages.shared.panels import plain
from pages.shared.sidebar.targets import forget_drafts

MOST_COMPARED = 5
OWN, CURRENT = "own", "current"
"""The keys of the two scenarios that need not be saved; saved ones have their name after a
prefix."""
_SELECTIONS = "_scenarios_compared"


# Which scenarios are compared


@dataclass(frozen=True)
class Option:
    """A scenario that can be compared. ``saved``: its name among the saved ones."""

    name: str
    algorithm: str
    policy: eq.Policy
    saved: str | None = None


def available_scenarios(cur: Current) -> dict[str, Option]:
    """Every scenario that can be compared: the recommender's own lists, the sidebar's policy, and
    those saved for this data set."""
    options = {OWN: Option(f"{label(cur.algorithm)}’s own lists", cur.algorithm, cur.own)}
    if cur.policy != cur.own:
        words = state.describe(cur.policy)
        options[CURRENT] = Option(f"Current: {words}", cur.algorithm, cur.policy)
    taken = {one.name for one in options.values()}
    for one in scenarios.of_data_set(cur):
        shown = f"{one.name} (saved)" if one.name in taken else one.name
        options[f"saved {one.name}"] = Option(shown, one.algorithm, one.policy, one.name)
    return options


@dataclass
class Selection:
    """Which scenarios of a data set are compared, whether the screen is open or not."""

    chosen: list[str] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)


def _selection(cur: Current) -> Selection:
    selections: dict[str, Selection] = st.session_state.setdefault(_SELECTIONS, {})
    return selections.setdefault(cur.base.key, Selection())


def _select(selection: Selection, options: list[str]) -> None:
    """What was clicked. The current policy, while it is the own lists, is no option, and stays
    chosen."""
    hidden = [key for key in selection.chosen if key not in options]
    selection.chosen = [*st.session_state["compared"], *hidden]


def choose_scenarios(cur: Current, options: dict[str, Option]) -> list[Option]:
    """The chosen scenarios. Those saved since the last visit are added while there is room."""
    selection = _selection(cur)
    fresh = [key for key in options if key not in {*selection.seen, *selection.chosen}]
    room = max(MOST_COMPARED - len([key for key in selection.chosen if key in options]), 0)
    selection.chosen += fresh[:room]
    selection.seen |= set(options)
    st.session_state["compared"] = [key for key in selection.chosen if key in options]
    names = st.pills(
        "Scenarios to compare: two to five",
        list(options),
        format_func=lambda key: options[key].name,
        key="compared",
        selection_mode="multi",
        on_change=_select,
        args=(selection, list(options)),
    )
    if len(names) > MOST_COMPARED:
        st.caption(
            f"More than {MOST_COMPARED} do not fit side by side: the first {MOST_COMPARED} are"
            " shown."
        )
    return [option for key, option in options.items() if key in names][:MOST_COMPARED]


def measured_scenarios(cur: Current, chosen: list[Option]) -> list[MeasuredScenario]:
    """Lists and measures of the chosen scenarios, each with those of its recommender's own
    lists."""
    out = []
    for one in chosen:
        now = results.result(cur, one.algorithm, one.policy)
        own = results.result(
            cur, one.algorithm, one.policy.but(lam=0.0, floor=None, strategy="glob", weights=None)
        )
        out.append(MeasuredScenario(one.name, now.run, now.evaluation, own.run, own.evaluation))
    return out


def _key(one: Option) -> tuple[str, eq.Policy]:
    return one.algorithm, one.policy


def compared_table(cur: Current, chosen: list[Option], measured: list[MeasuredScenario]) -> Any:
    """One row per chosen scenario (analysis.decisions.scenarios.comparison_table), with intervals;
    shows progress while those are computed."""
    intervals = remember(
        cur,
        "scenario intervals",
        partial(scenario_intervals, measured),
        tuple(_key(one) for one in chosen),
        cur.split,
        title="Drawing intervals",
    )
    return comparison_table(measured, intervals)


def paired_table(cur: Current, first: Option, second: Option) -> Any:
    """Two scenarios compared learner by learner, one row per measure
    (analysis.decisions.scenarios.paired_comparison); shows progress."""
    before, after = measured_scenarios(cur, [first, second])
    return remember(
        cur,
        "paired scenarios",
        partial(paired_comparison, before, after),
        _key(first),
        _key(second),
        cur.split,
        title="Comparing learner by learner",
    )


# Export and import


def _save(cur: Current, one: NamedPolicy) -> None:
    scenarios.add(cur, one.name, one.algorithm, one.policy)


def _use(policy: eq.Policy, algorithm: str | None) -> None:
    state.use(policy, algorithm)
    forget_drafts(current().base.bundle)


def scenario_link(cur: Current, algorithm: str, policy: eq.Policy) -> str:
    """The address that restores a scenario: the one in the address bar, with this policy's
    values."""
    bundle = cur.base.bundle
    judged = bundle if policy.principles is None else bundle.with_principles(policy.principles)
    values: dict[str, object] = {"algo": algorithm, "strategy": policy.strategy, "k": policy.k}
    values |= (
        {"by": "lam", "lam": policy.lam}
        if policy.floor is None
        else {"by": "floor", "tau": policy.floor}
    )
    values |= state.choices(policy)
    for what, given in (("targets", policy.targets), ("weights", policy.weights)):
        if isinstance(given, Mapping):
            own = learner_targets(judged) if what == "targets" else ()
            values[what] = state.write_values(given, own)
    if policy.principles is not None:
        values["principles"] = state.codes(policy.principles, bundle.principles)
    kept = {
        key: value
        for key, value in st.query_params.to_dict().items()
        if key not in ("lam", "tau", "targets", "weights", "principles")
    }
    kept["data"] = st.session_state.get("data", "")
    address = (st.context.url or "").split("?")[0]
    asked = {key: value for key, value in values.items() if value != ""}
    return f"{address}?{urlencode({**kept, **asked}, doseq=True)}"


def exchange_panel(cur: Current, options: dict[str, Option]) -> None:
    """One scenario as a file and as a link; use, rename or remove it; all scenarios as a file;
    others from a file."""
    if st.session_state.get("taken") not in options:
        st.session_state["taken"] = CURRENT if CURRENT in options else OWN
    with st.container(horizontal=True, vertical_alignment="bottom"):
        key = st.selectbox(
            "Scenario",
            list(options),
            format_func=lambda key: options[key].name,
            key="taken",
            persist_state="session",
            width=420,
        )
        one = options[key]
        st.button(
            "Use it",
            icon=":material/check:",
            key="use_scenario",
            on_click=_use,
            args=(one.policy, one.algorithm),
            disabled=key == CURRENT,
        )
        st.download_button(
            "Download policy (JSON)",
            cur.exported(one.policy).to_json(),
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
            "Download all scenarios",
            lambda: write_scenarios(rows, cur.base.bundle),
            "scenarios.json",
            "application/json",
            key="scenarios_json",
            icon=":material/download:",
            on_click="ignore",
        )
        if one.saved is not None:
            _edit_menu(one.saved)
        opened = st.popover("From a file", icon=":material/upload:", key="bring", on_change="rerun")
        if opened.open:
            with opened:
                _import_panel(cur)
    restores = (
        "This link restores it once these tables have been loaded and selected again:"
        if cur.private
        else "This link restores it:"
    )
    st.caption(f"{label(one.algorithm)}: {plain(policy_description(one.policy))}. {restores}")
    st.code(scenario_link(cur, one.algorithm, one.policy), language=None, wrap_lines=True)
    if isinstance(one.policy.targets, LearnerValues) or isinstance(
        one.policy.weights, LearnerValues
    ):
        st.caption("Values per learner do not fit in a link: download the policy as a file.")


def _edit_menu(name: str) -> None:
    """Rename or remove a saved scenario."""
    with st.popover("Edit", icon=":material/edit:", key="edit_scenario"):
        st.text_input("New name", value=name, key="new_name")
        st.button(
            "Rename",
            key="rename",
            on_click=lambda: scenarios.rename(name, st.session_state["new_name"]),
        )
        st.button("Remove", key="remove", on_click=scenarios.remove, args=(name,))


def _import_panel(cur: Current) -> None:
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
        imported, notes = read_scenarios(
            file.getvalue().decode("utf-8"), cur.base.bundle, file.name.removesuffix(".json")
        )
    except (ValueError, UnicodeDecodeError) as error:
        reason = "it is not UTF-8 text" if isinstance(error, UnicodeDecodeError) else str(error)
        st.error(f"**{plain(file.name)}** cannot be used: {plain(reason)}. Nothing was changed.")
        return
    for note in notes:
        st.warning(plain(note))
    for at, one in enumerate(imported):
        st.markdown(f"**{plain(one.name)}**: {plain(policy_description(one.policy))}")
        with st.container(horizontal=True):
            st.button(
                "Use it", key=f"use_file_{at}", on_click=_use, args=(one.policy, one.algorithm)
            )
            st.button(
                "Save as scenario",
                key=f"save_file_{at}",
                on_click=_save,
                args=(cur, one),
            )
