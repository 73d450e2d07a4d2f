"""How good the lists are: certificates as frames and in words.

A certificate compares what a list reaches under the objective with a number that no list can beat
(:mod:`equity_core.certify`). The ratio is *proven*: the list reaches at least this share of the
best possible one, and may well reach more.
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

SAMPLE_SIZES = (20, 50, 200)
"""The sizes of a sample to choose from."""
TIME_LIMIT = 5.0
"""The most seconds spent on one learner on screen."""
BAR_WIDTHS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1)
MOST_BARS = 16
"""The bars of the histogram have the smallest width that needs no more bars than this."""
STAGES = {"ratio": "as they are", "swapped_ratio": "after swaps"}


def proven_share(ratio: float) -> str:
    """A proven ratio in per cent, rounded down: a proof must not be rounded up."""
    return (
        "an unknown share" if math.isnan(ratio) else f"{math.floor(ratio * 1000 + 1e-6) / 10:.1f} %"
    )


def learner_certificate(
    bundle: Bundle, run: Run, learner: int, progress: Progress | None = None
) -> Certificate:
    """The certificate for the learner on screen, with the swap step."""
    if progress is not None:
        progress(0, 1)
    return certificate(bundle, run, learner, swap=True, time_limit=TIME_LIMIT)


def sample_certificates(
    bundle: Bundle, run: Run, sample: int, progress: Progress | None = None
) -> pd.DataFrame:
    """One row per learner of a seeded sample: certificates with the swap step
    (:func:`equity_core.certify.certify`)."""
    return certify(bundle, run, sample=sample, swap=True, time_limit=TIME_LIMIT, progress=progress)


def certificate_sentences(found: Certificate) -> tuple[str, str]:
    """One list in two sentences: what is proven, and what a swap would change."""
    if not found.courses:
        return "This learner has no list.", "There is nothing to compare it with."
    if math.isnan(found.ratio):
        return (
            "No share can be proven here.",
            "The objective is not above zero for any list, so a share of it would be meaningless.",
        )
    if found.ratio >= 1.0 - 5e-7:
        head = "No list is better than this one."
    else:
        head = f"This list reaches at least {proven_share(found.ratio)} of the best possible one."
    moved = len(set(found.courses) - set(found.swapped_courses))
    if not moved:
        rest = "Swapping any single course for another would not make it better."
    else:
        rest = (
            f"Swapping {count(moved, 'course')} would raise that to at least"
            f" {proven_share(found.swapped_ratio)}."
        )
    if not found.solved:
        rest += (
            f" The search was stopped after {TIME_LIMIT:g} seconds: the share is proven, but the"
            " true one may be higher."
        )
    return head, rest


def swap_table(bundle: Bundle, found: Certificate) -> pd.DataFrame:
    """One row per place that the swap step changes: place, the course that would leave and the one
    that would enter, each with its title."""
    rows = []
    titles, ids = bundle.courses["title"].to_numpy(), bundle.course_ids
    for place, (old, new) in enumerate(
        zip(found.courses, found.swapped_courses, strict=True), start=1
    ):
        if old != new:
            rows.append((place, ids[old], titles[old], ids[new], titles[new]))
    return pd.DataFrame(rows, columns=["place", "leaves", "leaves_title", "enters", "enters_title"])


def sample_summary(frame: pd.DataFrame) -> pd.DataFrame:
    """One row per stage (the lists as they are, after swaps), over the learners with a ratio.

    Columns: mean of the proven ratio, low and high (its 95 % bootstrap interval over learners),
    median, worst, learners, and stopped (searches that the time limit stopped).
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


def sample_sentence(frame: pd.DataFrame, learners: int) -> str:
    """A sample in words: mean and worst, and how much of the gap swaps close."""
    found = sample_summary(frame).to_dict("index")
    now, then = found["as they are"], found["after swaps"]
    if not now["learners"]:
        return "No share can be proven for any learner in the sample."
    who = f"all {learners:,} learners" if learners > 1 else "the only learner"
    if now["learners"] < learners:
        who = f"{count(now['learners'], 'learner')} drawn from {learners:,}"
    text = (
        f"For {who}, the lists reach on average at least {proven_share(now['mean'])} of the best"
        f" possible (95 % interval {proven_share(now['low'])} to {proven_share(now['high'])}); the"
        f" worst at least {proven_share(now['worst'])}. "
    )
    gained = then["mean"] - now["mean"]
    if math.isnan(gained):
        text = text.rstrip()
    elif gained < 5e-5:
        text += "Swapping single courses afterwards closes none of the remaining gap."
    else:
        text += (
            f"Swapping single courses afterwards raises the mean by {decimal(100 * gained)}"
            f" percentage points and the worst to {proven_share(then['worst'])}."
        )
    if now["stopped"]:
        text += (
            f" {count(now['stopped'], 'search', 'searches')} ran out of time: the true shares may"
            " be higher."
        )
    return text


def share_histogram(frame: pd.DataFrame) -> pd.DataFrame:
    """One row per stage and bar of a histogram of the proven ratios: stage, low, high, learners,
    share. The bars are equally wide, and the last one ends at 1."""
    known = frame[list(STAGES)].to_numpy(dtype=np.float64)
    lowest = float(np.nanmin(known)) if np.isfinite(known).any() else 1.0
    step = next((size for size in BAR_WIDTHS if (1.0 - lowest) / size <= MOST_BARS), BAR_WIDTHS[-1])
    pieces = max(1, math.ceil((1.0 - lowest) / step - 1e-9))
    edges = 1.0 - step * np.arange(pieces, -1, -1)
    rows = []
    for column, stage in STAGES.items():
        values = frame[column].dropna().to_numpy(dtype=np.float64)
        found, _ = np.histogram(np.clip(values, edges[0], 1.0), bins=edges)
        for low, high, number in zip(edges[:-1], edges[1:], found.tolist(), strict=True):
            rows.append((stage, float(low), float(high), int(number), number / max(values.size, 1)))
    return pd.DataFrame(rows, columns=["stage", "low", "high", "learners", "share"])
