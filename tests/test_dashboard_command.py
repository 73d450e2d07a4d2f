"""The command that starts the dashboard, and where the files that come with the package are."""

import os
import sys

import pytest

import equity_core as eq
from equity_core import resources
from tests.test_cli import ROOT, fails, run


@pytest.fixture
def started(monkeypatch):
    """What Streamlit is started with: its arguments and the variables that name data sets."""
    calls = []

    def note(module, run_name):
        variables = {name: os.environ.get(name) for name in ("EQUITY_DATA", "EQUITY_FIRST")}
        calls.append((module, run_name, sys.argv[1:], variables))

    monkeypatch.setattr("runpy.run_module", note)
    monkeypatch.setattr(sys, "argv", ["learning-equity"])
    for name in ("EQUITY_DATA", "EQUITY_FIRST"):
        monkeypatch.setenv(name, "")  # so that it is put back afterwards
        monkeypatch.delenv(name)
    return calls


def test_the_version_is_said():
    assert run("--version").stdout == f"learning-equity {eq.__version__}\n"


def test_no_command_starts_the_dashboard_on_the_demo_for_this_computer_only(started):
    run()
    (call,) = started
    assert call == (
        "streamlit",
        "__main__",
        ["run", str(ROOT / "app.py"), "--server.address=127.0.0.1"],
        {"EQUITY_DATA": None, "EQUITY_FIRST": None},
    )


def test_the_dashboard_is_told_its_bundles_port_and_address(started, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "manifest.toml").touch()
    monkeypatch.setenv("EQUITY_DATA", "before")
    run("dashboard", "mine", "demo", "--port", 8600, "--address", "0.0.0.0")
    ((_, _, arguments, variables),) = started
    assert arguments[2:] == ["--server.address=0.0.0.0", "--server.port=8600"]
    assert variables == {
        "EQUITY_DATA": os.pathsep.join([str(mine), str(ROOT / "data" / "demo"), "before"]),
        "EQUITY_FIRST": str(mine),
    }


def test_the_dashboard_refuses_what_is_no_bundle(started, tmp_path):
    assert "no such folder or zip" in fails("dashboard", tmp_path / "none")
    assert "there is no manifest.toml" in fails("dashboard", tmp_path)
    odd = tmp_path / f"a{os.pathsep}b.zip"
    odd.touch()
    assert "rename it" in fails("dashboard", odd)
    assert started == []


def test_demo_is_the_packaged_demo_unless_something_here_has_that_name(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert "learners        2,000" in run("check", "demo").stdout
    (tmp_path / "demo").mkdir()
    assert "manifest.toml" in fails("check", "demo")


def test_an_installed_package_has_its_files_in_a_folder_of_its_own(monkeypatch, tmp_path):
    monkeypatch.setattr(resources, "PACKAGE", tmp_path)
    assert resources.home() == tmp_path.parent
    (tmp_path / "dashboard").mkdir()
    (tmp_path / "dashboard" / "app.py").touch()
    home = tmp_path / "dashboard"
    assert (resources.home(), resources.app_file()) == (home, home / "app.py")
    assert resources.demo() == home / "data" / "demo"
    assert resources.document("methods.md") == home / "docs" / "methods.md"
