"""The public calls of equity_core: documented in full, examples that run, a reference that is up to
date."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import griffe
import pytest

import equity_core as eq
from scripts import api_reference as reference
from tests.helpers.documents import ROOT

PACKAGE = reference.load()
PUBLIC = {name: reference.resolve(PACKAGE, name) for name in reference.public_names(PACKAGE)} | {
    name: reference.resolve(PACKAGE, name) for name in reference.RETURNED
}
CALLS: dict[str, griffe.Object] = {
    **{
        name: thing
        for name, thing in PUBLIC.items()
        if isinstance(thing, griffe.Function) or reference.has_section(thing, "parameters")
    },
    **{
        f"{name}.{inner}": member
        for name, thing in PUBLIC.items()
        for inner, member in reference.public_members(thing).items()
        if isinstance(member, griffe.Function)
    },
}
MODULES = sorted({thing.module.path for thing in PUBLIC.values()})


def raised_by(call: griffe.Object) -> set[str]:
    """The errors in a call's own raise statements; a class raises when it is made."""
    made = [call.members.get(name) for name in ("__init__", "__post_init__")]
    bodies = [call] if isinstance(call, griffe.Function) else [body for body in made if body]
    return {
        ast.unparse(node.exc.func if isinstance(node.exc, ast.Call) else node.exc)
        for body in bodies
        for node in ast.walk(ast.parse(textwrap.dedent(body.source)))
        if isinstance(node, ast.Raise) and node.exc is not None
    }


def test_the_reference_is_up_to_date() -> None:
    made = reference.page()
    assert reference.TARGET.read_text(encoding="utf-8") == made, "run make api"


def test_every_public_name_is_in_the_reference() -> None:
    assert reference.public_names(PACKAGE) == sorted(eq.__all__)
    chapters = [name for names in reference.CHAPTERS.values() for name in names]
    assert sorted(chapters) == sorted(eq.__all__), "give every public name a chapter"


@pytest.mark.parametrize("name", PUBLIC)
def test_everything_public_has_a_docstring(name: str) -> None:
    thing = PUBLIC[name]
    assert thing.docstring is not None
    listed = {entry.name for entry in reference.entries_of(thing, "parameters", "attributes")}
    bare = [
        inner
        for inner, member in reference.public_members(thing).items()
        if member.docstring is None and inner not in listed
    ]
    assert not bare


@pytest.mark.parametrize("name", CALLS)
def test_docstrings_fit_signatures(name: str) -> None:
    call = CALLS[name]
    given = [parameter.name for parameter in reference.parameters_of(call)]
    documented = [entry.name.lstrip("*") for entry in reference.entries_of(call, "parameters")]
    assert documented == given
    if isinstance(call, griffe.Function):
        returns = str(call.returns) not in ("None", "NoReturn")
        assert reference.has_section(call, "returns") == returns
    for entry in reference.entries_of(call, "parameters", "returns", "raises"):
        assert entry.description.strip()


@pytest.mark.parametrize("name", CALLS)
def test_what_a_call_raises_itself_is_documented(name: str) -> None:
    documented = {str(entry.annotation) for entry in reference.entries_of(CALLS[name], "raises")}
    assert raised_by(CALLS[name]) <= documented


def test_raising_is_seen() -> None:
    assert raised_by(CALLS["Principle"]) == {"ValueError"}
    assert raised_by(CALLS["bundle.Csr.row"]) == {"IndexError"}


@pytest.mark.parametrize("module", MODULES)
def test_examples_run(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    found = doctest.testmod(importlib.import_module(module))
    assert found.failed == 0


def test_the_main_calls_have_examples() -> None:
    with_one = {name for name, thing in PUBLIC.items() if reference.has_section(thing, "examples")}
    assert with_one >= {"load_bundle", "Bundle", "BundleError", "Policy", "Principle"}
    assert with_one >= {"rerank", "Session", "evaluate", "sweep", "floor_sweep", "precompute"}


@pytest.mark.parametrize("module", MODULES)
def test_ruff_holds_the_modules_of_public_calls_to_numpydoc(module: str) -> None:
    """A public function without a docstring, and one in another form, are both reported there."""
    file = Path(inspect.getfile(importlib.import_module(module)))
    text = '"""A module."""\n\n\ndef bare() -> None: ...\n\n\ndef told() -> None:\n    """no"""\n'
    found = subprocess.run(
        [sys.executable, "-m", "ruff", "check", "--stdin-filename", str(file), "-"],
        input=text,
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    ).stdout
    assert "D103" in found
    assert "D400" in found


def test_griffe_has_nothing_to_complain_about(caplog: pytest.LogCaptureFixture) -> None:
    reference.page()
    complaints: list[Any] = [record.getMessage() for record in caplog.records]
    assert not complaints
