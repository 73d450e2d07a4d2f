"""``precompute, audit, rerank, sweep, warm``: what is computed on a bundle."""

from __future__ import annotations

import tempfile
from collections.abc import Collection
from pathlib import Path
from typing import Annotated

import typer

from equity_core.cli.shared import (
    Algorithm,
    Algorithms,
    BundlePath,
    Candidates,
    Floor,
    K,
    Lam,
    PolicyFile,
    Replace,
    Seed,
    Split,
    TableOut,
    bar,
    names,
    numbers,
    policy_of,
    say,
    say_if_unmeasured,
    say_kept,
    show,
    tables_of,
    write,
)


def precompute(
    source: Annotated[Path, typer.Argument(help="A bundle, or a table of courses.")],
    interactions: Annotated[
        Path | None,
        typer.Argument(help="With a table of courses: the table of interactions, with its splits."),
    ] = None,
    algorithms: Algorithms = None,
    candidates: Candidates = 200,
    seed: Seed = 0,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            help="A folder for the relevance files; left out, they are added to the bundle.",
        ),
    ] = None,
    replace: Replace = False,
) -> None:
    """Train recommenders and write each learner's candidates."""
    from equity_core.bundle.adding import add_relevance, keep_files, refuse_known
    from equity_core.recommenders import precompute_to

    chosen = names(algorithms)
    if out is not None:
        there = {path.stem for path in out.glob("*.parquet")}
        chosen = _missing(chosen, there, replace)
        say_kept(keep_files(out, [f"{name}.parquet" for name in chosen], replace=replace))
    if interactions is not None:
        from equity_core.importers import import_tables

        if out is None:
            raise ValueError("use --out to say where the relevance files go")
        found = import_tables(source, interactions)
        with bar("training") as progress:
            paths = precompute_to(
                out,
                found.courses,
                found.interactions,
                chosen,
                candidates,
                seed,
                progress,
                found.future_courses,
                found.split_at,
            )
        say(f"{', '.join(paths)} written to {out}")
        return
    from equity_core.bundle import load_bundle

    bundle = load_bundle(source)
    if out is None:
        chosen = _missing(chosen, bundle.algorithms, replace)
        refuse_known(bundle, chosen, replace)
    with tempfile.TemporaryDirectory() as scratch:
        with bar("training") as progress:
            paths = precompute_to(
                out or scratch,
                *tables_of(bundle),
                chosen,
                candidates,
                seed,
                progress,
                bundle.future_courses,
                bundle.future.at,
            )
        if out is None:
            say_kept(add_relevance(source, paths, replace=replace))
    say(f"{', '.join(paths)} {'added' if out is None else 'written'} to {out or source}")


def _missing(chosen: list[str] | None, there: Collection[str], replace: bool) -> list[str]:
    """The algorithms to train: those named, else all that are not there yet (or all, to replace
    them)."""
    from equity_core.algorithms import ALGORITHMS

    if chosen is not None:
        return chosen
    missing = [name for name in ALGORITHMS if replace or name not in there]
    if not missing:
        raise ValueError("all ten are there already; --replace trains them again")
    if len(missing) < len(ALGORITHMS):
        kept = [name for name in ALGORITHMS if name not in missing]
        say(f"{', '.join(kept)} are there already and stay as they are")
    return missing


def audit(
    bundle: BundlePath,
    policy: PolicyFile = None,
    k: K = None,
    split: Split = "test",
    out: TableOut = None,
) -> None:
    """Measure NDCG, consistency and equality of every algorithm's own lists."""
    import pandas as pd

    import equity_core as eq

    data, base = eq.load_bundle(bundle), policy_of(policy, k=k).but(lam=0.0, floor=None)
    rows = []
    with bar("auditing") as progress:
        for done, algorithm in enumerate(data.algorithms):
            progress(done, len(data.algorithms))
            found = eq.evaluate(data, eq.rerank(data, algorithm, base).courses, base, split=split)
            rows.append(
                {
                    "algorithm": algorithm,
                    "ndcg": found.ndcg,
                    "consistency": found.consistency,
                    "equality": found.equality,
                    **found.principles["mean"],
                }
            )
    if not rows:
        raise ValueError(
            f"{bundle} has no relevance yet; `precompute` or `import relevance` adds it"
        )
    table = pd.DataFrame(rows)
    show(table, f"{data.name}: own lists, k = {base.k}, {split}")
    say_if_unmeasured(data, split)
    if out is not None:
        write(table, out)


