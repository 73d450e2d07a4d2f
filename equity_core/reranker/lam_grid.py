"""Every list that learners get on a grid of λ, each measured once: this makes an exhaustive search
quick.

A learner's list stays the same over whole stretches of the grid
(:mod:`equity_core.reranker.kernels_grid`). A stretch is measured once, by the same functions that
measure any list; what one λ gives is then a matter of looking up: :class:`FloorLookup` for the
floors, :class:`ListLookup` for the lists themselves.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from equity_core.metrics.evaluate import consistency
from equity_core.metrics.kernel_data import frozen, kernel_data, kernel_order
from equity_core.progress import Progress, report
from equity_core.threads import over_ranges

if TYPE_CHECKING:
    from equity_core.reranker.api import Session

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Lists = npt.NDArray[np.int16] | npt.NDArray[np.int32]

_ROOM = 2_000_000
"""Numbers in the buffer that a thread writes lists to."""
_ROUND = 1024
"""Learners between two reports of progress."""


@dataclass(frozen=True, eq=False)
class LamGrid:
    """The lists of some learners on a grid of λ. Rows follow ``learners``; a stretch is a list with
    the λs that it holds for."""

    lams: Floats
    learners: Ints
    at: npt.NDArray[np.int32]
    """(learners, λs): the stretch that a learner is on."""
    starts: Ints
    """Per stretch, where it begins: row × number of λs + place of its first λ. Ascending."""
    lists: Lists
    """(stretches, k) course positions; −1 = no course."""
    known: Floats
    """(learners, λs): consistency as the re-ranker has it while it builds the list; the floor goes
    by it. NaN without candidates."""
    values: Floats
    """(stretches, principles): q, in the bundle's order; NaN for an empty list."""
    consistency: Floats
    """Per stretch, w = 1."""
    ndcg: dict[str, Floats]
    """Per stretch, by part; NaN with nothing to find."""


def _rows_of(
    indptr: npt.NDArray[np.int64], entries: npt.NDArray[np.int32], rows: Ints
) -> tuple[Ints, npt.NDArray[np.int32]]:
    """The given rows of a CSR table, in that order and as often as they are given, as a CSR
    table."""
    sizes = indptr[rows + 1] - indptr[rows]
    out = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    places = np.arange(out[-1]) - np.repeat(out[:-1], sizes) + np.repeat(indptr[rows], sizes)
    return out, entries[places]


def _measured(
    session: Session, lists: npt.NDArray[np.int32], rows: Ints, parts: Sequence[str]
) -> tuple[Floats, ...]:
    """Values, consistency and NDCG (one array per part) of lists; list i is of learner
    ``rows[i]``."""
    from equity_core.metrics.kernels import ndcg_range, values_range

    bundle, k = session.bundle, session.policy.k
    world, courses = kernel_data(bundle), frozen(lists, np.int32)
    indptr, past = _rows_of(world.past_indptr, world.past_courses, rows)
    found = np.empty((len(rows), len(bundle.principles)))
    values_range(
        world._replace(past_indptr=frozen(indptr, np.int64), past_courses=frozen(past, np.int32)),
        courses,
        0,
        len(rows),
        found,
    )
    values = np.empty_like(found)
    values[:, kernel_order(bundle)] = found
    targets = session.targets if len(session.targets) == 1 else session.targets[rows]
    ndcg = np.empty((len(parts), len(rows)))
    for at, part in enumerate(parts):
        positives = bundle.positives(part)
        indptr, wanted = _rows_of(
            positives.indptr.astype(np.int64), positives.indices.astype(np.int32), rows
        )
        ndcg_range(
            courses, k, frozen(indptr, np.int64), frozen(wanted, np.int32), 0, len(rows), ndcg[at]
        )
    return values, consistency(targets, values), *ndcg


def _runs(learners: Ints, most: int) -> list[tuple[int, int, int]]:
    """Learners (ascending) as stretches of neighbours, at most ``most`` each: first row, first
    learner, how many."""
    cuts = np.flatnonzero(np.diff(learners) != 1) + 1
    out = []
    for first, last in zip([0, *cuts], [*cuts, len(learners)], strict=True):
        out += [
            (row, int(learners[row]), min(most, int(last) - row))
            for row in range(int(first), int(last), most)
        ]
    return out


