"""The documents of the project, taken apart: fenced blocks, commands in the prose, headings and
links."""

from __future__ import annotations

import re
import subprocess
import textwrap
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
SHELL = ("bash", "sh", "shell", "console")
# A block inside a list is indented.
_FENCE = re.compile(r"^ *```(?P<info>[^`\n]*)\n(?P<text>.*?)^ *```\s*$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"!?\[[^\]]*\]\((?P<target>[^)\s]+)\)")


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, what else its first line says (``file=courses.csv``), and its
    text."""

    language: str
    options: dict[str, str]
    text: str

    @property
    def commands(self) -> list[str]:
        """The commands of a shell block, one a line; comments and continued lines are resolved."""
        joined = self.text.replace("\\\n", " ")
        lines = [re.sub(r"\s+#.*$", "", line).strip() for line in joined.splitlines()]
        return [line for line in lines if line and not line.startswith("#")]


@dataclass(frozen=True)
class Document:
    """One Markdown file."""

    path: Path

    @property
    def name(self) -> str:
        """Its path in the project."""
        return self.path.relative_to(ROOT).as_posix()

    @property
    def text(self) -> str:
        """All of it."""
        return self.path.read_text(encoding="utf-8")

    @property
    def blocks(self) -> list[Block]:
        """The fenced blocks, in order."""
        out = []
        for found in _FENCE.finditer(self.text):
            words = found["info"].split()
            options = dict(word.partition("=")[::2] for word in words[1:])
            out.append(Block(words[0] if words else "", options, textwrap.dedent(found["text"])))
        return out

    @property
    def prose(self) -> str:
        """What stands outside the fenced blocks."""
        return _FENCE.sub("", self.text)

    @property
    def flat(self) -> str:
        """The prose with its line breaks as blanks, to search for words."""
        return " ".join(self.prose.split())

    @property
    def wrappable(self) -> list[str]:
        """The lines of the prose that could be broken: no table, picture or formula."""
        return [
            line
            for line in self.prose.splitlines()
            if not line.lstrip().startswith(("|", "![", "$$", "#"))
        ]

    @property
    def inline(self) -> list[str]:
        """Code within the prose."""
        return re.findall(r"`([^`\n]+)`", self.prose)

    @property
    def links(self) -> list[str]:
        """Targets of links and pictures."""
        return [found["target"] for found in _LINK.finditer(self.prose)]

    @property
    def anchors(self) -> set[str]:
        """The names that headings can be linked by."""
        titles = re.findall(r"^#+\s+(.*?)\s*$", self.prose, re.MULTILINE)
        plain = [re.sub(r"\[([^\]]*)\]\([^)]*\)|[`*]", r"\1", title).lower() for title in titles]
        return {re.sub(r"[^\w\- ]", "", title).replace(" ", "-") for title in plain}


def project_files() -> list[Path]:
    """All files that are, or would be, committed; all files where there is no git."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode == 0:
        paths = [ROOT / name for name in listed.stdout.split("\0") if name]
    else:
        hidden = {
            ".venv",
            ".git",
            "__pycache__",
            ".pytest_cache",
            ".mypy_cache",
            ".ruff_cache",
            ".hypothesis",
        }
        paths = [
            path
            for path in ROOT.rglob("*")
            if not hidden.intersection(path.relative_to(ROOT).parts)
        ]
    return sorted(path for path in paths if path.is_file())


def documents() -> list[Document]:
    """Every Markdown file of the project."""
    return [Document(path) for path in project_files() if path.suffix == ".md"]
