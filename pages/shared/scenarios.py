"""The scenarios saved in this browser session, to be compared on the Decisions screen."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

import equity_core as eq
from pages.shared.current import Current

_KEPT = "_scenarios"


@dataclass(frozen=True)
class Scenario:
    """A policy with a name, for one data set and recommender."""

    name: str
    algorithm: str
    policy: eq.Policy
    data: str
    """The key of the data set: only scenarios of the same data can be compared."""


def all_scenarios() -> list[Scenario]:
    """Every saved scenario, oldest first."""
    kept: list[Scenario] = st.session_state.setdefault(_KEPT, [])
    return list(kept)


def of_data_set(cur: Current) -> list[Scenario]:
    """The saved scenarios of the current data set, oldest first."""
    return [scenario for scenario in all_scenarios() if scenario.data == cur.base.key]


def _unused(name: str) -> str:
    """The name itself, or with a number if it is in use."""
    taken = {scenario.name for scenario in all_scenarios()}
    base, number = name.strip() or "Scenario", 2
    while name in taken or not name.strip():
        name, number = f"{base} ({number})", number + 1
    return name.strip()


def add(
    cur: Current, name: str, algorithm: str | None = None, policy: eq.Policy | None = None
) -> Scenario:
    """Save the current policy (or the one given) under a name; a name in use gets a number."""
    scenario = Scenario(
        _unused(name), algorithm or cur.algorithm, policy or cur.policy, cur.base.key
    )
    st.session_state[_KEPT] = [*all_scenarios(), scenario]
    return scenario


def remove(name: str) -> None:
    """Remove a scenario."""
    st.session_state[_KEPT] = [scenario for scenario in all_scenarios() if scenario.name != name]


def rename(old: str, new: str) -> None:
    """Give a scenario another name; a name in use gets a number, an empty one changes nothing."""
    if new.strip() and new.strip() != old:
        new = _unused(new.strip())
        st.session_state[_KEPT] = [
            replace(s, name=new) if s.name == old else s for s in all_scenarios()
        ]
