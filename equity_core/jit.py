"""numba's compiler, set up so that compiled kernels are kept on disk wherever that is possible.

numba's own cache knows when a file has changed, but not when a function that it calls from another
file has: a stale kernel would go on computing with an old formula. So the cache folder carries a
hash of all kernel files together.

It lies beside the package; where that cannot be written (a read-only installation) in the user's
cache folder; where that cannot be written either, in a private temporary folder, and each process
compiles once.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numba
from numba.misc.appdirs import AppDirs

PACKAGE = Path(__file__).parent


def sources_digest() -> str:
    """A hash of every kernel file; by convention their names start with ``kernels``."""
    digest = hashlib.sha256()
    for source in sorted(PACKAGE.rglob("kernels*.py")):
        digest.update(source.relative_to(PACKAGE).as_posix().encode() + b"\0" + source.read_bytes())
    return digest.hexdigest()[:12]


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _user_cache() -> Path:
    return Path(AppDirs(appname="equity_core", appauthor=False).user_cache_dir)  # type: ignore[no-untyped-call]


def cache_folder() -> Path:
    """The folder for compiled kernels; kernels of other versions beside the package are cleared
    away."""
    given, name = os.environ.get("NUMBA_CACHE_DIR"), f"kernels-{sources_digest()}"
    homes = [Path(given)] if given else [PACKAGE / "__pycache__", _user_cache()]
    for home in homes:
        if _writable(home / name):
            if not given:
                for old in home.glob("kernels-*"):
                    if old.name != name:
                        shutil.rmtree(old, ignore_errors=True)
            return home / name
    # Private (mode 700): numba unpickles what it finds there, so the folder must not be anybody
    # else's.
    return Path(tempfile.mkdtemp(prefix="equity-core-kernels-"))


numba.config.CACHE_DIR = str(cache_folder())  # type: ignore[attr-defined]


def njit(*arguments: Any, **options: Any) -> Any:
    """``numba.njit`` that caches on disk and releases the GIL; it starts no threads of its own, so
    any number of callers is safe.

    ``error_model="numpy"``: the kernels check their divisors themselves, and a branch per division
    would stop vectorisation.
    """
    return numba.njit(
        *arguments, **{"cache": True, "nogil": True, "error_model": "numpy", **options}
    )
