"""Zips: what is refused, before anything is unpacked, and what is left behind."""

from __future__ import annotations

import gc
import io
import random
import stat
import struct
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from equity_core.bundle import Bundle, BundleError, archive, load_bundle
from tests.helpers.worlds import tiny_frames


@pytest.fixture
def members(tmp_path: Path) -> dict[str, bytes]:
    """The files of a saved bundle by name."""
    courses, interactions, relevance = tiny_frames()
    folder = tmp_path / "source"
    Bundle.from_frames(courses, interactions, relevance).save(folder)
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files, empty."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def packed(
    path: Path,
    members: dict[str, bytes],
    change: Callable[[zipfile.ZipFile], None] | None = None,
    compression: int = zipfile.ZIP_STORED,
) -> Path:
    with zipfile.ZipFile(path, "w", compression) as out:
        for name, content in members.items():
            out.writestr(name, content)
        if change is not None:
            change(out)
    return path


def refused(path: Path, words: str, temporary: Path, *, unpacks: bool = False) -> None:
    """The zip is refused with these words, and nothing was written anywhere, not even for a while
    unless ``unpacks``."""

    def times() -> dict[Path, int]:
        return {
            found: found.stat().st_mtime_ns
            for found in path.parent.rglob("*")
            if not (unpacks and found == temporary)
        }

    before = times()
    with pytest.raises(BundleError) as caught:
        load_bundle(path)
    assert words in str(caught.value)
    assert path.name in str(caught.value)
    assert list(temporary.iterdir()) == []
    assert times() == before


@pytest.mark.parametrize("top", ["", "my bundle/", "./"])
def test_a_zip_may_have_one_top_folder(tmp_path: Path, members: dict[str, bytes], top: str) -> None:
    path = packed(
        tmp_path / "a.zip",
        {top + name: content for name, content in members.items()},
        compression=zipfile.ZIP_DEFLATED,
    )
    courses, interactions, relevance = tiny_frames()
    assert (
        load_bundle(path).fingerprint
        == Bundle.from_frames(courses, interactions, relevance).fingerprint
    )


def test_what_a_file_manager_adds_does_not_matter(
    tmp_path: Path, members: dict[str, bytes]
) -> None:
    extra = {
        "__MACOSX/top/._manifest.toml": b"x",
        "__MACOSX/manifest.toml": b"?",
        "top/.DS_Store": b"x",
        "top/notes/readme.txt": b"x",
    }
    with_folders = lambda out: [out.mkdir(name) for name in ("top/empty", "top/relevance/deep")]  # noqa: E731
    path = packed(
        tmp_path / "a.zip",
        {**{f"top/{name}": content for name, content in members.items()}, **extra},
        with_folders,
    )
    assert load_bundle(path).algorithms == ("toppopular", "userknn")


@pytest.mark.parametrize(
    "name",
    [
        "../evil.txt",
        "a/../../evil.txt",
        "/tmp/evil.txt",
        "..\\evil.txt",
        "C:\\evil.txt",
        "c:evil.txt",
        "\\evil.txt",
        "relevance/../../x.parquet",
        "..",
    ],
)
def test_members_that_climb_out_are_refused(
    tmp_path: Path, members: dict[str, bytes], name: str, temporary: Path
) -> None:
    refused(
        packed(tmp_path / "a.zip", {**members, name: b"x"}), "point outside the folder", temporary
    )
    assert not (tmp_path.parent / "evil.txt").exists()


def test_links_are_refused(tmp_path: Path, members: dict[str, bytes], temporary: Path) -> None:
    def add_link(out: zipfile.ZipFile) -> None:
        link = zipfile.ZipInfo("courses.parquet")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        out.writestr(link, "/etc/passwd")

    del members["courses.parquet"]
    refused(packed(tmp_path / "a.zip", members, add_link), "links or devices", temporary)


def test_too_many_members_are_refused(
    tmp_path: Path, members: dict[str, bytes], temporary: Path
) -> None:
    def fill(out: zipfile.ZipFile) -> None:
        for number in range(archive.MOST_MEMBERS):
            out.writestr(f"x{number}", b"")

    refused(packed(tmp_path / "a.zip", members, fill), "more than 10,000", temporary)


def test_ten_thousand_members_are_not_too_many(tmp_path: Path, members: dict[str, bytes]) -> None:
    def fill(out: zipfile.ZipFile) -> None:
        for number in range(archive.MOST_MEMBERS - len(members)):
            out.writestr(f"x{number}", b"")

    assert load_bundle(packed(tmp_path / "a.zip", members, fill)).algorithms


def test_a_zip_that_unpacks_to_many_times_its_size_is_refused(
    tmp_path: Path, members: dict[str, bytes], temporary: Path
) -> None:
    members["learners.csv"] = b"learner_id,a\n" + b"u1,1\n" * 2_000_000
    refused(
        packed(tmp_path / "a.zip", members, compression=zipfile.ZIP_DEFLATED),
        "times its size",
        temporary,
    )


def test_a_zip_that_unpacks_to_too_much_is_refused(
    tmp_path: Path, members: dict[str, bytes], temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "MOST_BYTES", 3000)
    refused(packed(tmp_path / "a.zip", members), "more than 3e-06 GB", temporary)


