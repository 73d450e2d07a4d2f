"""``import coco | tables | relevance``: other systems' files to a bundle."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from equity_core.cli.shared import (
    KeepFuture,
    Last,
    MinTest,
    MinTrain,
    Out,
    Replace,
    Share,
    SplitAt,
    SplitBy,
    SplitSeed,
    Valid,
    cut_of,
    numbers,
    save,
    say,
    say_kept,
    show,
    tell,
)

if TYPE_CHECKING:
    import pandas as pd

    from equity_core.importers import ColumnMap, Cut, Guess
    from equity_core.importers.names import Table

app = typer.Typer(
    no_args_is_help=True,
    help="Turn other systems' files into a bundle, or add their relevance to one.",
)


@app.command()
def coco(
    folder: Annotated[
        Path, typer.Argument(help="The folder with coco_courses.csv and coco_interactions.csv.")
    ],
    out: Out,
    all_courses: Annotated[
        bool, typer.Option("--all", help="Also keep courses without price, enrolment or rating.")
    ] = False,
    split_at: SplitAt = "2017-06-08",
    min_train: Annotated[
        int, typer.Option(min=1, help="Learners with fewer training interactions are left out.")
    ] = 3,
    min_test: Annotated[
        int, typer.Option(min=1, help="Learners with fewer test interactions are left out.")
    ] = 1,
    valid: Annotated[
        int,
        typer.Option(min=0, help="Each learner's training interactions that become validation."),
    ] = 0,
    keep_future: KeepFuture = False,
    replace: Replace = False,
) -> None:
    """Import COCO with Udemy course metadata."""
    from equity_core.bundle.adding import refuse_existing
    from equity_core.importers import import_coco

    refuse_existing(out, replace)
    found = import_coco(
        folder,
        complete=not all_courses,
        split_at=split_at,
        min_train=min_train,
        min_test=min_test,
        valid=valid,
        future_courses="keep" if keep_future else "mask",
    )
    tell(found.report)
    bundle = found.bundle()
    save(bundle, out, replace)
    say(f"{bundle} saved to {out}; `precompute` adds relevance")


@app.command()
def tables(
    courses: Annotated[
        Path, typer.Argument(help="The table of courses: CSV, TSV, RecBole or Parquet.")
    ],
    interactions: Annotated[
        Path, typer.Argument(help="The table of interactions, in one of the same formats.")
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", help="Where the bundle goes: a folder, or a path that ends in .zip."
        ),
    ] = None,
    description: Annotated[
        Path | None,
        typer.Option(
            "--map",
            help=(
                "An import description (import.toml): columns, ids, rating scale, split, courses"
                " from the future. What it does not say is guessed; options here prevail over it."
            ),
        ),
    ] = None,
    save_map: Annotated[
        Path | None,
        typer.Option("--save-map", help="Write the import description, guesses included."),
    ] = None,
    preview: Annotated[
        bool,
        typer.Option(
            "--preview",
            help=(
                "Show how each column would be read, and why, and what each kind of split keeps;"
                " make no bundle."
            ),
        ),
    ] = False,
    ids: Annotated[str | None, typer.Option(help="Make all ids text or integer.")] = None,
    rating_scale: Annotated[
        str | None, typer.Option(help="Lowest and highest rating; 1,5 if left out.")
    ] = None,
    name: Annotated[str | None, typer.Option(help="The bundle's name.")] = None,
    resplit: Annotated[
        bool,
        typer.Option("--resplit", help="Split again even if there is a column with the split."),
    ] = False,
    split_by: SplitBy = None,
    split_at: SplitAt = None,
    min_train: MinTrain = None,
    min_test: MinTest = None,
    valid: Valid = None,
    last: Last = None,
    share: Share = None,
    split_seed: SplitSeed = None,
    keep_future: KeepFuture = False,
    replace: Replace = False,
) -> None:
    """Import any table of courses and any table of interactions."""
    from equity_core.bundle.adding import refuse_existing
    from equity_core.importers import Description, Report, import_tables, read_table, scale_of

    if out is None and not preview:
        raise ValueError("use --out to say where the bundle goes, or --preview to see the columns")
    said = Description()
    if description is not None:
        said = Description.from_text(description.read_text(encoding="utf-8-sig"), description.name)
    cut = cut_of(
        said.split,
        kind=split_by,
        at=split_at,
        min_train=min_train,
        min_test=min_test,
        valid=valid,
        last=last,
        share=share,
        seed=split_seed,
    )
    said = dataclasses.replace(
        said,
        split=cut,
        name=name or said.name,
        ids=ids or said.ids,  # type: ignore[arg-type]  # checked by the column map
        rating_scale=said.rating_scale if rating_scale is None else scale_of(numbers(rating_scale)),
        future_courses="keep" if keep_future else said.future_courses,
    )
    if out is not None and not preview:
        refuse_existing(out, replace)
    report = Report()
    paths: dict[Table, Path] = {"courses": courses, "interactions": interactions}
    frames = {table: read_table(path, report) for table, path in paths.items()}
    maps, guesses = {}, {}
    for table, path in paths.items():
        maps[table], guesses[table] = said.map(frames[table], table, report.of(path.name))
    if save_map is not None:
        save_map.write_text(said.with_maps(maps).to_toml(), encoding="utf-8")
        say(f"the import description is in {save_map}")
    if preview:
        _preview(frames, maps, guesses, cut, (courses.name, interactions.name))
        return
    assert out is not None
    found = import_tables(
        frames["courses"],
        frames["interactions"],
        maps["courses"],
        maps["interactions"],
        cut=cut,
        resplit=resplit,
        name=said.name,
        files=(courses.name, interactions.name),
        future_courses=said.future_courses,
        report=report,
    )
    tell(found.report)
    bundle = found.bundle()
    save(bundle, out, replace)
    say(f"{bundle} saved to {out}; `precompute` or `import relevance` adds relevance")


def _preview(
    frames: dict[Table, pd.DataFrame],
    maps: dict[Table, ColumnMap],
    guesses: dict[Table, list[Guess]],
    cut: Cut,
    files: tuple[str, str],
) -> None:
    """Every column with its reason; then, on stderr, what each kind of split keeps."""
    import pandas as pd

    from equity_core.importers import kinds_frame, read_pair

    rows = []
    for table, columns in maps.items():
        why = {guess.target: guess for guess in guesses[table]}
        for target, source in columns.columns.items():
            guess = why.get(target)
            sure, reason = (1.0, "as the import description says")
            if guess is not None:
                sure, reason = guess.confidence, guess.why
            rows.append((table, target, source, sure, reason))
        rows += [(table, "(kept)", name, 1.0, "carried along") for name in columns.keep]
    show(
        pd.DataFrame(rows, columns=["table", "target", "source", "confidence", "why"]),
        "Proposed columns",
    )
    try:
        pair = read_pair(
            frames["courses"],
            frames["interactions"],
            maps["courses"],
            maps["interactions"],
            files=files,
        )
    except ValueError as error:
        say(f"what each split keeps cannot be said yet: {error}", style="yellow")
        return
    say("what each kind of split would keep (--split-by):")
    for row in kinds_frame(pair.interactions, cut).to_dict("records"):
        text = row["remark"]
        if row["learners"]:
            text = (
                f"{row['learners']:,} learners; {row['train']:,} training, {row['valid']:,}"
                f" validation and {row['test']:,} test interactions{text and '; '}{text}"
            )
        say(f"  {row['split']:<8}{text} ({row['test_part']})")


@app.command()
def relevance(
    file: Annotated[
        Path,
        typer.Argument(
            help=(
                "Lists of LensKit, RecTools, RecBole, Elliot or TREC, any table with a header, or a"
                " .npy or .npz matrix."
            )
        ),
    ],
    bundle: Annotated[Path, typer.Argument(help="The bundle to add it to.")],
    name: Annotated[
        str | None, typer.Option(help="The algorithm's name; the file's if left out.")
    ] = None,
    form: Annotated[
        str | None,
        typer.Option(
            help=(
                "table, lenskit, rectools, recbole, elliot, trec, npy or npz; detected if left out."
            )
        ),
    ] = None,
    learners: Annotated[
        Path | None,
        typer.Option(
            help=(
                "Ids of a matrix's rows, one per line; left out, the bundle's learners by number."
            )
        ),
    ] = None,
    courses: Annotated[
        Path | None,
        typer.Option(
            help=(
                "Ids of a matrix's columns, one per line; left out, the bundle's courses in the"
                " order of their table."
            )
        ),
    ] = None,
    candidates: Annotated[
        int | None,
        typer.Option(min=1, help="Keep only this many candidates per learner, the best ones."),
    ] = None,
    replace: Replace = False,
) -> None:
    """Add another system's relevance or recommendation lists to a bundle."""
    from equity_core.bundle import load_bundle
    from equity_core.bundle.adding import add_relevance, refuse_known
    from equity_core.importers import Report, read_ids, relevance_for

    target, algorithm = load_bundle(bundle), name or file.stem
    refuse_known(target, [algorithm], replace)
    report = Report()
    rows = read_ids(learners, report) if learners else None
    columns = read_ids(courses, report) if courses else None
    frame = relevance_for(target, file, form, rows, columns, candidates=candidates, report=report)  # type: ignore[arg-type]  # form is checked there
    tell(report)
    say_kept(add_relevance(bundle, {algorithm: frame}, replace=replace))
    say(
        f"{len(frame):,} rows of {frame['learner_id'].nunique():,} learners added to {bundle} as"
        f" {algorithm!r}"
    )
