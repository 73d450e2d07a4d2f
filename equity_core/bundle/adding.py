"""Changing bundles on disk without losing anything: an algorithm is added beside what is there, and
no other file is touched; what would be replaced has to be asked for, and is kept aside.

Saving (:meth:`equity_core.Bundle.save`) writes the whole bundle. That is right for a program's own
bundles, but not for files that somebody wrote by hand.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import tomllib
import zipfile
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tomli_w

from equity_core.bundle import manifest, store
from equity_core.bundle.load import load_bundle
from equity_core.bundle.manifest import Kept
from equity_core.bundle.tables import SUFFIXES

if TYPE_CHECKING:
    import pandas as pd

    from equity_core.bundle.model import Bundle

ASIDE = "replaced"
"""The folder, beside a bundle, for what was replaced in it."""


def aside_of(path: Path) -> Path:
    """A new path for what is replaced at a path: replaced/<name>-<moment> beside it."""
    stamp = f"{datetime.now(UTC):%Y%m%dT%H%M%S}"
    stem, suffix = (path.stem, path.suffix) if path.suffix == ".zip" else (path.name, "")
    numbers = ("", *(f"-{number}" for number in range(2, 1000)))
    places = (path.parent / ASIDE / f"{stem}-{stamp}{number}{suffix}" for number in numbers)
    return next(place for place in places if not place.exists())


def refuse_existing(path: str | os.PathLike[str], replace: bool) -> None:
    """FileExistsError if there is a bundle and nobody asked to replace it."""
    target = Path(os.path.realpath(path))
    if not replace and store.is_bundle(target):
        raise FileExistsError(
            f"{path} is a bundle already; nothing was written: choose another path, or ask to"
            f" replace it (--replace; the old one is then kept in {target.parent / ASIDE})"
        )


def save_new(bundle: Bundle, path: str | os.PathLike[str], *, replace: bool = False) -> Path | None:
    """Save a bundle where none is, or in the place of one if ``replace``. Returns where the old one
    is kept, if there was one."""
    refuse_existing(path, replace)
    target = Path(os.path.realpath(path))
    old = aside_of(target) if store.is_bundle(target) else None
    bundle.save(path, aside=old)
    return old


def refuse_known(bundle: Bundle, names: Iterable[str], replace: bool) -> None:
    """FileExistsError if the bundle has one of the algorithms and nobody asked to replace it."""
    known = {name.casefold() for name in bundle.algorithms}
    there = [name for name in names if name.casefold() in known]
    if there and not replace:
        raise FileExistsError(
            f"the bundle has relevance of {', '.join(there)} already; nothing was written: give"
            " another name, or ask to replace it (--replace; the old file is then kept aside)"
        )


def add_relevance(
    path: str | os.PathLike[str],
    relevance: Mapping[str, pd.DataFrame | Path],
    *,
    replace: bool = False,
) -> Path | None:
    """Add algorithms to the bundle in a folder or a zip. Tables, other algorithms and whatever is
    written in the manifest stay as they are, byte by byte; a manifest that keeps hashes gets those
    of the new files. Returns where replaced files are kept, if any were.

    FileExistsError: an algorithm of that name is there and ``replace`` is not set. BundleError:
    names or rows are at fault. Nothing is written then.
    """
    target = Path(os.path.realpath(path))
    bundle = load_bundle(target)
    refuse_known(bundle, relevance, replace)
    made = bundle.with_relevance(relevance)
    with tempfile.TemporaryDirectory(
        prefix=f".{target.name}.", dir=target.parent, ignore_cleanup_errors=True
    ) as scratch:
        kept: dict[str, Kept] = {}
        for name in relevance:
            file = Path(scratch) / f"{name}.parquet"
            kept[name] = made._write_relevance(name, file)  # noqa: SLF001  # of this package
        write = _into_zip if target.is_file() else _into_folder
        hashes = bundle._keeps_hashes  # noqa: SLF001  # of this package
        return write(target, Path(scratch), kept, hashes)


def _into_folder(
    target: Path, scratch: Path, kept: Mapping[str, Kept], hashes: bool
) -> Path | None:
    settings, folder = target / manifest.FILE, target / "relevance"
    folder.mkdir(exist_ok=True)
    text = settings.read_text(encoding="utf-8")
    old = [
        path
        for path in folder.iterdir()
        if path.suffix in SUFFIXES and path.stem.casefold() in {name.casefold() for name in kept}
    ]
    place = aside_of(target) if old else None
    listed = _listed(text, {path.stem for path in old})
    if place is not None:
        (place / "relevance").mkdir(parents=True)
        shutil.copy2(settings, place / manifest.FILE)
        # First the manifest without them: at no moment does it list what is not there.
        _exchange(settings, _without(text, listed), scratch)
        for path in old:
            path.rename(place / "relevance" / path.name)
    for name in kept:
        (scratch / f"{name}.parquet").rename(folder / f"{name}.parquet")
    if hashes:
        _exchange(settings, _with(_without(text, listed), kept), scratch)
    return place


def _into_zip(target: Path, scratch: Path, kept: Mapping[str, Kept], hashes: bool) -> Path | None:
    """A new zip with the same members, as they were packed, and the new ones."""
    fresh = scratch / "new.zip"
    names = {name.casefold() for name in kept}
    replaced = False
    with zipfile.ZipFile(target) as old, zipfile.ZipFile(fresh, "x", zipfile.ZIP_STORED) as new:
        (home,) = {
            member.filename.removesuffix(manifest.FILE)
            for member in old.infolist()
            if member.filename.rpartition("/")[2] == manifest.FILE
            and member.filename.count("/") <= 1
            and not member.filename.startswith("__MACOSX/")
        }
        inner = f"{home}relevance/"
        gone = {
            member.filename
            for member in old.infolist()
            if member.filename.startswith(inner)
            and Path(member.filename).suffix in SUFFIXES
            and Path(member.filename).stem.casefold() in names
        }
        replaced = bool(gone)
        for member in old.infolist():
            if member.filename in gone:
                continue
            content = old.read(member)
            if member.filename == home + manifest.FILE and (hashes or gone):
                text = content.decode("utf-8")
                text = _without(text, _listed(text, {Path(name).stem for name in gone}))
                content = (_with(text, kept) if hashes else text).encode("utf-8")
            new.writestr(member, content)
        for name in kept:
            store.put_into(new, scratch / f"{name}.parquet", f"{inner}{name}.parquet")
    place = None
    if replaced:
        place = aside_of(target)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(target, place)
    fresh.replace(target)
    return place


def _listed(text: str, names: set[str]) -> set[str]:
    """Which of the algorithms a manifest lists."""
    return names & set(tomllib.loads(text.removeprefix("\ufeff")).get("relevance", {}))


def _exchange(path: Path, text: str, scratch: Path) -> None:
    """Another text for a file, at once."""
    fresh = scratch / path.name
    fresh.write_text(text, encoding="utf-8", newline="\n")
    fresh.replace(path)


def _without(text: str, names: set[str]) -> str:
    """A manifest's text without its entries for some algorithms, all else as it is written."""
    if not names:
        return text
    expected = tomllib.loads(text.removeprefix("\ufeff"))
    for name in names:
        del expected["relevance"][name]
    return _settled(text, expected, lambda: _without_sections(text, names))


