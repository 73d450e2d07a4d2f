"""Whatever a visitor does, and in whatever order: sidebar, link, cards and exported policy say the
same, and a fresh computation from the policy's file gives the figures on the screen.

Hypothesis walks random sequences of the shell's controls. A test harness sends what the page shows;
a browser does not: a field in a popover that is closed is not on the page, and the browser goes on
sending what it had when it was last seen. :class:`Visitor` does as a browser does.

``EQUITY_STEPS`` sets the number of steps (2,000 unless given).
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pandas as pd
import pytest
import streamlit as st
from hypothesis import HealthCheck, Phase, note, settings
from hypothesis import strategies as some
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Block, Widget

import equity_core as eq
from equity_core.analysis.tradeoff.headline import DIGITS
from equity_core.analysis.words import decimal
from pages.shared.sidebar.presets import NAMES as PRESETS
from pages.shared.state import CHOICES, choices
from tests.helpers.screens import ROOT, go_to
from tests.helpers.worlds import tiny_frames

pytestmark = pytest.mark.slow

STEPS = int(os.environ.get("EQUITY_STEPS", "2000"))
WALK = 25
"""Steps of one walk; a walk begins with a visit."""
SCREENS = ("", "data", "audit", "tradeoff", "learners", "decisions", "methods")
STRATEGIES = ("glob", "user", "pers", "custom")
OTHER = (
    eq.Principle("brevity", "mean", "hours", better="low", low=0.0, high=40.0),
    eq.Principle("topics", "balance", "category"),
    eq.Principle("quality", "mean", "rating"),
)
"""The principles of the second data set; it has targets of its own learners, too."""
EXPORTED: dict[str, str] = {}
"""What the page offers to download, by key."""


def bundles() -> dict[str, eq.Bundle]:
    """Two small platforms: one with the paper's seven principles, one with others and with targets
    of single learners."""
    courses, log, scores = tiny_frames()
    courses["hours"] = [3.0, 40.0, 12.0, 8.0, 5.0, 22.0, 6.0, 1.0, 4.0, 2.0, 30.0, 15.0]
    learners = sorted(set(log["learner_id"]))
    targets = pd.DataFrame(
        {"learner_id": learners, "quality": [0.5, 0.9, 0.7, 0.6, 1.0, 0.8], "topics": 0.6}
    )
    other = courses.assign(price=courses["price"].fillna(5.0) * 2)
    return {
        "one": eq.Bundle.from_frames(courses, log, scores, name="One"),
        "two": eq.Bundle.from_frames(
            other,
            log,
            {"userknn": scores["toppopular"], "mine": scores["userknn"]},
            principles=OTHER,
            targets=targets,
            name="Two",
        ),
    }


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Path]]:
    """The two on disk, where the dashboard finds them."""
    top = tmp_path_factory.mktemp("stateful")
    paths = {name: top / name for name in bundles()}
    for name, bundle in bundles().items():
        bundle.save(paths[name])
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("EQUITY_DATA", os.pathsep.join(map(str, paths.values())))
        patched.setenv("EQUITY_FIRST", str(paths["one"]))
        patched.chdir(ROOT)
        offered = st.download_button

        def seen(label: str, data: Any, *rest: Any, **named: Any) -> bool:
            if named.get("key") == "policy_json":
                EXPORTED["policy_json"] = data() if callable(data) else data
            return offered(label, data, *rest, **named)

        patched.setattr(st, "download_button", seen)
        yield paths


@cache
def loaded(path: Path) -> eq.Bundle:
    return eq.load_bundle(path)


@cache
def truth(path: Path, algorithm: str, text: str) -> eq.Evaluation:
    """What the command line computes from a policy's file."""
    bundle, policy = loaded(path), eq.Policy.from_json(text)
    return eq.evaluate(bundle, eq.rerank(bundle, algorithm, policy), policy)


def own_floor(path: Path, algorithm: str) -> float:
    """The floor to begin with: the mean consistency of the own lists."""
    return round(truth(path, algorithm, eq.Policy(lam=0.0).to_json()).consistency, 2)


def widgets(block: Block, *, shown: bool = True) -> Iterator[tuple[Widget, bool]]:
    """All controls of a page, and whether they are on it: those in a closed popover are not."""
    for child in block.children.values():
        if isinstance(child, Block):
            closed = child.type == "popover" and not child.proto.popover.open
            yield from widgets(child, shown=shown and not closed)
        elif isinstance(child, Widget):
            yield child, shown


