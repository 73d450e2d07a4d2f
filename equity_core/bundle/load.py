"""Loading a bundle from a folder, or from a zip of one."""

from __future__ import annotations

import os
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from equity_core.bundle import archive, manifest, sources, tables
from equity_core.bundle.assemble import Raw, assemble
from equity_core.bundle.faults import Faults
from equity_core.bundle.manifest import Kept, Manifest
from equity_core.bundle.model import Bundle
from equity_core.bundle.sources import Source, Stored


def load_bundle(path: str | os.PathLike[str]) -> Bundle:
    """Load the data set in a folder, or in a zip of one.

    Tables are read and checked now, and so are the columns and the hash of each relevance file; its
    rows are read at first use. A zip is unpacked into a private folder, which is removed together
    with the bundle.

    Parameters
    ----------
    path : str or os.PathLike
        A folder with ``manifest.toml`` and its tables, or a zip of such a folder.

    Returns
    -------
    Bundle
        The checked data set.

    Raises
    ------
    BundleError
        If there are faults: one message that lists them all, with file, column, rows and remedy.

    Examples
    --------
    >>> import equity_core as eq
    >>> eq.load_bundle("data/demo")
    <Bundle 'Demo (synthetic)': synthetic 2,000 learners, 1,500 courses, 10 algorithms>
    """
    where = Path(path).absolute()  # relevance is read later, wherever the process is then
    faults = Faults()
    if where.is_dir():
        return _load(where, faults)
    if not where.is_file():
        faults.add(
            str(where),
            "there is no such folder or file",
            "Give the folder of a bundle, or a zip of it",
        )
        faults.stop()
    unpacked = archive.unpack(where, faults)
    faults.stop()
    assert unpacked is not None
    try:
        bundle = _load(Path(unpacked.name), faults)
    except BaseException:
        unpacked.cleanup()
        raise
    weakref.finalize(bundle, unpacked.cleanup)
    return bundle


def _load(folder: Path, faults: Faults) -> Bundle:
    settings = manifest.read(folder / manifest.FILE, faults)
    found = _relevance_files(folder, settings, faults)
    with ThreadPoolExecutor(2) as pool:  # hashing runs beside the reading of the tables
        checks = {
            algorithm: pool.submit(_checked, path, file, settings.relevance.get(algorithm, Kept()))
            for algorithm, (path, file) in found.items()
        }
        raw = Raw(
            *(
                _table(folder, stem, faults, optional=stem in ("learners", "targets"))
                for stem in archive.TABLES
            )
        )
        assembled = assemble(raw, settings, manifest.FILE, faults)
        stored: dict[str, Source] = {}
        for algorithm, check in checks.items():
            source, own = check.result()
            faults.found += own.found
            if source is not None:
                stored[algorithm] = source
    faults.stop()
    assert assembled.content is not None
    return Bundle(assembled.content, stored)


def _table(folder: Path, stem: str, faults: Faults, *, optional: bool) -> tables.Table | None:
    path = tables.find(folder, stem, faults, optional=optional)
    return None if path is None else tables.read(path, path.name, faults)


def _relevance_files(
    folder: Path, settings: Manifest, faults: Faults
) -> dict[str, tuple[Path, str]]:
    """Return the relevance files by algorithm, each with its name for messages."""
    inner = folder / "relevance"
    stems = (
        {path.stem for path in inner.iterdir() if path.suffix in tables.SUFFIXES}
        if inner.is_dir()
        else set()
    )
    sources.check_names(sorted(stems), faults)
    found = {}
    for stem in sorted(stems):
        path = tables.find(inner, stem, faults, inside="relevance/")
        if path is not None:
            found[stem] = (path, f"relevance/{path.name}")
    for algorithm in sorted(set(settings.relevance) - stems):
        fix = f"Put the file back, or remove [relevance.{algorithm}] from {manifest.FILE}"
        faults.add(
            f"relevance/{algorithm}.parquet", "the file is missing, but the manifest lists it", fix
        )
    return found


def _checked(path: Path, file: str, kept: Kept) -> tuple[Stored | None, Faults]:
    own = Faults()
    try:
        source = Stored.at(path, file, kept)
    except OSError as error:
        tables.unreadable(error, path, file, own)
        return None, own
    sources.check_file(path, file, kept, own)
    return source, own
