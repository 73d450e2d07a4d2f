"""``certify``: how far lists are from the best possible ones."""

from __future__ import annotations

from typing import Annotated

import typer

from equity_core.cli.shared import (
    Algorithm,
    BundlePath,
    Floor,
    K,
    Lam,
    PolicyFile,
    Seed,
    TableOut,
    bar,
    policy_of,
    say,
    show,
    write,
)


def certify(
    bundle: BundlePath,
    algorithm: Algorithm,
    policy: PolicyFile = None,
    lam: Lam = None,
    floor: Floor = None,
    k: K = None,
    sample: Annotated[
        int, typer.Option(min=1, help="Number of learners to examine, chosen by the seed.")
    ] = 200,
    seed: Seed = 0,
    swap: Annotated[
        bool,
        typer.Option(
            help="Also swap single courses afterwards, as long as that helps; not under a floor."
        ),
    ] = True,
    time_limit: Annotated[
        float,
        typer.Option(min=0.1, help="Seconds per learner at most; the bound holds anyway."),
    ] = 10.0,
    out: TableOut = None,
) -> None:
    """Prove with an exact solver how close a sample of lists is to the best possible ones, and how
    close the own lists are.

    Under a λ: the share of the attainable gain. Under a floor: the relevance kept, against the most
    relevant lists that meet the floor.
    """
    import equity_core as eq
    from equity_core.analysis.learners.certificates import SWAPPED, sample_sentence, sample_summary
    from equity_core.certify import certify as prove

    data, asked = eq.load_bundle(bundle), policy_of(policy, lam, floor, k)
    run = eq.rerank(data, algorithm, asked)
    with bar("certifying") as progress:
        found = prove(
            data, run, sample=sample, seed=seed, swap=swap, time_limit=time_limit, progress=progress
        )
    table = sample_summary(found)
    if not swap:
        table = table.drop(index=SWAPPED, errors="ignore")
    what = "share of the attainable gain" if asked.floor is None else "relevance kept"
    show(table.reset_index(), f"{algorithm}, k = {asked.k}: proven {what}")
    say(sample_sentence(found, int((run.courses[:, 0] >= 0).sum())))
    if out is not None:
        write(found, out)
