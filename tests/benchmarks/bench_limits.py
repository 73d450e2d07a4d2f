"""`make bench-limits`: how often the chooser's limit on the loss of NDCG is broken, by simulation
and from validation to test; and what keeping it costs in equality.

*Simulation.* A world is a recommender on one data set: the demo's ten, and, where the real data are
beside the project, six on COCO at two splits. Its learners are taken as all learners there are, so
that the true loss of each policy is known. Learners are drawn from them with replacement, a policy
is chosen on the draw, and its true loss is compared with the limit. Once with as many learners as
there are, once with 500. Equality is the true one of each policy: it needs no held-out courses.

*Validation to test.* The policy is chosen on the validation part; its loss on the test part is
compared with the limit. That counts noise in the test part and changes between the parts, too,
which no test on the validation part covers.

Both for the bold rule (the most equal policy within the limit on the part used for choosing) and
for the safe one (:mod:`equity_core.metrics.safety`); and, for comparison, for a t-test without the
one more learner, and for one that is replaced by a bet where fewer than ten learners' NDCG changes.

*Exactly.* Where whoever loses, loses everything, the error of a single test is added up.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy import sparse, stats
from scipy.special import logsumexp, stdtrit

import equity_core as eq
from equity_core.importers import import_coco
from equity_core.metrics.evaluate import ndcg
from equity_core.metrics.safety import ChangeMoments, OwnMoments, in_sequence, missing
from equity_core.reranker.search import search
from tests.benchmarks.timing import machine, table
from tests.helpers.coco import ABSENT, FOLDER, coco_present

Floats = npt.NDArray[np.float64]

DEMO = Path(__file__).parents[2] / "data" / "demo"
REAL = ("toppopular", "userknn", "itemknn", "p3alpha", "rp3beta", "itemknncb")
SPLITS = {"COCO, 2017-06-08": "2017-06-08", "COCO, 2017-01-15": "2017-01-15"}
LIMITS = (0.01, 0.02, 0.05, 0.1, 0.2)
DRAWS = 400
FEWER = 500
POLICY = eq.Policy()
RULES = ("bold", "t-test alone", "with a bet", "safe")
ALPHA = 0.025
"""The error of each of two paths."""
FEW = 10
BETS = (0.05, 0.2, 0.5, 0.7, 0.9)
"""Shares of the largest bet possible."""
SLACK = 1e-9
ASKED = (0.05, 0.08)
"""Limits broken, on average and in the worst case: at most."""


@dataclass(frozen=True)
class Policies:
    """The policies of a path: equality, and NDCG per learner (policies × learners) by part."""

    equality: Floats
    ndcg: dict[str, Floats]


@dataclass(frozen=True)
class World:
    """A recommender on a data set."""

    data: str
    algorithm: str
    paths: dict[str, Policies]


def measured(bundle: eq.Bundle, data: str, algorithm: str) -> World:
    """Every policy of both paths, with each learner's NDCG; the first of the λs are the own
    lists."""
    found, paths = search(bundle, algorithm, POLICY, "test", "valid"), {}
    for kind in ("floor", "lam"):
        rows = found.path(kind)
        parts: dict[str, list[Floats]] = {"valid": [], "test": []}
        for value in rows["value"]:
            courses = found.run(found.policy(kind, float(value))).courses
            for part, values in parts.items():
                values.append(ndcg(bundle, courses, POLICY.k, part))
        paths[kind] = Policies(
            rows["equality"].to_numpy(),
            {part: np.array(values) for part, values in parts.items()},
        )
    return World(data, algorithm, paths)


def worlds() -> Iterator[World]:
    """The demo's recommenders, then those of the real data."""
    bundle = eq.load_bundle(DEMO)
    for algorithm in bundle.algorithms:
        yield measured(bundle, "demo", algorithm)
    if not coco_present():
        print(f"{ABSENT}: the demo's worlds only")
        return
    for data, moment in SPLITS.items():
        source = import_coco(FOLDER, split_at=moment, valid=1)
        scores = eq.precompute(source.courses, source.interactions, list(REAL))
        bundle = source.bundle(scores)
        for algorithm in REAL:
            yield measured(bundle, data, algorithm)