class Visitor:
    """A browser at the dashboard: what it holds for each control, and the address it has."""

    def __init__(self, link: dict[str, list[str]]) -> None:
        self.app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
        self.app.query_params.update(link)
        self.held: dict[str, Any] = {}
        self.run()

    def run(self, page: str | None = None) -> None:
        """One run of the script, with what a browser would send."""
        if self.held:
            for widget, shown in widgets(self.app._tree):
                if not shown and widget.id in self.held:
                    widget.set_value(self.held[widget.id])  # type: ignore[attr-defined]
            self.app.query_params = self.link()
        EXPORTED.clear()
        go_to(self.app, page) if page is not None else self.app.run()
        assert not self.app.exception, [error.value for error in self.app.exception]
        for widget, shown in widgets(self.app._tree):
            if shown and hasattr(widget, "set_value"):
                self.held[widget.id] = widget.value  # type: ignore[attr-defined]

    def link(self) -> dict[str, list[str]]:
        """The address as the browser has it: every bound control that is not at its default."""
        out = {}
        for widget, _ in widgets(self.app._tree):
            key = getattr(widget.proto, "query_param_key", "")
            if key and (words := _words(widget)) is not None:
                out[key] = words
        return out


def _words(widget: Any) -> list[str] | None:
    """What a bound control writes into the address; None at its default."""
    proto, value = widget.proto, widget.value
    if widget.type in ("selectbox", "multiselect", "button_group"):
        shown = [getattr(option, "content", option) for option in proto.options]
        given = value if isinstance(value, list) else [value]
        words = [widget.format_func(one) if widget.format_func else str(one) for one in given]
        usual = [proto.default] if isinstance(proto.default, int) else list(proto.default)
        return None if words == [shown[at] for at in usual] else words
    usual = proto.default[0] if widget.type == "slider" else proto.default
    return None if value == usual else [f"{value:g}" if isinstance(value, float) else str(value)]


def values(text: str) -> dict[str, float]:
    """Targets or weights as the field has them."""
    parts = (part.split("=") for part in text.split(",") if part.strip())
    return {name.strip(): float(number) for name, number in parts}


