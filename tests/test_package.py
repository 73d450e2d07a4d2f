"""The wheel: what is in it, and that it works in an environment without the repository. Its screens
are drawn in tests/browser/test_installed.py."""

from __future__ import annotations

import json
import tarfile
import zipfile
from email import message_from_bytes
from pathlib import Path

import pandas as pd
import pytest
from packaging.requirements import Requirement

import equity_core as eq
from tests.helpers.documents import project_files
from tests.helpers.installed import ROOT, Installed, built, install
from tests.test_install import requirements

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built("wheel", tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return install(wheel, tmp_path_factory.mktemp("installed"))


def contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_the_wheel_holds_the_package_and_the_dashboard_and_nothing_else(wheel: Path) -> None:
    files = {path.relative_to(ROOT).as_posix(): path for path in project_files()}
    expected = {
        (name if name.startswith("equity_core/") else f"equity_core/dashboard/{name}"): path
        for name, path in files.items()
        if name in ("app.py", "docs/methods.md", ".streamlit/config.toml")
        or name.startswith(("equity_core/", "pages/", "data/demo/"))
    }
    found = contents(wheel)
    about = f"learning_equity-{eq.__version__}.dist-info/"
    assert {name for name in found if not name.startswith(about)} == set(expected)
    assert "equity_core/py.typed" in found
    assert [name for name, path in expected.items() if found[name] != path.read_bytes()] == []


def test_the_source_distribution_builds_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    with tarfile.open(built("sdist", tmp_path / "sdist")) as archive:
        archive.extractall(tmp_path / "source", filter="data")
    (source,) = (tmp_path / "source").iterdir()
    assert contents(built("wheel", tmp_path / "wheel", source)) == contents(wheel)


def test_the_wheel_asks_for_what_the_requirements_files_name(wheel: Path) -> None:
    found = contents(wheel)
    about = message_from_bytes(found[f"learning_equity-{eq.__version__}.dist-info/METADATA"])
    assert (about["Name"], about["Version"]) == ("learning-equity", eq.__version__)
    assert about["Requires-Python"] == ">=3.11"
    assert sorted(about.get_all("Provides-Extra", [])) == ["dev", "train"]
    asked = [Requirement(text) for text in about.get_all("Requires-Dist", [])]

    def names(extra: str) -> set[str]:
        return {
            f"{one.name} {one.specifier}"
            for one in asked
            if one.marker is None or one.marker.evaluate({"extra": extra})
        }

    files = ["requirements.txt", "requirements-train.txt", "requirements-dev.txt"]
    for extra, count in (("", 1), ("train", 2), ("dev", 3)):
        wanted = [one for file in files[:count] for one in requirements(file)]
        assert names(extra) == {f"{one.name} {one.specifier}" for one in wanted}


def test_every_url_of_the_package_exists_elsewhere_in_the_project(wheel: Path) -> None:
    """No address of a host that nobody has: only what README cites."""
    about = message_from_bytes(
        contents(wheel)[f"learning_equity-{eq.__version__}.dist-info/METADATA"]
    )
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    addresses = [text.split(", ")[1] for text in about.get_all("Project-URL", [])]
    assert addresses
    assert [address for address in addresses if address not in readme] == []


def test_it_runs_from_where_it_is_installed(installed: Installed) -> None:
    assert installed.run("learning-equity", "--version") == f"learning-equity {eq.__version__}\n"
    assert installed.run("python", "-m", "equity_core", "--version") == (
        f"learning-equity {eq.__version__}\n"
    )
    code = "import equity_core; print(equity_core.__file__)"
    assert Path(installed.run("python", "-c", code).strip()).parent == installed.package


def test_it_reranks_the_demo_as_the_repository_does(installed: Installed) -> None:
    installed.run("learning-equity", "rerank", "demo", "userknn", "--floor", "0.65", "-o", "l.csv")
    lists = pd.read_csv(installed.folder / "l.csv")
    bundle = eq.load_bundle(ROOT / "data" / "demo")
    run = eq.rerank(bundle, "userknn", eq.Policy(floor=0.65))
    assert len(lists) == (run.courses >= 0).sum()
    assert list(lists["course_id"]) == list(bundle.course_ids[run.courses[run.courses >= 0]])


def test_the_dashboard_lists_the_demo_and_what_lies_in_data(installed: Installed) -> None:
    words = ["--learners", "30", "--courses", "125", "--algorithms", "toppopular"]
    installed.run("learning-equity", "synth", *words, "--candidates", "20", "--out", "data/mine")
    code = (
        "import json, sys; from equity_core import resources; sys.path.insert(0,"
        " str(resources.home())); from pages.shared import datasets;"
        " print(json.dumps({name: str(path) for name, path in datasets.folders().items()}))"
    )
    listed = json.loads(installed.run("python", "-W", "ignore", "-c", code).splitlines()[-1])
    assert listed == {
        "demo": str(installed.package / "dashboard" / "data" / "demo"),
        "mine": str(installed.folder / "data" / "mine"),
    }
