"""What Data and Audit show, computed once: the recommenders' own lists measured, frames made from
them, and pictures of those."""

from __future__ import annotations

import time
from typing import Any

import streamlit as st

import equity_core as eq
from equity_core.metrics.intervals import intervals
from equity_core.recommenders.registry import label
from pages.parts.audit import ranked
from pages.shared import results
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
        out[algorithm] = results.own(cur, algorithm).evaluation
    bar.empty()
    return out


def interval_frames(cur: Current, found: dict[str, eq.Evaluation]) -> dict[str, Any]:
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
        out[algorithm] = results.frame(
            cur, intervals, evaluation, by=(algorithm, evaluation.position)
        )
    bar.empty()
    return out


def discounted(cur: Current) -> dict[str, eq.Evaluation]:
    """Every recommender's own lists, measured with a rank discount."""
    return {
        algorithm: ranked.discounted(cur, results.own(cur, algorithm))
        for algorithm in cur.bundle.algorithms
    }
