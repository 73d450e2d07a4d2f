"""Another system's scores for one data set: ids in the data set's type, the order of a matrix's
rows and columns where no ids are given, and a warning where the order looks shuffled."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from equity_core.importers.relevance.alignment import CLEAR, Alignment, alignment, some
from equity_core.importers.relevance.formats import Form, match_ids, read_relevance, sniff
from equity_core.importers.relevance.lists import score_of_rank
from equity_core.importers.report import Report

if TYPE_CHECKING:
    from equity_core.bundle import Bundle

SURE = 6.0
"""Another order than the usual one is taken only if it is this many standard deviations from
chance."""
_RUNS = re.compile(r"(\d+)")
_SHUFFLED = (
    "the scores show no sign of belonging to these learners: they agree with the courses that each"
    " learner took no better than scores dealt out at random would"
)
_NUMBERS, _TEXT, _TABLE = (
    "in the order of their numbers",
    "in the order of their ids as text (1, 10, 2)",
    "in the order of the courses table",
)


def natural_order(ids: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """The positions of ids in the order in which people count: 2 before 10, k2 before k10."""
    if ids.dtype.kind in "iu":
        return np.argsort(ids, kind="stable")

    def key(at: int) -> tuple[tuple[int, int, str], ...]:
        runs = _RUNS.split(str(ids[at]))
        return tuple((0, int(run), run) if run.isdecimal() else (1, 0, run) for run in runs if run)

    return np.array(sorted(range(len(ids)), key=key), dtype=np.int64)


def relevance_for(
    bundle: Bundle,
    path: str | Path,
    form: Form | None = None,
    learner_ids: Sequence[Any] | None = None,
    course_ids: Sequence[Any] | None = None,
    *,
    candidates: int | None = None,
    report: Report | None = None,
) -> pd.DataFrame:
    """A relevance file as a frame for :meth:`equity_core.Bundle.with_relevance`.

    ``learner_ids`` and ``course_ids`` name a matrix's rows and columns. Where they are not given,
    the rows are the bundle's learners in the order of their numbers and the columns its courses in
    the order of their table, unless the scores themselves say otherwise: if they fit the
    interactions in another usual order (ids as text, courses by number) and not in this one, that
    one is taken, with a warning. If several orders are possible and the scores fit in none of them,
    the file is refused: only a list of ids can tell. A file of any kind whose scores do not fit the
    learners is read, with a warning.
    """
    path = Path(path)
    report = Report(path.name) if report is None else report.of(path.name)
    given = (_as_known(learner_ids, bundle.learner_ids), _as_known(course_ids, bundle.course_ids))
    if (form or sniff(path, report)) in ("npy", "npz") and None in given:
        frame, found = _matrix(bundle, path, form, given, candidates, report)
    else:
        rows, columns = (
            known if ids is None else ids
            for ids, known in zip(given, (bundle.learner_ids, bundle.course_ids), strict=True)
        )
        frame = read_relevance(path, form, rows, columns, candidates=candidates, report=report)
        found = alignment(bundle, frame)
    _warn(found, report)
    return frame


def scores_for(bundle: Bundle, frame: pd.DataFrame, report: Report) -> pd.DataFrame:
    """Scores that are read already (learner_id, course_id, score or rank), for one data set: ids in
    its type, ranks as scores, and a warning where they do not fit its learners."""
    if "score" not in frame:
        frame = frame.assign(score=score_of_rank(frame["rank"], report, "rank"))
    frame = match_ids(
        frame[["learner_id", "course_id", "score"]], bundle.learner_ids, bundle.course_ids, report
    )
    _warn(alignment(bundle, frame), report)
    return frame


def _warn(found: Alignment, report: Report) -> None:
    if found.shuffled:
        report.warn(f"{_SHUFFLED}. Check that ids, or the order of rows and columns, are right")


def _as_known(ids: Sequence[Any] | None, known: npt.NDArray[Any]) -> list[Any] | None:
    """Given ids in the type of the data set's, where that loses nothing."""
    if ids is None:
        return None
    if known.dtype.kind == "O":
        return [str(one) for one in ids]
    if all(re.fullmatch(r"-?\d{1,18}", str(one)) for one in ids):
        return [int(one) for one in ids]
    return list(ids)


