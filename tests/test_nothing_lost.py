"""Nothing is lost on disk: adding is adding, and what would be replaced is asked for and kept."""

from __future__ import annotations

import hashlib
import tomllib
import zipfile
from pathlib import Path

import pandas as pd
import pytest

import equity_core as eq
from equity_core.bundle.adding import ASIDE, add_relevance
from tests.helpers.commands import fails, run
from tests.helpers.numbered import numbered

MANIFEST = """\
# Written by hand; this comment is mine.
name = "By hand"   # so is this
synthetic = true

[[principles]]
name = "familiarity"
kind = "match"
column = "category"
"""


def scores(factor: float = 1.0) -> pd.DataFrame:
    frame = numbered(40, 40).frame()
    return frame.assign(score=frame["score"] * factor)


@pytest.fixture
def by_hand(tmp_path: Path) -> Path:
    """A bundle of CSV files with comments in its manifest, as a user writes it."""
    world, folder = numbered(40, 40), tmp_path / "mine"
    (folder / "relevance").mkdir(parents=True)
    (folder / "manifest.toml").write_text(MANIFEST, encoding="utf-8")
    world.courses.to_csv(folder / "courses.csv", index=False)
    world.interactions.to_csv(folder / "interactions.csv", index=False)
    scores().to_csv(folder / "relevance" / "ours.csv", index=False)
    return folder


