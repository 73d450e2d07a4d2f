"""Files that are not what they should be: one BundleError, never another kind of traceback."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from equity_core.bundle import Bundle, BundleError, load_bundle
from tests.helpers.bundles import write_csv
from tests.helpers.worlds import tiny_frames

TABLES = ["courses", "interactions", "learners", "targets", "relevance/userknn"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A saved bundle with every table and a manifest without hashes, so that damage is found by
    reading."""
    courses, interactions, relevance = tiny_frames()
    learners = pd.DataFrame({"learner_id": ["u1", "u2"], "country": ["IT", "FR"]})
    targets = pd.DataFrame({"learner_id": ["u1"], "quality": [0.5]})
    Bundle.from_frames(courses, interactions, relevance, learners=learners, targets=targets).save(
        tmp_path / "bundle"
    )
    (tmp_path / "bundle" / "manifest.toml").write_text('name = "tiny"\n')
    return tmp_path / "bundle"


def use(folder: Path) -> None:
    """Load the bundle and use every part of it."""
    bundle = load_bundle(folder)
    for algorithm in bundle.algorithms:
        bundle.relevance(algorithm)
    assert bundle.fingerprint


def fault_of(folder: Path, file: str) -> Any:
    with pytest.raises(BundleError) as caught:
        use(folder)
    faults = [fault for fault in caught.value.faults if fault.file == file]
    assert faults, str(caught.value)
    return faults[0]


@pytest.mark.parametrize("stem", TABLES)
@pytest.mark.parametrize("suffix", ["parquet", "csv"])
@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"PAR1",
        b"PAR1PAR1",
        b"\x00" * 1000,
        random.Random(4).randbytes(5000),
        b"<html>\n<p>,,,\n",
    ],
)
def test_bytes_that_are_no_table(folder: Path, stem: str, suffix: str, content: bytes) -> None:
    (folder / f"{stem}.parquet").unlink()
    (folder / f"{stem}.{suffix}").write_bytes(content)
    fault = fault_of(folder, f"{stem}.{suffix}")
    assert (
        "cannot be read as" in fault.message
        or "missing" in fault.message
        or "empty" in fault.message
        or "several columns" in fault.message
    )


@pytest.mark.parametrize("stem", TABLES)
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.99])
def test_parquet_cut_short(folder: Path, stem: str, share: float) -> None:
    path = folder / f"{stem}.parquet"
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * share)])
    assert "cannot be read as Parquet" in fault_of(folder, f"{stem}.parquet").message


@pytest.mark.parametrize("stem", TABLES)
def test_any_flipped_byte_is_a_bundle_error_or_harmless(folder: Path, stem: str) -> None:
    path = folder / f"{stem}.parquet"
    whole = path.read_bytes()
    picks = random.Random(7)
    errors = 0
    for _ in range(60):
        broken = bytearray(whole)
        for _ in range(picks.randint(1, 8)):
            broken[picks.randrange(len(broken))] = picks.randrange(256)
        path.write_bytes(bytes(broken))
        try:
            use(folder)
        except BundleError:
            errors += 1
    assert errors > 0


def test_a_changed_relevance_file_does_not_match_its_hash(tmp_path: Path) -> None:
    courses, interactions, relevance = tiny_frames()
    Bundle.from_frames(courses, interactions, relevance).save(tmp_path / "bundle")
    path = tmp_path / "bundle" / "relevance" / "userknn.parquet"
    pd.read_parquet(path).assign(score=1.0).to_parquet(path)
    with pytest.raises(BundleError) as caught:
        load_bundle(tmp_path / "bundle")
    (fault,) = caught.value.faults
    assert fault.file == "relevance/userknn.parquet"
    assert "hash differs" in fault.message
    assert "[relevance.userknn]" in fault.fix


def test_a_relevance_file_that_the_manifest_lists_must_be_there(tmp_path: Path) -> None:
    courses, interactions, relevance = tiny_frames()
    Bundle.from_frames(courses, interactions, relevance).save(tmp_path / "bundle")
    (tmp_path / "bundle" / "relevance" / "userknn.parquet").unlink()
    with pytest.raises(
        BundleError,
        match=r"relevance/userknn.parquet: the file is missing, but the manifest lists it",
    ):
        load_bundle(tmp_path / "bundle")


