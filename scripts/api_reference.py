"""Write docs/api.md, the reference of the public calls of equity_core, from their docstrings.

    python scripts/api_reference.py           # write it
    python scripts/api_reference.py --check   # exit code 1 if it is out of date

The docstrings are read by griffe, without importing the package.
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import griffe

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "docs" / "api.md"
WIDTH = 100

CHAPTERS: dict[str, tuple[str, ...]] = {
    "Data": ("load_bundle", "Bundle", "BundleError"),
    "Policy and principles": ("Policy", "Principle", "SEVEN"),
    "Re-ranking": ("rerank", "Run", "Session", "sweep", "floor_sweep"),
    "Choosing": ("choose", "Choice"),
    "Measuring": ("evaluate", "Evaluation"),
    "Comparing with published methods": ("published_sweep", "PUBLISHED_METHODS"),
    "Recommenders": ("ALGORITHMS", "precompute"),
    "Running": ("warm", "warm_in_background", "Cancelled"),
}
"""The public names, by chapter; what is public and not named here forms a last chapter."""

RETURNED = ("bundle.Csr", "bundle.Relevance", "bundle.faults.Fault")
"""Classes that public calls return; they are not made by the caller."""

INTRODUCTION = """\
# API reference

<!-- Made by scripts/api_reference.py from the docstrings: change those, then run `make api`. -->

Everything that the dashboard shows can be computed with these calls, for instance in a notebook or
in a nightly job:

```pycon
>>> import equity_core as eq
>>> bundle = eq.load_bundle("data/demo")
>>> run = eq.rerank(bundle, "userknn", eq.Policy(lam=0.9))
>>> round(eq.evaluate(bundle, run, run.policy).equality, 2)
0.97
```

