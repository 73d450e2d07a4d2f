"""The recommenders' own lists as Audit and Learners measure them: plainly, with a rank discount,
and with intervals. Each is computed once."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

import streamlit as st

import equity_core as eq
from equity_core.algorithms import label
from equity_core.analysis.audit.rank_discount import evaluate_discounted
from equity_core.metrics.intervals import intervals
from pages.shared import results
from pages.shared.compute import remember
from pages.shared.current import Current
from pages.shared.results import Result

PATIENCE = 0.3
"""Seconds before a progress bar appears: quicker work needs none."""


def evaluations(cur: Current) -> dict[str, eq.Evaluation]:
    """Every recommender's own lists (λ = 0), measured; with a progress bar if it takes long."""
    return {
        algorithm: results.own(cur, algorithm).evaluation
        for algorithm in _with_progress("Measuring", cur.bundle.algorithms)
    }


def interval_frames(cur: Current, measured: dict[str, eq.Evaluation]) -> dict[str, Any]:
    """The intervals of every recommender's measures (metrics.intervals); with a progress bar if it
    takes long."""
    return {
        algorithm: results.frame(
            cur, intervals, measured[algorithm], by=(algorithm, measured[algorithm].position)
        )
        for algorithm in _with_progress("Computing intervals for", measured)
    }


def discounted_evaluation(cur: Current, result: Result) -> eq.Evaluation:
    """The measures of a result's lists with a rank discount."""
    make = partial(evaluate_discounted, cur.bundle, result.run, cur.split)
    settings = result.run.algorithm, result.run.policy, cur.split
    measured: eq.Evaluation = remember(cur, "rank-discounted measures", make, *settings)
    return measured


def discounted_evaluations(cur: Current) -> dict[str, eq.Evaluation]:
    """Every recommender's own lists, measured with a rank discount."""
    return {
        algorithm: discounted_evaluation(cur, results.own(cur, algorithm))
        for algorithm in cur.bundle.algorithms
    }


def _with_progress(doing: str, algorithms: Iterable[str]) -> Iterator[str]:
    """The algorithms one by one, with a progress bar once that has taken a while."""
    names, began, bar = list(algorithms), time.monotonic(), st.empty()
    for done, algorithm in enumerate(names):
        if time.monotonic() - began > PATIENCE:
            bar.progress(
                done / len(names), f"{doing} {label(algorithm)}: {done + 1} of {len(names)}"
            )
        yield algorithm
    bar.empty()
