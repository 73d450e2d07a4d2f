"""Every command in README and docs runs, every Python example works, every link leads somewhere."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import tomllib
import urllib.request
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import typer

import equity_core as eq
from equity_core.cli import app
from equity_core.synth import synthesise
from tests.helpers.documents import ROOT, SHELL, Block, Document, documents, project_files

DOCUMENTS = documents()
EXAMPLE = "docs/data-format.md"
STYLE = "docs/style.md"
SETTING = r"(?:\w+=\S+ )*"
STARTING: list[list[str]] = [[], ["dashboard"]]
"""What python -m equity_core is followed by where it starts the dashboard."""


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A platform's exports as the documents speak of them: mine/catalog.csv, mine/enrolments.csv,
    mine/scores.csv."""
    folder = tmp_path_factory.mktemp("tables") / "mine"
    folder.mkdir()
    world = synthesise(60, 150, 0)
    names = {
        "course_id": "courseId",
        "title": "Course title",
        "last_update": "Updated",
        "enrolled": "students",
    }
    assets = world.courses["assets"].map(
        lambda kinds: kinds if kinds is None or isinstance(kinds, str) else "|".join(kinds)
    )
    world.courses.assign(assets=assets).rename(columns=names).to_csv(
        folder / "catalog.csv", index=False
    )
    log = world.interactions.drop(columns="split").rename(
        columns={"learner_id": "user", "course_id": "courseId", "timestamp": "enrolled at"}
    )
    log.to_csv(folder / "enrolments.csv", index=False)
    scores = eq.precompute(world.courses, world.interactions, ["toppopular"], candidates=30)[
        "toppopular"
    ]
    scores.rename(columns={"learner_id": "user", "course_id": "item"}).to_csv(
        folder / "scores.csv", index=False
    )
    world.courses.to_parquet(folder.parent / "courses.parquet")
    world.interactions.to_parquet(folder.parent / "interactions.parquet")
    return folder.parent


@pytest.fixture
def copy(tables: Path, tmp_path: Path) -> Path:
    """A copy of the project to run commands in, in a folder with spaces. The core itself is not
    copied: it stays compiled."""
    folder = tmp_path / "a copy of the project"
    folder.mkdir()
    for name in (
        "app.py",
        "Makefile",
        "requirements.txt",
        "requirements-train.txt",
        "requirements-dev.txt",
    ):
        shutil.copy(ROOT / name, folder)
    for name in ("pages", ".streamlit", "data/demo", "scripts"):
        shutil.copytree(ROOT / name, folder / name)
    shutil.copytree(tables / "mine", folder / "mine")
    (folder / ".venv").symlink_to(sys.prefix)
    return folder


def run(command: list[str] | str, folder: Path, **settings: str) -> str:
    """The output of a command; it must succeed."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    # pip only says what it would do, and without a network: everything must be installed already.
    offline = {
        "PIP_NO_INDEX": "1",
        "PIP_DRY_RUN": "1",
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }
    environment = {**os.environ, **offline, "PATH": path, "PYTHONPATH": str(ROOT), **settings}
    arguments = ["bash", "-euo", "pipefail", "-c", command] if isinstance(command, str) else command
    done = subprocess.run(
        arguments,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
    return done.stdout


def try_command(line: str, folder: Path, scratch: Path) -> None:
    """Run one line of a document: make as a dry run, a server until it answers, all else as it
    stands."""
    # The package is not installed among its own tests; python -m equity_core is the same command.
    line = re.sub(rf"^({SETTING})learning-equity\b", r"\1python -m equity_core", line)
    words = re.sub(rf"^{SETTING}", "", line).split()
    program = Path(words[0]).name
    if program == "make":
        assert run(re.sub(rf"^({SETTING})make ", r"\1make -n ", line), folder).strip(), (
            f"{line}: nothing would happen"
        )
    elif words[1:3] == ["-m", "venv"]:
        run(f"{line} --without-pip", scratch)
        assert (scratch / words[3] / "bin" / "python").exists()
    elif program == "streamlit" or (words[1:3] == ["-m", "equity_core"] and words[3:4] in STARTING):
        answers(line, folder)
    elif words[:3] == ["pip", "install", "."]:
        run(f"{line} --no-build-isolation", ROOT)  # of the whole project; pip is only asked
    elif words[1:3] == ["-m", "pytest"]:
        run(
            [sys.executable, *words[1:], "--collect-only", "-q", "tests/test_install.py"], ROOT
        )  # not this very test once more
    else:
        run(line, folder)


def answers(line: str, folder: Path) -> None:
    """Start a dashboard as the document says, on a free port, until it says that it is well and
    sends its page."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    line = re.sub(r"--port \d+", f"--port {port}", line)
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    settings = {
        "STREAMLIT_SERVER_PORT": str(port),
        "STREAMLIT_SERVER_ADDRESS": "127.0.0.1",
        "STREAMLIT_SERVER_FILE_WATCHER_TYPE": "none",
    }
    with (folder / "server.log").open("w") as log:
        server = subprocess.Popen(
            ["bash", "-c", f"exec {line}"],
            cwd=folder,
            env={**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), **settings},
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            for _ in range(600):
                assert server.poll() is None, (folder / "server.log").read_text()[-3000:]
                try:
                    with urllib.request.urlopen(
                        f"http://127.0.0.1:{port}/_stcore/health", timeout=5
                    ) as response:
                        assert response.read() == b"ok"
                    break
                except OSError:
                    time.sleep(0.2)
            else:
                pytest.fail(f"{line}: no answer\n{(folder / 'server.log').read_text()[-3000:]}")
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=30) as response:
                assert b"<html" in response.read()
        finally:
            os.killpg(server.pid, signal.SIGTERM)
            server.wait(30)


