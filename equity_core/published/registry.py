"""The published methods by name: label, source, trade-off, and what they need of a bundle."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from equity_core.principles import codes
from equity_core.published.calibrated import calibrated
from equity_core.published.gini import gini_welfare
from equity_core.published.mmr import maximal_marginal_relevance
from equity_core.published.problem import Lists, Problem, label_columns
from equity_core.published.xquad import xquad

if TYPE_CHECKING:
    from equity_core.bundle import Bundle

VALUES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.93, 0.95, 0.97, 0.99, 1.0)
"""The trade-offs that are tried unless others are given: closer together towards the upper end,
where most happens."""


@dataclass(frozen=True)
class Method:
    """A published method."""

    name: str
    """The name in commands and frames."""
    label: str
    """The name on screens."""
    source: str
    """Who published it, and when."""
    parameter: str
    """What its authors call its trade-off; it goes from 0 (the own lists) to 1."""
    formula: str
    """What is maximised, in one line."""
    lists: Callable[[Problem, float], Lists]
    """The lists at one trade-off, in the order picked."""
    column: str | None = None
    """The column of the courses whose labels it looks at; None: those of the principles."""
    uses_labels: bool = True
    """Whether it looks at labels."""


def _calibrated(column: str) -> Method:
    return Method(
        name=f"steck-{column}",
        label=f"Steck ({column})",
        source="Steck 2018",
        parameter="λ",
        formula="(1 − λ) Σ R − λ KL(past, list)",
        lists=lambda problem, trade: calibrated(problem, column, trade),
        column=column,
    )


METHODS = {
    method.name: method
    for method in (
        _calibrated("category"),
        _calibrated("level"),
        Method(
            name="mmr",
            label="MMR",
            source="Carbonell and Goldstein 1998",
            parameter="1 − λ",
            formula="λ R − (1 − λ) max similarity to the list",
            lists=maximal_marginal_relevance,
        ),
        Method(
            name="xquad",
            label="xQuAD",
            source="Santos, Macdonald and Ounis 2010",
            parameter="λ",
            formula="(1 − λ) R + λ Σ P(label | past) P(course | label) Π (1 − P(listed | label))",
            lists=xquad,
        ),
        Method(
            name="gini-welfare",
            label="Gini welfare",
            source="Do and Usunier 2022",
            parameter="λ",
            formula="(1 − λ) mean relevance + λ Gini welfare of consistency",
            lists=gini_welfare,
            uses_labels=False,
        ),
    )
}

PUBLISHED_METHODS: tuple[str, ...] = tuple(METHODS)
"""The names of the published methods: Steck's calibration on category and on level, MMR, xQuAD, and
the generalised Gini welfare of Do and Usunier."""


def missing(bundle: Bundle, name: str) -> str:
    """Return what a bundle lacks for a method, in words; "" if nothing.

    Raises
    ------
    KeyError
        If the name is unknown; the message lists the known ones.
    """
    if name not in METHODS:
        raise KeyError(f"unknown published method {name!r}; known: {', '.join(PUBLISHED_METHODS)}")
    method = METHODS[name]
    if method.column is not None:
        # A bundle without the column has it all unknown.
        known = codes(bundle.courses[method.column], unknown_is_value=False)[1].size
        return "" if known else f"a column {method.column!r} of the courses"
    if method.uses_labels and not label_columns(bundle):
        return "a principle of kind match or balance"
    return ""


def applicable(bundle: Bundle) -> tuple[str, ...]:
    """Return the methods that a bundle has all columns for."""
    return tuple(name for name in PUBLISHED_METHODS if not missing(bundle, name))
