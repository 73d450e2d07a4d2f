"""Relevance density (the paper's Fig. 13): how close together a recommender's scores lie, and so
how sensitive λ is. Frame, sentence and warning."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from equity_core.algorithms import ALGORITHMS, label
from equity_core.analysis.words import ordinal, percent
from equity_core.bundle import Bundle
from equity_core.bundle.relevance import Relevance

BINS = 20
DENSE = 0.7
"""From this share of the candidates within a tenth of the scale on, λ is called sensitive."""
STEEP = 0.10
"""From this fall of NDCG within 0.05 of λ on, λ is called sensitive."""


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
    """One row per algorithm and bin of scaled relevance: algorithm, low, high, share of the
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
    neighbouring bins). ``frame``: :func:`density`."""
    out = {}
    for name, rows in frame.groupby("algorithm", sort=False, observed=True):
        shares = rows["share"].to_numpy()
        out[str(name)] = float((shares[:-1] + shares[1:]).max())
    order = [name for name in ALGORITHMS if name in out] + sorted(set(out) - set(ALGORITHMS))
    return pd.Series({name: out[name] for name in order}, name="concentration", dtype=np.float64)


def density_sentence(shares: pd.Series, algorithm: str) -> str:
    """Fig. 13 in words. ``shares``: :func:`concentration`."""
    if algorithm not in shares.index:
        return "This recommender has no candidates."
    share = float(shares[algorithm])
    rank = int((shares > share).sum()) + 1
    place = "the densest" if rank == 1 else f"the {ordinal(rank)} densest"
    among = f", {place} of {len(shares)} recommenders" if len(shares) > 1 else ""
    return (
        f"{percent(share)} of {label(algorithm)}'s candidates lie within a tenth of their"
        f" scale{among}. Scores that lie close together are overruled by the principles at a"
        " smaller λ. Each cell: relevance from a learner's lowest (0) to highest (1)."
    )


def sensitivity_warning(shares: pd.Series, algorithm: str, fall: tuple[float, float]) -> str:
    """A warning where the scores lie so close that λ is sensitive; else "".

    ``shares``: :func:`concentration`. ``fall``:
    :func:`equity_core.analysis.tradeoff.paths.steepest_fall` of the current λ path.
    """
    if algorithm not in shares.index:
        return ""
    share, (most, start) = float(shares[algorithm]), fall
    if share < DENSE and most < STEEP:
        return ""
    why = (
        f"{percent(share)} of its scores lie within a tenth of the scale"
        if share >= DENSE
        else "its scores lie close together where it matters"
    )
    where = (
        ""
        if math.isnan(start)
        else (
            f": between λ = {start:g} and {start + 0.05:g}, NDCG loses {percent(most)} of what the"
            " own lists have"
        )
    )
    return (
        f"λ is sensitive for {label(algorithm)}, because {why}{where}. Move it in small steps, or"
        " use a floor."
    )