def write_files(document: Document, folder: Path) -> list[str]:
    """The example files of a document, into tiny/."""
    blocks = [block for block in document.blocks if "file" in block.options]
    for block in blocks:
        path = folder / "tiny" / block.options["file"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text, encoding="utf-8")
    return [block.options["file"] for block in blocks]


def of_language(document: Document, languages: tuple[str, ...]) -> list[Block]:
    return [block for block in document.blocks if block.language in languages]


def named(chosen: list[Document]) -> Any:
    return pytest.mark.parametrize("document", chosen, ids=[document.name for document in chosen])


def test_the_documents_are_found() -> None:
    assert {
        "README.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "docs/architecture.md",
        EXAMPLE,
        "docs/tour.md",
        "docs/methods.md",
        STYLE,
    } <= {document.name for document in DOCUMENTS}


@pytest.mark.slow
@named([document for document in DOCUMENTS if of_language(document, SHELL)])
def test_every_command_runs(document: Document, copy: Path, tmp_path: Path) -> None:
    write_files(document, copy)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    for block in of_language(document, SHELL):
        for line in block.commands:
            try_command(line, copy, scratch)


@pytest.mark.slow
@named([document for document in DOCUMENTS if of_language(document, ("python", "py"))])
def test_every_python_example_runs(document: Document, copy: Path, tables: Path) -> None:
    """The examples of a document, one after the other. Where they speak of courses and
    interactions, those are frames of a small world."""
    write_files(document, copy)
    given = f"import pandas as pd\nfolder = {str(tables)!r}\n" + "".join(
        f"{name} = pd.read_parquet(folder + '/{name}.parquet')\n"
        for name in ("courses", "interactions")
    )
    script = copy / "examples.py"
    script.write_text(
        "\n".join([given, *(block.text for block in of_language(document, ("python", "py")))]),
        encoding="utf-8",
    )
    run([sys.executable, script.name], copy)


def test_the_format_s_example_is_complete_and_true(tmp_path: Path) -> None:
    document = next(document for document in DOCUMENTS if document.name == EXAMPLE)
    assert write_files(document, tmp_path) == [
        "manifest.toml",
        "courses.csv",
        "interactions.csv",
        "relevance/mymodel.csv",
    ]
    bundle = eq.load_bundle(tmp_path / "tiny")
    assert (bundle.name, bundle.synthetic, bundle.algorithms) == ("Tiny", True, ("mymodel",))
    assert (len(bundle.learner_ids), len(bundle.course_ids), bundle.splits) == (
        3,
        6,
        ("train", "test"),
    )
    assert bundle.coverage["filled"].to_dict() == {
        principle.name: int(principle.name in ("validity", "quality")) for principle in eq.SEVEN
    }
    policy = eq.Policy(lam=0.5, k=3)
    found = eq.evaluate(bundle, eq.rerank(bundle, "mymodel", policy), policy)
    assert 0 < found.consistency < 1
    assert 0 < found.equality <= 1


def test_the_format_s_own_principles_can_be_used(tmp_path: Path) -> None:
    """The [[principles]] example: written into the tiny bundle with the column that it needs."""
    document = next(document for document in DOCUMENTS if document.name == EXAMPLE)
    write_files(document, tmp_path)
    example = next(
        block.text for block in of_language(document, ("toml",)) if "[[principles]]" in block.text
    )
    manifest = tmp_path / "tiny" / "manifest.toml"
    manifest.write_text(manifest.read_text() + "\n" + example)
    courses = pd.read_csv(tmp_path / "tiny" / "courses.csv")
    courses.assign(hours=range(1, len(courses) + 1)).to_csv(
        tmp_path / "tiny" / "courses.csv", index=False
    )
    bundle = eq.load_bundle(tmp_path / "tiny")
    assert [principle.name for principle in bundle.principles] == [
        row["name"] for row in tomllib.loads(example)["principles"]
    ]


