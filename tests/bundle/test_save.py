"""Saving is all or nothing, and never overwrites what is not a bundle."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from equity_core.bundle import Bundle, load_bundle, manifest, store
from equity_core.bundle.faults import Faults
from equity_core.principles import SEVEN, Principle
from tests.helpers.bundles import assert_same
from tests.helpers.worlds import tiny_frames


def tiny(**changes: Any) -> Bundle:
    courses, interactions, relevance = tiny_frames()
    return Bundle.from_frames(
        **{"courses": courses, "interactions": interactions, "relevance": relevance, **changes}
    )


@pytest.mark.parametrize("name", ["there", "there.zip"])
def test_a_bundle_is_replaced(tmp_path: Path, name: str) -> None:
    tiny(name="old", targets=pd.DataFrame({"learner_id": ["u1"], "quality": [0.5]})).save(
        tmp_path / name
    )
    tiny(name="new").save(tmp_path / name)
    assert_same(load_bundle(tmp_path / name), tiny(name="new"))
    assert os.listdir(tmp_path) == [name]


def test_an_empty_folder_is_filled(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    tiny().save(tmp_path / "there")
    assert load_bundle(tmp_path / "there").fingerprint == tiny().fingerprint


def test_a_folder_with_other_things_is_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "there"
    folder.mkdir()
    (folder / "thesis.txt").write_text("years of work")
    with pytest.raises(FileExistsError, match=r"not a bundle.*thesis.txt.*choose another path"):
        tiny().save(folder)
    (folder / "manifest.toml").write_text("name = 'a manifest of something else'")
    with pytest.raises(FileExistsError):
        tiny().save(folder)
    assert (folder / "thesis.txt").read_text() == "years of work"
    assert sorted(os.listdir(tmp_path)) == ["there"]


def test_a_bundle_with_notes_beside_it_is_left_alone(tmp_path: Path) -> None:
    tiny().save(tmp_path / "there")
    (tmp_path / "there" / "relevance" / "notes.md").write_text("mine")
    with pytest.raises(FileExistsError, match=r"notes\.md"):
        tiny().save(tmp_path / "there")
    assert (tmp_path / "there" / "relevance" / "notes.md").read_text() == "mine"


@pytest.mark.parametrize("name", ["there", "there.zip"])
def test_a_file_that_is_no_bundle_is_left_alone(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("years of work")
    with pytest.raises(FileExistsError, match="choose another path"):
        tiny().save(tmp_path / name)
    assert (tmp_path / name).read_text() == "years of work"


def test_a_folder_called_zip_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "there.zip").mkdir()
    with pytest.raises(FileExistsError):
        tiny().save(tmp_path / "there.zip")


@pytest.mark.parametrize("name", ["there", "there.zip"])
def test_an_interrupted_save_leaves_the_old_bundle(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny(name="old").save(tmp_path / name)

    def broken(*_: Any) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(store, "write_relevance", broken)
    with pytest.raises(OSError, match="disk full"):
        tiny(name="new").save(tmp_path / name)
    assert os.listdir(tmp_path) == [name]
    assert load_bundle(tmp_path / name).name == "old"


def test_a_failed_exchange_puts_the_old_bundle_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny(name="old").save(tmp_path / "there")
    rename = Path.rename

    def refuse_new(self: Path, target: Any) -> Path:
        if self.name == "new":
            raise OSError("no")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", refuse_new)
    with pytest.raises(OSError, match="no"):
        tiny(name="new").save(tmp_path / "there")
    assert load_bundle(tmp_path / "there").name == "old"


def test_a_bundle_may_be_saved_over_itself(tmp_path: Path) -> None:
    tiny().save(tmp_path / "there")
    loaded = load_bundle(tmp_path / "there")
    loaded.save(tmp_path / "there")
    assert_same(loaded, tiny())  # reads its relevance from the new files
    assert_same(load_bundle(tmp_path / "there"), tiny())


def test_a_link_to_a_bundle_is_followed(tmp_path: Path) -> None:
    tiny(name="old").save(tmp_path / "real")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    tiny(name="new").save(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert load_bundle(tmp_path / "real").name == "new"


def test_the_manifest_is_plain_and_keeps_only_what_was_given(tmp_path: Path) -> None:
    tiny(name="plain").save(tmp_path / "a")
    found = tomllib.loads((tmp_path / "a" / "manifest.toml").read_text(encoding="utf-8"))
    assert sorted(found) == ["format", "name", "rating_scale", "relevance", "synthetic", "tables"]
    assert sorted(found["relevance"]["userknn"]) == ["content", "rows", "sha256"]
    own = [*SEVEN[:2], Principle("cost", "mean", "price", better="low", low=0.0, high=100.0)]
    tiny(name="own", principles=own, now="2018-02-03").save(tmp_path / "b")
    found = tomllib.loads((tmp_path / "b" / "manifest.toml").read_text(encoding="utf-8"))
    assert found["principles"][2] == {
        "name": "cost",
        "kind": "mean",
        "column": "price",
        "better": "low",
        "low": 0.0,
        "high": 100.0,
    }
    assert found["principles"][0] == {"name": "familiarity", "kind": "match", "column": "category"}
    assert pd.Timestamp(found["now"]) == pd.Timestamp("2018-02-03")
    assert load_bundle(tmp_path / "b").principles == tuple(own)


@pytest.mark.parametrize(
    "values",
    [
        {
            "a": 'quote " backslash \\ newline \n tab \t del \x7f nul \x00 é',
            "b": 1,
            "c": -1.5e300,
            "d": True,
        },
        {
            'odd key.with "things"': {"": {"x": [1, 2]}},
            "list": [],
            "nested": [[1], ["a"]],
            "mixed": [1, {"a": [1, {"b": "c"}]}],
        },
        {"tables": [{"a": 1}, {"a": 2, "b": {"c": 3}}], "after": {"z": [{"y": 1}]}},
        {"inf": float("inf"), "small": 1e-300, "whole": 1e22},
    ],
)
def test_what_is_written_as_toml_reads_the_same(values: dict[str, Any], tmp_path: Path) -> None:
    given = manifest.Manifest(provenance={**values, "nothing": None, "deep": {"nothing": None}})
    path = tmp_path / manifest.FILE
    path.write_text(manifest.write(given), encoding="utf-8")
    faults = Faults()
    again = manifest.read(path, faults)
    faults.stop()
    assert again is not None
    assert again.provenance == {**values, "deep": {}}


def test_ends_of_a_scale_may_be_numpy_numbers(tmp_path: Path) -> None:
    made = tiny(
        principles=[
            Principle("cost", "mean", "price", better="low", low=np.int64(0), high=np.float64(99.5))
        ]
    )  # type: ignore[arg-type]
    made.save(tmp_path / "a")
    assert_same(load_bundle(tmp_path / "a"), made)
    assert (
        made.fingerprint
        == tiny(
            principles=[Principle("cost", "mean", "price", better="low", low=0.0, high=99.5)]
        ).fingerprint
    )


def test_what_no_manifest_can_hold_is_refused() -> None:
    with pytest.raises(ValueError, match="object"):
        manifest.Manifest(provenance={"a": object()})
