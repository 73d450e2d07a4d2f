"""`make bench-policy`: what a policy costs and brings on real data, beside the first edition and
beside published methods.

The real data beside the project at its README's split, 200 candidates, k = 10, all targets 1, seven
recommenders; once with courses from after the split as candidates, as in the data's README, and
once without them. Loss is the share of the own lists' NDCG that is lost on the test part; means are
over recommenders.

* *Floors*: the first edition (lists as picked, at the first λ that meets the floor), the same lists
  in the recommender's order, and the least-loss floor.
* *One λ*: the greedy alone, as picked and in the recommender's order, and with swaps.
* *Published methods*: the most equal lists of each within a loss of 5 %, all in the recommender's
  order. The trade-offs are taken on the test part itself, ours and theirs alike.

    python -m tests.benchmarks.bench_policy            both ways
    python -m tests.benchmarks.bench_policy keep       one of them
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd

import equity_core as eq
from equity_core.algorithms import label
from equity_core.bundle.future import FutureCourses
from equity_core.importers import import_coco
from equity_core.published.registry import METHODS
from equity_core.reranker.search import COARSE, search
from tests.benchmarks.timing import machine, table
from tests.helpers.coco import ABSENT, FOLDER, coco_present

ALGORITHMS = ("toppopular", "userknn", "itemknn", "p3alpha", "rp3beta", "itemknncb", "gmf")
WAYS: dict[str, FutureCourses] = {"keep": "keep", "mask": "mask"}
FLOORS, LAM, MOST = (0.65, 0.70), 0.9, 0.05
ASKED = {0.65: (0.03, 0.989), 0.70: (0.09, 0.995)}
"""Of the least-loss floor, by τ: a mean loss of at most, a mean equality of at least."""

FIRST = eq.Policy(order="greedy", floor_method="first-lambda", method="greedy")
SORTED = FIRST.but(order="relevance")
NOW = eq.Policy()
FLOOR_RULES = {"first edition": FIRST, "in relevance order": SORTED, "least loss": NOW}
LAM_RULES = {"greedy": FIRST, "greedy, in relevance order": SORTED, "greedy and swaps": NOW}


@dataclass(frozen=True)
class Figures:
    """The measures of one recommender's lists."""

    loss: float
    equality: float
    consistency: float
    unreached: int = 0


def figures(bundle: eq.Bundle, run: eq.Run, own: float) -> Figures:
    """The measures of a run; ``own``: NDCG of the own lists."""
    found = eq.evaluate(bundle, run, run.policy)
    unreached = int((~run.reached).sum())
    return Figures(1.0 - found.ndcg / own, found.equality, found.consistency, unreached)


def own_figures(bundle: eq.Bundle, algorithm: str) -> tuple[float, Figures]:
    """NDCG of the own lists, and their measures."""
    run = eq.rerank(bundle, algorithm, NOW.but(lam=0.0))
    ndcg = eq.evaluate(bundle, run, NOW).ndcg
    return ndcg, figures(bundle, run, ndcg)


def mean_of(some: Iterable[Figures]) -> Figures:
    """Means over recommenders; those who do not reach a floor are added up."""
    rows = list(some)
    return Figures(
        *(float(np.mean([getattr(x, name) for x in rows])) for name in ("loss", "equality")),
        float(np.mean([row.consistency for row in rows])),
        sum(row.unreached for row in rows),
    )


def percent(value: float) -> str:
    return f"{100 * value:.1f} %".replace("-", "−")


def pair(found: Figures) -> str:
    return f"{percent(found.loss)} / {found.equality:.4f}"


def rules_table(by_rule: dict[str, dict[str, Figures]], floors: bool) -> str:
    """Loss and equality by recommender (row) and rule (column), then means."""
    first = next(iter(by_rule.values()))
    rows = [(label(name), *(pair(found[name]) for found in by_rule.values())) for name in first]
    means = [mean_of(found.values()) for found in by_rule.values()]
    rows += [
        ("**mean**", *(f"**{pair(mean)}**" for mean in means)),
        ("mean consistency", *(f"{mean.consistency:.4f}" for mean in means)),
    ]
    if floors:
        rows.append(("below the floor, of all", *(f"{mean.unreached:,}" for mean in means)))
    return table(("loss of NDCG / equality", *by_rule), rows)