@dataclass(frozen=True)
class Drawn:
    """A path on all draws: by draw (row) and policy (column)."""

    counts: Floats
    """How often a draw has each learner."""
    own_ndcg: Floats
    change_ndcg: Floats
    """(learners, policies)."""
    few: npt.NDArray[np.bool_]
    """Where fewer than ten learners' NDCG changes."""
    own: OwnMoments
    change: ChangeMoments


def drawn(counts: Floats, own: Floats, after: Floats) -> Drawn:
    """What the rules need to know."""
    size = counts.sum(axis=1, keepdims=True)
    change = (after - own).T
    mean, before = counts @ change / size, (counts @ own)[:, None] / size
    hits = (counts @ (own > 0))[:, None]
    variance = (counts @ own**2)[:, None] / size - before**2
    return Drawn(
        counts,
        own,
        change,
        counts @ (change != 0).astype(np.float64) < FEW,
        OwnMoments(size, before, variance, before * size / np.maximum(hits, 1)),
        ChangeMoments(
            mean,
            counts @ change**2 / size - mean**2,
            counts @ (change * own[:, None]) / size - mean * before,
        ),
    )


def bets_won(found: Drawn, limit: float, places: npt.NDArray[np.int64]) -> Floats:
    """Which policies (``places``) win a bet against "the limit is broken", by draw.

    Whoever stakes a share b of all money on each learner in turn has Π (1 + b D) in the end, if
    nobody has D below −1 / b. Against a mean of D of 0 or less, money is not expected to grow: it
    is 1 / α times as much with a chance of at most α. The money is divided among several b.
    """
    own, gains = found.own_ndcg, []
    change = sparse.csc_array(found.change_ndcg[:, places])
    for bet in np.array(BETS) / (1.0 - limit):
        alone = np.log1p(bet * limit * own)  # of those whose NDCG does not change
        extra = change.copy()
        extra.data = np.log1p(bet * (change.data + limit * own[change.indices]))
        extra.data -= alone[change.indices]
        gains.append((found.counts @ alone)[:, None] + found.counts @ extra)
    return np.asarray(logsumexp(gains, axis=0) - np.log(len(BETS)) >= -np.log(ALPHA))


def _plainly(found: Drawn, limit: float) -> npt.NDArray[np.bool_]:
    """The t-test over the learners alone."""
    own, change = found.own, found.change
    mean = change.mean + limit * own.mean
    variance = change.variance + limit**2 * own.variance + 2 * limit * change.covariance
    spread = np.sqrt(np.maximum(variance, 1e-300) / (own.learners - 1))
    return np.asarray(mean / spread >= stdtrit(own.learners - 1, 1.0 - ALPHA))


def allowed(found: Drawn, limit: float, rule: str) -> npt.NDArray[np.bool_]:
    """Which policies a rule may take, by draw and policy; the own lists always."""
    own, change = found.own, found.change
    mean = change.mean + limit * own.mean
    if rule == "bold":
        out = np.asarray(mean >= -SLACK)
        out[:, 0] = True
        return out
    if rule == "safe":
        return in_sequence(missing(own, change, limit) <= SLACK)
    passed = _plainly(found, limit)
    if rule == "with a bet":
        places = np.flatnonzero(found.few.any(axis=0))
        won = bets_won(found, limit, places)
        passed[:, places] = np.where(found.few[:, places], won, passed[:, places])
    return in_sequence(passed)