class Dashboard(RuleBasedStateMachine):
    """One visitor at the dashboard."""

    paths: dict[str, Path]

    @initialize()
    def visit(self) -> None:
        self.visitor = Visitor({})
        self.page = ""
        self.kept: dict[str, tuple[str, eq.Policy]] = {}
        self.agree()

    # What is on the screen

    @property
    def app(self) -> AppTest:
        return self.visitor.app

    @property
    def data(self) -> str:
        return str(self.app.selectbox(key="data").value)

    @property
    def path(self) -> Path:
        return self.paths[self.data]

    @property
    def current(self) -> Any:
        return self.app.session_state["_current"]

    @property
    def state(self) -> tuple[str, eq.Policy]:
        """Recommender and policy; λ does not count under a floor."""
        return self.current.algorithm, self.current.measured

    def control(self, kind: str, key: str) -> Any:
        return next(one for one in self.app.get(kind) if one.key == key)

    def has(self, kind: str, key: str) -> bool:
        return any(one.key == key for one in self.app.get(kind))

    def do(self, act: Callable[[], Any] | None = None, page: str | None = None) -> None:
        """One step, and what must hold after it."""
        if act is not None:
            act()
        self.visitor.run(page)
        self.agree()

    def agree(self) -> None:
        """Sidebar, computation, cards and exported file say the same."""
        cur, policy = self.current, self.current.policy
        note(f"{self.page or 'overview'}: {self.data}, {cur.algorithm}, {policy}")
        self.as_in_the_sidebar(policy)
        text = EXPORTED.get("policy_json") if self.exports_the_current() else None
        if text is not None:
            assert self.same_policy(eq.Policy.from_json(text), policy)
        found = truth(self.path, cur.algorithm, text or policy.to_json())
        if self.page in ("", "tradeoff"):
            (cards,) = (
                element.proto.body
                for element in self.app.get("html")
                if element.proto.body.startswith('<div class="eq-cards">')
            )
            assert re.findall(r'class="eq-value">([^<]*)<', cards) == [
                decimal(getattr(found, name), DIGITS[name]) for name in DIGITS
            ]
        drawn = [
            match[1]
            for element in self.app.get("html")
            if (match := re.search(r"equality ([\d.]+)", element.proto.body))
        ]
        assert drawn in ([], [f"{found.equality:.3f}"])
        self.kept[self.data] = self.state

    def exports_the_current(self) -> bool:
        return self.page == "tradeoff" or (
            self.page == "decisions" and self.app.session_state["taken"] == "current"
        )

    def same_policy(self, one: eq.Policy, other: eq.Policy) -> bool:
        """The same but for λ under a floor, and for own principles that are named or not."""
        own = loaded(self.path).principles
        named = [policy.but(principles=policy.principles or own) for policy in (one, other)]
        return named[0].but(lam=0.0) == named[1].but(lam=0.0) and (
            one.floor is not None or one.lam == other.lam
        )

    def as_in_the_sidebar(self, policy: eq.Policy) -> None:
        app = self.app
        assert self.current.algorithm == app.selectbox(key="algo").value
        assert policy.k == app.number_input(key="k").value
        assert policy.strategy == app.selectbox(key="strategy").value
        for key, value in choices(policy).items():
            assert value == app.selectbox(key=key).value
        if app.button_group(key="by").value == "floor":
            assert policy.floor == app.slider(key="tau").value
        else:
            assert policy.floor is None
            assert policy.lam == app.slider(key="lam").value
        names = [unquote(code.split(":")[0]) for code in app.multiselect(key="principles").value]
        assert list(self.current.names) == names
        targets, weights = (values(app.text_input(key=key).value) for key in ("targets", "weights"))
        assert (policy.targets or {}) == targets
        nothing = all(weights.get(name, 1.0) == 0.0 for name in names)
        counts = policy.strategy == "custom" and not nothing
        assert (policy.weights or {}) == (weights if counts else {})
        said = " ".join(element.value for element in app.sidebar.caption)
        for name, value in targets.items():
            assert f"{name} {value:g}" in said
        theirs = loaded(self.path).targets
        if theirs is not None:
            left = [name for name in theirs if name in names and name not in targets]
            assert bool(left) == ("own targets for" in said)

    # What a visitor does

    @rule(page=some.sampled_from(SCREENS))
    def go(self, page: str) -> None:
        was, self.page = self.state, page
        self.do(page=page)
        assert self.state == was

    @rule(kind=some.sampled_from(["floor", "lam"]))
    def choose_kind(self, kind: str) -> None:
        self.do(lambda: self.app.button_group(key="by").set_value(kind))

    @rule(thousandths=some.integers(0, 1000))
    def move_the_slider(self, thousandths: int) -> None:
        self.do(lambda: self.app.slider[0].set_value(thousandths / 1000))

    @rule(strategy=some.sampled_from(STRATEGIES))
    def choose_strategy(self, strategy: str) -> None:
        self.do(lambda: self.app.selectbox(key="strategy").set_value(strategy))

    @rule(k=some.integers(1, 6))
    def choose_k(self, k: int) -> None:
        self.do(lambda: self.app.number_input(key="k").set_value(k))

    @rule(number=some.integers(0, 9))
    def choose_recommender(self, number: int) -> None:
        box = self.app.selectbox(key="algo")
        self.do(lambda: box.select_index(number % len(box.options)))

    @rule(preset=some.sampled_from(sorted(PRESETS)))
    def take_a_preset(self, preset: str) -> None:
        self.do(lambda: self.control("menu_button", "preset").click(preset))

    @precondition(lambda self: self.page == "tradeoff" and self.has("button", "use_floor"))
    @rule(kind=some.sampled_from(["floor", "lam"]))
    def use_the_answer(self, kind: str) -> None:
        if (
            self.has("button", f"use_{kind}") and not self.app.button(key=f"use_{kind}").disabled
        ):  # an answer in use has nothing to press
            self.do(lambda: self.app.button(key=f"use_{kind}").click())

    @rule(opened=some.booleans())
    def open_or_close_the_panel(self, opened: bool) -> None:
        self.app.session_state["aims"] = opened
        self.do()

    @precondition(lambda self: self.has("button", "aims_apply"))
    @rule(
        what=some.sampled_from(["targets", "weights"]),
        number=some.integers(0, 9),
        value=some.sampled_from([0.0, 0.3, 0.75, 1.0]),
        apply=some.booleans(),
    )
    def set_target_or_weight(self, what: str, number: int, value: float, apply: bool) -> None:
        names = self.current.names
        field = self.app.number_input(key=f"draft_{what}_{names[number % len(names)]}")
        was = self.state
        self.do(lambda: field.set_value(value))
        assert self.state == was  # a draft changes nothing
        button = self.app.button(key="aims_apply")
        if apply and not button.disabled:
            self.do(button.click)

    @precondition(lambda self: self.has("button", "aims_reset"))
    @rule(apply=some.booleans())
    def set_all_to_one(self, apply: bool) -> None:
        self.do(lambda: self.app.button(key="aims_reset").click())
        if apply and not self.app.button(key="aims_apply").disabled:
            self.do(self.app.button(key="aims_apply").click)

    @precondition(lambda self: self.has("multiselect", "shown_principles"))
    @rule(number=some.integers(0, 9), add=some.booleans())
    def remove_or_return_a_principle(self, number: int, add: bool) -> None:
        field = self.app.multiselect(key="shown_principles")
        chosen = list(field.value)
        own = [principle.name for principle in loaded(self.path).principles]
        gone = [name for name in own if name not in map(str, chosen)]
        if add and gone:
            chosen.append(gone[number % len(gone)])
        elif not add:
            chosen.pop(number % len(chosen))
        self.do(lambda: field.set_value(chosen))
        names = list(dict.fromkeys(unquote(one.split(":")[0]) for one in chosen))
        assert list(self.current.names) == (names or own)

    @precondition(lambda self: self.has("text_input", "own_name"))
    @rule(
        name=some.sampled_from(["short: 5 % of hours", "cheap", "quality"]),
        column=some.sampled_from(["hours", "price", "category", "level"]),
        better=some.sampled_from(["high", "low"]),
        scale=some.sampled_from(["linear", "log"]),
    )
    def add_a_principle(self, name: str, column: str, better: str, scale: str) -> None:
        self.do(lambda: self.app.text_input(key="own_name").set_value(name))
        self.do(lambda: self.app.selectbox(key="own_column").set_value(column))
        if self.has("button_group", "own_better"):
            self.do(lambda: self.app.button_group(key="own_better").set_value(better))
            self.do(lambda: self.app.button_group(key="own_scale").set_value(scale))
        if not self.app.button(key="own_add").disabled:
            self.do(lambda: self.app.button(key="own_add").click())
            assert self.current.names[-1] == name

    @precondition(lambda self: self.has("selectbox", "shown_scale"))
    @rule(data=some.data(), key=some.sampled_from(list(CHOICES)))
    def choose_one_of_a_few_words(self, data: Any, key: str) -> None:
        field, words = CHOICES[key]
        word = data.draw(some.sampled_from(words))
        self.do(lambda: self.app.selectbox(key=f"shown_{key}").set_value(word))
        assert getattr(self.current.policy, field) == word

    @precondition(lambda self: self.page == "decisions")
    @rule(number=some.integers(0, 9))
    def use_a_scenario(self, number: int) -> None:
        box = self.app.selectbox(key="taken")
        self.do(lambda: box.select_index(number % len(box.options)))
        if not self.app.button(key="use_scenario").disabled:
            exported = eq.Policy.from_json(EXPORTED["policy_json"])
            self.do(lambda: self.app.button(key="use_scenario").click())
            assert self.same_policy(exported, self.current.policy)

    @precondition(lambda self: self.page == "decisions")
    @rule()
    def follow_the_link_of_a_scenario(self) -> None:
        exported = eq.Policy.from_json(EXPORTED["policy_json"])
        link = parse_qs(urlsplit(self.app.code[0].value).query)
        note(f"the link: {link}")
        self.visitor, self.kept, self.page = Visitor(link), {}, ""
        self.agree()
        assert self.same_policy(exported, self.current.policy)

    @rule()
    def save(self) -> None:
        was = self.state
        self.do(lambda: self.app.button(key="save").click())
        self.do(lambda: self.app.button(key="save_scenario").click())
        assert self.state == was

    @rule()
    def pin_or_unpin(self) -> None:
        was = self.state
        key = "pin" if self.has("button", "pin") else "unpin"
        self.do(lambda: self.app.button(key=key).click())
        assert self.state == was

    @rule()
    def reset(self) -> None:
        algorithm = self.current.algorithm
        self.do(lambda: self.app.button(key="reset_all").click())
        floor = own_floor(self.path, algorithm)
        assert self.state == (algorithm, eq.Policy(lam=0.0, floor=floor))

    @rule(name=some.sampled_from(["one", "two"]))
    def choose_data(self, name: str) -> None:
        other = name != self.data
        former = self.kept.get(name)
        self.do(lambda: self.app.selectbox(key="data").set_value(name))
        if other:
            floor = own_floor(self.path, "userknn")
            assert self.state == (former or ("userknn", eq.Policy(lam=0.0, floor=floor)))

    @rule()
    def reload(self) -> None:
        was, link = self.state, self.visitor.link()
        note(f"the link: {link}")
        self.visitor, self.kept, self.page = Visitor(link), {}, ""
        self.agree()
        assert self.state == was


def test_sidebar_link_cards_and_exported_policy_always_agree(folders: dict[str, Path]) -> None:
    Dashboard.paths = folders
    test = Dashboard.TestCase
    test.settings = settings(
        max_examples=max(STEPS // WALK, 1),
        stateful_step_count=WALK,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
        phases=[Phase.generate],  # a shorter walk would take minutes to find
    )
    test().runTest()