def test_documents_are_taken_apart() -> None:
    """The README's own three kinds of block: plain, in a list, and none lost."""
    (readme,) = (document for document in DOCUMENTS if document.name == "README.md")
    commands = [line for block in of_language(readme, SHELL) for line in block.commands]
    assert readme.text.count("```") == 2 * len(readme.blocks)
    assert {"make run", "make test", ".venv/bin/streamlit run app.py"} <= set(commands)
    assert any(
        line.startswith(".venv/bin/python -m equity_core import tables ") for line in commands
    )


@named(DOCUMENTS)
def test_paths_within_the_prose_exist(document: Document) -> None:
    """Files and folders that a document names in code, if they begin with a folder of the
    project."""
    tops = r"(?:equity_core|pages|tests|docs|scripts|data/demo|\.ci|\.streamlit)"
    named = [
        path
        for code in document.inline
        for path in re.findall(rf"(?<![\w/]){tops}/[\w./-]*\w", code)
    ]
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_the_annotated_tree_is_the_tree() -> None:
    (document,) = (document for document in DOCUMENTS if document.name == "docs/architecture.md")
    (tree,) = (block.text for block in document.blocks if block.language == "tree")
    named, folder = set(), [""]
    for line in tree.splitlines():
        depth = (len(line) - len(line.lstrip())) // 2
        names = re.split(r" {2,}", line.strip())[0].split(" ")
        folder[depth + 1 :] = [names[0]]
        named |= {"".join(folder[1 : depth + 1]) + name.rstrip("/") for name in names}
    assert {name for name in named if not (ROOT / name).exists()} == set()
    packages = {
        path.parent.relative_to(ROOT).as_posix()
        for top in ("equity_core", "pages")
        for path in (ROOT / top).rglob("*.py")
    }
    modules = {
        path.relative_to(ROOT).as_posix()
        for path in [
            *ROOT.glob("*.py"),
            *(ROOT / "equity_core").glob("*.py"),
            *(ROOT / "pages").glob("*.py"),
        ]
    }
    assert (packages | modules) - named == {"equity_core/__main__.py", "pages/__init__.py"}


@named(DOCUMENTS)
def test_commands_within_the_prose_exist(document: Document) -> None:
    for code in document.inline:
        words = re.sub(rf"^{SETTING}", "", code).split()
        if words[:1] == ["make"] and len(words) > 1:
            run(
                ["make", "-n", *[word for word in words[1:] if re.fullmatch(r"[\w-]+", word)]], ROOT
            )
        elif words[:3] == ["python", "-m", "equity_core"]:
            known_command(words[3:], code)
        elif words[:1] == ["learning-equity"]:
            known_command(words[1:], code)
        elif words[:2] == ["python", "-m"]:
            assert find_spec(words[2]) is not None, f"{document.name}: {code}"
        elif words[:3] == ["pip", "install", "-r"]:
            assert (ROOT / words[3]).is_file(), f"{document.name}: {code}"
        elif words[:2] == ["streamlit", "run"]:
            assert (ROOT / words[2]).is_file(), f"{document.name}: {code}"


def known_command(words: list[str], code: str) -> None:
    """Commands and options that a line names are those of the command line."""
    command: Any = typer.main.get_command(app)
    for word in words:
        if word in getattr(command, "commands", {}):
            command = command.commands[word]
        elif re.fullmatch(r"[a-z]+", word) and hasattr(command, "commands"):
            pytest.fail(f"{code}: there is no command {word!r}")
        elif word.startswith("--") and word != "--help":
            assert word.partition("=")[0] in {
                option for parameter in command.params for option in parameter.opts
            }, f"{code}: {word}"


@named(DOCUMENTS)
def test_no_command_hides_in_an_indented_block(document: Document) -> None:
    """An indented block has no language, so that nobody would run it."""
    assert (
        re.findall(
            r"^(?: {4}|\t)(?:\$ |make |python3? |pip |streamlit |\.venv/).*$",
            document.prose,
            re.MULTILINE,
        )
        == []
    )


@named([document for document in DOCUMENTS if document.links])
def test_links_lead_somewhere(document: Document) -> None:
    for link in document.links:
        target, _, anchor = link.partition("#")
        if re.match(r"[a-z]+:", target):
            assert target.startswith("https://"), f"{document.name}: {link}"
            continue
        path = (document.path.parent / target).resolve() if target else document.path
        assert path.exists(), f"{document.name}: {link}"
        assert path.is_relative_to(ROOT), f"{document.name}: {link} leads out of the project"
        if anchor:
            assert anchor in Document(path).anchors, f"{document.name}: {link}"