def chosen(
    world: World, found: dict[str, Drawn], limit: float, rule: str, losses: dict[str, Floats]
) -> tuple[Floats, Floats]:
    """Loss and equality of the policy that a rule takes on each draw. ``losses``: of each policy,
    where the limit is checked."""
    best = {}
    for kind, path in world.paths.items():
        score = np.where(allowed(found[kind], limit, rule), path.equality, -1.0)
        at = score.argmax(axis=1)
        best[kind] = (losses[kind][at], score.max(axis=1))
    floor = best["floor"][1] >= best["lam"][1]
    loss, equality = (
        np.where(floor, *pair) for pair in zip(best["floor"], best["lam"], strict=True)
    )
    return loss, equality


def on_part(world: World, part: str) -> tuple[Floats, dict[str, Floats], dict[str, Floats]]:
    """NDCG of the own lists and under each policy, of the learners with a course to find; and the
    share lost by each policy."""
    own = world.paths["lam"].ndcg[part][0]
    known = ~np.isnan(own)
    own = own[known]
    after = {kind: path.ndcg[part][:, known] for kind, path in world.paths.items()}
    losses = {kind: 1.0 - values.mean(axis=1) / own.mean() for kind, values in after.items()}
    return own, after, losses


@dataclass(frozen=True)
class Cell:
    """One world, one limit, one rule: how often it was broken, and the mean equality."""

    data: str
    algorithm: str
    limit: float
    rule: str
    broken: float
    equality: float


def simulated(world: World, part: str, size: int | None, seed: int) -> list[Cell]:
    """Learners drawn, a policy chosen on the draw, its true loss compared with the limit."""
    own, after, losses = on_part(world, part)
    rng, count = np.random.default_rng(seed), len(own)
    counts = np.array(
        [np.bincount(rng.integers(0, count, size or count), minlength=count) for _ in range(DRAWS)],
        dtype=np.float64,
    )
    found = {kind: drawn(counts, own, values) for kind, values in after.items()}
    out = []
    for limit in LIMITS:
        for rule in RULES:
            loss, equality = chosen(world, found, limit, rule, losses)
            broken = float((loss > limit + SLACK).mean())
            name = f"{world.algorithm} ({part})"
            out.append(Cell(world.data, name, limit, rule, broken, float(equality.mean())))
    return out


def from_validation_to_test(world: World) -> list[Cell]:
    """Chosen on the validation part, compared with the limit on the test part."""
    own, after, _ = on_part(world, "valid")
    _, _, losses = on_part(world, "test")
    once = np.ones((1, len(own)))
    found = {kind: drawn(once, own, values) for kind, values in after.items()}
    out = []
    for limit in LIMITS:
        for rule in RULES:
            loss, equality = chosen(world, found, limit, rule, losses)
            broken = float(loss[0] > limit + SLACK)
            out.append(Cell(world.data, world.algorithm, limit, rule, broken, float(equality[0])))
    return out


def exact_error(learners: int, limit: float, added: bool) -> float:
    """How often a test passes a policy that just breaks the limit, where a fifth of the learners
    have a hit, NDCG 1, and lose it with the limit's probability. ``added``: with one more learner
    who loses everything."""
    error = 0.0
    for hits in range(1, learners + 1):
        chance = stats.binom.pmf(hits, learners, 0.2)
        if chance < 1e-6:
            continue
        lost = np.arange(hits + 1)
        mean, change = hits / learners, -lost / learners
        own = OwnMoments(learners, mean, mean - mean**2, 1.0)
        after = ChangeMoments(change, -change - change**2, change - change * mean)
        counts = np.zeros((1, 0))  # of nobody: these two rules need none
        found = Drawn(counts, counts, counts, counts > 0, own, after)
        passed = missing(own, after, limit) <= SLACK if added else _plainly(found, limit)
        error += chance * float(stats.binom.pmf(lost[passed], hits, limit).sum())
    return error


def exact_table() -> str:
    """The largest error over several numbers of learners, for both kinds of t-test."""
    sizes = (50, 100, 300, 1000, 3000)
    rows = [
        (name, *(percent(max(exact_error(n, limit, added) for n in sizes)) for limit in LIMITS))
        for name, added in (("t-test alone", False), ("safe", True))
    ]
    return table(("rule", *(f"x = {limit:.0%}" for limit in LIMITS)), rows)


