"""The Data screen as a script."""

from __future__ import annotations

import pytest

from equity_core.analysis.data import catalogue, provenance
from pages.shared.panels import plain
from tests.helpers.audited import make
from tests.helpers.awkward import BUNDLES
from tests.helpers.screens import screen, texts


def test_it_says_what_it_is_built_on(tmp_path, monkeypatch):
    bundle = make()
    bundle.save(tmp_path / "world")
    at = screen("data", tmp_path / "world", monkeypatch)
    assert at.title[0].value == "What is this built on?"
    said = texts(at)
    head, rest = provenance.data_answer(bundle)
    assert f"**{head}** {plain(rest)}" in said
    for one in catalogue.statistics(bundle):
        assert any(text.endswith(f"# {one.title}") for text in said)
        assert plain(one.sentence) in said


@pytest.mark.parametrize("name", BUNDLES)
def test_awkward_data(name, tmp_path, monkeypatch):
    bundle = BUNDLES[name]()
    bundle.save(tmp_path / name)
    at = screen("data", tmp_path / name, monkeypatch)
    assert sum(plain(one.sentence) in texts(at) for one in catalogue.statistics(bundle)) == 9
