"""`make bench-orders`: what the order of a list, swaps and the least-loss floor bring on real data.

The real data beside the project at its README's split, 200 candidates, k = 10, targets 1: every way
of making and showing the lists of a policy, as on the Trade-off screen; means over recommenders.
Then, for UserKNN, a floor beside single λ, in steps of 0.005: the one that is most equal, and the
one whose mean consistency is nearest to the floor's.

    python -m tests.benchmarks.bench_orders             six recommenders, a few minutes
    python -m tests.benchmarks.bench_orders gmf         with GMF, which has to be trained
"""

from __future__ import annotations

import sys

import pandas as pd

import equity_core as eq
from equity_core.analysis.tradeoff.headline import policy_kind, policy_name
from equity_core.analysis.tradeoff.orders import orders
from equity_core.importers import import_coco
from tests.benchmarks.timing import table
from tests.helpers.coco import ABSENT, FOLDER, coco_present

ALGORITHMS = ("toppopular", "userknn", "itemknn", "p3alpha", "rp3beta", "itemknncb")
POLICIES = (
    eq.Policy(lam=0.9),
    eq.Policy(lam=0.99),
    eq.Policy(floor=0.65),
    eq.Policy(floor=0.70),
)
HEADER = (
    "policy",
    "lists",
    "order",
    "NDCG against the own lists",
    "consistency",
    "equality",
    "consistency, ranked",
    "equality, ranked",
    "short of the floor",
)


def row(name: str, values: pd.Series) -> tuple[str, ...]:
    """One way, as a row."""
    measures = "consistency", "equality", "ranked_consistency", "ranked_equality"
    return (
        name,
        values["lists"],
        values["order"],
        f"{values['ndcg_change']:+.1%}".replace("%", " %").replace("-", "−"),
        *(f"{values[measure]:.4f}" for measure in measures),
        f"{values['unreached']:.0f}",
    )


def floor_against_lam(bundle: eq.Bundle) -> str:
    """A floor and two single λ of UserKNN, as a table."""
    floor = POLICIES[2].floor
    assert floor is not None
    lams = eq.sweep(bundle, "userknn", eq.Policy(), lams=[step / 200 for step in range(201)])
    found = eq.floor_sweep(bundle, "userknn", eq.Policy(), floors=[floor]).iloc[0]
    near = (lams["consistency"] - found["consistency"]).abs().idxmin()
    rows = [
        ("own lists", lams.iloc[0]),
        (f"floor τ = {floor:g}", found),
        *(
            (f"one λ = {lams.loc[at, 'lam']:g}, {words}", lams.loc[at])
            for at, words in (
                (lams["equality"].idxmax(), "the most equal one"),
                (near, "at the floor's mean consistency"),
            )
        ),
    ]
    own = lams.iloc[0]["ndcg"]
    cells = [
        (
            name,
            f"{one['equality']:.4f}",
            f"{one['ndcg']:.4f} ({one['ndcg'] / own - 1:+.1%})",
            f"{one['consistency']:.3f}",
        )
        for name, one in rows
    ]
    return table(("UserKNN", "equality", "NDCG", "mean consistency"), cells)


def main() -> None:
    """Print the tables: each recommender, the means, and UserKNN's policies."""
    if not coco_present():
        sys.exit(ABSENT)
    algorithms = [*ALGORITHMS, *sys.argv[1:]]
    source = import_coco(FOLDER)
    bundle = source.bundle(eq.precompute(source.courses, source.interactions, algorithms))
    print(f"{len(bundle.learner_ids):,} learners, {len(bundle.course_ids):,} courses\n")
    means = []
    for policy in POLICIES:
        name, found = policy_name(*policy_kind(policy)), []
        for algorithm in algorithms:
            frame = orders(bundle, algorithm, policy).frame
            found.append(frame)
            print(table(HEADER, [row(f"{algorithm}, {name}", one) for _, one in frame.iterrows()]))
        numbers = sum(one.drop(columns=["lists", "order"]) for one in found) / len(found)
        mean = found[0][["lists", "order"]].join(numbers)
        means += [row(name, one) for _, one in mean.iterrows()]
    print(f"\nMeans over {len(algorithms)} recommenders\n\n{table(HEADER, means)}")
    print(f"\n{floor_against_lam(bundle)}")


if __name__ == "__main__":
    main()
