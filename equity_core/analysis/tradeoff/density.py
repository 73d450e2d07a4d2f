"""Relevance density (the paper's Fig. 13): how close together a recommender's scores lie, and so
how touchy λ is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from equity_core.algorithms import ALGORITHMS
from equity_core.bundle import Bundle
from equity_core.bundle.relevance import Relevance

BINS = 20
DENSE = 0.7
"""From this share of the candidates within a tenth of the scale on, λ is called touchy."""


def scaled(relevance: Relevance) -> npt.NDArray[np.float64]:
    """Scores between the lowest (0) and the highest (1) of each learner's candidates, as the
    re-ranker sees them; constant scores are 0."""
    starts, ends = relevance.indptr[:-1], relevance.indptr[1:]
    some = ends > starts
    high, low = np.zeros(len(starts)), np.zeros(len(starts))
    # Candidates are sorted by score, highest first.
    high[some], low[some] = relevance.scores[starts[some]], relevance.scores[ends[some] - 1]
    sizes = ends - starts
    span, base = np.repeat(high - low, sizes), np.repeat(low, sizes)
    out: npt.NDArray[np.float64] = np.where(
        span > 0, (relevance.scores - base) / np.where(span > 0, span, 1.0), 0.0
    )
    return out


def density(bundle: Bundle, algorithms: Sequence[str]) -> pd.DataFrame:
    """A row an algorithm and bin of scaled relevance: algorithm, low, high, share of the
    candidates. No candidates: no rows."""
    edges = np.linspace(0.0, 1.0, BINS + 1)
    frames = []
    for name in algorithms:
        values = scaled(bundle.relevance(name))
        if values.size:
            counts, _ = np.histogram(values, edges)
            frames.append(
                pd.DataFrame(
                    {
                        "algorithm": name,
                        "low": edges[:-1],
                        "high": edges[1:],
                        "share": counts / values.size,
                    }
                )
            )
    return (
        pd.concat(frames, ignore_index=True)
        if frames
        else pd.DataFrame(columns=["algorithm", "low", "high", "share"])
    )


def concentration(frame: pd.DataFrame) -> pd.Series:
    """By algorithm: the largest share of the candidates within a tenth of the scale (two
    neighbouring bins)."""
    out = {}
    for name, rows in frame.groupby("algorithm", sort=False, observed=True):
        shares = rows["share"].to_numpy()
        out[str(name)] = float((shares[:-1] + shares[1:]).max())
    order = [name for name in ALGORITHMS if name in out] + sorted(set(out) - set(ALGORITHMS))
    return pd.Series({name: out[name] for name in order}, name="concentration", dtype=np.float64)