def test_a_relevance_file_changed_after_loading_is_not_read(folder: Path) -> None:
    bundle = load_bundle(folder)
    path = folder / "relevance" / "userknn.parquet"
    pd.read_parquet(path).head(3).to_parquet(path)
    with pytest.raises(BundleError, match="changed, or is gone, since the bundle was loaded"):
        bundle.relevance("userknn")
    path.unlink()
    with pytest.raises(BundleError, match="Load the bundle again"):
        bundle.relevance("userknn")
    assert len(bundle.relevance("toppopular").courses)


@pytest.mark.parametrize("stem", ["courses", "interactions"])
def test_a_required_table_must_be_there(folder: Path, stem: str) -> None:
    (folder / f"{stem}.parquet").unlink()
    fault = fault_of(folder, f"{stem}.parquet")
    assert "missing" in fault.message
    assert f"{stem}.csv" in fault.fix


def test_optional_tables_may_be_absent(folder: Path) -> None:
    for stem in ("learners", "targets", "relevance/userknn", "relevance/toppopular"):
        (folder / f"{stem}.parquet").unlink()
    (folder / "relevance").rmdir()
    bundle = load_bundle(folder)
    assert (bundle.learners, bundle.targets, bundle.algorithms) == (None, None, ())


def test_one_table_in_two_formats_is_a_fault(folder: Path) -> None:
    (folder / "courses.csv").write_text("course_id,title\n")
    (folder / "relevance" / "userknn.csv").write_text("learner_id,course_id,score\n")
    assert "two files, courses.parquet and courses.csv" in fault_of(folder, "courses").message
    assert "two files" in fault_of(folder, "relevance/userknn").message


def test_other_files_in_the_folder_do_not_matter(folder: Path) -> None:
    (folder / "README.md").write_text("Notes")
    (folder / "relevance" / "notes.txt").write_text("Notes")
    use(folder)


@pytest.mark.parametrize(
    ("text", "column", "words"),
    [
        ("name = ", None, "cannot be read as TOML"),
        ("name = 'a'\nname = 'b'", None, "cannot be read as TOML"),
        ("nmae = 'a'", "nmae", "extra inputs"),
        ("name = 7", "name", "string"),
        ("synthetic = 'no'", "synthetic", "bool"),
        ("rating_scale = [5, 1]", "rating_scale", "two numbers"),
        ("now = 'soon'", "now", "not a date"),
        ("format = 2", "format", "less than or equal to 1"),
        ("principles = 'all'", "principles", "list"),
        ("[[principles]]\nname = 'x'", "principles", "missing"),
        (
            "[[principles]]\nname = 'x'\nkind = 'mean'\ncolumn = 'price'\nweight = 2",
            "principles",
            "weight",
        ),
        ("[relevance.userknn]\nsha256 = 'abc'", "relevance.userknn.sha256", "pattern"),
        ("[relevance.userknn]\nmd5 = 'abc'", "relevance.userknn.md5", "extra"),
    ],
)
def test_manifests_at_fault(folder: Path, text: str, column: str | None, words: str) -> None:
    (folder / "manifest.toml").write_text(text)
    fault = fault_of(folder, "manifest.toml")
    assert fault.column == column
    assert words in fault.message


@pytest.mark.parametrize(
    "content",
    [b"\xff\xfe\x00name", b"\x00" * 100, random.Random(2).randbytes(300), b"a = " + b"[" * 20_000],
)
def test_a_manifest_of_other_bytes(folder: Path, content: bytes) -> None:
    (folder / "manifest.toml").write_bytes(content)
    assert "cannot be read as TOML" in fault_of(folder, "manifest.toml").message


def test_a_manifest_must_be_there(folder: Path) -> None:
    (folder / "manifest.toml").unlink()
    fault = fault_of(folder, "manifest.toml")
    assert "missing" in fault.message
    assert "name" in fault.fix


def test_faults_of_all_files_come_together(folder: Path) -> None:
    (folder / "manifest.toml").write_text("what = 1")
    pd.read_parquet(folder / "courses.parquet").assign(price=-1.0).to_parquet(
        folder / "courses.parquet"
    )
    (folder / "interactions.parquet").write_bytes(b"nothing")
    pd.read_parquet(folder / "relevance" / "userknn.parquet").drop(columns="score").to_parquet(
        folder / "relevance" / "userknn.parquet"
    )
    with pytest.raises(BundleError) as caught:
        load_bundle(folder)
    files = [fault.file for fault in caught.value.faults]
    assert sorted(files) == [
        "courses.parquet",
        "interactions.parquet",
        "manifest.toml",
        "relevance/userknn.parquet",
    ]


