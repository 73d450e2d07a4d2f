"""The sensitivity table on the Decisions screen, as a script."""

from __future__ import annotations

import pytest

import equity_core as eq
from equity_core.analysis.choosing import sensitivity
from pages.shared.panels import plain
from tests.helpers.audited import make
from tests.helpers.awkward import BUNDLES
from tests.helpers.screens import screen, texts


@pytest.fixture(scope="module")
def bundle() -> eq.Bundle:
    return make(learners=60)


@pytest.fixture(scope="module")
def folder(bundle, tmp_path_factory):
    path = tmp_path_factory.mktemp("bundles") / "random-world"
    bundle.save(path)
    return path


def tables(at):
    return [element.value for element in at.dataframe if "floor_change" in element.value]


@pytest.mark.parametrize(("loss", "limit"), [(None, 0.1), (30, 0.3)])
def test_the_table_and_its_sentence(bundle, folder, monkeypatch, loss, limit):
    state = {} if loss is None else {"loss": loss}
    at = screen("decisions", folder, monkeypatch, algo="userknn", k=5, sensitivity=True, **state)
    expected = sensitivity.sensitivity(bundle, "userknn", eq.Policy(k=5), limit=limit)
    assert any(
        plain(sensitivity.sensitivity_sentence(expected, limit)) in text for text in texts(at)
    )
    (shown,) = tables(at)
    assert shown["floor"].tolist() == expected["floor"].tolist()
    assert shown["lam"].tolist() == expected["lam"].tolist()


def test_it_is_computed_only_when_opened(folder, monkeypatch):
    def never(*_, **__):
        raise AssertionError("computed although closed")

    monkeypatch.setattr(sensitivity, "sensitivity", never)
    assert tables(screen("decisions", folder, monkeypatch, algo="userknn", k=5)) == []


@pytest.mark.parametrize("name", BUNDLES)
def test_awkward_data(name, tmp_path, monkeypatch):
    BUNDLES[name]().save(tmp_path / name)
    at = screen("decisions", tmp_path / name, monkeypatch, k=3, sensitivity=True)
    assert len(tables(at)) == 1
    assert not any("nan" in text.split() for text in texts(at))
