"""The policy in the state of the controls: its keys (also those of the link), reading it, and
setting it from presets, buttons and files.

This is the one place where the policy is kept. Controls that are not always on the page (those of
the panel with targets and weights) show and set it by callbacks, and keep nothing of it themselves.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, get_args
from urllib.parse import unquote

import streamlit as st

import equity_core as eq
from equity_core.analysis.words import STRATEGIES
from equity_core.metrics.targets import learner_targets
from equity_core.policy import FloorMethod, LearnerValues, Method, Order, Pool, RelevanceScale
from pages.shared import current

LEARNERS = "_learner_values"
"""Targets and weights of single learners, from a file: they do not fit into a field."""
START = "_start_floor"
"""Set where the floor is to begin at the mean consistency of the own lists, which depends on data
set, recommender and targets: the sidebar computes it."""
_ASIDE, _NAME = "_set_aside", "_policy_of"
DEFAULTS: dict[str, Any] = {
    "by": "floor",
    "lam": 0.85,
    "strategy": "glob",
    "k": 10,
    "targets": "",
    "weights": "",
    "scale": "minmax",
    "pool": "stored",
    "order": "relevance",
    "floor_method": "least-loss",
    "method": "greedy+swaps",
}
CHOICES: dict[str, tuple[str, tuple[str, ...]]] = {
    "scale": ("relevance_scale", get_args(RelevanceScale)),
    "pool": ("pool", get_args(Pool)),
    "order": ("order", get_args(Order)),
    "floor_method": ("floor_method", get_args(FloorMethod)),
    "method": ("method", get_args(Method)),
}
"""Settings that are one of a few words: the policy's field, and the words."""
_KEPT = (*DEFAULTS, "tau", "algo", "principles", LEARNERS, "_baseline")
"""What belongs to one data set and comes back with it."""


# Values by principle


def read_values(
    text: str, names: Sequence[str], highest: float, own: Collection[str] = ()
) -> tuple[dict[str, float], list[str]]:
    """The values by principle in a text such as ``quality=0.8 price=1``, and what is wrong with the
    rest. Values of 1 are left out: 1 is the default, except for ``own``, the principles whose
    learners have targets of their own."""
    out: dict[str, float] = {}
    wrong = []
    # Names that are known come first: theirs may have spaces and commas in them.
    known = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    pairs = rf"(?:^|(?<=[;,\s]))\s*({known})\s*=\s*([^;,\s]+)"
    parts = [f"{name}={number}" for name, number in re.findall(pairs, text)] if known else []
    left = re.sub(pairs, "", text) if known else text
    for part in [*parts, *re.split(r"[;,\s]+(?=[^;,=]+=)|[;,]", left.strip())]:
        name, _, number = part.rpartition("=") if "=" in part else (part, "", "")
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
        elif value != 1.0 or name in own:
            out[name] = value
    return out, wrong


def write_values(values: Mapping[str, float], own: Collection[str] = ()) -> str:
    """Values by principle as a text that read_values can read."""
    return ", ".join(
        f"{name}={value:g}" for name, value in values.items() if value != 1.0 or name in own
    )


# Principles


def principle_code(principle: eq.Principle, own: Sequence[eq.Principle]) -> str:
    """A principle as the link has it: the name of one of the data set's own, else all that it is,
    such as ``duration:mean:hours:low:linear:0:40``; parts left out at the end have their
    defaults."""
    if principle in own:
        return principle.name
    parts = [principle.name, principle.kind, principle.column]
    if principle.kind == "mean":
        ends = ("" if end is None else f"{end:.17g}" for end in (principle.low, principle.high))
        parts += [principle.better, principle.scale, *ends]
    code = ":".join(part.replace("%", "%25").replace(":", "%3A") for part in parts)
    return code.rstrip(":")


def read_principle(code: str, own: Sequence[eq.Principle]) -> eq.Principle:
    """The principle of a code, or of a name that the data set has. ValueError if it is neither."""
    for principle in own:
        if principle.name == code:
            return principle
    parts = [unquote(part) for part in code.split(":")]
    if not 3 <= len(parts) <= 7:
        raise ValueError(
            f"“{code}” is not a principle; a code is name:kind:column, and for a mean also high or"
            " low, linear or log, and the ends of its scale"
        )
    try:
        ends = [None if end == "" else float(end) for end in parts[5:]]
    except ValueError:
        raise ValueError(
            f"“{code}” is not a principle: the ends of its scale are not numbers"
        ) from None
    return eq.Principle(*parts[:5], *ends)  # type: ignore[arg-type]


def principle_name(code: str) -> str:
    """The name in a code."""
    return unquote(code.split(":")[0]) if code.count(":") >= 2 else code


def codes(principles: Sequence[eq.Principle] | None, own: Sequence[eq.Principle]) -> list[str]:
    """The codes of a policy's principles; None: of the data set's own."""
    return [principle_code(principle, own) for principle in principles or own]


def _principles(bundle: eq.Bundle) -> tuple[tuple[eq.Principle, ...] | None, list[str]]:
    """The chosen principles (None: the data set's own), and notes on those that cannot be used."""
    own, notes, chosen = bundle.principles, [], []
    asked: list[str] | None = st.session_state.get("principles")
    for code in [] if asked is None else asked:
        try:
            chosen.append(read_principle(code, own))
        except ValueError as error:
            notes.append(f"A principle was left out: {error}.")
    if asked is None or tuple(chosen) == own:
        return None, notes
    if not chosen:
        usual = "No principle is chosen, so there would be nothing to judge by: the data set's own"
        return None, [*notes, f"{usual} are used."]
    try:
        bundle.with_principles(chosen)
    except (ValueError, TypeError) as error:
        refused = f"These principles cannot be used: {error}. The data set's own are used."
        return None, [*notes, refused]
    return tuple(chosen), notes