def test_the_limits_are_those_of_the_format() -> None:
    assert (archive.MOST_MEMBERS, archive.MOST_TIMES, archive.MOST_BYTES) == (
        10_000,
        50,
        2_000_000_000,
    )


def test_a_member_larger_than_declared_is_refused(
    tmp_path: Path, members: dict[str, bytes], temporary: Path
) -> None:
    # The directory of the zip says 10 bytes; the data unpacks to 2 MB.
    members["learners.csv"] = b"learner_id,a\n" + random.Random(1).randbytes(1000) * 2000
    path = packed(tmp_path / "a.zip", members, compression=zipfile.ZIP_DEFLATED)
    content = bytearray(path.read_bytes())
    real = struct.pack("<I", len(members["learners.csv"]))
    assert content.count(real) == 2  # in the member's header and in the directory
    path.write_bytes(bytes(content).replace(real, struct.pack("<I", 10)))
    refused(path, "cannot be read", temporary, unpacks=True)


def test_encrypted_members_are_refused(
    tmp_path: Path, members: dict[str, bytes], temporary: Path
) -> None:
    path = packed(tmp_path / "a.zip", members)
    content = bytearray(path.read_bytes())
    for signature, offset in ((b"PK\x01\x02", 8), (b"PK\x03\x04", 6)):
        at = content.find(signature)
        content[at + offset] |= 1
    path.write_bytes(bytes(content))
    refused(path, "encrypted", temporary)


def test_a_member_that_is_there_twice_is_refused(
    tmp_path: Path, members: dict[str, bytes], temporary: Path
) -> None:
    with pytest.warns(UserWarning, match="Duplicate name"):
        path = packed(
            tmp_path / "a.zip", members, lambda out: out.writestr("courses.parquet", b"other")
        )
    refused(path, "'courses.parquet' twice", temporary)


@pytest.mark.parametrize(
    "names", [[], ["a/b/manifest.toml"], ["a/manifest.toml", "b/manifest.toml"]]
)
def test_the_manifest_must_be_at_the_top_or_in_one_folder(
    tmp_path: Path, names: list[str], temporary: Path
) -> None:
    refused(
        packed(tmp_path / "a.zip", dict.fromkeys([*names, "other.txt"], b"")),
        "manifest.toml",
        temporary,
    )


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"PK\x03\x04",
        b"PK\x05\x06" + b"\x00" * 18,
        random.Random(3).randbytes(3000),
        b"name = 'x'",
    ],
)
def test_files_that_are_no_zip_are_refused(tmp_path: Path, content: bytes, temporary: Path) -> None:
    (tmp_path / "a.zip").write_bytes(content)
    refused(tmp_path / "a.zip", "a.zip", temporary)


@pytest.mark.parametrize("share", [0.2, 0.5, 0.9, 0.999])
def test_a_zip_cut_short_is_refused(
    tmp_path: Path, members: dict[str, bytes], share: float, temporary: Path
) -> None:
    path = packed(tmp_path / "a.zip", members)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * share)])
    refused(path, "cannot be read", temporary)


def test_flipped_bytes_give_bundle_errors_only(
    tmp_path: Path, members: dict[str, bytes], temporary: Path
) -> None:
    whole = packed(tmp_path / "a.zip", members, compression=zipfile.ZIP_DEFLATED).read_bytes()
    picks = random.Random(5)
    errors = 0
    for number in range(150):
        broken = bytearray(whole)
        for _ in range(picks.randint(1, 6)):
            broken[picks.randrange(len(broken))] = picks.randrange(256)
        path = tmp_path / f"b{number}.zip"
        path.write_bytes(bytes(broken))
        try:
            load_bundle(path)
        except BundleError:
            errors += 1
    gc.collect()
    assert errors > 100  # nearly every byte is under a checksum
    assert list(temporary.iterdir()) == []


def test_a_bundle_at_fault_leaves_nothing_behind(
    tmp_path: Path, members: dict[str, bytes], temporary: Path
) -> None:
    refused_members = {**members, "courses.parquet": b"no table"}
    path = packed(tmp_path / "a.zip", refused_members)
    with pytest.raises(BundleError, match=r"courses.parquet: the file cannot be read"):
        load_bundle(path)
    assert list(temporary.iterdir()) == []


def test_the_private_folder_goes_with_the_bundle(
    tmp_path: Path, members: dict[str, bytes], temporary: Path
) -> None:
    bundle = load_bundle(packed(tmp_path / "a.zip", members))
    (private,) = temporary.iterdir()
    assert stat.S_IMODE(private.stat().st_mode) == 0o700
    assert len(bundle.relevance("userknn").courses) == 43
    del bundle
    gc.collect()
    assert list(temporary.iterdir()) == []


def test_a_zip_in_memory_is_written_the_ordinary_way(tmp_path: Path) -> None:
    """What save writes can be read by any tool: no compression beyond Parquet's own, no
    directories, no odd attributes."""
    courses, interactions, relevance = tiny_frames()
    Bundle.from_frames(courses, interactions, relevance).save(tmp_path / "a.zip")
    with zipfile.ZipFile(io.BytesIO((tmp_path / "a.zip").read_bytes())) as found:
        assert found.testzip() is None
        assert sorted(found.namelist()) == [
            "courses.parquet",
            "interactions.parquet",
            "manifest.toml",
            "relevance/toppopular.parquet",
            "relevance/userknn.parquet",
        ]
