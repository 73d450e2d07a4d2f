"""How good the lists are: certificates as frames and in words.

A certificate compares what a list reaches with what no list can beat (:mod:`equity_core.certify`).
Doing nothing often reaches nearly as much, so a ratio never stands alone: beside it is what the own
list reaches, and the share of the attainable gain. What is said is *proven*: a list reaches at
least this share, and may well reach more. Lists under a floor are judged in another way
(:mod:`equity_core.analysis.learners.floor_certificates`).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from equity_core.analysis.learners import floor_certificates
from equity_core.analysis.learners.proofs import (
    TIME_LIMIT,
    drawn_words,
    out_of_time_words,
    proven_share,
    ratio_interval,
    share_bars,
)
from equity_core.analysis.words import count
from equity_core.certify.learner import FloorCertificate, certificate, floor_certificate
from equity_core.certify.sample import certify

if TYPE_CHECKING:
    from equity_core.bundle import Bundle
    from equity_core.certify.learner import Certificate
    from equity_core.progress import Progress
    from equity_core.reranker.api import Run

SAMPLE_SIZES = (20, 50, 200)
"""The sizes of a sample to choose from."""
NOW, SWAPPED, OWN = "as they are", "after swaps", "own lists"
STAGES = {
    NOW: ("objective", "ratio", "gain_share"),
    SWAPPED: ("swapped", "swapped_ratio", "swapped_gain_share"),
}
"""The columns of each stage: objective, ratio, share of the attainable gain."""


def learner_certificate(
    bundle: Bundle,
    run: Run,
    learner: int,
    own: Run | None = None,
    progress: Progress | None = None,
) -> Certificate | FloorCertificate:
    """The certificate for the learner on screen: under a λ with the swap step, or under a floor."""
    if progress is not None:
        progress(0, 1)
    if run.policy.floor is not None:
        return floor_certificate(bundle, run, learner, own=own, time_limit=TIME_LIMIT)
    return certificate(bundle, run, learner, own=own, swap=True, time_limit=TIME_LIMIT)


def sample_certificates(
    bundle: Bundle,
    run: Run,
    sample: int,
    own: Run | None = None,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """One row per learner of a seeded sample: certificates, under a λ with the swap step
    (:func:`equity_core.certify.certify`)."""
    return certify(
        bundle, run, own=own, sample=sample, swap=True, time_limit=TIME_LIMIT, progress=progress
    )


def of_floor(frame: pd.DataFrame) -> bool:
    """Whether the certificates of a sample are those of a floor."""
    return "kept" in frame.columns


# One list


def certificate_sentences(found: Certificate | FloorCertificate) -> tuple[str, str]:
    """One list in two sentences or more: what is proven, and what the own list reaches."""
    if not found.courses:
        return "This learner has no list.", "There is nothing to compare it with."
    if isinstance(found, FloorCertificate):
        return floor_certificates.floor_sentences(found)
    if math.isnan(found.ratio):
        return (
            "No share can be proven here.",
            "The objective is not above zero for any list, so a share of it would be meaningless.",
        )
    reaches = (
        f"Its objective is at least {proven_share(found.ratio)} of the best possible one; the own"
        f" list’s is {proven_share(found.own_ratio)}."
    )
    if found.nothing_to_gain:
        head = "There is nothing to gain here: no list is better than the own one."
        rest = reaches if found.below_own else "This list is as good as the own one."
    elif found.best:
        head = "No list is better than this one."
        rest = f"The own list reaches at least {proven_share(found.own_ratio)} of it."
    elif found.below_own:
        head, rest = "This list is worse than the own one.", reaches
    else:
        head = (
            f"This list reaches at least {proven_share(found.gain_share)} of what could be gained"
            " over the own list."
        )
        rest = reaches
    moved = len(set(found.courses) - set(found.swapped_courses))
    if not moved:
        rest += " Swapping any single course for another would not make it better."
    elif found.nothing_to_gain or not found.swapped_gain_share > 0.0:
        rest += (
            f" Swapping {count(moved, 'course')} would raise its objective to at least"
            f" {proven_share(found.swapped_ratio)} of the best possible one."
        )
    else:
        rest += (
            f" Swapping {count(moved, 'course')} would reach at least"
            f" {proven_share(found.swapped_gain_share)} of the gain."
        )
    if not found.solved:
        rest += (
            f" The search was stopped after {TIME_LIMIT:g} seconds: the shares are proven, but the"
            " true ones may be higher."
        )
    return head, rest


def swap_table(bundle: Bundle, found: Certificate | FloorCertificate) -> pd.DataFrame:
    """One row per course that would leave: its place, and the course that would enter instead, each
    with its title. Under a λ after the swap step, under a floor in the best list found."""
    other = found.best_courses if isinstance(found, FloorCertificate) else found.swapped_courses
    leaving = [at for at, course in enumerate(found.courses) if course not in other]
    # After swaps, a new course has the place of the one that left.
    entering = [course for course in other if course not in found.courses]
    titles, ids, rows = bundle.courses["title"].to_numpy(), bundle.course_ids, []
    for at, new in zip(leaving, entering, strict=False):
        old = found.courses[at]
        rows.append((at + 1, ids[old], titles[old], ids[new], titles[new]))
    return pd.DataFrame(rows, columns=["place", "leaves", "leaves_title", "enters", "enters_title"])


# A sample


def sample_summary(frame: pd.DataFrame) -> pd.DataFrame:
    """One row per stage: the lists as they are, after swaps, and the own lists. (Of a floor:
    :func:`equity_core.analysis.learners.floor_certificates.floor_summary`.)

    Columns: gain, the gain of all learners together as a share of what was attainable, with low and
    high (its 95 % bootstrap interval over learners); gain_mean, gain_median and gain_worst over the
    learners' own shares; ratio and ratio_worst, the objective divided by the bound, mean and worst;
    below_own, lists that are worse than the own one; nothing_to_gain, learners whose own list is
    the best one; learners; stopped, searches that the time limit ended.
    """
    if of_floor(frame):
        return floor_certificates.floor_summary(frame)
    rows, own = [], frame["own"].to_numpy(dtype=np.float64)
    attainable = np.where(
        frame["nothing_to_gain"], 0.0, frame["bound"].to_numpy(dtype=np.float64) - own
    )
    for stage, (objective, ratio, gain) in {**STAGES, OWN: ("own", "own_ratio", "")}.items():
        gained = frame[objective].to_numpy(dtype=np.float64) - own
        known = ~np.isnan(gained) & ~np.isnan(attainable)
        low, high = ratio_interval(gained[known], attainable[known])
        whole = float(attainable[known].sum())
        shares, ratios = frame[gain] if gain else 0.0 * frame["own"], frame[ratio]
        rows.append(
            {
                "stage": stage,
                "gain": float(gained[known].sum()) / whole if whole > 0 else math.nan,
                "low": low,
                "high": high,
                "gain_mean": float(shares.mean()),
                "gain_median": float(shares.median()),
                "gain_worst": float(shares.min()),
                "ratio": float(ratios.mean()),
                "ratio_worst": float(ratios.min()),
                "below_own": int(frame["below_own"].sum()) if stage == NOW else 0,
                "nothing_to_gain": int(frame["nothing_to_gain"].sum()),
                "learners": int(known.sum()),
                "stopped": int((~frame["solved"].astype(bool)).sum()),
            }
        )
    return pd.DataFrame(rows).set_index("stage")


def sample_sentence(frame: pd.DataFrame, learners: int) -> str:
    """A sample in words: the gain, the worst, what the own lists reach, and what swaps add."""
    if of_floor(frame):
        return floor_certificates.floor_sample_sentence(frame, learners)
    summary = sample_summary(frame).to_dict("index")
    now, then, own = summary[NOW], summary[SWAPPED], summary[OWN]
    if not now["learners"] or math.isnan(now["ratio"]):
        return "No share can be proven for any learner in the sample."
    who = drawn_words(now["learners"], learners)
    if now["nothing_to_gain"] == now["learners"]:
        text = f"For {who}, there is nothing to gain: no list is better than the own one."
    else:
        text = (
            f"For {who}, the lists reach at least {proven_share(now['gain'])} of what could be"
            f" gained over the own lists (95 % interval {proven_share(now['low'])} to"
            f" {proven_share(now['high'])}); half of the learners get at least"
            f" {proven_share(now['gain_median'])}, the worst {proven_share(now['gain_worst'])}."
        )
        if now["nothing_to_gain"]:
            text += f" For {now['nothing_to_gain']:,} of them there is nothing to gain."
    if now["below_own"]:
        one = now["below_own"] == 1
        text += (
            f" {count(now['below_own'], 'list')} {'is' if one else 'are'} worse than the own one."
        )
    text += (
        f" In the objective itself the lists reach on average at least"
        f" {proven_share(now['ratio'])} of the best possible, the worst"
        f" {proven_share(now['ratio_worst'])}; the own lists {proven_share(own['ratio'])} and"
        f" {proven_share(own['ratio_worst'])}."
    )
    if not math.isnan(then["gain"]) and now["nothing_to_gain"] < now["learners"]:
        if then["gain"] - now["gain"] < 5e-5:
            text += " Swapping single courses afterwards adds nothing."
        else:
            text += (
                f" Swapping single courses afterwards raises the gain to"
                f" {proven_share(then['gain'])}, that of the worst to"
                f" {proven_share(then['gain_worst'])}."
            )
    return text + out_of_time_words(now["stopped"])


def share_histogram(frame: pd.DataFrame) -> pd.DataFrame:
    """The bars of a histogram of the learners' shares: of the attainable gain, as the lists are and
    after swaps; under a floor, of the relevance kept by the lists that had to change."""
    if of_floor(frame):
        return floor_certificates.kept_histogram(frame)
    return share_bars(
        {stage: frame[gain].to_numpy(dtype=np.float64) for stage, (_, _, gain) in STAGES.items()}
    )


def share_title(frame: pd.DataFrame) -> str:
    """What the histogram's axis shows."""
    if of_floor(frame):
        return "Relevance kept, as a share of the most that the floor allows"
    return "Share of the attainable gain; left of 0: worse than the own list"
