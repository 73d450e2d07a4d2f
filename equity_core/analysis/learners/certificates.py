"""How good the lists are: certificates as frames and sentences.

A certificate compares what a list reaches under the objective with a number that no list can beat
(:mod:`equity_core.certify`). The ratio is *proven*: the list reaches at least this share of the
best possible one, and may well be better than that.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from equity_core.analysis.words import count, decimal
from equity_core.certify.sample import certificate, certify
from equity_core.metrics.intervals import LEVEL, RESAMPLES

if TYPE_CHECKING:
    from equity_core.bundle import Bundle
    from equity_core.certify.sample import Certificate
    from equity_core.progress import Progress
    from equity_core.reranker.api import Run

SIZES = (20, 50, 200)
"""Sizes of a sample to choose from."""
LIMIT = 5.0
"""Seconds a learner on screen, at most."""
STEPS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1)
MOST_BARS = 16
STAGES = {"ratio": "as they are", "swapped_ratio": "after swaps"}


def share(ratio: float) -> str:
    """A proven ratio in per cent, rounded down: what is proven must not be rounded up."""
    return (
        "an unknown share" if math.isnan(ratio) else f"{math.floor(ratio * 1000 + 1e-6) / 10:.1f} %"
    )


def of_learner(
    bundle: Bundle, run: Run, learner: int, progress: Progress | None = None
) -> Certificate:
    """The certificate of the learner on screen, with the swap step."""
    if progress is not None:
        progress(0, 1)
    return certificate(bundle, run, learner, swap=True, time_limit=LIMIT)


def of_sample(
    bundle: Bundle, run: Run, sample: int, progress: Progress | None = None
) -> pd.DataFrame:
    """Certificates of a seeded sample of learners, with the swap step
    (:func:`equity_core.certify.certify`)."""
    return certify(bundle, run, sample=sample, swap=True, time_limit=LIMIT, progress=progress)


def one_sentence(found: Certificate) -> tuple[str, str]:
    """Of one list: what is proven, and what a swap would change."""
    if not found.courses:
        return "This learner has no list.", "There is nothing to compare it with."
    if math.isnan(found.ratio):
        return (
            "No share can be proven here.",
            "The objective is not above zero for any list, so that a share of it means nothing.",
        )
    if found.ratio >= 1.0 - 5e-7:
        head = "No list is better than this one."
    else:
        head = f"This list reaches at least {share(found.ratio)} of the best possible one."
    moved = len(set(found.courses) - set(found.swapped_courses))
    if not moved:
        rest = "Exchanging any single course for another would not make it better."
    else:
        rest = (
            f"Exchanging {count(moved, 'course')} would lift that to at least"
            f" {share(found.swapped_ratio)}."
        )
    if not found.solved:
        rest += (
            f" The search was stopped after {LIMIT:g} seconds: the share is proven, but may be"
            " higher."
        )
    return head, rest


def swaps(bundle: Bundle, found: Certificate) -> pd.DataFrame:
    """What the swap step changes, a row a place: place, the course that would leave and the one
    that would come."""
    rows = []
    titles, ids = bundle.courses["title"].to_numpy(), bundle.course_ids
    for place, (old, new) in enumerate(
        zip(found.courses, found.swapped_courses, strict=True), start=1
    ):
        if old != new:
            rows.append((place, ids[old], titles[old], ids[new], titles[new]))
    return pd.DataFrame(rows, columns=["place", "leaves", "leaves_title", "comes", "comes_title"])


def summary(frame: pd.DataFrame) -> pd.DataFrame:
    """A row a stage (the lists as they are, after swaps): mean proven ratio with its 95 % bootstrap
    interval over learners, worst, median,

    learners, and how many the time limit stopped. Learners without a ratio are left out.
    """
    rows = []
    for column, stage in STAGES.items():
        known = frame[column].dropna().to_numpy(dtype=np.float64)
        low, high = _mean_interval(known)
        some = known.size > 0
        rows.append(
            {
                "stage": stage,
                "mean": float(known.mean()) if some else math.nan,
                "low": low,
                "high": high,
                "median": float(np.median(known)) if some else math.nan,
                "worst": float(known.min()) if some else math.nan,
                "learners": int(known.size),
                "stopped": int((~frame["solved"].astype(bool)).sum()),
            }
        )
    return pd.DataFrame(rows).set_index("stage")


def _mean_interval(values: npt.NDArray[np.float64], seed: int = 0) -> tuple[float, float]:
    """The percentile bootstrap interval of a mean over the learners of a sample."""
    if not values.size:
        return math.nan, math.nan
    draws = np.random.default_rng(seed).integers(0, values.size, size=(RESAMPLES, values.size))
    low, high = np.quantile(values[draws].mean(axis=1), [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


def sentence(frame: pd.DataFrame, learners: int) -> str:
    """A sample in words: mean and worst, and what swaps close."""
    found = summary(frame).to_dict("index")
    now, then = found["as they are"], found["after swaps"]
    if not now["learners"]:
        return "No share can be proven for any learner of the sample."
    who = f"all {learners:,} learners" if learners > 1 else "the only learner"
    if now["learners"] < learners:
        who = f"{count(now['learners'], 'learner')} drawn from {learners:,}"
    text = (
        f"Over {who}, the lists reach at least {share(now['mean'])} of the best possible, on"
        f" average (95 % interval {share(now['low'])} to {share(now['high'])}); the worst"
        f" {share(now['worst'])}. "
    )
    gained = then["mean"] - now["mean"]
    if math.isnan(gained):
        text = text.rstrip()
    elif gained < 5e-5:
        text += "Swapping single courses afterwards closes none of the rest."
    else:
        text += (
            f"Swapping single courses afterwards lifts the mean by {decimal(100 * gained)} points,"
            f" the worst to {share(then['worst'])}."
        )
    if now["stopped"]:
        text += (
            f" {count(now['stopped'], 'search', 'searches')} ran out of time: those shares may be"
            " higher."
        )
    return text


def bars(frame: pd.DataFrame) -> pd.DataFrame:
    """The proven ratios in equal steps, a row a stage and step: stage, low, high, learners, share.
    The last step ends at 1."""
    known = frame[list(STAGES)].to_numpy(dtype=np.float64)
    lowest = float(np.nanmin(known)) if np.isfinite(known).any() else 1.0
    step = next((size for size in STEPS if (1.0 - lowest) / size <= MOST_BARS), STEPS[-1])
    pieces = max(1, math.ceil((1.0 - lowest) / step - 1e-9))
    edges = 1.0 - step * np.arange(pieces, -1, -1)
    rows = []
    for column, stage in STAGES.items():
        values = frame[column].dropna().to_numpy(dtype=np.float64)
        found, _ = np.histogram(np.clip(values, edges[0], 1.0), bins=edges)
        for low, high, number in zip(edges[:-1], edges[1:], found.tolist(), strict=True):
            rows.append((stage, float(low), float(high), int(number), number / max(values.size, 1)))
    return pd.DataFrame(rows, columns=["stage", "low", "high", "learners", "share"])
