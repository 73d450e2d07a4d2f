"""`make bench-certificates`: how far the lists of real learners are from the best possible ones.

The real data beside the project at its README's split, 200 candidates, k = 10, targets 1; of each
recommender the same sample of learners, each list against an exact optimum:

* one λ for all: the share of the attainable gain, with the own lists' ratio beside the lists';
* a floor: the relevance kept, against the most relevant list that meets the floor.

    python -m tests.benchmarks.bench_certificates            200 learners each, some minutes
    python -m tests.benchmarks.bench_certificates 20         fewer
"""

from __future__ import annotations

import sys
import time
from itertools import pairwise

import numpy as np
import pandas as pd

import equity_core as eq
from equity_core.certify import certify
from equity_core.importers import import_coco
from tests.benchmarks.timing import machine, table
from tests.helpers.coco import ABSENT, FOLDER, coco_present

ALGORITHMS = ("userknn", "itemknncb", "toppopular")
LAM, FLOORS = 0.9, (0.65, 0.70)
SAMPLE = 200
TIME_LIMIT = 60.0
"""Seconds for one search at most: a busy machine must not loosen a bound."""
SHARES = (0.0, 0.25, 0.5, 0.75, 0.9, 0.99)
"""Where the distribution of the shares is cut."""

GAIN_HEADER = (
    "recommender",
    "ratio: mean",
    "own lists'",
    "gain share: mean",
    "median",
    "worst",
    "of all gain together",
    "nothing to gain",
    "below own",
    "out of time",
    "s",
)
FLOOR_HEADER = (
    "recommender, floor",
    "own list meets it",
    "met",
    "missed",
    "out of reach",
    "kept: mean",
    "of the others",
    "median",
    "worst",
    "lost: list",
    "optimum",
    "necessary",
    "consistency kept, if below",
    "out of time",
    "s",
)


def gain_row(name: str, frame: pd.DataFrame, seconds: float) -> tuple[str, ...]:
    """The certificates of one recommender under λ as a row."""
    share = frame["gain_share"].dropna()
    attainable = float((frame["bound"] - frame["own"]).sum())
    return (
        name,
        f"{frame['ratio'].mean():.4f}",
        f"{frame['own_ratio'].mean():.4f}",
        f"{share.mean():.3f}",
        f"{share.median():.3f}",
        f"{share.min():.3f}",
        f"{(frame['objective'] - frame['own']).sum() / attainable:.3f}",
        f"{frame['nothing_to_gain'].sum()}",
        f"{frame['below_own'].sum()}",
        f"{(~frame['solved']).sum()}",
        f"{seconds:.0f}",
    )


def floor_row(name: str, frame: pd.DataFrame, seconds: float) -> tuple[str, ...]:
    """The certificates of one recommender and floor as a row."""
    states = frame["state"].value_counts()
    meets = frame[frame["kept"].notna()]
    others = meets[meets["state"] == "met"]
    own = float(others["own_relevance"].sum())
    lost, least = ((own - float(others[column].sum())) / own for column in ("relevance", "optimum"))
    below = frame["consistency_share"].mean()
    return (
        name,
        *(str(states.get(one, 0)) for one in ("own list meets it", "met", "missed")),
        str(states.get("out of reach", 0) + states.get("not settled", 0)),
        f"{meets['kept'].mean():.2%}",
        f"{others['kept'].mean():.2%}",
        f"{others['kept'].median():.2%}",
        f"{others['kept'].min():.2%}",
        f"{lost:.2%}",
        f"{least:.2%}",
        f"{least / lost:.1%}",
        "–" if np.isnan(below) else f"{below:.2%}",
        f"{(~frame['solved']).sum()}",
        f"{seconds:.0f}",
    )


def distribution(values: pd.Series) -> tuple[str, ...]:
    """How many values lie in each part of the range."""
    found, _ = np.histogram(values.dropna(), bins=[-np.inf, *SHARES, np.inf])
    return tuple(str(number) for number in found)


def main() -> None:
    """Print the tables."""
    if not coco_present():
        sys.exit(ABSENT)
    sample = int(sys.argv[1]) if len(sys.argv) > 1 else SAMPLE
    start = time.perf_counter()
    source = import_coco(FOLDER)
    bundle = source.bundle(
        eq.precompute(source.courses, source.interactions, algorithms=list(ALGORITHMS))
    )
    gains, floors, spread = [], [], []
    for algorithm in ALGORITHMS:
        own = eq.rerank(bundle, algorithm, eq.Policy(lam=0.0))
        for policy in (eq.Policy(lam=LAM), *(eq.Policy(floor=tau) for tau in FLOORS)):
            run, began = eq.rerank(bundle, algorithm, policy), time.perf_counter()
            found = certify(bundle, run, own=own, sample=sample, time_limit=TIME_LIMIT)
            took = time.perf_counter() - began
            if policy.floor is None:
                gains.append(gain_row(algorithm, found, took))
                spread.append((f"{algorithm}, λ {LAM}", *distribution(found["gain_share"])))
            else:
                name = f"{algorithm}, {policy.floor:.2f}"
                floors.append(floor_row(name, found, took))
                of_others = found.loc[found["state"] == "met", "necessary"]
                spread.append((f"{name}: necessary", *distribution(of_others)))
    print(f"{machine()}\n\n{sample} learners each, in {time.perf_counter() - start:.0f} s\n")
    print(table(GAIN_HEADER, gains), "\n")
    print(table(FLOOR_HEADER, floors), "\n")
    bounds = [f"{low:g} to {high:g}" for low, high in pairwise(SHARES)]
    print(table(("learners by share", "below 0", *bounds, f"{SHARES[-1]:g} or more"), spread))


if __name__ == "__main__":
    main()
