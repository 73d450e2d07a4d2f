"""Which data sets are listed, in which order, and under which names."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from equity_core import resources
from equity_core.cli.dashboard import named_data
from pages.shared import datasets


@pytest.fixture
def bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A current folder with data/mine in it, and no data sets named by variables."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("EQUITY_DATA", raising=False)
    monkeypatch.delenv("EQUITY_FIRST", raising=False)
    return written(tmp_path / "data" / "mine")


def written(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "manifest.toml").touch()
    return folder


def listed() -> dict[str, Path]:
    """The folders, without others that may lie below data/ of this clone."""
    packaged = resources.demo()
    return {
        name: path
        for name, path in datasets.folders().items()
        if path == packaged or path.parent != packaged.parent
    }


def test_the_demo_comes_first_then_data_of_the_current_folder(bundle: Path) -> None:
    assert listed() == {"demo": resources.demo(), "mine": bundle}
    assert next(iter(datasets.folders())) == "demo"


def test_the_current_folder_s_own_demo_takes_the_place_of_the_packaged_one(bundle: Path) -> None:
    own = written(bundle.parent / "demo")
    assert listed() == {"demo": own, "mine": bundle}


def test_named_bundles_are_all_listed_even_if_names_repeat(
    bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = written(tmp_path / "one" / "mine"), written(tmp_path / "two" / "mine")
    absent = tmp_path / "none"
    monkeypatch.setenv("EQUITY_DATA", os.pathsep.join(map(str, [one, bundle, absent, two])))
    assert listed() == {"demo": resources.demo(), "mine": bundle, "mine-2": one, "mine-3": two}


def test_the_first_one_is_the_one_to_start_with(
    bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = written(tmp_path / "other")
    monkeypatch.setenv("EQUITY_DATA", str(other))
    monkeypatch.setenv("EQUITY_FIRST", str(other))
    assert list(listed()) == ["other", "demo", "mine"]
    assert next(iter(datasets.folders())) == "other"


def test_a_folder_of_bundles_lists_each_of_them(
    bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = written(tmp_path / "all" / "two"), written(tmp_path / "all" / "one")
    (tmp_path / "all" / "notes").mkdir()
    empty = tmp_path / "empty"
    empty.mkdir()
    monkeypatch.setenv("EQUITY_DATA", os.pathsep.join(map(str, [tmp_path / "all", empty])))
    assert listed() == {
        "demo": resources.demo(),
        "mine": bundle,
        "one": two,
        "two": one,
        "empty": empty,  # no bundle: the screen says what is missing
    }
    monkeypatch.setenv("EQUITY_FIRST", str(tmp_path / "all"))
    assert list(listed())[:2] == ["one", "two"]
    assert named_data([tmp_path / "all"]) == str(tmp_path / "all")
    with pytest.raises(ValueError, match="nor a folder of bundles"):
        named_data([empty])
