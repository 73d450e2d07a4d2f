"""Which column is which: a proposal based on names and contents, with a confidence and a reason in
plain words for each column.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass

import pandas as pd

from equity_core.importers.columns import ColumnMap
from equity_core.importers.contents import FITS, NOTHING, Fit, fit_course_id, sample
from equity_core.importers.convert.labels import to_flags
from equity_core.importers.names import (
    ASSET_MARKS,
    REQUIRED,
    TARGETS,
    Table,
    asset_kinds,
    joined,
    names_of,
    parts,
)
from equity_core.importers.report import Report

SHARES = "published"
"""The target whose column may also be that of another."""
LEAST = 0.35
"""Below this confidence nothing is proposed."""


@dataclass(frozen=True)
class Guess:
    """``target`` is the bundle's column ("assets:video" for one asset type), ``source`` the
    file's."""

    target: str
    source: str
    confidence: float
    why: str


@dataclass(frozen=True)
class Guesses:
    """One guess a target at most, surest first within the order of the bundle's columns."""

    table: Table
    guesses: tuple[Guess, ...]
    """At most one guess per target, surest first within the order of the bundle's columns."""
    missing: tuple[str, ...]
    """Targets without a guess."""
    unused: tuple[str, ...]
    """Columns of the file that no target takes."""

    def map(self) -> ColumnMap:
        """The proposal as a column map, to be edited or applied."""
        return ColumnMap(self.table, {guess.target: guess.source for guess in self.guesses})

    def frame(self) -> pd.DataFrame:
        """The proposal as a table for a screen: target, source, confidence, why."""
        return pd.DataFrame(
            [vars(guess) for guess in self.guesses],
            columns=["target", "source", "confidence", "why"],
        )

    @property
    def enough(self) -> bool:
        """Whether every column that the table needs has a guess."""
        found = {guess.target for guess in self.guesses}
        return set(REQUIRED[self.table]) <= found and (
            self.table != "scores" or bool(found & {"score", "rank"})
        )


def name_fit(source: str, target: str) -> Fit:
    """How well a column's name says what it is: 1 for a common name, 0.8 for a stand-in, 0.75
    for a name that contains one, 0.65 for one that is close to it."""
    name, names = joined(source), names_of(target)
    shown = target.replace("_", " ")
    if name in names:
        return Fit(1.0, f"{source!r} is a common name for the {shown}")
    if name in names_of(target, stand_ins=True):
        return Fit(0.8, f"{source!r} may stand in for the {shown}")
    words = parts(source)
    runs = {
        "".join(words[start:end])
        for start in range(len(words))
        for end in range(start + 1, len(words) + 1)
    } - {
        "id",
        "name",
        "set",
        "data",
        "date",
        "note",
        "time",
        "item",
        "user",
        "course",
    }
    if hits := sorted(runs & names, key=len):
        return Fit(0.75, f"{source!r} has {hits[-1]!r} in its name, a common name for the {shown}")
    if len(name) >= 5 and difflib.get_close_matches(name, list(names), n=1, cutoff=0.86):
        return Fit(0.65, f"{source!r} is close to a common name for the {shown}")
    return Fit(0.0, "")


def guess_columns(frame: pd.DataFrame, table: Table) -> Guesses:
    """Propose which column of ``frame`` is which of the bundle's ``courses``, ``interactions`` or
    ``scores``.

    Confidence = name · (1 + contents)/2. A name that the contents contradict (a fit below 0.3) is
    not proposed. Contents without a telling name are proposed at 0.5 where they identify the column
    by themselves (dates, levels, prices with currency signs, splits).
    """
    if table not in TARGETS:
        raise ValueError(f"table is {table!r}; use one of {', '.join(TARGETS)}")
    samples = {str(column): sample(frame[column]) for column in frame.columns}
    found: list[Guess] = []
    for target in TARGETS[table]:
        check = fit_course_id if (table, target) == ("courses", "course_id") else FITS[target]
        for source, values in samples.items():
            named = name_fit(source, target)
            if named.share == 0 and target not in (
                "split",
                "timestamp",
                "last_update",
                "level",
                "price",
            ):
                continue
            content = check(values) if len(values) else NOTHING
            if named.share and content.share >= 0.3:
                found.append(
                    Guess(
                        target,
                        source,
                        round(min(0.99, named.share * (1 + content.share) / 2), 2),
                        f"{named.why}; {content.why}",
                    )
                )
            elif content.distinctive and content.share > 0.95:
                found.append(
                    Guess(
                        target, source, 0.5, f"the name {source!r} says little, but {content.why}"
                    )
                )
    # The day of publication may stand in for the last update as well: it takes no column away.
    shared = [guess for guess in found if guess.target == SHARES]
    chosen = _one_each([guess for guess in found if guess.target != SHARES]) | _one_each(shared)
    if table == "courses" and "assets" not in chosen:
        taken = {guess.source for guess in chosen.values()}
        chosen |= {guess.target: guess for guess in _asset_flags(samples, taken)}
    order = {target: at for at, target in enumerate(TARGETS[table])}
    guesses = tuple(
        sorted(
            chosen.values(), key=lambda guess: (order[guess.target.partition(":")[0]], guess.target)
        )
    )
    used, covered = (
        {guess.source for guess in guesses},
        {guess.target.partition(":")[0] for guess in guesses},
    )
    return Guesses(
        table,
        guesses,
        tuple(target for target in TARGETS[table] if target not in covered),
        tuple(name for name in samples if name not in used),
    )


def _one_each(found: list[Guess]) -> dict[str, Guess]:
    """The surest guesses with no target and no source twice; among equals the first column of the
    file wins."""
    chosen: dict[str, Guess] = {}
    taken: set[str] = set()
    for guess in sorted(
        (guess for guess in found if guess.confidence >= LEAST), key=lambda guess: -guess.confidence
    ):
        if guess.target not in chosen and guess.source not in taken:
            chosen[guess.target] = guess
            taken.add(guess.source)
    return chosen


def _asset_flags(samples: dict[str, pd.Series], taken: set[str]) -> list[Guess]:
    """Columns such as has_video or n_articles, one an asset type."""
    guesses: dict[str, Guess] = {}
    for source, values in samples.items():
        words = parts(source)
        kind = asset_kinds().get("".join(word for word in words if word not in ASSET_MARKS))
        if (
            source in taken
            or kind is None
            or kind in guesses
            or not ASSET_MARKS & set(words)
            or values.empty
        ):
            continue
        report = Report()
        to_flags(values, source, report)
        if not report.faults:
            guesses[kind] = Guess(
                f"assets:{kind}",
                source,
                0.85,
                f"{source!r} tells whether a course has the asset type {kind!r}: its values are"
                " counts or yes and no",
            )
    return list(guesses.values())
