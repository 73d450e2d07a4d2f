"""The policy in the state of the controls: its keys (also those of the link), reading it, and
setting it from presets, buttons and files."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

import equity_core as eq
from equity_core.analysis.words import STRATEGIES
from equity_core.policy import LearnerValues

_LEARNERS = "_learner_values"
# τ is not here: it starts at the mean consistency of the own lists, which depends on the data.
DEFAULTS: dict[str, Any] = {
    "by": "floor",
    "lam": 0.85,
    "strategy": "glob",
    "k": 10,
    "targets": "",
    "weights": "",
    "scale": "minmax",
    "pool": "stored",
}


def read_values(
    text: str, names: Sequence[str], highest: float
) -> tuple[dict[str, float], list[str]]:
    """The values by principle in a text such as ``quality=0.8 price=1``, and what is wrong with the
    rest. Values of 1 are left out: 1 is the default."""
    out: dict[str, float] = {}
    wrong = []
    for part in re.split(r"[;,\s]+(?=[^;,=]+=)|[;,]", text.strip()):
        name, _, number = part.partition("=")
        name = name.strip()
        if not part.strip():
            continue
        try:
            value = float(number)
        except ValueError:
            wrong.append(f"“{part.strip()}” is not of the form principle=number")
            continue
        if name not in names:
            wrong.append(f"“{name}” is not a principle of this data set")
        elif not 0.0 <= value <= highest:
            wrong.append(
                f"{name} must be {'from 0 to 1' if highest == 1 else '0 or more'}, not"
                f" {number.strip()}"
            )
        elif value != 1.0:
            out[name] = value
    return out, wrong


def write_values(values: Mapping[str, float]) -> str:
    """Values by principle as a text that read_values can read."""
    return ", ".join(f"{name}={value:g}" for name, value in values.items() if value != 1.0)


def _number(key: str, low: float, high: float, otherwise: float) -> float:
    value = st.session_state.get(key)
    good = isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high
    return float(value) if good else otherwise  # type: ignore[arg-type]


def _one_of(key: str, options: Sequence[str]) -> str:
    value = st.session_state.get(key)
    return str(value if value in options else DEFAULTS[key])


def read(names: Sequence[str]) -> tuple[eq.Policy, list[str]]:
    """The policy in the controls (limits are checked again: a browser may send anything), and notes
    on what had to be left out."""
    targets, wrong = read_values(str(st.session_state.get("targets") or ""), names, 1.0)
    weights, more = read_values(str(st.session_state.get("weights") or ""), names, float("inf"))
    strategy = _one_of("strategy", tuple(STRATEGIES))
    learners: dict[str, LearnerValues] = st.session_state.get(_LEARNERS, {})
    given: dict[str, Any] = {
        "targets": targets or None,
        "weights": (weights or None) if strategy == "custom" else None,
    }
    if strategy == "custom" and weights and all(weights.get(name, 1.0) == 0.0 for name in names):
        more.append("all weights are 0, so no principle would count: they are set to 1")
        given["weights"] = None
    given.update(
        {
            what: values
            for what, values in learners.items()
            if what != "weights" or strategy == "custom"
        }
    )
    policy = eq.Policy(
        lam=_number("lam", 0.0, 1.0, DEFAULTS["lam"]),
        floor=(
            _number("tau", 0.0, 1.0, 0.65) if _one_of("by", ("floor", "lam")) == "floor" else None
        ),
        k=int(_number("k", 1, 1000, DEFAULTS["k"])),
        strategy=strategy,  # type: ignore[arg-type]
        relevance_scale=_one_of("scale", ("minmax", "rank", "none")),  # type: ignore[arg-type]
        pool=_one_of("pool", ("stored", "catalogue")),  # type: ignore[arg-type]
        **given,
    )
    return policy, [
        *(f"Targets: {text}." for text in wrong),
        *(f"Weights: {text}." for text in more),
    ]


def use(policy: eq.Policy, algorithm: str | None = None) -> None:
    """Set every control to a policy. Call it from a callback (on_click, on_change), before the
    controls are drawn."""
    state = st.session_state
    state["by"] = "lam" if policy.floor is None else "floor"
    if policy.floor is None:
        state["lam"] = policy.lam
    else:
        state["tau"] = policy.floor
    state["strategy"], state["k"] = policy.strategy, policy.k
    state["scale"], state["pool"] = policy.relevance_scale, policy.pool
    learners = {}
    for what, values in (("targets", policy.targets), ("weights", policy.weights)):
        state[what] = write_values(values) if isinstance(values, Mapping) else ""
        if isinstance(values, LearnerValues):
            learners[what] = values
    state[_LEARNERS] = learners
    if algorithm is not None:
        state["algo"] = algorithm


def use_lam(lam: float) -> None:
    """Set one λ for all; call it from a callback."""
    st.session_state["by"], st.session_state["lam"] = "lam", lam


def use_floor(floor: float) -> None:
    """Set a floor; call it from a callback."""
    st.session_state["by"], st.session_state["tau"] = "floor", floor


def reset(start: float) -> None:
    """Set every control to its default and the floor to ``start``, except the data set and the
    recommender; call it from a callback."""
    for key, value in {**DEFAULTS, "tau": start}.items():
        st.session_state[key] = value
    st.session_state[_LEARNERS] = {}


def describe(policy: eq.Policy) -> str:
    """A policy in a few words: "floor 0.65, k = 10, same for all (glob)"."""
    if policy.floor is not None:
        main = f"floor {policy.floor:g}"
    else:
        main = "the recommender's own lists" if policy.lam == 0 else f"λ = {policy.lam:g}"
    extras = [f"k = {policy.k}"]
    strategy = STRATEGIES[policy.strategy]
    extras += [strategy[0].lower() + strategy[1:]] if main[0] in "fλ" else []
    extras += ["own targets"] if policy.targets is not None else []
    return ", ".join([main, *extras])
