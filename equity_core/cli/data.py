"""``check, split, synth, demo``: what a bundle is made of."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated

import typer

from equity_core.cli.shared import (
    BundlePath,
    Candidates,
    Last,
    MinTest,
    MinTrain,
    Out,
    Replace,
    Seed,
    Share,
    SplitAt,
    SplitBy,
    SplitSeed,
    Valid,
    bar,
    cut_of,
    names,
    save,
    say,
    tell,
    write,
)


def check(bundle: BundlePath) -> None:
    """List every fault of a bundle, or summarise it. Reads every relevance file in full."""
    from equity_core.analysis.data.provenance import future_sentence
    from equity_core.bundle import load_bundle
    from equity_core.metrics.targets import learner_targets

    data = load_bundle(bundle)
    targets = learner_targets(data)
    for algorithm in data.algorithms:
        data.relevance(algorithm)
    lines = [
        f"{data.name}{' (synthetic)' if data.synthetic else ''}",
        f"learners        {len(data.learner_ids):,}",
        f"courses         {len(data.course_ids):,}",
        f"interactions    {len(data.interactions):,}",
        *(
            f"  {split:<14}{int((data.interactions['split'] == split).sum()):,}"
            for split in data.splits
        ),
        "principles      values filled in",
        *(
            f"  {name:<14}{int(row.filled):,} of {len(data.course_ids):,} courses"
            f" ({row.share_filled:.1%})"
            for name, row in data.coverage.iterrows()
        ),
        *(["targets         learners with one of their own below 1"] if targets else []),
        *(
            f"  {name:<14}{number:,} of {len(data.learner_ids):,} learners"
            for name, number in targets.items()
        ),
        (
            "algorithms     "
            f" {', '.join(data.algorithms) or 'none yet; precompute or import relevance adds them'}"
        ),
        *(
            f"  {name:<14}{len(data.relevance(name).courses):,} candidates"
            for name in data.algorithms
        ),
        "left out or merged",
        *(
            [
                f"  {what.replace('_', ' ')}: {count:,}"
                for what, count in sorted(data.counts.items())
                if count
            ]
            or ["  nothing"]
        ),
        *([f"courses from the future\n  {said}"] if (said := future_sentence(data)) else []),
        f"fingerprint     {data.fingerprint}",
    ]
    typer.echo("\n".join(lines))
    if targets:
        say(
            "targets of single learners are in force unless a policy gives a target for all; that"
            " one then replaces theirs for its principle only"
        )
    if data.splits == ("train",):
        say("there is neither a valid nor a test split: lists can be made, but not measured")
    elif "valid" not in data.splits:
        say(
            "there is no valid split: λ would be chosen on test, which makes the choice look better"
            " than it is"
        )


def split(
    interactions: Annotated[
        Path,
        typer.Argument(help="A table of interactions: CSV, TSV, RecBole or Parquet."),
    ],
    out: Annotated[
        Path, typer.Option("--out", "-o", help="The table with a split column: .csv or .parquet.")
    ],
    split_by: SplitBy = None,
    split_at: SplitAt = None,
    min_train: MinTrain = None,
    min_test: MinTest = None,
    valid: Valid = None,
    last: Last = None,
    share: Share = None,
    split_seed: SplitSeed = None,
) -> None:
    """Split a log of interactions into train, (valid) and test."""
    from equity_core.importers import Report, split_table

    cut = cut_of(
        kind=split_by,
        at=split_at,
        min_train=min_train,
        min_test=min_test,
        valid=valid,
        last=last,
        share=share,
        seed=split_seed,
    )
    report = Report()
    table = split_table(interactions, cut, report=report)
    tell(report)
    write(table, out)


def synth(
    out: Out,
    learners: Annotated[int, typer.Option(min=1, help="Number of invented learners.")] = 2000,
    courses: Annotated[int, typer.Option(min=125, help="Number of invented courses.")] = 1500,
    seed: Seed = 0,
    algorithms: Annotated[
        str | None, typer.Option(help="Also precompute these, separated by commas.")
    ] = None,
    candidates: Candidates = 200,
    replace: Replace = False,
) -> None:
    """Make a synthetic data set of any size."""
    from equity_core.bundle import Bundle
    from equity_core.bundle.adding import refuse_existing
    from equity_core.synth import synthesise

    refuse_existing(out, replace)
    world = synthesise(learners, courses, seed)
    # Here, unlike on a platform, it is known when each course appeared.
    catalogue = world.courses.assign(published=world.catalogue.published.astype("datetime64[s]"))
    relevance = None
    if algorithms is not None:
        from equity_core.recommenders import precompute

        with bar("training") as progress:
            relevance = precompute(
                catalogue,
                world.interactions,
                names(algorithms),
                candidates,
                seed,
                progress,
                "mask",
                world.split_at,
            )
    bundle = Bundle.from_frames(
        catalogue,
        world.interactions,
        relevance,
        now=world.now,
        opened=world.opened,
        rating_scale=world.rating_scale,
        learners=world.learners,
        name=world.name,
        synthetic=True,
        description=world.description,
        provenance={"generator": "equity_core synth", "seed": seed},
        future_courses="mask",
        split_at=world.split_at,
    )
    save(bundle, out, replace)
    say(f"{bundle} saved to {out}")


def demo(
    out: Annotated[Path, typer.Option("--out", "-o", help="Where the demo bundle goes.")] = Path(
        "data/demo"
    ),
) -> None:
    """Build the synthetic demo bundle again."""
    from equity_core.synth.demo import NAME, build_demo

    manifest = out / "manifest.toml"
    if manifest.is_file():
        written = tomllib.loads(manifest.read_text(encoding="utf-8-sig")).get("name")
        if written != NAME:
            raise FileExistsError(
                f"{out} is another bundle ({written!r}); nothing was written: choose another path"
            )
    with bar("building") as progress:
        build_demo(out, progress=progress)
    say(f"the synthetic demo bundle is in {out}")
