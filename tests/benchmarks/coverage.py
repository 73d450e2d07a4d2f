"""How far intervals, tests and verdicts keep what they promise, by simulation: the tables of
docs/methods.md, sections "How sure a figure is" and "How they are checked here".

Samples are drawn with replacement from the demo's learners, whose figures are known.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np

import equity_core as eq
from equity_core.analysis.audit.past import past_consistency
from equity_core.analysis.observations.bootstrap import Bootstrap, interval
from equity_core.analysis.observations.checks import check_evidence
from equity_core.metrics import Evaluation
from equity_core.metrics.intervals import MEASURES, intervals, permutation_test
from equity_core.metrics.pairs import pair_correlation
from tests.benchmarks.timing import table
from tests.helpers.no_effect import no_effect
from tests.helpers.samples import drawn, mixed

DEMO = Path(__file__).parents[2] / "data" / "demo"
SIZES = (30, 50, 100, 200, 500)
ROUNDS = 4000
FEWER = 1000
"""Rounds where a single one takes longer."""
WORLDS = 200
SMALL = (0.3, 0.5, 0.6, 0.7, 0.75, 0.8, 0.9)
"""λ from hardly any changed list to many."""


def evaluations(bundle: eq.Bundle, *lams: float) -> list[Evaluation]:
    """UserKNN's lists at these λ, measured."""
    policy = eq.Policy()
    return [
        eq.evaluate(bundle, eq.rerank(bundle, "userknn", policy.but(lam=lam)), policy)
        for lam in lams
    ]


def measures_table(before: Evaluation, after: Evaluation) -> str:
    """Coverage of the three measures and their changes, by sample size."""
    rng, rows = np.random.default_rng(7), []
    for size in SIZES:
        hits: Counter[tuple[str, str]] = Counter()
        for _ in range(ROUNDS):
            some = rng.integers(0, len(before.learner_ids), size)
            found = intervals(drawn(after, some), drawn(before, some)).to_dict("index")
            for name in MEASURES:
                new, old = getattr(after, name), getattr(before, name)
                one = found[name]
                hits[name, "own"] += one["low"] <= new <= one["high"]
                hits[name, "change"] += one["change_low"] <= new - old <= one["change_high"]
        rows.append(
            (
                f"{size} learners",
                *(
                    f"{name} {hits[name, 'own'] / ROUNDS:.1%},"
                    f" change {hits[name, 'change'] / ROUNDS:.1%}"
                    for name in MEASURES
                ),
            )
        )
    return table((f"{ROUNDS:,} samples of", *MEASURES), rows)


def permutation_table(before: Evaluation, after: Evaluation) -> str:
    """False alarms of the permutation test: before and after swapped at random."""
    rng, alarms = np.random.default_rng(3), Counter()
    for number in range(ROUNDS):
        rows = rng.integers(0, len(before.learner_ids), 100)
        one, other, swap = drawn(after, rows), drawn(before, rows), rng.random(100) < 0.5
        pair = mixed(one, other, swap), mixed(other, one, swap)
        for name in MEASURES:
            alarms[name] += permutation_test(*pair, name, resamples=199, seed=number) <= 0.05
    rows = [(name, f"{alarms[name] / ROUNDS:.1%}") for name in MEASURES]
    return table(("permutation test, 100 learners", "called different"), rows)


def changed_table(bundle: eq.Bundle) -> str:
    """Coverage of the change of NDCG by how many sampled learners' NDCG changes. Resampling moves
    only those, so their number decides."""
    before, *after = evaluations(bundle, 0.0, *SMALL)
    rng = np.random.default_rng(11)
    edges = (0, 1, 5, 10, 20, 30, 50, 100, 10_000)
    hits, seen = np.zeros(len(edges)), np.zeros(len(edges))
    for one in after:
        truth = one.ndcg - before.ndcg
        differs = ~np.isclose(one.per_learner_ndcg, before.per_learner_ndcg, equal_nan=True)
        for size in (100, 200, 500, 1000):
            for _ in range(FEWER // 2):
                rows = rng.integers(0, len(differs), size)
                found = intervals(drawn(one, rows), drawn(before, rows)).loc["ndcg"]
                at = int(np.searchsorted(edges, int(differs[rows].sum()), side="right")) - 1
                seen[at] += 1
                hits[at] += found["change_low"] <= truth <= found["change_high"]
    rows = [
        (
            f"{low} to {high - 1}" if high < 10_000 else f"{low} or more",
            f"{int(many):,}",
            f"{hit / many:.1%}",
        )
        for low, high, hit, many in zip(edges, edges[1:], hits, seen, strict=False)
        if many
    ]
    return table(("sampled learners whose NDCG changes", "samples", "change of NDCG covered"), rows)


def pairs_table(bundle: eq.Bundle) -> str:
    """Coverage of the correlation over all pairs (observation 5), and how often it looks clear
    where pasts and lists are shuffled."""
    past = past_consistency(bundle, eq.Policy())
    lists = evaluations(bundle, 0.0)[0].per_learner_consistency
    truth, rng, rows = pair_correlation(past, lists).rho, np.random.default_rng(5), []
    for size in (50, 100, 200, 500):
        covered, below, above = 0, 0, 0
        for number in range(FEWER):
            some = rng.integers(0, len(past), size)
            draws = Bootstrap(size, 400, number)
            found = pair_correlation(past[some], lists[some])
            low, high = interval(draws.resample_matrix_products(found.on_draws)[:, 0])
            covered += low <= truth <= high
            null = pair_correlation(past[some], rng.permutation(lists[some]))
            low, high = interval(draws.resample_matrix_products(null.on_draws)[:, 0])
            below, above = below + (high < 0), above + (low > 0)
        rows.append((f"{size} learners", *(f"{n / FEWER:.1%}" for n in (covered, above, below))))
    heads = (f"{FEWER:,} samples of", "covered", "shuffled: clearly above 0", "clearly below 0")
    return table(heads, rows)


def verdicts_table() -> str:
    """The verdicts in worlds without any effect."""
    seen: dict[int, Counter[str]] = {number: Counter() for number in range(1, 9)}
    for seed in range(WORLDS):
        for one in check_evidence(no_effect(seed)).observations:
            seen[one.number][one.verdict] += 1
    order = ("holds", "holds, but negligible", "holds in part", "does not hold", "not clear here")
    rows = [(str(number), *(str(found[name]) for name in order)) for number, found in seen.items()]
    return table((f"observation, {WORLDS} worlds without effect", *order), rows)


def main() -> None:
    """Print the tables."""
    bundle = eq.load_bundle(DEMO)
    before, after = evaluations(bundle, 0.0, 0.9)
    for one in (
        measures_table(before, after),
        permutation_table(before, after),
        changed_table(bundle),
        pairs_table(bundle),
        verdicts_table(),
    ):
        print(one, "\n", flush=True)


if __name__ == "__main__":
    main()
