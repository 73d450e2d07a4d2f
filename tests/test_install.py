"""The two commands: what they install and when, that a folder with spaces does not matter, and that
the requirements are whole."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).parents[1]
COMPILED = "-m compileall -q -j 0 .venv/lib"
FILES = {
    "runtime": "requirements.txt",
    "train": "requirements-train.txt",
    "dev": "requirements-dev.txt",
}

# Stands for python3: notes what it is asked for; makes a "virtual environment" of itself; installs
# nothing.
FAKE = """#!/usr/bin/env bash
echo "$*" >> "{log}"
if [ "$2" = venv ]; then mkdir -p "$3/bin" && cp "$0" "$3/bin/python" && cp "$0" "$3/bin/pip"; fi
if [ "$1" = -c ]; then exec "{python}" "$@"; fi
exit 0
"""


class Machine:
    """A clone in a folder with spaces, on a machine whose Python only notes what it is asked
    for."""

    def __init__(self, folder: Path) -> None:
        self.clone, self.log = folder / "my clone of it", folder / "asked.log"
        self.clone.mkdir()
        for name in (
            "Makefile",
            "requirements.txt",
            "requirements-train.txt",
            "requirements-dev.txt",
        ):
            shutil.copy(ROOT / name, self.clone)
        shutil.copytree(ROOT / "scripts", self.clone / "scripts")
        self.python = folder / "python3"
        self.python.write_text(FAKE.format(log=self.log, python=sys.executable))
        self.python.chmod(0o755)

    def make(self, *words: str, fails: bool = False) -> tuple[list[str], str]:
        """What Python was asked for, and what make said."""
        self.log.write_text("")
        # What the make around these tests was told (make test ARGS=…) reaches its children through
        # the environment.
        told = {"MFLAGS", "ARGS", "PORT", "PYTHON", "VENV"}
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("MAKE") and name not in told
        }
        done = subprocess.run(
            ["make", *words, f"PYTHON={self.python}"],
            cwd=self.clone,
            env=kept,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert (done.returncode != 0) == fails, done.stdout + done.stderr
        asked = [line for line in self.log.read_text().splitlines() if not line.startswith("-c ")]
        return asked, done.stdout + done.stderr


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_run_installs_once_and_starts_the_dashboard(machine: Machine) -> None:
    asked, said = machine.make("run")
    assert asked[0] == "-m venv .venv"
    assert any(
        line.startswith("-m pip install") and line.endswith("-r requirements.txt") for line in asked
    )
    assert not any("requirements-dev.txt" in line for line in asked)
    assert COMPILED in asked
    assert asked[-2:] == ["-m equity_core warm", "-m streamlit run app.py --server.port 8501"]
    assert "http://localhost:8501" in said
    again, _ = machine.make("run", "PORT=8600")
    assert again == ["-m equity_core warm", "-m streamlit run app.py --server.port 8600"]


def test_test_installs_once_and_runs_everything(machine: Machine) -> None:
    asked, _ = machine.make("test")
    assert any(
        line.startswith("-m pip install") and line.endswith("-r requirements-dev.txt")
        for line in asked
    )
    assert COMPILED in asked
    assert asked[-1].split() == ["-m", "pytest"]
    again, _ = machine.make("test", "ARGS=-k policy")
    assert not any("pip" in line for line in again)
    assert again[-1] == "-m pytest -k policy"


def test_run_after_test_installs_nothing(machine: Machine) -> None:
    machine.make("test")
    asked, _ = machine.make("run")
    assert not any("pip" in line or "venv" in line for line in asked)


def test_a_changed_requirement_is_installed(machine: Machine) -> None:
    machine.make("run")
    stamp = (machine.clone / ".venv" / ".runtime").stat().st_mtime
    os.utime(machine.clone / "requirements.txt", (stamp + 10, stamp + 10))
    asked, _ = machine.make("run")
    assert [line.split()[-1] for line in asked if "pip" in line] == ["requirements.txt"]
    assert not any("-m venv" in line for line in asked)


def test_an_old_python_is_refused_before_anything_is_made(machine: Machine) -> None:
    machine.python.write_text(
        machine.python.read_text().replace(f'exec "{sys.executable}" "$@"', "exit 1")
    )
    asked, said = machine.make("run", fails=True)
    assert asked == []
    assert "Python 3.11 or newer is needed" in said
    assert "make run PYTHON=" in said
    assert not (machine.clone / ".venv").exists()


def requirements(name: str) -> list[Requirement]:
    """The requirements that a file names itself."""
    lines = [
        re.sub(r"\s*#.*$", "", line).strip()
        for line in (ROOT / name).read_text(encoding="utf-8").splitlines()
    ]
    return [Requirement(line) for line in lines if line and not line.startswith("-")]


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def imports(*folders: str) -> set[str]:
    """The top-level packages that the files below the folders import."""
    out: set[str] = set()
    for path in [
        path
        for folder in folders
        for path in ([ROOT / folder] if folder.endswith(".py") else (ROOT / folder).rglob("*.py"))
    ]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [str(node.module)] if isinstance(node, ast.ImportFrom) else []
            out |= {name.partition(".")[0] for name in names}
    own = {"equity_core", "pages", "app", "tests"}
    return {name for name in out if name not in sys.stdlib_module_names and name not in own}


def test_the_files_build_on_each_other() -> None:
    assert "-r requirements.txt" in (ROOT / "requirements-train.txt").read_text()
    assert "-r requirements-train.txt" in (ROOT / "requirements-dev.txt").read_text()
    names = [
        normal(requirement.name) for file in FILES.values() for requirement in requirements(file)
    ]
    assert sorted(names) == sorted(set(names)), "each package is named once"


def test_everything_imported_is_required_and_everything_required_is_used() -> None:
    homes = packages_distributions()
    named = {
        file: {normal(requirement.name) for requirement in requirements(file)}
        for file in FILES.values()
    }
    used = imports("app.py", "pages", "equity_core")
    provided = {name: {normal(home) for home in homes.get(name, [name])} for name in used}
    product = named["requirements.txt"] | named["requirements-train.txt"]
    assert {name for name, packages in provided.items() if not packages & product} == set()
    assert named["requirements.txt"] - set.union(*provided.values()) == set(), (
        "required at run time, but imported nowhere"
    )


def test_every_requirement_has_a_lower_end() -> None:
    loose = [
        f"{requirement}"
        for file in ("requirements.txt", "requirements-train.txt")
        for requirement in requirements(file)
        if not {clause.operator for clause in requirement.specifier} & {">=", "==", "~="}
    ]
    assert loose == []


def test_the_lock_is_exact_whole_and_within_the_ranges() -> None:
    pinned = {}
    for requirement in requirements("requirements.lock"):
        (clause,) = requirement.specifier
        assert clause.operator == "==", str(requirement)
        assert requirement.url is None, str(requirement)
        pinned[normal(requirement.name)] = Version(clause.version)
    for file in FILES.values():
        for requirement in requirements(file):
            assert normal(requirement.name) in pinned, (
                f"{file}: {requirement} is not in requirements.lock"
            )
            version = pinned[normal(requirement.name)]
            assert requirement.specifier.contains(version), (
                f"{file}: {requirement}, but the lock has {version}"
            )