def files(folder: Path) -> dict[str, str]:
    """Every file below a folder, with its hash."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def zipped(folder: Path, inside: str = "") -> Path:
    path = folder.with_suffix(".zip")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                out.write(file, inside + file.relative_to(folder).as_posix())
    return path


def test_precompute_leaves_what_was_written_by_hand(by_hand):
    before = files(by_hand)
    run("precompute", by_hand, "--algorithms", "toppopular,random")
    after = files(by_hand)
    assert {name: after[name] for name in before} == before
    assert set(after) - set(before) == {
        "relevance/toppopular.parquet",
        "relevance/random.parquet",
    }
    assert eq.load_bundle(by_hand).algorithms == ("random", "toppopular", "ours")
    assert not (by_hand.parent / ASIDE).exists()


def test_import_relevance_leaves_the_rest_and_asks_before_it_replaces(by_hand, tmp_path):
    scores(2.0).to_csv(tmp_path / "ours.csv", index=False)
    before = files(by_hand)
    message = fails("import", "relevance", tmp_path / "ours.csv", by_hand)
    assert "has relevance of ours already" in message
    assert "--replace" in message
    assert files(by_hand) == before
    result = run("import", "relevance", tmp_path / "ours.csv", by_hand, "--replace")
    assert "is kept in" in result.stderr
    after = files(by_hand)
    assert "relevance/ours.csv" not in after
    assert "relevance/ours.parquet" in after
    assert after["manifest.toml"] == before["manifest.toml"]
    (kept,) = (by_hand.parent / ASIDE).iterdir()
    assert files(kept)["relevance/ours.csv"] == before["relevance/ours.csv"]
    assert eq.load_bundle(by_hand).relevance("ours").scores.max() == pytest.approx(
        scores(2.0)["score"].max()
    )


def test_a_saved_bundle_keeps_its_hashes_and_its_users_comments(by_hand, tmp_path):
    folder = tmp_path / "saved"
    eq.load_bundle(by_hand).save(folder)
    text = (folder / "manifest.toml").read_text(encoding="utf-8")
    (folder / "manifest.toml").write_text(f"# mine\n{text}", encoding="utf-8")
    before = files(folder)
    fingerprint = eq.load_bundle(folder).with_relevance({"more": scores(3.0)}).fingerprint
    assert add_relevance(folder, {"more": scores(3.0)}) is None
    after = files(folder)
    assert {name for name in after if after[name] != before.get(name)} == {
        "manifest.toml",
        "relevance/more.parquet",
    }
    written = (folder / "manifest.toml").read_text(encoding="utf-8")
    assert written.startswith("# mine\n")
    listed = tomllib.loads(written)["relevance"]
    assert sorted(listed) == ["more", "ours"]
    assert listed["more"]["sha256"] == after["relevance/more.parquet"]
    loaded = eq.load_bundle(folder)
    assert loaded.fingerprint == fingerprint
    # Replacing one changes its own entry and nothing else.
    place = add_relevance(folder, {"ours": scores(4.0)}, replace=True)
    assert place is not None
    assert files(place)["relevance/ours.parquet"] == before["relevance/ours.parquet"]
    again = (folder / "manifest.toml").read_text(encoding="utf-8")
    assert again.startswith("# mine\n")
    assert tomllib.loads(again)["relevance"]["more"] == listed["more"]
    assert eq.load_bundle(folder).relevance("ours").scores.max() == pytest.approx(
        scores(4.0)["score"].max()
    )


def test_entries_written_in_another_way_are_understood(by_hand, tmp_path):
    folder = tmp_path / "saved"
    eq.load_bundle(by_hand).save(folder)
    path = folder / "manifest.toml"
    found = tomllib.loads(path.read_text(encoding="utf-8"))
    entry = found.pop("relevance")["ours"]
    inline = ", ".join(f"{name} = {value!r}" for name, value in entry.items())
    head = path.read_text(encoding="utf-8").split("[relevance")[0]
    lines = head.splitlines()
    lines.insert(1, f"relevance = {{ours = {{{inline}}}}}")
    path.write_text("\n".join(lines), encoding="utf-8")
    eq.load_bundle(folder)
    add_relevance(folder, {"more": scores(3.0)})
    add_relevance(folder, {"ours": scores(3.0)}, replace=True)
    assert eq.load_bundle(folder).algorithms == ("more", "ours")


@pytest.mark.parametrize("inside", ["", "top/"])
def test_a_zip_gets_a_member_and_keeps_the_others(by_hand, inside):
    path = zipped(by_hand, inside)
    with zipfile.ZipFile(path) as archive:
        before = {name: archive.read(name) for name in archive.namelist()}
    run("precompute", path, "--algorithms", "toppopular")
    with zipfile.ZipFile(path) as archive:
        after = {name: archive.read(name) for name in archive.namelist()}
    assert set(after) - set(before) == {f"{inside}relevance/toppopular.parquet"}
    assert {name: after[name] for name in before} == before
    assert eq.load_bundle(path).algorithms == ("toppopular", "ours")
    place = add_relevance(path, {"ours": scores(2.0)}, replace=True)
    assert place is not None
    assert eq.load_bundle(place).relevance("ours").scores.max() < 2.0
    assert eq.load_bundle(path).relevance("ours").scores.max() > 2.0


def test_nothing_is_written_when_rows_are_at_fault(by_hand):
    before = files(by_hand)
    bad = scores().assign(course_id="nowhere")
    with pytest.raises(eq.BundleError):
        add_relevance(by_hand, {"bad": bad})
    with pytest.raises(eq.BundleError):
        add_relevance(by_hand, {"ours": bad}, replace=True)
    assert files(by_hand) == before
    assert [path.name for path in by_hand.parent.iterdir()] == ["mine"]


@pytest.mark.parametrize("name", ["there", "there.zip"])
def test_import_tables_over_a_bundle_asks_first_and_keeps_it(by_hand, tmp_path, name):
    tables = by_hand / "courses.csv", by_hand / "interactions.csv"
    command = ("import", "tables", *tables, "--out", tmp_path / name)
    run(*command)
    add_relevance(tmp_path / name, {"a": scores(), "b": scores(2.0)})
    old = eq.load_bundle(tmp_path / name).fingerprint
    message = fails(*command)
    assert "is a bundle already" in message
    assert "--replace" in message
    assert eq.load_bundle(tmp_path / name).fingerprint == old
    result = run(*command, "--replace")
    assert "what was there before is kept in" in result.stderr
    assert eq.load_bundle(tmp_path / name).algorithms == ()
    (kept,) = (tmp_path / ASIDE).iterdir()
    assert eq.load_bundle(kept).fingerprint == old
    run(*command, "--replace")  # within the same second, too
    assert len(list((tmp_path / ASIDE).iterdir())) == 2


def test_other_commands_ask_too(by_hand, tmp_path):
    before = files(by_hand)
    assert "is a bundle already" in fails(
        "synth", "--learners", 30, "--courses", 400, "--out", by_hand
    )
    assert "is a bundle already" in fails("import", "coco", tmp_path, "--out", by_hand)
    assert "is another bundle" in fails("demo", "--out", by_hand)
    assert files(by_hand) == before
    out = tmp_path / "out"
    run("precompute", by_hand, "--algorithms", "toppopular", "--out", out)
    first = files(out)
    assert "toppopular.parquet already" in fails(
        "precompute", by_hand, "--algorithms", "toppopular", "--out", out
    )
    run("precompute", by_hand, "--algorithms", "toppopular", "--candidates", 3, "--out", out,
        "--replace")  # fmt: skip
    (kept,) = (tmp_path / ASIDE).iterdir()
    assert files(kept) == first
    assert files(out) != first


def test_without_a_list_precompute_trains_what_is_missing(by_hand, monkeypatch):
    asked: list[list[str]] = []

    def trained(out, courses, interactions, chosen, *rest):
        asked.append(list(chosen))
        raise ImportError("enough")

    run("precompute", by_hand, "--algorithms", "toppopular")
    monkeypatch.setattr("equity_core.recommenders.precompute_to", trained)
    result = run("precompute", by_hand, code=1)
    assert "toppopular are there already and stay as they are" in result.stderr
    assert "toppopular" not in asked[0]
    assert len(asked[0]) == 9
    fails("precompute", by_hand, "--replace")
    assert len(asked[1]) == 10