def rerank_grid(
    session: Session,
    learners: Ints,
    lams: Floats,
    parts: Sequence[str],
    progress: Progress | None = None,
) -> LamGrid:
    """All lists of some learners (ascending positions) on a grid of λ (ascending, from 0),
    measured.

    ``parts``: those that NDCG is taken on. Exact: the list at each λ is the one that
    ``session.at_lam`` gives.
    """
    from equity_core.reranker.kernels_grid import grid_range

    bundle, k = session.bundle, session.policy.k
    world, grid, count = kernel_data(bundle), frozen(lams, np.float64), len(lams)
    known, at = np.empty((len(learners), count)), np.empty((len(learners), count), dtype=np.int32)
    room = max(1, _ROOM // (count * k))
    # A short course position takes half the room: lists of a search are kept for the slider
    # (ListLookup).
    narrow = np.int16 if len(bundle.course_ids) <= np.iinfo(np.int16).max else np.int32
    pieces: dict[int, tuple[Any, ...]] = {}
    lock = threading.Lock()

    def work(start: int, end: int) -> None:
        lists, fresh = (
            np.empty((room, count, k), dtype=np.int32),
            np.empty((room, count), dtype=np.uint8),
        )
        for first, learner, size in _runs(learners[start:end], room):
            row = start + first
            grid_range(
                world,
                session.candidates,
                session.ask,
                grid,
                learner,
                learner + size,
                known[row : row + size],
                fresh,
                lists,
            )
            who, where = np.nonzero(fresh[:size])
            found = lists[who, where]
            made = (
                (row + who) * count + where,
                found.astype(narrow),
                *_measured(session, found, who + learner, parts),
            )
            at[row : row + size] = (
                np.cumsum(fresh[:size].ravel(), dtype=np.int32).reshape(size, count) - 1
            )
            with lock:
                pieces[row] = made

    for start in range(0, len(learners), _ROUND):
        report(progress, start, len(learners))
        here = min(_ROUND, len(learners) - start)
        over_ranges(lambda lo, hi, start=start: work(start + lo, start + hi), here)  # type: ignore[misc]
    report(progress, len(learners), len(learners))
    if not len(learners):
        pieces[0] = (
            np.empty(0, np.int64),
            np.empty((0, k), narrow),
            *_measured(session, np.empty((0, k), np.int32), learners, parts),
        )
    order = sorted(pieces)
    starts, found, values, consistent, *ndcg = (
        np.concatenate(arrays) for arrays in zip(*map(pieces.__getitem__, order), strict=True)
    )
    shift = 0
    for row, following in zip(order, [*order[1:], len(learners)], strict=True):
        at[row:following] += shift
        shift += len(pieces[row][0])
    return LamGrid(
        lams,
        learners,
        at,
        starts,
        found,
        known,
        values,
        consistent,
        dict(zip(parts, ndcg, strict=True)),
    )


def floor_lams() -> Floats:
    """The λs at which a floor can end: 0, 0.05 … 1 and the halvings between, exactly as the
    procedure computes them; 161, ascending."""
    from equity_core.reranker.kernels import GRID, HALVINGS

    out = [0.0]
    for j in range(1, GRID + 1):
        ends = [(j - 1) / GRID, j / GRID]
        for _ in range(HALVINGS):
            ends = [x for a, b in pairwise(ends) for x in (a, 0.5 * (a + b))] + [ends[-1]]
        out += ends[1:]
    return np.array(out)


class FloorLookup:
    """What any floor gives, looked up on a grid that holds :func:`floor_lams`: the procedure of the
    floor without re-ranking again."""

    def __init__(self, grid: LamGrid) -> None:
        from equity_core.reranker.kernels import GRID, HALVINGS, TIE

        self.step = 2**HALVINGS
        self.places = np.searchsorted(grid.lams, floor_lams())
        self.known = grid.known[:, self.places]
        coarse = self.known[:, :: self.step]
        # A learner who never reaches a floor gets the best of the coarse grid, at the smallest λ of
        # equals.
        best = np.zeros(len(coarse), dtype=np.int64)
        rows = np.arange(len(coarse))
        for j in range(1, GRID + 1):
            best = np.where(coarse[:, j] > coarse[rows, best] + TIE, j, best)
        self.best, self.highest = (
            best,
            np.fmax.reduce(coarse, axis=1) if len(coarse) else np.empty(0),
        )

    def at(self, floor: float) -> tuple[Ints, npt.NDArray[np.bool_]]:
        """Per learner: where on the grid's λs the floor ends, and whether it is reached (never
        without candidates)."""
        from equity_core.reranker.kernels import HALVINGS, SLACK

        rows = np.arange(len(self.known))
        meets = self.known[:, :: self.step] >= floor - SLACK
        reached = meets.any(axis=1)
        first = np.where(reached, meets.argmax(axis=1), self.best)
        upper = first * self.step
        lower = np.maximum(upper - self.step, 0)
        refine = reached & (first > 0)
        for _ in range(HALVINGS):
            middle = np.where(refine, (lower + upper) // 2, upper)
            good = self.known[rows, middle] >= floor - SLACK
            upper, lower = (
                np.where(refine & good, middle, upper),
                np.where(refine & ~good, middle, lower),
            )
        return self.places[upper], np.asarray(reached)


@dataclass(frozen=True, eq=False)
class ListLookup:
    """The lists of all learners of a session on a grid of λ that holds those of the floors."""

    lams: Floats
    starts: Ints
    lists: Lists
    floors: FloorLookup

    @classmethod
    def of(cls, grid: LamGrid, floors: FloorLookup) -> ListLookup:
        """From a grid of all learners. What only the search needs is left behind: it is ten times
        as large."""
        return cls(grid.lams, grid.starts, grid.lists, floors)

    def at_lam(self, lam: float) -> npt.NDArray[np.int32] | None:
        """Everybody's list at one λ; None if the λ is not on the grid."""
        place = int(np.searchsorted(self.lams, lam))
        if place == len(self.lams) or self.lams[place] != lam:
            return None
        return self._lists(np.full(len(self.floors.known), place))

    def at_floor(self, floor: float) -> tuple[npt.NDArray[np.int32], Floats, npt.NDArray[np.bool_]]:
        """Everybody's list at a floor, its λ, and whether it reaches the floor."""
        places, reached = self.floors.at(floor)
        return self._lists(places), self.lams[places], reached

    def _lists(self, places: Ints) -> npt.NDArray[np.int32]:
        """The list of each learner at one place of the grid per learner."""
        asked = np.arange(len(places)) * len(self.lams) + places
        return self.lists[np.searchsorted(self.starts, asked, side="right") - 1].astype(np.int32)
