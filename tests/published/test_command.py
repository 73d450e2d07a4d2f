"""``sweep --method``: the figures of the public call, and one message for what is wrong."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner, Result

import equity_core as eq
from equity_core.cli import app
from tests.helpers.audited import make


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("published") / "small"
    make().save(path)
    return path


def run(folder: Path, *options: str) -> Result:
    return CliRunner().invoke(app, ["sweep", str(folder), "userknn", *options])


@pytest.mark.parametrize("name", eq.PUBLISHED_METHODS)
@pytest.mark.parametrize("order", [None, "relevance"])
def test_the_command_prints_what_the_call_returns(
    folder: Path, name: str, order: Any, tmp_path: Path
) -> None:
    options = [] if order is None else ["--order", order]
    out = tmp_path / "sweep.csv"
    result = run(
        folder, "--method", name, "--values", "0,0.5", "--k", "5", "--out", str(out), *options
    )
    assert result.exit_code == 0, result.output
    found = pd.read_csv(io.StringIO(result.stdout))
    bundle = eq.load_bundle(folder)
    expected = eq.published_sweep(bundle, "userknn", eq.Policy(k=5), name, [0, 0.5], order=order)
    assert found["method"].tolist() == [name, name]
    np.testing.assert_allclose(
        found.drop(columns="method"), expected.drop(columns="method"), rtol=1e-4
    )
    assert len(pd.read_csv(out)) == 2


def test_all_trade_offs_are_tried_by_default(folder: Path) -> None:
    result = run(folder, "--method", "steck-level", "--k", "3")
    assert len(pd.read_csv(io.StringIO(result.stdout))) == 16


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (("--method", "best"), "unknown published method 'best'"),
        (("--method", "mmr", "--values", "2"), "between 0 and 1"),
        (("--method", "mmr", "--order", "any"), "'relevance' or 'greedy'"),
        (("--method", "mmr", "--floors", "0.6"), "use either --floors or --method"),
        (("--values", "0.5"), "belong to --method"),
    ],
)
def test_what_is_wrong_is_one_message(folder: Path, options: tuple[str, ...], word: str) -> None:
    result = run(folder, *options)
    assert result.exit_code == 1
    assert result.stdout == ""
    assert word in result.stderr