@named(DOCUMENTS)
def test_prose_is_wrapped(document: Document) -> None:
    """At 100 characters, as code is; a table's row, a picture and a formula cannot be broken."""
    assert [line for line in document.wrappable if len(line) > 100] == []


def replaced_words() -> list[str]:
    """What the style page's table says not to write."""
    (style,) = (document for document in DOCUMENTS if document.name == STYLE)
    _, _, rows = style.text.partition("| write | instead of |\n|---|---|\n")
    cells = [line.strip("|").split("|") for line in rows.partition("\n\n")[0].splitlines()]
    return [worse.strip() for _, worse in cells]


def test_the_style_page_is_kept() -> None:
    """By documents and code. Only the table that reads old links knows the chooser's old words."""
    words = replaced_words()
    assert {"anew", "touchy", "Not again"} <= set(words)
    pattern = re.compile("|".join(rf"(?<!\w){re.escape(word)}(?!\w)" for word in words))
    texts = {document.name: document.flat for document in DOCUMENTS if document.name != STYLE}
    texts |= {
        path.relative_to(ROOT).as_posix(): " ".join(path.read_text(encoding="utf-8").split())
        for top in ("equity_core", "pages")
        for path in (ROOT / top).rglob("*.py")
    }
    found = {name: hits for name, text in texts.items() if (hits := pattern.findall(text))}
    assert found == {"pages/shared/links.py": ["Loss at most", "Nobody below", "Each at least"]}


def test_the_readme_s_figures_are_those_of_the_demo() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    policies = {
        "the recommender's own lists": {"lam": 0.0},
        "one λ = 0.99 for all": {"lam": 0.99},
        "floor 0.65": {"floor": 0.65},
    }
    bundle = eq.load_bundle(ROOT / "data" / "demo")
    for words, settings in policies.items():
        policy = eq.Policy(**settings)  # type: ignore[arg-type]
        found = eq.evaluate(bundle, eq.rerank(bundle, "userknn", policy), policy)
        assert (
            f"| {words} | {found.ndcg:.3f} | {found.consistency:.3f} | {found.equality:.3f} |"
            in text
        )


def test_the_tour_s_figures_are_those_of_the_demo() -> None:
    text = " ".join((ROOT / "docs" / "tour.md").read_text(encoding="utf-8").split())
    bundle = eq.load_bundle(ROOT / "data" / "demo")
    own, floor, lam = (
        eq.evaluate(bundle, eq.rerank(bundle, "userknn", policy), policy)
        for policy in (eq.Policy(lam=0.0), eq.Policy(floor=0.65), eq.Policy(lam=0.99))
    )
    assert f"({floor.equality:.3f} and {lam.equality:.3f}), with no clear change of NDCG" in text
    assert f"gives up {1 - lam.ndcg / own.ndcg:.0%} of it".replace("%", " %") in text
    assert f"({lam.consistency:.3f}, the floor {floor.consistency:.3f})" in text


def test_every_place_names_the_same_version() -> None:
    assert f"\nversion: {eq.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\n## {eq.__version__}\n" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


# Written in pieces, so that this file does not hold what it looks for.
FORBIDDEN = (
    r"(?<![\w.~-])/wor" + r"k/",
    r"(?<![\w.~-])/op" + r"t/\w",
    r"(?<![\w.~-])/roo" + r"t\b",
    r"(?<![\w.~-])/home/\w",
    r"/tmp/te" + r"am",
    r"\.libr" + r"ary\b",
    r"\bpyp" + r"i\b",
    r"pythonho" + r"sted",
    r"--(?:extra-)?index-" + r"url",
    r"--find-l" + r"inks",
)


def test_nothing_names_this_machine_or_a_registry() -> None:
    pattern = re.compile("|".join(FORBIDDEN), re.IGNORECASE)
    found = []
    for path in project_files():
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # a picture or a Parquet file
        found += [f"{path.relative_to(ROOT)}: {hit[0]}" for hit in pattern.finditer(text)]
    assert found == []


def test_what_is_forbidden_would_be_found() -> None:
    pattern = re.compile("|".join(FORBIDDEN), re.IGNORECASE)
    bad = [
        "see /wor" + "k/main",
        "index = https://pyp" + "i.org",
        "pip install --index-" + "url x",
        "in .libr" + "ary/",
        "/ho" + "me/me/x",
    ]
    assert all(pattern.search(text) for text in bad)
    assert not any(
        pattern.search(text)
        for text in ("a network/path", "pages/work/x", "data/home/", "numpy", "~/work/x")
    )
