"""`make bench`: the re-ranker against its opponents, at the paper's size, and as it grows, as
tables of ratios measured in one run.

Parts can be chosen: ``make bench ARGS="opponents growth"`` (all three by default: opponents, paper,
growth).
"""

from __future__ import annotations

import functools
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import equity_core as eq
from equity_core.bundle.relevance import Relevance
from equity_core.metrics.kernel_data import kernel_data
from equity_core.synth import relevance_frame, synthesise, synthetic_relevance
from tests.benchmarks.opponents import numpy_greedy, pyversity_list
from tests.benchmarks.timing import best_of, machine, peak_memory, table

LAM, K = 0.9, 10
BENT = {
    "familiarity": 0.9,
    "validity": 0.5,
    "learnability": 0.6,
    "variety": 0.4,
    "quality": 0.8,
    "manageability": 0.7,
    "affordability": 0.3,
}
PAPER = (43_021, 24_321)
PAPER_ROUNDS = 5
FIRST = eq.Policy(order="greedy", floor_method="first-lambda", method="greedy")
NOW = eq.Policy()
PAPER_POLICIES = {
    "lam_first": FIRST.but(lam=LAM),
    "lam_now": NOW.but(lam=LAM),
    "floor_first": FIRST,
    "floor_now": NOW,
    "floor_catalogue_first": FIRST.but(pool="catalogue"),
    "floor_catalogue_now": NOW.but(pool="catalogue"),
    "lam_catalogue_first": FIRST.but(lam=LAM, pool="catalogue"),
    "lam_catalogue_now": NOW.but(lam=LAM, pool="catalogue"),
}
"""Re-ranking alone; a floor's τ comes from the own lists."""
ASKED = (3.0, 4.0)
"""The least-loss floor: at most so many times the first edition's, and so many seconds."""


class Scored:
    """A bundle with scores that were never written to a table: ten million rows of ids would be in
    the way."""

    def __init__(self, bundle: eq.Bundle, scores: Relevance) -> None:
        self._bundle, self._scores = bundle, scores

    def __getattr__(self, name: str) -> Any:
        return getattr(self._bundle, name)

    def relevance(self, algorithm: str) -> Relevance:
        return self._scores


def scored_world(learners: int, courses: int, candidates: int) -> Scored:
    world = synthesise(learners, courses, seed=1)
    bundle = eq.Bundle.from_frames(
        world.courses,
        world.interactions,
        now=world.now,
        opened=world.opened,
        name=world.name,
        synthetic=True,
    )
    return Scored(bundle, synthetic_relevance(world, candidates))


def opponents() -> str:
    """Per learner, seven principles, k = 10: ours over all learners, on all cores; the opponents,
    which have no batch call, one by one."""
    rows = []
    for candidates in (100, 500):
        bundle: Any = scored_world(2_000, 1_500, candidates)
        count = len(bundle.learner_ids)
        world, scores, rng = kernel_data(bundle), bundle.relevance(""), np.random.default_rng(0)
        mine = scores.courses[scores.indptr[7] : scores.indptr[8]]
        size = len(mine)
        relevance = np.linspace(1.0, 0.0, size)
        category, level = (
            world.labels[mine, 0].astype(np.int64),
            np.maximum(world.labels[mine, 1], 0).astype(np.int64),
        )
        shares = np.bincount(
            world.labels[bundle.past.row(7), 0], minlength=int(world.sizes[0])
        ).astype(float)
        embeddings, as_float32 = (
            rng.normal(size=(size, 32)).astype(np.float32),
            relevance.astype(np.float32),
        )
        levels = int(world.sizes[1])

        past_shares, means, ones = shares / shares.sum(), world.means[mine], np.ones(7)
        plain = functools.partial(
            numpy_greedy, relevance, means, category, level, past_shares, LAM, K, levels, ones
        )
        jobs = {
            "ones": lambda bundle=bundle: eq.rerank(bundle, "", eq.Policy(lam=LAM, k=K)),
            "bent": lambda bundle=bundle: eq.rerank(
                bundle, "", eq.Policy(lam=LAM, k=K, targets=BENT)
            ),
            "pyversity": lambda e=embeddings, r=as_float32: [
                pyversity_list(e, r, K) for _ in range(20)
            ],
            "numpy": lambda plain=plain: [plain() for _ in range(20)],
        }
        for job in jobs.values():
            job()
        best = best_of(jobs, rounds=25)
        each = {
            name: seconds / (count if name in ("ones", "bent") else 20) * 1e6
            for name, seconds in best.items()
        }
        for name, label in (("ones", "all 1"), ("bent", "0.3 to 0.9")):
            rows.append(
                (
                    candidates,
                    label,
                    f"{each[name]:.2f}",
                    f"{each['pyversity']:.0f}",
                    f"{each['numpy']:.0f}",
                    f"{each[name] / each['pyversity']:.3f}",
                    f"{each['numpy'] / each[name]:.0f}",
                )
            )
    heads = [
        "candidates",
        "targets",
        "ours, µs a learner",
        "pyversity, µs",
        "NumPy, µs",
        "ours / pyversity",
        "NumPy / ours",
    ]
    return "### Against two opponents\n\n" + table(heads, rows)


