"""``import coco | tables | relevance``: other systems' files to a bundle."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from equity_core.cli.shared import MinTest, MinTrain, Out, SplitAt, Valid, numbers, say, show, tell

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
    min_train: MinTrain = 3,
    min_test: MinTest = 1,
    valid: Valid = 0,
) -> None:
    """Import COCO with Udemy course metadata."""
    from equity_core.importers import import_coco

    found = import_coco(
        folder,
        complete=not all_courses,
        split_at=split_at,
        min_train=min_train,
        min_test=min_test,
        valid=valid,
    )
    tell(found.report)
    bundle = found.bundle()
    bundle.save(out)
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
    columns: Annotated[
        Path | None,
        typer.Option(
            "--map",
            help=(
                'Column maps as JSON: {"courses": {...}, "interactions": {...}}; guessed if left'
                " out."
            ),
        ),
    ] = None,
    preview: Annotated[
        bool,
        typer.Option(
            "--preview",
            help="Show how each column would be read, and why, and write nothing.",
        ),
    ] = False,
    ids: Annotated[str | None, typer.Option(help="Make all ids text or integer.")] = None,
    rating_scale: Annotated[str, typer.Option(help="Lowest and highest rating.")] = "1,5",
    name: Annotated[str | None, typer.Option(help="The bundle's name.")] = None,
    resplit: Annotated[
        bool,
        typer.Option("--resplit", help="Split by time even if there is a column with the split."),
    ] = False,
    split_at: SplitAt = None,
    min_train: MinTrain = 4,
    min_test: MinTest = 1,
    valid: Valid = 0,
) -> None:
    """Import any table of courses and any table of interactions."""
    import pandas as pd

    from equity_core.importers import ColumnMap, Cut, guess_columns, import_tables, read_table

    if preview:
        parts = [
            guess_columns(read_table(courses), "courses").frame().assign(table="courses"),
            guess_columns(read_table(interactions), "interactions")
            .frame()
            .assign(table="interactions"),
        ]
        frame = pd.concat(parts, ignore_index=True)
        show(frame[["table", "target", "source", "confidence", "why"]], "Proposed columns")
        return
    if out is None:
        raise ValueError("use --out to say where the bundle goes, or --preview to see the columns")
    given: dict[str, ColumnMap] = {}
    if columns is not None:
        try:
            maps = json.loads(columns.read_text(encoding="utf-8"))
            given = {
                table: ColumnMap.from_json(json.dumps({"table": table, **options}))
                for table, options in maps.items()
            }
        except (json.JSONDecodeError, AttributeError, TypeError) as error:
            raise ValueError(
                f'{columns.name}: not a pair of column maps ({error}); write {{"courses":'
                ' {"columns": {...}}, ...}'
            ) from error
    scale = numbers(rating_scale)
    if len(scale) != 2:
        raise ValueError(f"the rating scale is two numbers such as 1,5, not {rating_scale!r}")
    found = import_tables(
        courses,
        interactions,
        given.get("courses"),
        given.get("interactions"),
        ids=ids,  # type: ignore[arg-type]  # checked by the column map
        cut=Cut(split_at, min_train, min_test, valid),
        resplit=resplit,
        rating_scale=(scale[0], scale[1]),
        name=name,
    )
    tell(found.report)
    bundle = found.bundle()
    bundle.save(out)
    say(f"{bundle} saved to {out}; `precompute` or `import relevance` adds relevance")


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
) -> None:
    """Add another system's relevance or recommendation lists to a bundle."""
    from equity_core.bundle import load_bundle
    from equity_core.importers import Report, read_ids, relevance_for

    target = load_bundle(bundle)
    report = Report()
    rows = read_ids(learners, report) if learners else None
    columns = read_ids(courses, report) if courses else None
    frame = relevance_for(target, file, form, rows, columns, candidates=candidates, report=report)  # type: ignore[arg-type]  # form is checked there
    tell(report)
    algorithm = name or file.stem
    target.with_relevance({algorithm: frame}).save(bundle)
    say(
        f"{len(frame):,} rows of {frame['learner_id'].nunique():,} learners added to {bundle} as"
        f" {algorithm!r}"
    )
