"""Computations kept between reruns: keyed by the data set's fingerprint and hashable settings,
never by matrices; all bounded.

What is kept is shared and not copied: never change it. Results of an uploaded data set stay in
caches of its browser session.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import streamlit as st

import equity_core as eq
from equity_core.analysis.tradeoff import headline as tradeoff
from pages.shared import search
from pages.shared.current import Current

BIG = 8000
"""Learners from which a policy takes long enough for words that say so."""


@dataclass(frozen=True, eq=False)
class Result:
    """The lists of a policy, and their measures."""

    run: eq.Run
    evaluation: eq.Evaluation


def _policy_key(policy: eq.Policy) -> str:
    # Values per learner show in the hash only, all else in the text.
    return f"{policy!r} {hash(policy)}"


def _caches(purpose: str, entries: int) -> tuple[Any, Any]:
    """The same cache twice: shared by all sessions, and private to one."""

    def made(scope: Literal["global", "session"]) -> Any:
        def call(
            name: str,
            key: str,
            arguments: tuple[Any, ...],
            _function: Callable[..., Any],
            _bundle: eq.Bundle,
        ) -> Any:
            return _function(_bundle, *arguments)

        call.__qualname__ = f"{purpose}_{scope}"  # Streamlit tells caches apart by it
        return st.cache_resource(
            call,
            max_entries=entries,
            show_spinner=False,
            hash_funcs={eq.Policy: _policy_key},
            scope=scope,
        )

    return made("global"), made("session")


_FRAMES, _RESULTS, _SESSIONS = (
    _caches("frames", 256),
    _caches("results", 24),
    _caches("sessions", 6),
)


def keep(
    cur: Current, function: Callable[..., Any], *arguments: Any, caches: tuple[Any, Any] = _FRAMES
) -> Any:
    """``function(cur.bundle, *arguments)``, computed once for each data set and arguments. The
    arguments must be hashable and small."""
    name = f"{function.__module__}.{function.__qualname__}"
    return caches[cur.private](name, cur.key, arguments, function, cur.bundle)


def drawn(cur: Current, name: str, build: Callable[[], Any], *settings: Any) -> Any:
    """``build()``, a picture that the slider only moves marks in: made once for each data set,
    recommender, mode and ``settings``."""

    def make(_: eq.Bundle, *settings: Any) -> Any:
        return build()

    make.__qualname__ = name
    return cur.still(
        (name, settings), lambda: keep(cur, make, cur.algorithm, cur.split, cur.dark, *settings)
    )


def session(cur: Current, algorithm: str, policy: eq.Policy) -> eq.Session:
    """The resolved session for many λ or floors of one policy; λ and floor of the policy do not
    matter."""
    searched = search.session(cur, algorithm, policy)
    if searched is not None:
        return searched
    made: eq.Session = keep(
        cur, eq.Session, algorithm, policy.but(lam=0.0, floor=None), caches=_SESSIONS
    )
    return made


def _measure(bundle: eq.Bundle, made: eq.Session, policy: eq.Policy, split: str) -> Result:
    run = replace(
        made.at_lam(policy.lam) if policy.floor is None else made.at_floor(policy.floor),
        policy=policy,
    )
    return Result(run, eq.evaluate(bundle, run, policy, split))


def result(
    cur: Current,
    algorithm: str | None = None,
    policy: eq.Policy | None = None,
    split: str | None = None,
) -> Result:
    """Lists and measures of the current policy, or of the one given."""
    algorithm, policy, split = algorithm or cur.algorithm, policy or cur.policy, split or cur.split
    if policy.floor is not None:
        policy = policy.but(lam=0.0)  # λ is ignored under a floor: one entry for all of them

    def compute(bundle: eq.Bundle, *_: Any) -> Result:
        return _measure(bundle, session(cur, algorithm, policy), policy, split)

    compute.__qualname__ = "result"
    found: Result = cur.once(
        ("result", algorithm, policy, split),
        lambda: keep(cur, compute, algorithm, policy, split, caches=_RESULTS),
    )
    return found


def own(cur: Current, algorithm: str | None = None) -> Result:
    """The recommender's own lists (λ = 0)."""
    found: Result = cur.still(("own", algorithm), lambda: result(cur, algorithm, cur.own))
    return found


def is_big(cur: Current) -> bool:
    """Whether re-ranking and measuring takes long enough for words that say so."""
    return len(cur.bundle.learner_ids) > BIG


def wait(cur: Current) -> None:
    """Re-rank and measure the current policy, with words that say so where that takes long."""
    if is_big(cur):
        with st.spinner(f"Re-ranking and measuring {len(cur.bundle.learner_ids):,} lists …"):
            own(cur), result(cur)


def ahead(cur: Current) -> None:
    """Re-rank and measure before anything is drawn, where that is quick.

    A browser that gets a screen in one go draws it once; one that gets it piece by piece draws it
    again and again.
    """
    if not is_big(cur):
        compared(cur)


def compared(cur: Current) -> Any:
    """The current policy against the own lists: audit.tradeoff.compared."""
    return cur.once(
        "compared", lambda: tradeoff.compared(result(cur).evaluation, own(cur).evaluation)
    )


def evaluation(
    cur: Current,
    algorithm: str | None = None,
    policy: eq.Policy | None = None,
    split: str | None = None,
) -> eq.Evaluation:
    """The measures alone."""
    return result(cur, algorithm, policy, split).evaluation


def sweep(
    cur: Current,
    lams: tuple[float, ...],
    algorithm: str | None = None,
    policy: eq.Policy | None = None,
    split: str | None = None,
) -> Any:
    """eq.sweep, kept."""
    return keep(
        cur,
        eq.sweep,
        algorithm or cur.algorithm,
        (policy or cur.policy).but(lam=0.0, floor=None),
        tuple(lams),
        split or cur.split,
    )


def floor_sweep(
    cur: Current,
    floors: tuple[float, ...],
    algorithm: str | None = None,
    policy: eq.Policy | None = None,
    split: str | None = None,
) -> Any:
    """eq.floor_sweep, kept."""
    policy = (policy or cur.policy).but(lam=0.0, floor=None)
    return keep(
        cur, eq.floor_sweep, algorithm or cur.algorithm, policy, tuple(floors), split or cur.split
    )
