"""What an import costs, which names stay private, and how long a file may grow. Who may import whom
is in pyproject.toml, for lint-imports."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CORE = sorted((ROOT / "equity_core").rglob("*.py"))
SCREENS = sorted((ROOT / "pages").glob("*.py"))
PAGES = sorted((ROOT / "pages").rglob("*.py"))
EVERYTHING = [ROOT / "app.py", *CORE, *PAGES, *sorted((ROOT / "tests").rglob("*.py"))]

COMPUTING = {"numpy", "pandas", "scipy", "numba", "pyarrow"}
HEAVY = {
    "numpy",
    "pandas",
    "pyarrow",
    "numba",
    "scipy",
    "streamlit",
    "altair",
    "plotly",
    "sklearn",
    "sparse_dot_topn",
    "jax",
    "optax",
}
TRAINING = {"jax", "jaxlib", "optax", "sklearn", "sparse_dot_topn"}


def imported(path: Path) -> Iterator[tuple[str, int]]:
    """Every module that a file names in an import, at its top or inside a function, with the
    line."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node.lineno
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: imports are absolute here"
            yield str(node.module), node.lineno


def offenders(files: list[Path], forbidden: set[str]) -> list[str]:
    """Where a file imports one of the forbidden packages."""
    assert files
    return [
        f"{path.relative_to(ROOT)}:{line}: {module}"
        for path in files
        for module, line in imported(path)
        if module.partition(".")[0] in forbidden
    ]


def python(code: str) -> str:
    """The output of a fresh interpreter."""
    command = [sys.executable, "-W", "ignore", "-c", code]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


def loaded_by(code: str) -> set[str]:
    """The top-level packages that a piece of code loads."""
    out = python(f"{code}\nimport sys\nprint('\\n@'.join(['', *sorted(sys.modules)]))")
    return {line[1:].partition(".")[0] for line in out.splitlines() if line.startswith("@")}


def test_the_scan_sees_imports_inside_functions(tmp_path: Path) -> None:
    file = tmp_path / "page.py"
    file.write_text(
        "import json\n\n\ndef draw():\n    from numpy import mean\n    import pandas.api as p\n   "
        " return mean, p, json\n"
    )
    assert {module for module, _ in imported(file)} == {"json", "numpy", "pandas.api"}


def test_private_names_stay_in_their_modules() -> None:
    """Ruff's SLF001 sees ``module._name``; this sees ``from module import _name`` (which PLC2701
    sees between top-level packages only)."""
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}: {node.module}.{alias.name}"
        for path in EVERYTHING
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom)
        and str(node.module).partition(".")[0] in ("equity_core", "pages", "tests")
        for alias in node.names
        if alias.name.startswith("_") and not alias.name.startswith("__")
    ]
    assert found == []


def test_the_router_does_not_compute() -> None:
    """All other rules of who may import what are in pyproject.toml, for lint-imports; app.py is no
    package, so that it cannot be there."""
    assert offenders([ROOT / "app.py"], COMPUTING) == []


def test_core_works_where_streamlit_cannot_be_imported() -> None:
    """Every module of the core but the training ones is imported, and a list re-ranked, with
    Streamlit blocked."""
    names = [
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for path in CORE
    ]
    out = python(f"""
import importlib, sys
sys.modules["streamlit"] = None  # import streamlit is an ImportError from here on
for name in {[name for name in names if not name.endswith("__main__")]!r}:
    importlib.import_module(name)
import equity_core as eq
eq.warm()
print("worked", "streamlit" in sys.modules and sys.modules["streamlit"] is None)
""")
    assert out.splitlines()[-1] == "worked True"


def test_importing_the_core_costs_next_to_nothing() -> None:
    assert loaded_by("import equity_core") & HEAVY == set()


def test_a_public_name_loads_what_it_needs_and_no_more() -> None:
    assert (
        loaded_by("import equity_core as eq; eq.ALGORITHMS")
        & (HEAVY - {"numpy", "pandas", "pyarrow", "scipy", "numba"})
        == set()
    )
    found = loaded_by("import equity_core as eq; eq.load_bundle, eq.rerank, eq.evaluate, eq.sweep")
    assert {"numpy", "pandas"} <= found
    assert found & (TRAINING | {"altair", "plotly", "streamlit"}) == set()


def test_every_public_name_is_there() -> None:
    out = python(
        "import equity_core as eq\nfor name in eq.__all__: getattr(eq,"
        " name)\nprint(len(set(eq.__all__)))"
    )
    assert int(out) >= 18


def test_algorithms_are_listed_without_their_training_libraries() -> None:
    """A screen asks for labels, families and settings of all ten; that must not load what only
    fitting needs."""
    asked = (
        "from equity_core.recommenders import registry\nfor name in registry.ALGORITHMS:"
        " registry.create(name), registry.info(name)"
    )
    assert loaded_by(asked) & TRAINING == set()


@pytest.mark.slow
def test_the_dashboard_never_loads_the_training_libraries() -> None:
    """All screens drawn once in one process, on a small bundle, with the training libraries out of
    reach."""
    screens = [path.name for path in SCREENS]
    out = python(f"""
import os, sys, tempfile
for name in {sorted(TRAINING)!r}:
    sys.modules[name] = None
from equity_core.synth import synthesise
import equity_core as eq
world = synthesise(60, 150, 0)
scores = eq.precompute(world.courses, world.interactions, ["toppopular"], 30)
bundle = eq.Bundle.from_frames(world.courses, world.interactions, scores, now=world.now,
                               opened=world.opened, learners=world.learners, name="small",
                               synthetic=True)
with tempfile.TemporaryDirectory() as folder:
    bundle.save(folder + "/small")
    os.environ["EQUITY_DATA"] = folder + "/small"
    from streamlit.testing.v1 import AppTest
    app = AppTest.from_file("app.py", default_timeout=120)
    app.query_params["data"] = "small"
    app.run()
    from tests.helpers.screens import go_to
    for page in {screens!r}:
        go_to(app, page.removesuffix(".py"))
        assert not app.exception, (page, app.exception)
        print("drawn", page)
""")
    assert [
        line.removeprefix("drawn ") for line in out.splitlines() if line.startswith("drawn ")
    ] == screens


@pytest.mark.parametrize(
    ("files", "most"), [(SCREENS, 200), (EVERYTHING, 565)], ids=["screens", "everything"]
)
def test_files_can_be_read_in_one_sitting(files: list[Path], most: int) -> None:
    assert files
    lines = {
        str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines())
        for path in files
    }
    assert {name: count for name, count in lines.items() if count > most} == {}


def test_kernels_are_named_so_that_their_cache_knows_them() -> None:
    """The cache of compiled code is keyed by all files called kernels*.py: compiled code elsewhere
    would go stale there."""
    compiled = [
        path
        for path in CORE
        for module, _ in imported(path)
        if module in ("numba", "equity_core.jit")
        and path.name != "jit.py"
        and not path.name.startswith("kernels")
    ]
    assert [str(path.relative_to(ROOT)) for path in compiled] == []
