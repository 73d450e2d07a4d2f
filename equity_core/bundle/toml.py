"""Writing TOML: the few kinds of values that a manifest has. Reading is the standard library's."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def dumps(values: Mapping[str, Any]) -> str:
    """A TOML document: plain values, then a section for each dictionary, and for each dictionary of
    a list of them. None is left out."""
    return "\n".join(_section(values, ())).strip() + "\n"


def _section(values: Mapping[str, Any], path: tuple[str, ...]) -> list[str]:
    lines, sections = [], []
    for name, value in values.items():
        here = (*path, name)
        header = ".".join(_key(part) for part in here)
        if isinstance(value, Mapping):
            sections += ["", f"[{header}]", *_section(value, here)]
        elif (
            isinstance(value, list | tuple)
            and value
            and all(isinstance(item, Mapping) for item in value)
        ):
            for item in value:
                sections += ["", f"[[{header}]]", *_section(item, here)]
        elif value is not None:
            lines.append(f"{_key(name)} = {_value(value)}")
    return lines + sections


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _text(name)


def _text(text: str) -> str:
    # A JSON string is a TOML basic string, but for the one control character that JSON does not
    # escape.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return repr(float(value))  # not NumPy's repr
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_value(item) for item in value) + "]"
    if isinstance(value, Mapping):
        return (
            "{"
            + ", ".join(
                f"{_key(name)} = {_value(item)}" for name, item in value.items() if item is not None
            )
            + "}"
        )
    raise TypeError(f"{type(value).__name__} cannot be written as TOML")
