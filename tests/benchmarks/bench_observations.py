"""`make bench-observations`: the verdicts on the paper's eight observations, and the bounds on
equality, on the demo and (where it is there) on the real part of COCO: the tables of
docs/methods.md.

With ``--ten`` the three recommenders that need neural training are trained, too.
"""

from __future__ import annotations

import sys
from pathlib import Path

import equity_core as eq
from equity_core.algorithms import ALGORITHMS
from equity_core.analysis.audit.recommenders import PAPER, equality_reading_sentence
from equity_core.analysis.audit.recommenders import table as recommenders_table
from equity_core.analysis.methods import bounds_frame
from equity_core.analysis.observations import check_observations, verdicts_sentence
from equity_core.importers import import_coco
from tests.benchmarks.timing import table
from tests.helpers.coco import FOLDER, coco_present

DEMO = Path(__file__).parents[2] / "data" / "demo"
NEURAL = ("gmf", "neumf", "coupledcf")


def real(names: list[str]) -> eq.Bundle:
    """The real learners with scores of these recommenders."""
    source = import_coco(FOLDER)
    return source.bundle(eq.precompute(source.courses, source.interactions, algorithms=names))


def verdicts(bundle: eq.Bundle) -> str:
    """One row per part."""
    found = check_observations(bundle, eq.Policy())
    rows = [
        (str(one.number), one.verdict, part.name, part.verdict, part.words)
        for one in found.observations
        for part in one.parts
    ]
    rows += [
        (str(one.number), one.verdict, one.reason or one.note, "", "")
        for one in found.observations
        if one.note or not one.parts
    ]
    heads = ("observation", "verdict", "part", "its verdict", "statistic")
    return f"{verdicts_sentence(found)}\n\n{table(heads, rows)}"


def bounds(bundle: eq.Bundle) -> str:
    """Gini measured, at most, and printed."""
    policy = eq.Policy(lam=0.0)
    runs = {name: eq.rerank(bundle, name, policy) for name in bundle.algorithms}
    measured = {name: eq.evaluate(bundle, run, policy) for name, run in runs.items()}
    frame = bounds_frame(bundle, {name: run.courses for name, run in runs.items()}, measured)
    rows = [
        (
            str(row["label"]),
            f"{1 - row['equality']:.3f}",
            f"{1 - row['least_by_values']:.4f}",
            f"{1 - PAPER.loc[name, 'equality']:.3f}",
            f"{row['replaced']:.2f}",
            f"{1 - row['least_by_one_list']:.3f}",
        )
        for name, row in frame.iterrows()
    ]
    heads = ("", "Gini", "at most by values", "printed", "replaced courses", "at most by one list")
    overall = recommenders_table(measured)
    guess = PAPER.loc[overall.index, "equality"]
    without = overall.drop([name for name in NEURAL if name in overall.index])
    said = [equality_reading_sentence(overall), equality_reading_sentence(without)]
    for some in (overall, without):
        there = guess[some.index]
        said.append(f"Guessing the printed mean: {(there - there.mean()).abs().mean():.3f} away.")
    return "\n\n".join([table(heads, rows), *said])


def main() -> None:
    """Print the tables."""
    worlds = {"demo": eq.load_bundle(DEMO)}
    if coco_present():
        worlds["COCO, seven"] = real([name for name in ALGORITHMS if name not in NEURAL])
        if "--ten" in sys.argv:
            worlds["COCO, ten"] = real(list(ALGORITHMS))
    for name, bundle in worlds.items():
        print(f"## {name}\n\n{verdicts(bundle)}\n\n{bounds(bundle)}\n", flush=True)


if __name__ == "__main__":
    main()
