"""Zipped bundles: checked before anything is unpacked, and unpacked into a private folder."""

from __future__ import annotations

import stat
import tempfile
import zipfile
import zlib
from pathlib import Path, PurePath, PurePosixPath

from equity_core.bundle.faults import Faults
from equity_core.bundle.manifest import FILE
from equity_core.bundle.tables import SUFFIXES

MOST_MEMBERS = 10_000
MOST_BYTES = 2 * 1000**3
MOST_TIMES = 50
"""A zip may unpack to this many times its own size."""

TABLES = ("courses", "interactions", "learners", "targets")

_BROKEN = (
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    zlib.error,
    OSError,
    EOFError,
    RuntimeError,
    NotImplementedError,
    ValueError,
    KeyError,
    IndexError,
)
_CHUNK = 1 << 20


class _RefusedError(Exception):
    """Unpacking went beyond what the zip declares or may hold."""


def unpack(path: Path, faults: Faults) -> tempfile.TemporaryDirectory[str] | None:
    """A private folder with the bundle's files and no others, or None after a fault. Nothing is
    unpacked from a zip that is refused."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = _checked(archive.infolist(), path, faults)
            if members is None:
                return None
            return _unpacked(archive, members, path)
    except _RefusedError as error:
        faults.add(
            path.name, str(error), "Zip the folder of the bundle again, with an ordinary tool"
        )
    except _BROKEN as error:
        detail = " ".join(str(error).split())[:160] or type(error).__name__
        faults.add(
            path.name,
            f"the zip cannot be read ({detail})",
            "It may be damaged, truncated, encrypted or not a zip at all: zip the folder again",
        )
    return None


def _checked(
    members: list[zipfile.ZipInfo], path: Path, faults: Faults
) -> dict[str, zipfile.ZipInfo] | None:
    """The members that belong to the bundle, by their path in it."""
    before = len(faults)
    fix = "Zip the folder of the bundle itself, with an ordinary tool"
    if len(members) > MOST_MEMBERS:
        faults.add(
            path.name, f"the zip has {len(members):,} members, more than {MOST_MEMBERS:,}", fix
        )
    unpacked, packed = sum(member.file_size for member in members), path.stat().st_size
    if unpacked > MOST_BYTES:
        faults.add(
            path.name,
            f"the zip would unpack to {unpacked / 1e9:.1f} GB, more than {MOST_BYTES / 1e9:g} GB",
            "Unpack it yourself and load the folder",
        )
    elif unpacked > MOST_TIMES * packed:
        faults.add(
            path.name,
            f"the zip would unpack to {unpacked / packed:.0f} times its size, more than"
            f" {MOST_TIMES} times",
            "Unpack it yourself, if you trust it, and load the folder",
        )
    unsafe = [member.orig_filename for member in members if _climbs(member)]
    if unsafe:
        faults.add(
            path.name, f"members point outside the folder: {', '.join(map(repr, unsafe[:5]))}", fix
        )
    odd = [member.filename for member in members if _is_odd(member)]
    if odd:
        faults.add(
            path.name,
            f"members are links or devices: {', '.join(map(repr, odd[:5]))}",
            "Put the files themselves into the zip",
        )
    if any(member.flag_bits & 1 for member in members):
        faults.add(path.name, "the zip is encrypted", "Zip it without a password")
    if len(faults) > before:
        return None
    return _of_bundle(members, path, faults)


def _of_bundle(
    members: list[zipfile.ZipInfo], path: Path, faults: Faults
) -> dict[str, zipfile.ZipInfo] | None:
    files = [
        member
        for member in members
        if not member.is_dir() and not member.filename.startswith("__MACOSX/")
    ]
    tops = {
        PurePosixPath(member.filename).parent
        for member in files
        if PurePosixPath(member.filename).name == FILE
    }
    tops = {top for top in tops if len(top.parts) <= 1}
    top = (
        PurePosixPath() if PurePosixPath() in tops else next(iter(tops)) if len(tops) == 1 else None
    )
    if top is None:
        fix = f"Put {FILE} at the top level of the zip, or in its only top-level folder"
        faults.add(
            path.name,
            (
                f"there is no {FILE} in the zip"
                if not tops
                else f"there are several folders with a {FILE} in the zip"
            ),
            fix,
        )
        return None
    found: dict[str, zipfile.ZipInfo] = {}
    for member in files:
        name = PurePosixPath(member.filename)
        if not name.is_relative_to(top) or not belongs(name.relative_to(top)):
            continue
        inner = str(name.relative_to(top))
        if inner in found:
            faults.add(path.name, f"the zip has {inner!r} twice", "Zip the folder again")
            return None
        found[inner] = member
    return found


def _climbs(member: zipfile.ZipInfo) -> bool:
    """Absolute, with a drive, or upwards; by the name as it is in the zip, and as zipfile reads
    it."""
    return any(
        name.startswith(("/", "\\"))
        or (len(name) > 1 and name[1] == ":")
        or "\0" in name
        or ".." in name.replace("\\", "/").split("/")
        for name in (member.orig_filename, member.filename)
    )


def _is_odd(member: zipfile.ZipInfo) -> bool:
    kind = stat.S_IFMT(member.external_attr >> 16)
    return kind not in (0, stat.S_IFREG, stat.S_IFDIR)


def belongs(name: PurePath) -> bool:
    """Whether a path inside a bundle is one of its files."""
    if len(name.parts) == 1:
        return name.name == FILE or (name.stem in TABLES and name.suffix in SUFFIXES)
    return len(name.parts) == 2 and name.parts[0] == "relevance" and name.suffix in SUFFIXES


def _unpacked(
    archive: zipfile.ZipFile, members: dict[str, zipfile.ZipInfo], path: Path
) -> tempfile.TemporaryDirectory[str]:
    folder = tempfile.TemporaryDirectory(prefix="equity-bundle-", ignore_cleanup_errors=True)
    try:
        most = min(MOST_BYTES, MOST_TIMES * path.stat().st_size)
        total = 0
        (Path(folder.name) / "relevance").mkdir()
        for name, member in members.items():
            with archive.open(member) as source, (Path(folder.name) / name).open("xb") as target:
                size = 0
                while chunk := source.read(_CHUNK):
                    size += len(chunk)
                    total += len(chunk)
                    if size > member.file_size or total > most:
                        raise _RefusedError(
                            f"member {name!r} unpacks to more than the zip declares"
                        )
                    target.write(chunk)
    except BaseException:
        folder.cleanup()
        raise
    return folder
