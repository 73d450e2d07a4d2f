"""Which scenarios are compared on the Decisions screen, and their measures."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import streamlit as st

import equity_core as eq
from equity_core.analysis.decisions.scenarios import (
    MeasuredScenario,
    comparison_table,
    paired_comparison,
    scenario_intervals,
)
from equity_core.recommenders.registry import label
from pages.shared import results, scenarios, state
from pages.shared.compute import remember
from pages.shared.current import Current

MOST = 5
OWN, NOW = "own", "current"
"""The two that are always there; saved ones go by their names, with a mark before them."""
_SEEN = "_scenarios_seen"


@dataclass(frozen=True)
class Option:
    """A scenario that can be compared. ``saved``: its name among the saved ones."""

    name: str
    algorithm: str
    policy: eq.Policy
    saved: str | None = None


def available(cur: Current) -> dict[str, Option]:
    """Every scenario that can be compared: the recommender's own lists, the sidebar's policy, and
    those saved for this data set."""
    found = {OWN: Option(f"{label(cur.algorithm)}’s own lists", cur.algorithm, cur.own)}
    if cur.policy != cur.own:
        found[NOW] = Option(f"Current: {state.describe(cur.policy)}", cur.algorithm, cur.policy)
    taken = {one.name for one in found.values()}
    for one in scenarios.of(cur):
        shown = f"{one.name} (saved)" if one.name in taken else one.name
        found[f"saved {one.name}"] = Option(shown, one.algorithm, one.policy, one.name)
    return found


def choose(options: dict[str, Option]) -> list[Option]:
    """The chosen ones. What was saved since the last look is added while there is room."""
    kept = [key for key in st.session_state.get("compared", []) if key in options]
    fresh = [key for key in options if key not in st.session_state.get(_SEEN, set())]
    st.session_state["compared"] = [*kept, *(key for key in fresh if key not in kept)][:MOST]
    st.session_state[_SEEN] = set(options) | st.session_state.get(_SEEN, set())
    names = st.pills(
        "Scenarios to compare: two to five",
        list(options),
        format_func=lambda key: options[key].name,
        key="compared",
        selection_mode="multi",
    )
    if len(names) > MOST:
        st.caption(f"More than {MOST} do not fit side by side: the first {MOST} are shown.")
    return [option for key, option in options.items() if key in names][:MOST]


def measured(cur: Current, chosen: list[Option]) -> list[MeasuredScenario]:
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


def table(cur: Current, chosen: list[Option], found: list[MeasuredScenario]) -> Any:
    """The chosen scenarios side by side, with intervals (analysis.decisions.scenarios); progress
    where those take long."""

    intervals = remember(
        cur,
        "scenario intervals",
        partial(scenario_intervals, found),
        tuple(_key(one) for one in chosen),
        cur.split,
        title="Drawing intervals",
    )
    return comparison_table(found, intervals)


def paired(cur: Current, first: Option, second: Option) -> Any:
    """Two scenarios compared learner by learner (analysis.decisions.scenarios), kept; progress
    where it takes long."""
    before, after = measured(cur, [first, second])

    return remember(
        cur,
        "paired scenarios",
        partial(paired_comparison, before, after),
        _key(first),
        _key(second),
        cur.split,
        title="Comparing learner by learner",
    )