def _orders(bundle: Bundle) -> tuple[dict[str, npt.NDArray[Any]], dict[str, npt.NDArray[Any]]]:
    """The orders that rows, and columns, may have where no ids are given, the usual one first; an
    order that equals one before it is not repeated."""
    learners, courses = bundle.learner_ids, bundle.course_ids
    rows = {_NUMBERS: learners[natural_order(learners)], _TEXT: _by_text(learners)}
    columns = {
        _TABLE: courses,
        _NUMBERS: courses[natural_order(courses)],
        _TEXT: _by_text(courses),
    }
    return _distinct(rows), _distinct(columns)


def _by_text(ids: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return ids[np.argsort(ids.astype(str), kind="stable")]


def _distinct(orders: dict[str, npt.NDArray[Any]]) -> dict[str, npt.NDArray[Any]]:
    kept: dict[str, npt.NDArray[Any]] = {}
    for name, order in orders.items():
        if not any(np.array_equal(order, other) for other in kept.values()):
            kept[name] = order
    return kept


def _matrix(
    bundle: Bundle,
    path: Path,
    form: Form | None,
    given: tuple[list[Any] | None, list[Any] | None],
    candidates: int | None,
    report: Report,
) -> tuple[pd.DataFrame, Alignment]:
    usual = _orders(bundle)
    rows, columns = (
        orders if ids is None else {"": np.asarray(ids, dtype=object if not ids else None)}
        for ids, orders in zip(given, usual, strict=True)
    )
    first = next(iter(rows.values())), next(iter(columns.values()))
    frame = read_relevance(path, form, *first, candidates=candidates, report=report)
    part = frame[frame["learner_id"].isin(some(frame["learner_id"].unique()))]
    tried = {
        (row, column): alignment(bundle, _relabelled(part, first, (ids, courses)))
        for row, ids in rows.items()
        for column, courses in columns.items()
    }
    usual_names = next(iter(tried))
    fit = {names: found.strength or 0.0 for names, found in tried.items()}
    best = max(fit, key=lambda names: fit[names])
    chosen = best if fit[best] >= SURE and fit[usual_names] < 0.7 * fit[best] else usual_names
    if len(tried) > 1 and fit[chosen] < CLEAR:
        _refuse(given, rows, columns, report)
    words = [
        f"{what} are the data set's {whose}, {order}"
        for what, whose, order in zip(
            ("rows", "columns"), ("learners", "courses"), chosen, strict=True
        )
        if order
    ]
    said = f"no ids given: {' and '.join(words)}"
    if chosen != usual_names:
        report.warn(
            f"{said}, because the scores fit what the learners took in that order"
            f" ({fit[chosen]:.0f} standard deviations from a shuffled one) and not in the usual"
            f" one ({fit[usual_names]:.1f}). Give lists of ids to be certain"
        )
    else:
        report.note(said)
    names = rows[chosen[0]], columns[chosen[1]]
    return _relabelled(frame, first, names), tried[chosen]


def _refuse(
    given: tuple[list[Any] | None, list[Any] | None],
    rows: dict[str, npt.NDArray[Any]],
    columns: dict[str, npt.NDArray[Any]],
    report: Report,
) -> None:
    for ids, orders, side, whose in (
        (given[0], rows, "rows", "learners"),
        (given[1], columns, "columns", "courses"),
    ):
        if ids is None and len(orders) > 1:
            report.fault(
                f"the {side} may be the {whose} {' or '.join(orders)}, and the scores do not tell"
                " which",
                f"give a file with the ids of the {whose}, one per line, in the order of the"
                f" {side}",
            )
    report.stop()


def _relabelled(
    frame: pd.DataFrame,
    first: tuple[npt.NDArray[Any], npt.NDArray[Any]],
    other: tuple[npt.NDArray[Any], npt.NDArray[Any]],
) -> pd.DataFrame:
    """The same cells with other ids for rows and columns."""
    changed = {
        name: ids[pd.Index(before).get_indexer(pd.Index(frame[name]))]
        for name, before, ids in zip(("learner_id", "course_id"), first, other, strict=True)
        if ids is not before
    }
    return frame.assign(**changed)