def of(cells: list[Cell], limit: float | None, rule: str, data: str | None = None) -> list[Cell]:
    """The cells of a rule, and of a limit or data set where one is named."""
    return [
        cell
        for cell in cells
        if cell.rule == rule and limit in (None, cell.limit) and data in (None, cell.data)
    ]


def percent(value: float) -> str:
    return f"{100 * value:.1f} %"


def simulation_table(found: list[Cell]) -> str:
    """One row per rule: broken on average, in the worst cell, and the mean equality."""
    rows = []
    for rule in RULES:
        by_limit = [of(found, limit, rule) for limit in LIMITS]
        broken = [[cell.broken for cell in some] for some in by_limit]
        everything = [cell.broken for cell in of(found, None, rule)]
        figures = {
            "broken, mean": [percent(float(np.mean(some))) for some in (*broken, everything)],
            "broken, worst": [percent(max(some)) for some in (*broken, everything)],
            "equality": [
                *(f"{np.mean([cell.equality for cell in some]):.4f}" for some in by_limit),
                "",
            ],
        }
        rows += [
            ("" if at else rule, name, *cells) for at, (name, cells) in enumerate(figures.items())
        ]
    heads = ("rule", "", *(f"x = {limit:.0%}" for limit in LIMITS), "all")
    return table(heads, rows)


def real_table(cells: list[Cell]) -> str:
    """One row per data set and rule: limits broken on the test part."""
    rows = []
    for data in (*dict.fromkeys(cell.data for cell in cells), None):
        for rule in RULES:
            here = [of(cells, limit, rule, data) for limit in LIMITS]
            total = of(cells, None, rule, data)
            rows.append(
                (
                    data or "all",
                    rule,
                    *(f"{sum(c.broken for c in some):.0f} of {len(some)}" for some in here),
                    f"{sum(cell.broken for cell in total):.0f} of {len(total)}",
                    f"{np.mean([cell.equality for cell in total]):.4f}",
                )
            )
    heads = ("data", "rule", *(f"x = {limit:.0%}" for limit in LIMITS), "all", "equality")
    return table(heads, rows)


def main() -> None:
    """Print the tables."""
    eq.warm()
    print(f"{machine()}\n")
    start = time.perf_counter()
    same: list[Cell] = []
    fewer: list[Cell] = []
    real: list[Cell] = []
    count = 0
    for number, world in enumerate(worlds()):
        count += 1
        print(f"{world.data}, {world.algorithm}", file=sys.stderr)
        for part in ("valid", "test"):
            same += simulated(world, part, None, 2 * number)
            fewer += simulated(world, part, FEWER, 2 * number + 1)
        real += from_validation_to_test(world)
    for title, cells in (
        (f"{count} worlds, both parts, {DRAWS} draws of as many learners as there are", same),
        (f"the same, draws of {FEWER} learners", fewer),
    ):
        safe = [cell.broken for cell in of(cells, None, "safe")]
        held = np.mean(safe) <= ASKED[0] and max(safe) <= ASKED[1]
        worst = max(of(cells, None, "safe"), key=lambda cell: cell.broken)
        print(f"{title}: limit x broken\n\n{simulation_table(cells)}\n")
        print(
            f"Asked of the safe rule: at most {percent(ASKED[0])} on average and"
            f" {percent(ASKED[1])} in the worst case: {'kept' if held else 'NOT KEPT'}."
            f" Worst: {worst.data}, {worst.algorithm}, x = {worst.limit:.0%}.\n"
        )
    print(f"chosen on validation, limit x broken on test\n\n{real_table(real)}\n")
    print(
        f"error of one test at {percent(ALPHA)}, where whoever loses, loses everything: the"
        f" largest of several numbers of learners\n\n{exact_table()}\n"
    )
    print(f"{time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
