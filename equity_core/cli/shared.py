"""What the commands share: messages, tables, progress bars, the options that several have."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equity_core import resources

if TYPE_CHECKING:
    import pandas as pd

    from equity_core.bundle import Bundle
    from equity_core.importers import Cut, Report
    from equity_core.policy import Policy
    from equity_core.progress import Progress

_STYLES = {False: "dim", True: "yellow"}
BUNDLE_HELP = "A bundle: a folder with manifest.toml, a zip of it, or `demo`, which is included."


def bundle_path(given: Path) -> Path:
    """The path itself; ``demo`` stands for the packaged demo unless something of that name is
    here."""
    return resources.demo() if str(given) == resources.DEMO and not given.exists() else given


BundlePath = Annotated[Path, typer.Argument(help=BUNDLE_HELP, callback=bundle_path)]
Algorithm = Annotated[
    str, typer.Argument(help="One of the bundle's algorithms; `check` lists them.")
]
Out = Annotated[
    Path,
    typer.Option(
        "--out", "-o", help="Where the bundle goes: a folder, or a path that ends in .zip."
    ),
]
Replace = Annotated[
    bool,
    typer.Option(
        "--replace", help="Put it in the place of what is there, which is then kept aside."
    ),
]
Algorithms = Annotated[
    str | None, typer.Option(help="Names separated by commas; all ten if left out.")
]
Candidates = Annotated[int, typer.Option(min=1, help="Courses stored for each learner.")]
Seed = Annotated[int, typer.Option(min=0, help="Same seed, same result.")]
Split = Annotated[str, typer.Option(help="The split that NDCG is measured on: valid or test.")]
PolicyFile = Annotated[
    Path | None, typer.Option("--policy", help="A policy as JSON; the default policy if left out.")
]
Lam = Annotated[float | None, typer.Option("--lam", help="λ, instead of the policy's.")]
Floor = Annotated[
    float | None, typer.Option("--floor", help="Floor of consistency, instead of a single λ.")
]
K = Annotated[int | None, typer.Option("--k", help="Length of the lists, instead of the policy's.")]
TableOut = Annotated[
    Path | None, typer.Option("--out", "-o", help="Also write the table: .csv or .parquet.")
]
SplitAt = Annotated[
    str | None,
    typer.Option(help="The end of training, for example 2017-06-08 (UTC); chosen if left out."),
]
KeepFuture = Annotated[
    bool,
    typer.Option(
        "--keep-future",
        help="Let lists hold courses that appeared after the end of training, too.",
    ),
]
Valid = Annotated[
    int | None,
    typer.Option(
        min=0,
        help=(
            "How many of each learner's last training interactions become validation; left out, one"
            " where it can be spared."
        ),
    ),
]
SplitBy = Annotated[
    str | None,
    typer.Option(
        help=(
            "time (one moment), last (each learner's last courses), share (the latest share of"
            " them), random (a share at random), column (the file's own), none (all is past), or"
            " auto: column, else time while it keeps half of the learners, else last."
        )
    ),
]
Last = Annotated[
    int | None, typer.Option(min=1, help="With last: courses of each learner in the test part; 1.")
]
Share = Annotated[
    float | None,
    typer.Option(help="With share and random: the part of each learner's courses; 0.2."),
]
SplitSeed = Annotated[
    int | None, typer.Option("--split-seed", min=0, help="With random: same seed, same split; 0.")
]
MinTrain = Annotated[
    int | None,
    typer.Option(min=1, help="Learners with fewer training interactions are left out; 4."),
]
MinTest = Annotated[
    int | None,
    typer.Option(min=1, help="Learners with fewer test interactions are left out; 1."),
]


def say(message: str, *, style: str = "") -> None:
    """A remark on stderr, unwrapped and without markup."""
    from rich.console import Console
    from rich.text import Text

    Console(stderr=True).print(Text(message, style=style), soft_wrap=True)


def show(frame: pd.DataFrame, title: str) -> None:
    """A frame on stdout: as a table on a terminal, as CSV when it goes into a file or another
    program."""
    from rich.console import Console
    from rich.table import Table

    console = Console()
    if not console.is_terminal:
        typer.echo(frame.to_csv(index=False, float_format="%.6g"), nl=False)
        return
    table = Table(title=title, title_justify="left")
    for name in frame.columns:
        table.add_column(str(name), justify="right" if frame[name].dtype.kind in "iuf" else "left")
    for row in frame.itertuples(index=False):
        table.add_row(
            *(f"{value:.4f}" if isinstance(value, float) else str(value) for value in row)
        )
    console.print(table)


@contextmanager
def bar(title: str) -> Iterator[Progress]:
    """A progress bar on stderr; gone when the work is done."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    console = Console(stderr=True)
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as progress:
        task = progress.add_task(title, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


def write(frame: pd.DataFrame, path: Path) -> None:
    """A table to .csv or .parquet, by its name."""
    if path.suffix not in (".csv", ".parquet"):
        raise ValueError(f"{path.name}: a table is written as .csv or .parquet")
    path.parent.mkdir(parents=True, exist_ok=True)
    frame.to_csv(path, index=False) if path.suffix == ".csv" else frame.to_parquet(
        path, index=False
    )
    say(f"{len(frame):,} rows written to {path}")


def names(text: str | None) -> list[str] | None:
    return None if text is None else [name.strip() for name in text.split(",") if name.strip()]


def numbers(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise ValueError(
            f"{text!r} is not a list of numbers; write for example 0,0.25,0.5"
        ) from None


def policy_of(
    file: Path | None, lam: float | None = None, floor: float | None = None, k: int | None = None
) -> Policy:
    """The policy of a file, or the default, with what the options change."""
    from equity_core.policy import Policy

    policy = Policy() if file is None else Policy.from_json(file.read_text(encoding="utf-8"))
    changes: dict[str, Any] = {
        name: value
        for name, value in (("lam", lam), ("floor", floor), ("k", k))
        if value is not None
    }
    if lam is not None and floor is None:
        changes["floor"] = None
    return policy.but(**changes)


def cut_of(base: Cut | None = None, **given: Any) -> Cut:
    """How to split: the usual way, or ``base``, with what the options say."""
    from dataclasses import replace

    from equity_core.importers import Cut

    return replace(
        Cut() if base is None else base,
        **{name: value for name, value in given.items() if value is not None},
    )


def tables_of(bundle: Bundle) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Courses and interactions of a bundle with ids, as the recommenders take them."""
    log = bundle.interactions
    ids = {
        "learner_id": bundle.learner_ids[log["learner"].to_numpy()],
        "course_id": bundle.course_ids[log["course"].to_numpy()],
    }
    return bundle.courses, log.drop(columns=["learner", "course"]).assign(**ids)


def say_kept(place: Path | None) -> None:
    """Say where what was replaced is kept."""
    if place is not None:
        say(f"what was there before is kept in {place}; delete it when you do not need it")


def save(bundle: Bundle, out: Path, replace: bool) -> None:
    """Save a new bundle; one that is there is replaced only if asked for."""
    from equity_core.bundle.adding import save_new

    say_kept(save_new(bundle, out, replace=replace))


def say_if_unmeasured(bundle: Bundle, split: str) -> None:
    """Say that a data set without a part has nothing to measure relevance on."""
    if split in ("valid", "test") and split not in bundle.splits:
        say(f"there is no {split} part, so NDCG is unknown; everything else is measured")


def tell(report: Report) -> None:
    """What an importer did; what may be wrong comes last and stands out."""
    for note in sorted(report.notes, key=lambda note: note.warning):
        say(f"warning: {note}" if note.warning else str(note), style=_STYLES[note.warning])