def rerank(
    bundle: BundlePath,
    algorithm: Algorithm,
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            help="The lists: .parquet or .csv with learner_id, rank, course_id, lam, reached.",
        ),
    ],
    policy: PolicyFile = None,
    lam: Lam = None,
    floor: Floor = None,
    k: K = None,
    split: Split = "test",
) -> None:
    """Re-rank every learner's list and write the lists to a file."""
    import pandas as pd

    import equity_core as eq

    data, asked = eq.load_bundle(bundle), policy_of(policy, lam, floor, k)
    session = eq.Session(data, algorithm, asked)
    run = session.run()
    write(run.to_frame(), out)
    rows = []
    for what, courses in (("own lists", session.at_lam(0.0).courses), ("re-ranked", run.courses)):
        found = eq.evaluate(data, courses, asked, split=split)
        rows.append(
            {
                "lists": what,
                "ndcg": found.ndcg,
                "consistency": found.consistency,
                "equality": found.equality,
            }
        )
    show(pd.DataFrame(rows), f"{algorithm}, k = {asked.k}, {split}")
    say_if_unmeasured(data, split)
    if asked.floor is not None and not run.reached.all():
        say(
            f"{int((~run.reached).sum()):,} of {len(run.reached):,} learners do not reach the floor"
            f" of {asked.floor:g}"
        )


def sweep(
    bundle: BundlePath,
    algorithm: Algorithm,
    lams: Annotated[str, typer.Option(help="The λ to try.")] = "0,0.25,0.5,0.75,0.99",
    floors: Annotated[str | None, typer.Option(help="Floors to try instead.")] = None,
    method: Annotated[
        str | None,
        typer.Option(
            help="A published method to sweep instead: steck-category, steck-level, mmr, xquad or"
            " gini-welfare."
        ),
    ] = None,
    values: Annotated[
        str | None,
        typer.Option(
            help="With --method: its trade-offs, from 0 (own lists) to 1; sixteen if left out."
        ),
    ] = None,
    order: Annotated[
        str | None,
        typer.Option(
            help="With --method: lists in the recommender's order (relevance) or as picked"
            " (greedy); the policy's if left out."
        ),
    ] = None,
    policy: PolicyFile = None,
    k: K = None,
    split: Split = "test",
    out: TableOut = None,
) -> None:
    """Show what each λ, each floor, or each trade-off of a published method gains and costs."""
    import equity_core as eq

    if method is None and (values is not None or order is not None):
        raise ValueError("--values and --order belong to --method")
    if method is not None and floors is not None:
        raise ValueError("use either --floors or --method")
    data, asked = eq.load_bundle(bundle), policy_of(policy, k=k)
    with bar("sweeping") as progress:
        if method is not None:
            tried = None if values is None else numbers(values)
            table = eq.published_sweep(
                data,
                algorithm,
                asked,
                method,
                tried,
                split,
                progress,
                order=order,  # type: ignore[arg-type]
            )
        elif floors is None:
            table = eq.sweep(
                data, algorithm, asked, lams=numbers(lams), split=split, progress=progress
            )
        else:
            table = eq.floor_sweep(
                data, algorithm, asked, floors=numbers(floors), split=split, progress=progress
            )
    show(table, f"{algorithm}, k = {asked.k}, {split}")
    say_if_unmeasured(data, split)
    if out is not None:
        write(table, out)


def warm() -> None:
    """Compile the kernels now, so that nobody waits for it later."""
    import equity_core as eq

    eq.warm()
    say("the kernels are compiled")
