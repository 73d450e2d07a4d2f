"""The columns of a bundle, and what they are called elsewhere (``names.toml``, in several
languages)."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from functools import cache
from pathlib import Path
from typing import Literal

Table = Literal["courses", "interactions", "scores"]

TARGETS: dict[Table, tuple[str, ...]] = {
    "courses": (
        "course_id",
        "title",
        "category",
        "level",
        "last_update",
        "price",
        "enrolled",
        "rating",
        "assets",
        "description",
        "published",
    ),
    "interactions": ("learner_id", "course_id", "split", "timestamp", "rating"),
    "scores": ("learner_id", "course_id", "score", "rank"),
}
REQUIRED: dict[Table, tuple[str, ...]] = {
    "courses": ("course_id",),
    "interactions": ("learner_id", "course_id"),
    "scores": ("learner_id", "course_id"),
}

ASSET_MARKS = frozenset({"has", "n", "num", "number", "count", "is", "with", "includes", "total"})


def parts(name: str) -> list[str]:
    """The words of a column name: 'avgRating_2017' is avg, rating, 2017."""
    plain = unicodedata.normalize("NFKD", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name))
    plain = (
        "".join(sign for sign in plain if not unicodedata.combining(sign))
        .casefold()
        .replace("ß", "ss")
    )
    return [word for word in re.split(r"[\W_]+", plain) if word]


def joined(name: str) -> str:
    """A column name as it is compared."""
    return "".join(parts(name))


@cache
def _facts() -> dict[str, dict[str, str]]:
    return tomllib.loads(Path(__file__).with_name("names.toml").read_text(encoding="utf-8"))


@cache
def names_of(target: str, *, stand_ins: bool = False) -> frozenset[str]:
    """Every name of a target (or of what may stand in for it), as compared."""
    return frozenset(
        joined(name)
        for name in _facts()["stand_ins" if stand_ins else "names"].get(target, "").split()
    )


@cache
def asset_kinds() -> dict[str, str]:
    """Words in column names, as compared, and the asset type that they stand for."""
    return {
        joined(word): kind for kind, words in _facts()["assets"].items() for word in words.split()
    }
