"""What follows the slider: parts of a screen that are drawn again alone when λ or the floor moves.

A run of the whole script sends the whole screen, and a browser spends most of the wait on drawing again what has not changed. On the
screens named here all that follows the slider is a part: a screen only keeps its place, and one fragment draws the slider and all parts,
at the end of every run of the script and alone at every move. On other screens the slider is like any control: the script runs.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import Any

import streamlit as st

from pages.shared import cached, current, state

SCREENS = ("", "tradeoff")
"""Addresses of the screens that consist of parts and of what does not follow the slider; the first is the Overview."""
_PLAN = "_plan"


Steps = Iterator[None]


@dataclass
class Plan:
    """What one run of the script wants drawn by the fragment: the slider at its place, then the parts at theirs."""

    slot: Any
    slider: Callable[[current.Current], None]
    parts: list[tuple[Any, Callable[[current.Current], Steps]]] = field(default_factory=list)
    later: list[tuple[Any, Callable[[], None]]] = field(default_factory=list)
    drawn: bool = False
    computed: tuple[current.Current, list[tuple[Any, Steps]]] | None = None
    """By the slider's callback: the new choice, and the parts that have only to be drawn."""


def begin(slot: Any, slider: Callable[[current.Current], None]) -> None:
    """For the shell, before the screen is drawn: where the slider goes, and what draws it and its curve."""
    st.session_state[_PLAN] = Plan(slot, slider)


def off() -> None:
    """For the shell: on this screen the slider is like any control."""
    st.session_state[_PLAN] = None


def part(steps: Callable[..., Steps]) -> Callable[..., None]:
    """Mark ``steps(cur, …)`` as a part: a generator that computes, yields, and then draws.

    Called by a screen it keeps its place: here, or at the end of the container ``place``. All that follows the slider comes through
    ``cur``; other arguments stay as they were in the last run of the script.
    """

    @wraps(steps)
    def placed(cur: current.Current, *arguments: Any, place: Any = None, **named: Any) -> None:
        plan: Plan | None = st.session_state.get(_PLAN)
        place = place or st.container()
        if plan is not None:
            plan.parts.append((place, lambda cur: steps(cur, *arguments, **named)))
        else:
            with place:
                deque(steps(cur, *arguments, **named))

    return placed


def later(draw: Callable[[], None]) -> None:
    """For what does not follow the slider, but takes long: it keeps its place, and is drawn after the slider and the parts."""
    plan: Plan | None = st.session_state.get(_PLAN)
    if plan is None:
        draw()
    else:
        plan.later.append((st.container(), draw))


def draw() -> None:
    """For the shell, after the screen: the slider and the parts, then the rest."""
    plan: Plan | None = st.session_state[_PLAN]
    if plan is None:
        return
    with plan.slot:
        _follow(plan)
    for place, draw_it in plan.later:
        with place:
            draw_it()


def moved() -> None:
    """The slider's callback: compute before anything is sent. A browser that gets all in one go draws once, not again and again."""
    plan: Plan | None = st.session_state.get(_PLAN)
    if plan is not None and plan.drawn and not cached.is_big(current.current()):
        cur = _chosen()
        parts = [(place, steps(cur)) for place, steps in plan.parts]
        for _, steps in parts:
            next(steps, None)
        plan.computed = cur, parts


def _chosen() -> current.Current:
    """The current choice with the policy that the slider has now."""
    was = current.current()
    cur = replace(was, policy=state.read(was.names)[0], memo={})
    current.put(cur)
    cached.ahead(cur)
    return cur


@st.fragment
def _follow(plan: Plan) -> None:
    computed, plan.computed = plan.computed, None
    cur, parts = computed or (_chosen(), [])
    plan.slider(cur)
    if computed is None:
        parts = [(place, steps(cur)) for place, steps in plan.parts]
        _step(parts)
    _step(parts)
    plan.drawn = True


def _step(parts: list[tuple[Any, Steps]]) -> None:
    for place, steps in parts:
        with place:
            next(steps, None)
