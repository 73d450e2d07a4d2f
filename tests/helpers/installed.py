"""The package as a stranger has it: built as a wheel, installed in an environment without the
repository."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from dataclasses import dataclass
from pathlib import Path

from equity_core import jit

ROOT = Path(__file__).parents[2]


def built(kind: str, folder: Path, source: Path = ROOT) -> Path:
    """The project as a ``wheel`` or as an ``sdist``, built offline by the hatchling that is
    installed here."""
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(folder)],
        cwd=source,
        check=True,
        capture_output=True,
        timeout=300,
    )
    (file,) = folder.iterdir()
    return file


@dataclass(frozen=True)
class Installed:
    """An environment with the package in it, and an empty folder to work in."""

    prefix: Path
    folder: Path

    @property
    def package(self) -> Path:
        return _site_packages(self.prefix) / "equity_core"

    @property
    def program(self) -> str:
        return str(self.prefix / "bin" / "learning-equity")

    @property
    def variables(self) -> dict[str, str]:
        """The variables of this process but those that would lead Python to the repository."""
        ours = {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "EQUITY_DATA", "EQUITY_FIRST"}
        return {name: value for name, value in os.environ.items() if name not in ours}

    def run(self, *words: str, code: int = 0) -> str:
        """What a program of the environment prints; it must end with that exit code."""
        done = subprocess.run(
            [str(self.prefix / "bin" / words[0]), *words[1:]],
            cwd=self.folder,
            env=self.variables,
            capture_output=True,
            text=True,
            timeout=500,
            check=False,
            encoding="utf-8",
        )
        assert done.returncode == code, done.stdout[-2000:] + done.stderr[-4000:]
        return done.stdout


def install(wheel: Path, folder: Path) -> Installed:
    """Install the wheel into an empty environment.

    Two things are borrowed from the environment of the tests, to save minutes: the requirements
    (its site-packages come last on the path; the repository itself is not on it) and the compiled
    kernels. So this does not show that the requirements suffice, which
    ``test_everything_imported_is_required_and_everything_required_is_used`` does.
    """
    there = Installed(folder / "environment", folder / "elsewhere")
    there.folder.mkdir(parents=True)
    venv.create(there.prefix, with_pip=False)
    python = there.prefix / "bin" / "python"
    command = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet"]
    subprocess.run(
        [*command, "--no-deps", "--no-index", "--no-compile", str(wheel)],
        check=True,
        capture_output=True,
        timeout=300,
    )
    borrowed = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (_site_packages(there.prefix) / "borrowed.pth").write_text("\n".join(sorted(borrowed)))
    _lend_kernels(there.package)
    return there


def _site_packages(prefix: Path) -> Path:
    return Path(sysconfig.get_path("purelib", vars={"base": str(prefix)}))


def _lend_kernels(package: Path) -> None:
    """Copy the compiled kernels to where the installed package looks for them. numba names a cache
    folder by the path of the source's folder and compares the sources' times; where it knows better
    than this, it compiles again."""
    from numba.core.caching import _CacheLocator

    name = f"kernels-{jit.sources_digest()}"
    for source in sorted(jit.PACKAGE.rglob("kernels*.py")):
        twin = package / source.relative_to(jit.PACKAGE)
        os.utime(twin, ns=(source.stat().st_atime_ns, source.stat().st_mtime_ns))
        ours, theirs = (
            top / "__pycache__" / name / _CacheLocator.get_suitable_cache_subpath(str(file))
            for top, file in ((jit.PACKAGE, source), (package, twin))
        )
        if ours.is_dir():
            shutil.copytree(ours, theirs, dirs_exist_ok=True)