def _paper_child(folder: str) -> None:
    """In a fresh process: load the saved bundle, re-rank, evaluate; print seconds and memory as
    JSON."""
    import time

    laps: dict[str, float] = {}

    def lap(name: str, job: Callable[[], Any]) -> None:
        start = time.perf_counter()
        job()
        laps[name] = min(laps.get(name, float("inf")), time.perf_counter() - start)

    lap("warm", eq.warm)
    lap("load_bundle", lambda: eq.load_bundle(folder))
    bundle = eq.load_bundle(folder)
    lap("relevance", lambda: bundle.relevance("userknn"))

    def both(policy: eq.Policy) -> Any:
        return eq.evaluate(bundle, eq.rerank(bundle, "userknn", policy), policy)

    def alone(policy: eq.Policy) -> eq.Run:
        return eq.rerank(bundle, "userknn", policy)

    lap("first_lam", lambda: both(eq.Policy(lam=LAM)))
    laps["memory_lam"] = peak_memory()
    own = both(eq.Policy(lam=0.0))
    tau = float(np.quantile(own.per_learner_consistency, 0.78))
    jobs: dict[str, Callable[[], Any]] = {"lam": lambda: both(eq.Policy(lam=LAM))}
    for name, policy in PAPER_POLICIES.items():
        asked = policy.but(floor=tau) if name.startswith("floor") else policy
        jobs[name] = functools.partial(alone, asked)
    # In turn, so that a noisy moment hits all of them alike.
    for _ in range(PAPER_ROUNDS):
        for name, job in jobs.items():
            lap(name, job)
    laps["tau"], laps["memory"] = tau, peak_memory()
    print(json.dumps(laps))


def paper() -> str:
    """The paper's size: 43,021 learners, 24,321 courses, 200 candidates a learner."""
    with tempfile.TemporaryDirectory() as folder:
        world = synthesise(*PAPER, seed=1)
        scores: pd.DataFrame = relevance_frame(world, synthetic_relevance(world, 200))
        bundle = eq.Bundle.from_frames(
            world.courses,
            world.interactions,
            relevance={"userknn": scores},
            now=world.now,
            opened=world.opened,
            name=world.name,
            synthetic=True,
        )
        saved = str(Path(folder) / "paper")
        bundle.save(saved)
        done = subprocess.run(
            [sys.executable, "-m", "tests.benchmarks.bench_rerank", "child", saved],
            capture_output=True,
            text=True,
            check=True,
        )
    laps = json.loads(done.stdout)
    rows = [
        ("load the bundle (tables, file hashes)", f"{laps['load_bundle']:.2f} s", "", ""),
        ("read and check 8.6 million scores", f"{laps['relevance']:.2f} s", "", ""),
        (
            "one λ, re-ranked and evaluated: first time, best",
            f"{laps['first_lam']:.2f} s, {laps['lam']:.2f} s",
            "",
            "",
        ),
    ]
    for name, what in (
        ("lam", "one λ: greedy, greedy and swaps"),
        ("floor", f"floor τ = {laps['tau']:.3f}: first λ, least loss"),
        ("lam_catalogue", "one λ, the whole catalogue as pool"),
        ("floor_catalogue", "the floor, the whole catalogue as pool"),
    ):
        first, now = laps[f"{name}_first"], laps[f"{name}_now"]
        rows.append((what, f"{first:.2f} s", f"{now:.2f} s", f"{now / first:.1f}"))
    rows.append(
        (
            "resident memory after one λ, at the end",
            f"{laps['memory_lam']:.2f} GB, {laps['memory']:.2f} GB",
            "",
            "",
        )
    )
    ratio = laps["floor_now"] / laps["floor_first"]
    kept = ratio <= ASKED[0] and laps["floor_now"] <= ASKED[1]
    return (
        "### The paper's size, in a fresh process\n\n"
        + table(["what", "first edition", "now", "ratio"], rows)
        + f"\n\nAsked of the least-loss floor: at most {ASKED[0]:g} times the first edition's and"
        f" {ASKED[1]:g} s: {'kept' if kept else 'NOT KEPT'}."
    )


def growth() -> str:
    """One λ, re-ranking alone, as learners and candidates grow; ratios to proportional growth."""
    rows, base = [], None
    for learners in (1_000, 10_000, 43_021, 430_210):
        bundle: Any = scored_world(learners, PAPER[1], 200)
        seconds = best_of(
            {"": lambda bundle=bundle: eq.rerank(bundle, "", eq.Policy(lam=LAM))}, rounds=5
        )[""]
        each = seconds / learners * 1e6
        base = base or each
        rows.append(
            (
                "learners",
                f"{learners:,}",
                f"{seconds * 1e3:.1f} ms",
                f"{each:.2f}",
                f"{each / base:.2f}",
            )
        )
    base = None
    for candidates in (50, 100, 200, 500, 1_000):
        bundle = scored_world(5_000, 3_000, candidates)
        seconds = best_of(
            {"": lambda bundle=bundle: eq.rerank(bundle, "", eq.Policy(lam=LAM))}, rounds=7
        )[""]
        each = seconds / 5_000 / candidates * 1e9
        base = base or each
        rows.append(
            (
                "candidates",
                f"{candidates:,}",
                f"{seconds * 1e3:.1f} ms",
                f"{each:.1f} ns a candidate",
                f"{each / base:.2f}",
            )
        )
    heads = ["what grows", "size", "one λ", "µs a learner", "cost a unit, to the smallest size"]
    return "### As it grows\n\n" + table(heads, rows)


def main(parts: list[str]) -> None:
    if parts[:1] == ["child"]:
        _paper_child(parts[1])
        return
    eq.warm()
    print(f"Measured on {machine()}.\n")
    for part in parts or ["opponents", "paper", "growth"]:
        print({"opponents": opponents, "paper": paper, "growth": growth}[part]() + "\n", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
