"""What follows the slider: parts of a screen that are drawn again alone when λ or the floor moves.

A run of the whole script sends the whole screen, and a browser spends most of the wait on drawing
again what has not changed. On the screens named here all that follows the slider is a part: a
screen only keeps its place, and one fragment draws the slider and all parts, at the end of every
run of the script and alone at every move. On other screens the slider is like any control: the
script runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import Any

import streamlit as st

from pages.shared import current, results, state

SCREENS = ("", "tradeoff")
"""Addresses of the screens that consist of parts and of what does not follow the slider; the first
is the Overview."""
_PLAN = "_plan"


Steps = Iterator[None]


@dataclass
class Plan:
    """What one run of the script wants drawn by the fragment: the slider at its place, then the
    parts at theirs."""

    slot: Any
    slider: Callable[[current.Current], None]
    parts: list[tuple[Any, Callable[[current.Current], Steps]]] = field(default_factory=list)
    last: list[tuple[Any, Callable[[], None]]] = field(default_factory=list)
    drawn: bool = False
    computed: tuple[current.Current, list[tuple[Any, Steps]]] | None = None
    """By the slider's callback: the new choice, and the parts that have only to be drawn."""
    chosen: Any = None
    """The choice that was drawn last."""


def begin(slot: Any, slider: Callable[[current.Current], None]) -> None:
    """For the shell, before the screen is drawn: where the slider goes, and what draws it and its
    curve."""
    st.session_state[_PLAN] = Plan(slot, slider)


def off() -> None:
    """For the shell: on this screen the slider is like any control."""
    st.session_state[_PLAN] = None


def part(steps: Callable[..., Steps]) -> Callable[..., None]:
    """Mark ``steps(cur, …)`` as a part: a generator that computes, yields, and then draws.

    Called by a screen it keeps its place: here, or at the end of the container ``place``. All that
    follows the slider comes through ``cur``; other arguments stay as they were in the last run of
    the script.
    """

    @wraps(steps)
    def placed(cur: current.Current, *arguments: Any, place: Any = None, **named: Any) -> None:
        _plan().parts.append((place or st.container(), lambda cur: steps(cur, *arguments, **named)))

    return placed


def draw_last(draw: Callable[[], None], place: Any = None) -> None:
    """For what does not follow the slider, but takes long or stands below what does: it keeps its
    place, here or at the end of the container ``place``, and is drawn after the slider and the
    parts."""
    _plan().last.append((place or st.container(), draw))


def latest() -> Callable[[], current.Current]:
    """The choice as the slider has it when this is called: for what is drawn once, and asked
    outside a run of the script."""
    plan = _plan()
    return lambda: plan.chosen


def _plan() -> Plan:
    plan: Plan | None = st.session_state.get(_PLAN)
    if plan is None:
        raise RuntimeError("Only a screen that is named in live.SCREENS can have parts.")
    return plan


def draw() -> None:
    """For the shell, after the screen: the slider and the parts, then the rest."""
    plan: Plan | None = st.session_state[_PLAN]
    if plan is None:
        return
    with plan.slot:
        _follow(plan)
    for place, draw_it in plan.last:
        with place:
            draw_it()


def moved() -> None:
    """The slider's callback: compute before anything is sent. A browser that gets all in one go
    draws once, not again and again."""
    plan: Plan | None = st.session_state.get(_PLAN)
    if plan is not None and plan.drawn and not results.is_big(current.current()):
        cur = _chosen()
        parts = [(place, steps(cur)) for place, steps in plan.parts]
        for _, steps in parts:
            next(steps, None)
        plan.computed = cur, parts


def _chosen() -> current.Current:
    """The current choice with the policy that the slider has now."""
    was = current.current()
    cur = replace(was, policy=state.read(was.base.bundle)[0])
    current.put(cur)
    results.compute_ahead(cur)
    return cur


@st.fragment
def _follow(plan: Plan) -> None:
    computed, plan.computed = plan.computed, None
    cur, parts = computed or (_chosen(), [])
    plan.chosen = cur
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