@pytest.mark.parametrize("path", ["nowhere", "nowhere.zip"])
def test_a_path_that_does_not_exist(tmp_path: Path, path: str) -> None:
    with pytest.raises(BundleError, match="no such folder or file"):
        load_bundle(tmp_path / path)


def test_rows_of_relevance_are_checked_at_first_use(folder: Path) -> None:
    path = folder / "relevance" / "userknn.parquet"
    rows = pd.read_parquet(path)
    rows.loc[4, "course_id"] = "c99"
    rows.loc[9, "score"] = float("nan")
    rows.loc[30, ["learner_id", "course_id"]] = rows.loc[20, ["learner_id", "course_id"]]
    rows.to_parquet(path, row_group_size=6)
    bundle = load_bundle(folder)
    with pytest.raises(BundleError) as caught:
        bundle.relevance("userknn")
    assert {(fault.file, fault.column, fault.rows) for fault in caught.value.faults} == {
        ("relevance/userknn.parquet", "course_id", (4,)),
        ("relevance/userknn.parquet", "score", (9,)),
        ("relevance/userknn.parquet", "course_id", (30,)),
    }
    assert "courses.parquet" in str(caught.value)
    with pytest.raises(BundleError):  # and again: nothing half-loaded was kept
        bundle.relevance("userknn")


def test_relevance_without_rows(folder: Path) -> None:
    (folder / "relevance" / "userknn.parquet").unlink()
    (folder / "relevance" / "userknn.csv").write_text("learner_id,course_id,score\n")
    assert fault_of(folder, "relevance/userknn.csv").message == "the table is empty"
    (folder / "relevance" / "userknn.csv").unlink()
    rows = pd.read_parquet(folder / "relevance" / "toppopular.parquet")
    rows.head(0).to_parquet(folder / "relevance" / "userknn.parquet")
    assert fault_of(folder, "relevance/userknn.parquet").message == "the table is empty"


def test_a_bundle_of_a_relative_path_may_outlive_the_working_folder(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder.parent)
    bundle = load_bundle(folder.name)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert len(bundle.relevance("userknn").courses) == 43


def test_csv_relevance_with_text_for_a_score(folder: Path) -> None:
    path = folder / "relevance" / "userknn.parquet"
    rows = pd.read_parquet(path).astype({"score": object})
    rows.loc[7, "score"] = "0,5"
    path.unlink()
    rows.to_csv(path.with_suffix(".csv"), index=False)
    fault = fault_of(folder, "relevance/userknn.csv")
    assert (fault.column, fault.rows) == ("score", (7,))
    assert "'0,5'" in fault.message


def test_csv_rows_of_different_lengths(folder: Path, tmp_path: Path) -> None:
    write_csv(load_bundle(folder), tmp_path / "csv")
    path = tmp_path / "csv" / "interactions.csv"
    path.write_text(path.read_text() + "u1,c02\n")
    assert "cannot be read as CSV" in fault_of(tmp_path / "csv", "interactions.csv").message


def test_csv_that_is_not_utf8(folder: Path, tmp_path: Path) -> None:
    write_csv(load_bundle(folder), tmp_path / "csv")
    path = tmp_path / "csv" / "courses.csv"
    path.write_bytes(path.read_bytes().replace(b"Singing", b"Sing\xe9"))
    assert "UTF-8" in fault_of(tmp_path / "csv", "courses.csv").fix


def test_parquet_whose_text_is_not_utf8(folder: Path) -> None:
    path = folder / "courses.parquet"
    table = pq.read_table(path)
    bad = pa.array([b"\xff\xfe"] * table.num_rows, pa.binary())
    text = pa.Array.from_buffers(pa.string(), len(bad), bad.buffers())
    pq.write_table(table.set_column(table.column_names.index("title"), "title", text), path)
    assert "cannot be read as Parquet" in fault_of(folder, "courses.parquet").message


def test_a_folder_where_a_file_should_be(folder: Path) -> None:
    (folder / "courses.parquet").unlink()
    (folder / "courses.parquet").mkdir()
    (folder / "relevance" / "odd.parquet").mkdir()
    assert "missing" in fault_of(folder, "courses.parquet").message
