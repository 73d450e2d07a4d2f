"""What Data and Audit show, computed once: the recommenders' own lists measured, frames made from
them, and pictures of those."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import streamlit as st

import equity_core as eq
from equity_core.charts.base import templates as live
from equity_core.metrics.intervals import intervals
from equity_core.recommenders.registry import label
from pages.parts.audit import ranked
from pages.shared import cached
from pages.shared.current import Current

PATIENCE = 0.3
"""Seconds before progress is drawn: quicker work needs none."""


def evaluations(cur: Current) -> dict[str, eq.Evaluation]:
    """Every recommender's own lists (λ = 0), measured; with progress where it takes long."""
    out: dict[str, eq.Evaluation] = {}
    began, bar = time.monotonic(), st.empty()
    for done, algorithm in enumerate(cur.bundle.algorithms):
        if time.monotonic() - began > PATIENCE:
            bar.progress(
                done / len(cur.bundle.algorithms),
                f"Measuring {label(algorithm)}: {done + 1} of {len(cur.bundle.algorithms)}",
            )
        out[algorithm] = cached.own(cur, algorithm).evaluation
    bar.empty()
    return out


def surely(cur: Current, found: dict[str, eq.Evaluation]) -> dict[str, Any]:
    """The intervals of every recommender's measures (metrics.intervals); with progress where it
    takes long."""
    out: dict[str, Any] = {}
    began, bar = time.monotonic(), st.empty()
    for done, (algorithm, evaluation) in enumerate(found.items()):
        if time.monotonic() - began > PATIENCE:
            bar.progress(
                done / len(found),
                f"Drawing intervals for {label(algorithm)}: {done + 1} of {len(found)}",
            )
        out[algorithm] = kept(cur, intervals, evaluation, by=(algorithm, evaluation.position))
    bar.empty()
    return out


def discounted(cur: Current) -> dict[str, eq.Evaluation]:
    """Every recommender's own lists, measured with a rank discount."""
    return {
        algorithm: ranked.discounted(cur, cached.own(cur, algorithm))
        for algorithm in cur.bundle.algorithms
    }


def kept(cur: Current, function: Callable[..., Any], *inputs: Any, by: tuple[Any, ...] = ()) -> Any:
    """``function(*inputs)``, computed once for this data set, list length and targets; ``by``: what
    else it depends on, hashable."""

    def compute(_bundle: eq.Bundle, *_: Any) -> Any:
        return function(*inputs)

    compute.__module__, compute.__qualname__ = function.__module__, function.__qualname__
    return cached.keep(cur, compute, cur.own, cur.split, by)


def picture(
    cur: Current, draw: Callable[..., Any], *inputs: Any, by: tuple[Any, ...] = ()
) -> dict[str, Any]:
    """``draw(*inputs, dark)`` as a Vega-Lite specification, drawn once: building a chart takes
    longer than all else on these screens."""

    def make(*given: Any) -> dict[str, Any]:
        return live.packed(live.template(draw(*given, dark=cur.dark)))

    make.__module__, make.__qualname__ = draw.__module__, f"{draw.__qualname__}, drawn"
    return live.filled(kept(cur, make, *inputs, by=(cur.dark, *by)))