def use_principles(chosen: Sequence[str], bundle: eq.Bundle) -> None:
    """Set the principles by their codes; targets and weights of others go with them. Of two with
    the same name, the one chosen last stays. None chosen: the data set's own. Call it from a
    callback."""
    state, by_name = st.session_state, {principle_name(code): code for code in chosen}
    state["principles"] = list(by_name.values()) or codes(None, bundle.principles)
    names = [principle_name(code) for code in state["principles"]]
    for what in ("targets", "weights"):
        given, _ = read_values(str(state.get(what) or ""), names, float("inf"), names)
        state[what] = write_values(given, names)


# The policy


def _number(key: str, low: float, high: float, otherwise: float) -> float:
    value = st.session_state.get(key)
    good = isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high
    return float(value) if good else otherwise  # type: ignore[arg-type]


def _one_of(key: str, options: Sequence[str]) -> str:
    value = st.session_state.get(key)
    return str(value if value in options else DEFAULTS[key])


def read(bundle: eq.Bundle) -> tuple[eq.Policy, list[str]]:
    """The policy in the controls (limits are checked again: a browser may send anything), and notes
    on what had to be left out. ``bundle``: the data set with its own principles."""
    principles, notes = _principles(bundle)
    judged = bundle if principles is None else bundle.with_principles(principles)
    names, own = [principle.name for principle in judged.principles], learner_targets(judged)
    targets, wrong = read_values(str(st.session_state.get("targets") or ""), names, 1.0, own)
    weights, more = read_values(str(st.session_state.get("weights") or ""), names, float("inf"))
    strategy = _one_of("strategy", tuple(STRATEGIES))
    learners: dict[str, LearnerValues] = st.session_state.get(LEARNERS, {})
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
        principles=principles,
        **{field: _one_of(key, words) for key, (field, words) in CHOICES.items()},  # type: ignore[arg-type]
        **given,
    )
    return policy, [
        *notes,
        *(f"Targets: {text}." for text in wrong),
        *(f"Weights: {text}." for text in more),
    ]


def choices(policy: eq.Policy) -> dict[str, str]:
    """The settings of a policy that are one of a few words, by the key of their control."""
    return {key: getattr(policy, field) for key, (field, _) in CHOICES.items()}


def use(policy: eq.Policy, algorithm: str | None = None) -> None:
    """Set every control to a policy. Call it from a callback (on_click, on_change), before the
    controls are drawn."""
    state, bundle = st.session_state, current.current().base.bundle
    state["by"] = "lam" if policy.floor is None else "floor"
    if policy.floor is None:
        state["lam"] = policy.lam
    else:
        state["tau"] = policy.floor
    state["strategy"], state["k"] = policy.strategy, policy.k
    state.update(choices(policy))
    state["principles"] = codes(policy.principles, bundle.principles)
    judged = bundle if policy.principles is None else bundle.with_principles(policy.principles)
    learners = {}
    for what, values in (("targets", policy.targets), ("weights", policy.weights)):
        own = learner_targets(judged) if what == "targets" else ()
        state[what] = write_values(values, own) if isinstance(values, Mapping) else ""
        if isinstance(values, LearnerValues):
            learners[what] = values
    state[LEARNERS] = learners
    if algorithm is not None:
        state["algo"] = algorithm


def use_values(what: str, text: str) -> None:
    """Set the targets or the weights for all learners, as text: a file's values of single learners
    go. Weights need the strategy that takes them as given."""
    st.session_state[what] = text
    learners = st.session_state.get(LEARNERS, {})
    st.session_state[LEARNERS] = {key: values for key, values in learners.items() if key != what}
    if what == "weights" and text:
        st.session_state["strategy"] = "custom"


def use_lam(lam: float) -> None:
    """Set one λ for all; call it from a callback."""
    st.session_state["by"], st.session_state["lam"] = "lam", lam


def use_floor(floor: float) -> None:
    """Set a floor; call it from a callback."""
    st.session_state["by"], st.session_state["tau"] = "floor", floor


def reset(bundle: eq.Bundle) -> None:
    """Set every control to its default for a data set, except the recommender; the floor begins
    where the sidebar says. Call it from a callback, or before the controls are drawn."""
    for key, value in DEFAULTS.items():
        st.session_state[key] = value
    st.session_state["principles"] = codes(None, bundle.principles)
    st.session_state[LEARNERS], st.session_state["_baseline"] = {}, None
    st.session_state[START] = True


def change_data(name: str, bundle: eq.Bundle, algorithm: str) -> bool:
    """Where another data set was chosen: set the former one's policy aside, and take up what was
    set for this one, else its defaults with a recommender. Call it before the controls are drawn.

    Returns
    -------
    bool
        Whether another one was chosen.
    """
    state = st.session_state
    former = state.get(_NAME)
    state[_NAME] = name
    if former in (None, name):
        return False
    aside: dict[str, dict[str, Any]] = state.setdefault(_ASIDE, {})
    aside[former] = {key: state[key] for key in _KEPT if key in state}
    if (kept := aside.pop(name, None)) is None:
        reset(bundle)
        state["algo"] = algorithm
    else:
        for key, value in kept.items():
            state[key] = value
        state[START] = "tau" not in kept
    return True


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
    extras += ["own principles"] if policy.principles is not None else []
    return ", ".join([main, *extras])
