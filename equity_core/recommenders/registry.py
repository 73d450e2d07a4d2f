"""Where each of the ten algorithms lives, and how it is made by name."""

from __future__ import annotations

import dataclasses
import importlib
import importlib.util
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from equity_core.algorithms import ALGORITHMS, family, label

if TYPE_CHECKING:
    from equity_core.recommenders.base import Recommender

_PRODUCTS, _TEXTS, _NEURAL = ("sparse_dot_topn",), ("sparse_dot_topn", "sklearn"), ("jax", "optax")
_HOMES: dict[str, tuple[str, tuple[str, ...]]] = {
    "random": ("random_:Random", ()),
    "toppopular": ("toppopular:TopPopular", ()),
    "userknn": ("userknn:UserKNN", _PRODUCTS),
    "itemknn": ("itemknn:ItemKNN", _PRODUCTS),
    "p3alpha": ("p3alpha:P3Alpha", _PRODUCTS),
    "rp3beta": ("rp3beta:RP3Beta", _PRODUCTS),
    "gmf": ("gmf:GMF", _NEURAL),
    "neumf": ("neumf:NeuMF", _NEURAL),
    "itemknncb": ("itemknncb:ItemKNNCB", _TEXTS),
    "coupledcf": ("coupledcf:CoupledCF", _NEURAL),
}
"""Where each algorithm lives, and the libraries that it loads when it is fitted."""


@dataclass(frozen=True)
class Info:
    """What a screen shows of an algorithm."""

    name: str
    """The name in files and commands."""
    label: str
    """The name on screens."""
    family: str
    """One of algorithms.FAMILIES."""
    summary: str
    """What it does, in a sentence."""
    settings: dict[str, Any]
    """The default settings."""


def check(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names as a tuple, in the order given, each once.

    Raises
    ------
    KeyError
        If a name is unknown; the message lists the known ones.
    """
    asked = tuple(dict.fromkeys([names] if isinstance(names, str) else names))
    unknown = [name for name in asked if name not in _HOMES]
    if unknown:
        raise KeyError(
            f"unknown algorithm {', '.join(map(repr, unknown))}; known: {', '.join(ALGORITHMS)}"
        )
    return asked


def need(names: Iterable[str]) -> None:
    """Raise an ImportError, before any work is done, if one of their libraries is missing."""
    for name in check(names):
        absent = [module for module in _HOMES[name][1] if importlib.util.find_spec(module) is None]
        if absent:
            raise ImportError(
                f"{name} needs {' and '.join(absent)}, which is not installed: pip install -r"
                " requirements-train.txt",
                name=absent[0],
            )


def _home(name: str) -> type[Recommender]:
    check([name])
    module, _, cls = _HOMES[name][0].partition(":")
    return cast(
        "type[Recommender]",
        getattr(importlib.import_module(f"equity_core.recommenders.{module}"), cls),
    )


def create(name: str, **settings: Any) -> Recommender:
    """Return the algorithm of that name, with the paper's settings unless others are given."""
    return _home(name)(**settings)


def info(name: str) -> Info:
    """Return label, family, summary and default settings.

    The summary is the first paragraph of the class's docstring.
    """
    home = _home(name)
    fields = dataclasses.fields(cast(Any, home))
    return Info(
        name,
        label(name),
        family(name),
        " ".join((home.__doc__ or "").strip().partition("\n\n")[0].split()),
        {f.name: f.default for f in fields},
    )
