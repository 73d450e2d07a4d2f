"""How good the lists are under a floor: the relevance that they keep, against the most relevant
lists that meet it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from equity_core.analysis.learners.proofs import (
    TIME_LIMIT,
    drawn_words,
    out_of_time_words,
    proven_share,
    ratio_interval,
    share_bars,
)
from equity_core.analysis.words import count, decimal, percent
from equity_core.certify.learner import NOTHING

if TYPE_CHECKING:
    from equity_core.certify.learner import FloorCertificate

ALL, CHANGED = "all lists that meet the floor", "those that had to change"


def floor_sentences(found: FloorCertificate) -> tuple[str, str]:
    """One list under a floor: what it keeps, beside the own list and the best one."""
    sums = (
        f"Its relevance adds up to {decimal(found.relevance)}, the own list’s to"
        f" {decimal(found.own_relevance)}"
    )
    stopped = ""
    if not found.solved:
        stopped = (
            f" The search was stopped after {TIME_LIMIT:g} seconds: the best list may have less"
            " relevance or consistency than is said here."
        )
    if found.state == "own list meets it":
        head = "The own list meets the floor."
        if found.relevance >= found.own_relevance - NOTHING:
            return head, "This list has the same relevance: nothing is lost, and nothing to prove."
        return head, f"{sums}, the most that there is.{stopped}"
    below = f"the own list has {decimal(found.own_consistency, 3)} and misses the floor"
    if found.state == "met":
        if found.relevance >= found.optimum - NOTHING:
            head = "No list that meets the floor has more relevance than this one."
            return head, f"{sums}; in consistency, {below}.{stopped}"
        share = f"at least {proven_share(found.kept)} of"
        head = (
            f"This list keeps {share if not math.isnan(found.kept) else 'less than'} the most"
            " relevance that the floor allows."
        )
        return head, (
            f"{sums}, that of the best list that meets the floor to"
            f" {'at most ' if not found.solved else ''}{decimal(found.optimum)}. In consistency,"
            f" {below}.{stopped}"
        )
    head = {
        "missed": "This list misses the floor, although other lists meet it.",
        "out of reach": "No list reaches the floor.",
        "not settled": "This list misses the floor; whether any list meets it is not settled.",
    }[found.state]
    rest = f"Its consistency is {decimal(found.consistency, 3)}"
    if not math.isnan(found.consistency_share):
        rest += f", at least {proven_share(found.consistency_share)} of the highest possible"
    return head, f"{rest}; the own list’s is {decimal(found.own_consistency, 3)}.{stopped}"


def floor_summary(frame: pd.DataFrame) -> pd.DataFrame:
    """Two rows: all lists that meet the floor, and of them those that had to change because the own
    list does not.

    Columns: kept, the mean of the relevance kept against the optimum, with low and high (its 95 %
    bootstrap interval over learners), median and worst; lost, the relevance of the own lists that
    is lost, and necessary, the share of that loss that no list could avoid (both of all learners
    together); learners; own_meets, missed, out_of_reach, not_settled, the learners of the sample in
    each state; stopped, searches that the time limit ended.
    """
    rows, states = [], frame["state"].value_counts()
    meets = frame[frame["state"].isin(["own list meets it", "met"])]
    for stage, mine in ((ALL, meets), (CHANGED, meets[meets["state"] == "met"])):
        known = mine["kept"].dropna().to_numpy(dtype=np.float64)
        low, high = ratio_interval(known, np.ones(known.size))
        own, now, best = (
            float(mine[column].sum()) for column in ("own_relevance", "relevance", "optimum")
        )
        some, lost = known.size > 0, own - now
        rows.append(
            {
                "stage": stage,
                "kept": float(known.mean()) if some else math.nan,
                "low": low,
                "high": high,
                "median": float(np.median(known)) if some else math.nan,
                "worst": float(known.min()) if some else math.nan,
                "lost": lost / own if own > 0 and (mine["own_relevance"] >= 0).all() else math.nan,
                "necessary": min(max((own - best) / lost, 0.0), 1.0) if lost > NOTHING else 1.0,
                "learners": len(mine),
                "own_meets": int(states.get("own list meets it", 0)),
                "missed": int(states.get("missed", 0)),
                "out_of_reach": int(states.get("out of reach", 0)),
                "not_settled": int(states.get("not settled", 0)),
                "stopped": int((~frame["solved"].astype(bool)).sum()),
            }
        )
    return pd.DataFrame(rows).set_index("stage")


def floor_sample_sentence(frame: pd.DataFrame, learners: int) -> str:
    """A sample under a floor in words: who had to change and what they keep, then who misses it."""
    if not len(frame):
        return "No share can be proven for any learner in the sample."
    summary = floor_summary(frame).to_dict("index")
    every, changed = summary[ALL], summary[CHANGED]
    trivial = every["own_meets"]
    start = f"For {drawn_words(len(frame), learners)}: "
    kept = "the own list meets the floor and is the best there is"
    parts = []
    if changed["learners"] and not math.isnan(changed["kept"]):
        parts.append(
            f"{start}{count(changed['learners'], 'list')} had to change to meet the floor, and on"
            f" average kept at least {proven_share(changed['kept'])} of the most relevance that it"
            f" allows (95 % interval {proven_share(changed['low'])} to"
            f" {proven_share(changed['high'])}; the worst {proven_share(changed['worst'])})."
        )
        if not math.isnan(changed["lost"]) and changed["lost"] > 0.0:
            parts.append(
                f"Against the own lists, which miss it, they lose {percent(changed['lost'])} of"
                f" their relevance; at least {proven_share(changed['necessary'])} of that loss"
                " could not be avoided."
            )
        if trivial:
            parts.append(
                f"For {trivial:,} more {kept}; over all of these the mean is"
                f" {proven_share(every['kept'])}."
            )
    elif changed["learners"]:
        lists = count(changed["learners"], "list")
        parts.append(f"{start}{lists} had to change, and no share can be proven for them.")
        if trivial:
            parts.append(f"For {trivial:,} more {kept}.")
    elif trivial:
        parts.append(f"{start}no list had to change to meet the floor; for {trivial:,} {kept}.")
    else:
        parts.append(f"{start}no list meets the floor.")
    if every["missed"]:
        verb = "misses" if every["missed"] == 1 else "miss"
        parts.append(
            f"{count(every['missed'], 'list')} {verb} the floor, although other lists meet it."
        )
    if every["not_settled"]:
        verb = "misses" if every["not_settled"] == 1 else "miss"
        parts.append(
            f"{count(every['not_settled'], 'list')} {verb} the floor, and whether any list meets it"
            " is not settled."
        )
    if every["out_of_reach"]:
        share = float(frame.loc[frame["state"] == "out of reach", "consistency_share"].mean())
        text = f"For {count(every['out_of_reach'], 'learner')}, no list reaches the floor"
        if not math.isnan(share):
            text += (
                "; the consistency of their lists is on average at least"
                f" {proven_share(share)} of the highest possible"
            )
        parts.append(f"{text}.")
    return " ".join(parts) + out_of_time_words(every["stopped"])


def kept_histogram(frame: pd.DataFrame) -> pd.DataFrame:
    """The bars of a histogram of the relevance kept by the lists that had to change."""
    kept = frame.loc[frame["state"] == "met", "kept"]
    return share_bars({CHANGED: kept.to_numpy(dtype=np.float64)})