def verdict(tau: float, found: Figures) -> str:
    """Whether the least-loss floor keeps what is asked of it."""
    loss, equality = ASKED[tau]
    kept = found.loss <= loss and found.equality >= equality
    return (
        f"Asked: a loss of at most {percent(loss)} and an equality of at least {equality:g}:"
        f" {'kept' if kept else 'NOT KEPT'}."
    )


def most_equal(curve: pd.DataFrame, own: float) -> float:
    """The highest equality along a curve within the limit; its first point is the own lists."""
    return float(curve.loc[curve["ndcg"] >= (1.0 - MOST) * own - 1e-12, "equality"].max())


def compared(bundle: eq.Bundle, algorithm: str, own: float, unchanged: float) -> dict[str, float]:
    """The best equality within the limit, by method."""
    out = {"own lists": unchanged}
    for name, method in METHODS.items():
        out[method.label] = most_equal(eq.published_sweep(bundle, algorithm, NOW, name), own)
    now = search(bundle, algorithm, NOW, steps=COARSE)
    out["one λ, with swaps"] = most_equal(now.lam, own)
    for name, policy in (("first edition", FIRST), ("first λ, in relevance order", SORTED)):
        first = search(bundle, algorithm, policy, steps=COARSE)
        out[f"floor, {name}"] = most_equal(first.floor, own)
    out["floor, least loss"] = most_equal(now.floor, own)
    return out


def compared_table(by_algorithm: dict[str, dict[str, float]]) -> str:
    """One row per method: the best equality by recommender, and the mean."""
    names = list(by_algorithm)
    rows = []
    for method in by_algorithm[names[0]]:
        values = [by_algorithm[name][method] for name in names]
        rows.append((method, *(f"{value:.4f}" for value in values), f"{np.mean(values):.4f}"))
    return table(("method", *(label(name) for name in names), "mean"), rows)


def measured(way: FutureCourses) -> None:
    """Print the tables of one way to treat courses from after the split."""
    source = import_coco(FOLDER, future_courses=way)
    scores = eq.precompute(
        source.courses,
        source.interactions,
        list(ALGORITHMS),
        future_courses=way,
        split_at=source.split_at,
    )
    bundle = source.bundle(scores)
    own = {name: own_figures(bundle, name) for name in ALGORITHMS}
    print(
        f"## future_courses = {way!r}: {len(bundle.learner_ids):,} learners,"
        f" {len(bundle.course_ids):,} courses\n"
    )
    for tau in FLOORS:
        found = {"own lists": {name: own[name][1] for name in ALGORITHMS}}
        for rule, policy in FLOOR_RULES.items():
            found[rule] = {
                name: figures(bundle, eq.rerank(bundle, name, policy.but(floor=tau)), own[name][0])
                for name in ALGORITHMS
            }
        print(f"### Floor τ = {tau:.2f}\n\n{rules_table(found, floors=True)}\n")
        print(verdict(tau, mean_of(found["least loss"].values())) + "\n", flush=True)
    found = {
        rule: {
            name: figures(bundle, eq.rerank(bundle, name, policy.but(lam=LAM)), own[name][0])
            for name in ALGORITHMS
        }
        for rule, policy in LAM_RULES.items()
    }
    print(f"### One λ = {LAM}\n\n{rules_table(found, floors=False)}\n", flush=True)
    best = {
        name: compared(bundle, name, own[name][0], own[name][1].equality) for name in ALGORITHMS
    }
    print(f"### Best equality within a loss of {MOST:.0%}\n\n{compared_table(best)}\n", flush=True)


def main(ways: list[str]) -> None:
    """Print the tables."""
    if not coco_present():
        sys.exit(ABSENT)
    eq.warm()
    print(f"{machine()}\n")
    start = time.perf_counter()
    for way in ways or list(WAYS):
        measured(WAYS[way])
    print(f"{time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main(sys.argv[1:])