def _without_sections(text: str, names: set[str]) -> str:
    lines, skipping = [], False
    for line in text.splitlines(keepends=True):
        if line.lstrip().startswith("["):
            found = re.match(r"\s*\[\s*relevance\s*\.\s*(.+?)\s*\]\s*(#.*)?$", line)
            skipping = found is not None and found[1].strip("\"'") in names
        if not skipping:
            lines.append(line)
    return "".join(lines)


def _with(text: str, kept: Mapping[str, Kept]) -> str:
    """A manifest's text with entries for more algorithms at its end."""
    entries = {name: one.model_dump(exclude_none=True) for name, one in kept.items()}
    expected = tomllib.loads(text.removeprefix("\ufeff"))
    expected["relevance"] = {**expected.get("relevance", {}), **entries}
    added = "".join(tomli_w.dumps({"relevance": {name: one}}) for name, one in entries.items())
    # A table that is written alone has no line [relevance] of its own.
    return _settled(text, expected, lambda: f"{text.rstrip()}\n\n{added}")


def _settled(text: str, expected: dict[str, Any], edited: Callable[[], str]) -> str:
    """The edited text if it says what is expected; else (entries written in another way, such as
    inline tables) all of it written again."""
    try:
        found = edited()
        says = tomllib.loads(found.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError:
        return tomli_w.dumps(expected)
    for one in (says, expected):
        if not one.get("relevance", True):
            del one["relevance"]
    return found if says == expected else tomli_w.dumps(expected)


def keep_files(folder: Path, names: Iterable[str], *, replace: bool = False) -> Path | None:
    """Make room for files in a folder: those that are there are moved aside if ``replace``, else
    FileExistsError. Returns where they are kept, if any were there."""
    there = [name for name in names if (folder / name).exists()]
    if not there:
        return None
    if not replace:
        raise FileExistsError(
            f"{folder} has {', '.join(there)} already; nothing was written: choose another folder,"
            " or ask to replace them (--replace; the old ones are then kept aside)"
        )
    place = aside_of(Path(os.path.realpath(folder)))
    place.mkdir(parents=True)
    for name in there:
        (folder / name).rename(place / name)
    return place
