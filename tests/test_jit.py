"""Where compiled kernels are kept, and that several callers never wait for more than one
compilation."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from equity_core import jit


def test_the_cache_lies_beside_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    folder = jit.cache_folder()
    assert folder.parent == jit.PACKAGE / "__pycache__"
    assert folder.name == f"kernels-{jit.sources_digest()}"


def test_a_given_folder_is_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert jit.cache_folder().parent == tmp_path


def test_a_read_only_installation_falls_back_to_the_users_cache(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setattr(jit, "PACKAGE", _read_only(tmp_path / "package", monkeypatch))
    monkeypatch.setattr(jit, "_user_cache", lambda: tmp_path / "user")
    assert jit.cache_folder().parent == tmp_path / "user"


def test_without_any_writable_home_a_private_folder_serves(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setattr(jit, "_writable", lambda folder: False)
    monkeypatch.setattr(jit.tempfile, "tempdir", str(tmp_path))
    folder = jit.cache_folder()
    assert folder.parent == tmp_path
    assert folder.stat().st_mode & 0o077 == 0


def test_kernels_of_other_versions_are_cleared_away(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setattr(jit, "PACKAGE", tmp_path)
    old = tmp_path / "__pycache__" / "kernels-000000000000"
    old.mkdir(parents=True)
    assert jit.cache_folder().exists()
    assert not old.exists()


def test_any_change_of_a_kernel_file_changes_the_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(jit, "PACKAGE", tmp_path)
    source = tmp_path / "metrics" / "kernels.py"
    source.parent.mkdir()
    source.write_text("a = 1")
    before = jit.sources_digest()
    source.write_text("a = 2")
    assert jit.sources_digest() != before


def test_every_file_with_compiled_code_is_in_the_hash() -> None:
    compiled = {
        path for path in jit.PACKAGE.rglob("*.py") if "@njit" in path.read_text(encoding="utf-8")
    }
    assert compiled
    assert all(path.name.startswith("kernels") for path in compiled)


def test_a_second_process_compiles_nothing() -> None:
    """What the first process compiled, the second one loads: no cache miss in any kernel."""
    code = (
        "import equity_core as eq; eq.warm()\nfrom equity_core.reranker import kernels\nfrom"
        " equity_core.metrics import kernels as measures\nfor f in (kernels.lam_range,"
        " kernels.floor_range, measures.values_range, measures.ndcg_range):\n   "
        " print(f.py_func.__name__, len(f.signatures), sum(f.stats.cache_misses.values()))\n"
    )
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            cwd=Path(__file__).parents[1],
        )
    for line in done.stdout.splitlines():
        _, versions, misses = line.split()
        assert (versions, misses) == ("1", "0"), line


def _read_only(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that cannot be written; root may write anywhere, so that the check itself is
    told."""
    folder.mkdir()
    writable = jit._writable
    monkeypatch.setattr(
        jit, "_writable", lambda wanted: folder not in wanted.parents and writable(wanted)
    )
    return folder
