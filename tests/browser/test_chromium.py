"""Which Chromium the browser tests use: the one named, a system one, Playwright's own; the script
that installs one looks likewise."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from playwright.sync_api import Error

from tests.browser.conftest import ROOT, SYSTEM, chromium_path, launched

SCRIPT = ROOT / "scripts" / "chromium.sh"


def player(launch: Any) -> Any:
    return SimpleNamespace(chromium=SimpleNamespace(launch=launch))


def test_the_order(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CHROMIUM", raising=False)
    given: list[str | None] = []
    launched(player(lambda executable_path, args: given.append(executable_path)))
    for name in reversed(SYSTEM):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
        assert chromium_path() == str(tmp_path / name)
    monkeypatch.setenv("CHROMIUM", "/elsewhere/chromium")
    launched(player(lambda executable_path, args: given.append(executable_path)))
    assert given == [None, "/elsewhere/chromium"]  # None: Playwright's own


def test_none_is_explained(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CHROMIUM", raising=False)

    def fail(**_: Any) -> None:
        raise Error("Executable doesn't exist")

    with pytest.raises(RuntimeError, match=r"does not start: run scripts/chromium\.sh"):
        launched(player(fail))


def run(tmp_path: Path, python: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """The script with nothing on the path but `id`, and a python that does as it is told."""
    tools = tmp_path / "bin"
    tools.mkdir(exist_ok=True)
    for tool in ("id", "bash"):
        if not (tools / tool).exists():
            (tools / tool).symlink_to(shutil.which(tool) or tool)
    fake = tmp_path / "python"
    fake.write_text(f"#!/bin/bash\n{python}\n")
    fake.chmod(0o755)
    environment = {"PATH": str(tools), **settings}
    bash = shutil.which("bash", path=os.environ["PATH"]) or "bash"
    return subprocess.run(
        [bash, str(SCRIPT), str(fake)], env=environment, capture_output=True, text=True, check=False
    )


def test_the_script_looks_for_the_same_names(tmp_path: Path) -> None:
    found = re.search(r"for name in (.*); do", SCRIPT.read_text(encoding="utf-8"))
    assert found is not None
    assert tuple(found[1].split()) == SYSTEM
    assert run(tmp_path, "exit 1", CHROMIUM="/elsewhere/chromium").returncode == 0


def test_the_script_takes_playwrights_own_if_it_starts(tmp_path: Path) -> None:
    assert run(tmp_path, "exit 0").returncode == 0
    mark = tmp_path / "installed"
    # Not there at first; installed by the second call; then it starts.
    installs = f'if [ "$1" = -m ]; then echo > {mark}; exit 0; fi; [ -e {mark} ]'
    assert run(tmp_path, installs).returncode == 0
    assert mark.exists()


def test_the_script_says_what_to_do_when_there_is_none(tmp_path: Path) -> None:
    # Installed, but it does not start; and there is no package manager.
    done = run(tmp_path, '[ "$1" = -m ]')
    assert done.returncode == 1
    assert "install one" in done.stderr