What the numbers mean is in [methods](methods.md), what a data set looks like in
[data format](data-format.md).
"""


def load() -> griffe.Module:
    """The package as griffe sees it."""
    package = griffe.load("equity_core", search_paths=[ROOT], docstring_parser="numpy")
    assert isinstance(package, griffe.Module)
    return package


def public_names(package: griffe.Module) -> list[str]:
    """The names in ``equity_core.__all__``."""
    return sorted(str(name) for name in package.exports or [])


def resolve(package: griffe.Module, name: str) -> griffe.Object:
    """The class, function or constant behind a public name."""
    found = package[name]
    thing = found.final_target if isinstance(found, griffe.Alias) else found
    # A module and its main call may share a name (metrics.evaluate); the call is the public one.
    return resolve(thing, thing.name) if isinstance(thing, griffe.Module) else thing


def public_members(owner: griffe.Object) -> dict[str, griffe.Object]:
    """The public methods, properties and attributes of a class, in the order of the source."""
    if not isinstance(owner, griffe.Class):
        return {}
    return {
        name: member
        for name, member in owner.members.items()
        if not name.startswith("_") and isinstance(member, griffe.Function | griffe.Attribute)
    }


def parameters_of(function: griffe.Object) -> list[griffe.Parameter]:
    """The parameters that a caller gives: without self and cls."""
    if not isinstance(function, griffe.Class | griffe.Function):
        return []
    return [given for given in function.parameters if given.name not in ("self", "cls")]


def sections_of(thing: griffe.Object) -> list[griffe.DocstringSection]:
    """The parts of a docstring; griffe reports on stderr what does not fit the signature."""
    return [] if thing.docstring is None else thing.docstring.parse("numpy")


def has_section(thing: griffe.Object, kind: str) -> bool:
    """Whether a docstring has such a section. A class without parameters is not made by callers."""
    return any(section.kind.value == kind for section in sections_of(thing))


def entries_of(thing: griffe.Object, *kinds: str) -> list[Any]:
    """What a docstring lists under ``parameters``, ``attributes``, ``returns`` or ``raises``."""
    return [
        entry
        for section in sections_of(thing)
        if section.kind.value in kinds
        for entry in section.value
    ]


_HEADINGS = {"parameters": "Parameters", "attributes": "Attributes", "returns": "Returns"}


def page() -> str:
    """The whole reference."""
    package = load()
    names = public_names(package)
    chapters = {title: [name for name in some if name in names] for title, some in CHAPTERS.items()}
    rest = sorted(set(names) - {name for some in chapters.values() for name in some})
    if rest:
        chapters["Others"] = rest
    parts = [INTRODUCTION, *_contents(chapters)]
    for title, some in chapters.items():
        parts.append(f"## {title}\n")
        for name in some:
            parts += _entry(f"equity_core.{name}", resolve(package, name))
    parts.append("## What calls return\n")
    for path in RETURNED:
        thing = resolve(package, path)
        parts += _entry(thing.path, thing)
    return "\n".join(parts).rstrip() + "\n"


def _contents(chapters: dict[str, list[str]]) -> Iterator[str]:
    for title, names in chapters.items():
        links = ", ".join(f"[`{name}`](#equity_core{name.lower()})" for name in names)
        yield _wrapped(f"{title}: {links}", bullet=True)
    yield ""


def _entry(path: str, thing: griffe.Object) -> Iterator[str]:
    yield f"### `{path}`\n"
    yield from _described(path.rpartition(".")[2], thing)
    attributes = {
        name: member
        for name, member in public_members(thing).items()
        if isinstance(member, griffe.Attribute) and member.docstring is not None
    }
    if attributes:
        yield "**Attributes**\n"
        for name, member in attributes.items():
            of = f" ({_code(member.annotation)})" if member.annotation is not None else ""
            assert member.docstring is not None
            yield _wrapped(f"`{name}`{of}: {_prose(member.docstring.value)}", bullet=True)
        yield ""
    for name, member in public_members(thing).items():
        if isinstance(member, griffe.Function):
            yield f"#### `{path.rpartition('.')[2]}.{name}`\n"
            yield from _described(name, member)


def _described(name: str, thing: griffe.Object) -> Iterator[str]:
    """Signature and docstring."""
    if isinstance(thing, griffe.Attribute):
        yield f"```pyi\n{name}: {thing.annotation or _type_of(thing)}\n```\n"
    elif isinstance(thing, griffe.Function) or has_section(thing, "parameters"):
        yield f"```pyi\n{_signature(name, thing)}\n```\n"
    for section in sections_of(thing):
        yield from _section(section)


def _type_of(constant: griffe.Attribute) -> str:
    return "tuple[str, ...]" if str(constant.value).startswith("tuple(") else str(constant.value)


def _signature(name: str, thing: griffe.Object) -> str:
    given, keyword_only = [], False
    for parameter in parameters_of(thing):
        if parameter.kind is griffe.ParameterKind.keyword_only and not keyword_only:
            given.append("*")
            keyword_only = True
        stars = {
            griffe.ParameterKind.var_positional: "*",
            griffe.ParameterKind.var_keyword: "**",
        }.get(parameter.kind, "")
        text = f"{stars}{parameter.name}"
        text += f": {parameter.annotation}" if parameter.annotation is not None else ""
        if parameter.default is not None and not stars:
            text += f" = {parameter.default}"
        given.append(text)
    returns = getattr(thing, "returns", None)
    end = f" -> {returns}" if isinstance(thing, griffe.Function) and returns else ""
    line = f"{name}({', '.join(given)}){end}"
    if len(line) <= WIDTH:
        return line
    return "\n".join([f"{name}(", *(f"    {text}," for text in given), f"){end}"])


def _section(section: griffe.DocstringSection) -> Iterator[str]:
    kind, value = section.kind.value, section.value
    if kind == "text":
        yield "\n\n".join(_paragraphs(value)) + "\n"
    elif kind == "examples":
        yield "**Examples**\n"
        for part, text in value:
            yield f"```pycon\n{text}\n```\n" if part.value == "examples" else _prose(text) + "\n"
    elif kind == "raises":
        yield "**Raises**\n"
        yield from (_item(_code(entry.annotation), entry) for entry in value)
        yield ""
    else:
        yield f"**{_HEADINGS[kind]}**\n"
        for entry in value:
            of = _code(entry.annotation)
            named = f"`{entry.name}`" if getattr(entry, "name", "") else ""
            yield _item(f"{named} ({of})" if named and of else named or of, entry)
        yield ""


def _item(head: str, entry: Any) -> str:
    return _wrapped(f"{head}: {_prose(entry.description)}", bullet=True)


def _code(annotation: Any) -> str:
    text = "" if annotation is None else " ".join(str(annotation).split())
    if text.startswith("(") and text.endswith(")"):  # "{1, 2}" and "a, b or None", as griffe reads
        text = text[1:-1]
    return f"`{text}`" if text else ""


def _paragraphs(text: str) -> Iterator[str]:
    for paragraph in text.strip().split("\n\n"):
        if paragraph.lstrip().startswith("* "):
            items = re.split(r"^\* ", paragraph.strip(), flags=re.MULTILINE)[1:]
            yield "\n".join(_wrapped(_prose(item), bullet=True) for item in items)
        else:
            yield _wrapped(_prose(paragraph))


def _prose(text: str) -> str:
    """A docstring's text as Markdown: roles and double backquotes become code."""
    text = " ".join(text.split())
    text = re.sub(r":\w+:`~?([^`]+)`", r"`\1`", text)
    return text.replace("``", "`")


def _wrapped(text: str, *, bullet: bool = False) -> str:
    return textwrap.fill(
        text,
        WIDTH,
        initial_indent="- " if bullet else "",
        subsequent_indent="  " if bullet else "",
        break_long_words=False,
        break_on_hyphens=False,
    )


def main() -> int:
    """Write the page, or say whether it is up to date."""
    made = page()
    if "--check" not in sys.argv[1:]:
        TARGET.write_text(made, encoding="utf-8")
        return 0
    if TARGET.exists() and TARGET.read_text(encoding="utf-8") == made:
        return 0
    print(f"{TARGET.relative_to(ROOT)} is out of date: run make api", file=sys.stderr)
    return 1


if __name__ == "__main__":
    raise SystemExit(main())
