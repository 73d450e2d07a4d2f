"""Every list that learners get on a grid of λ or of floors, each measured once: this makes an
exhaustive search quick.

A learner's list stays the same over whole stretches of a grid
(:mod:`equity_core.reranker.kernels_grid`). A stretch is measured once, by the same functions that
measure any list; what one value gives is then a matter of looking up. :class:`FloorLookup` does the
same for the first λ that meets a floor, :class:`ListLookup` for the lists themselves.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
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
Bools = npt.NDArray[np.bool_]
Lists = npt.NDArray[np.int16] | npt.NDArray[np.int32]

_ROOM = 2_000_000
"""Numbers in the buffer that a thread writes lists to."""
_ROUND = 1024
"""Learners between two reports of progress."""


@dataclass(frozen=True, eq=False)
class ListGrid:
    """The lists of some learners on a grid of λ or of floors. Rows follow ``learners``; a stretch
    is a list with the values that it holds for."""

    grid: Floats
    learners: Ints
    starts: Ints
    """Per stretch, where it begins: row × values of the grid + place of its first value.
    Ascending."""
    lists: Lists
    """(stretches, k) course positions; −1 = no course."""

    def stretches(self, places: Ints) -> Ints:
        """The stretch of each learner at one place of the grid per learner."""
        asked = np.arange(len(places)) * len(self.grid) + places
        return np.searchsorted(self.starts, asked, side="right") - 1

    def at(self, places: Ints) -> npt.NDArray[np.int32]:
        """The list of each learner at one place of the grid per learner."""
        return self.lists[self.stretches(places)].astype(np.int32)


@dataclass(frozen=True, eq=False)
class Measured:
    """The measures of every list of a grid, one row per stretch."""

    values: Floats
    """(stretches, principles): q, in the bundle's order; NaN for an empty list."""
    consistency: Floats
    """w = 1."""
    ndcg: dict[str, Floats]
    """By part; NaN with nothing to find."""


def _rows_of(
    indptr: npt.NDArray[np.int64], entries: npt.NDArray[np.int32], rows: Ints
) -> tuple[Ints, npt.NDArray[np.int32]]:
    """The given rows of a CSR table, in that order and as often as they are given, as a CSR
    table."""
    sizes = indptr[rows + 1] - indptr[rows]
    out = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    places = np.arange(out[-1]) - np.repeat(out[:-1], sizes) + np.repeat(indptr[rows], sizes)
    return out, entries[places]


def _measures(
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


def measured(session: Session, grid: ListGrid, parts: Sequence[str]) -> Measured:
    """Measure every list of a grid. ``parts``: those that NDCG is taken on."""
    rows = grid.learners[grid.starts // max(len(grid.grid), 1)]
    pieces: dict[int, tuple[Floats, ...]] = {0: ()}

    def work(lo: int, hi: int) -> None:
        pieces[lo] = _measures(session, grid.lists[lo:hi].astype(np.int32), rows[lo:hi], parts)

    over_ranges(work, len(rows))
    values, consistent, *ndcg = (
        np.concatenate(arrays)
        for arrays in zip(*(pieces[lo] for lo in sorted(pieces)), strict=True)
    )
    return Measured(values, consistent, dict(zip(parts, ndcg, strict=True)))


def _narrow(session: Session) -> type[np.int16] | type[np.int32]:
    """A short course position takes half the room: lists of a search are kept for the slider."""
    few = len(session.bundle.course_ids) <= np.iinfo(np.int16).max
    return np.int16 if few else np.int32


def _walk(
    session: Session,
    learners: Ints,
    grid: Floats,
    kernel: Callable[..., None],
    progress: Progress | None,
) -> ListGrid:
    """The lists that ``kernel(row, lo, hi, fresh, lists)`` makes of learners lo … hi − 1, whose
    first one is row ``row`` of ``learners``, in the policy's order."""
    k, count, narrow = session.policy.k, len(grid), _narrow(session)
    room = max(1, _ROOM // (count * k))
    pieces: dict[int, tuple[Any, ...]] = {0: (np.empty(0, np.int64), np.empty((0, k), narrow))}
    lock = threading.Lock()

    def work(start: int, end: int) -> None:
        lists, fresh = (
            np.empty((room, count, k), dtype=np.int32),
            np.empty((room, count), dtype=np.uint8),
        )
        for first, learner, size in _runs(learners[start:end], room):
            row = start + first
            kernel(row, learner, learner + size, fresh, lists)
            who, where = np.nonzero(fresh[:size])
            made = (row + who) * count + where, lists[who, where].astype(narrow)
            with lock:
                pieces[row] = made

    for start in range(0, len(learners), _ROUND):
        report(progress, start, len(learners))
        here = min(_ROUND, len(learners) - start)
        over_ranges(lambda lo, hi, start=start: work(start + lo, start + hi), here)  # type: ignore[misc]
    report(progress, len(learners), len(learners))
    starts, lists = (
        np.concatenate(arrays)
        for arrays in zip(*(pieces[row] for row in sorted(pieces)), strict=True)
    )
    return ListGrid(grid, learners, starts, lists)


def greedy_grid(
    session: Session, learners: Ints, lams: Floats, progress: Progress | None = None
) -> tuple[ListGrid, Floats]:
    """All lists that the greedy makes of some learners (ascending positions) on a grid of λ
    (ascending, from 0), as picked; and their consistencies (learners × λs) as the re-ranker has
    them while it builds a list, which the floor goes by. NaN without candidates."""
    from equity_core.reranker.kernels_grid import grid_range

    world, known = kernel_data(session.bundle), np.empty((len(learners), len(lams)))
    at = frozen(lams, np.float64)

    def kernel(row: int, lo: int, hi: int, fresh: Any, lists: Any) -> None:
        mine = known[row : row + hi - lo]
        grid_range(world, session.candidates, session.ask, at, lo, hi, mine, fresh, lists)

    return _walk(session, learners, lams, kernel, progress), known


def lam_grid(
    session: Session, learners: Ints, lams: Floats, progress: Progress | None = None
) -> ListGrid:
    """All lists of some learners (ascending positions) on a grid of λ (ascending, from 0).

    Exact: the list at each λ is the one that ``session.at_lam`` gives.
    """
    from equity_core.reranker.kernels_swaps import improved_grid_range

    if session.policy.method == "greedy":
        return in_order(session, greedy_grid(session, learners, lams, progress)[0])
    world, at = kernel_data(session.bundle), frozen(lams, np.float64)

    def kernel(row: int, lo: int, hi: int, fresh: Any, lists: Any) -> None:
        improved_grid_range(world, session.candidates, session.ask, at, lo, hi, fresh, lists)

    return in_order(session, _walk(session, learners, lams, kernel, progress))


def in_order(session: Session, grid: ListGrid) -> ListGrid:
    """The same lists in the order that the policy shows them in."""
    lists = grid.lists.astype(np.int32)
    session.put_in_order(lists, grid.learners[grid.starts // max(len(grid.grid), 1)])
    same: Any = lists.astype(_narrow(session))
    return ListGrid(grid.grid, grid.learners, grid.starts, same)


def floor_grid(
    session: Session,
    floors: FloorLookup,
    taus: Floats,
    progress: Progress | None = None,
) -> tuple[ListGrid, Bools]:
    """All lists of some learners on a grid of floors (ascending), and whether each meets its floor
    (learners × floors).

    Exact: the list at each floor is the one that ``session.at_floor`` gives.
    """
    from equity_core.reranker.kernels_swaps import least_loss_range

    learners, k = floors.greedy.learners, session.policy.k
    world, everyone = kernel_data(session.bundle), len(session.bundle.learner_ids)
    reached = np.zeros((len(learners), len(taus)), dtype=np.bool_)
    kept: list[tuple[Ints, npt.NDArray[Any]]] = []
    lists, met = np.full((everyone, k), -1, dtype=np.int32), np.ones(everyone, dtype=np.bool_)
    least_loss = session.policy.floor_method == "least-loss"
    wanted = np.zeros(everyone, dtype=np.bool_)
    before = np.full((len(learners), k), -2, dtype=np.int32)

    def swap(tau: float, lo: int, hi: int) -> None:
        for _, first, size in _runs(learners[lo:hi], hi - lo):
            last = first + size
            least_loss_range(
                world, session.candidates, session.ask, tau, first, last, wanted, lists, met
            )

    for place, tau in enumerate(taus):
        report(progress, place, len(taus))
        start, _, meets = floors.first_lams(float(tau))
        # Who missed the floor before keeps that list: it is the same at every higher one.
        going = met[learners] if least_loss else np.ones(len(learners), dtype=np.bool_)
        lists[learners[going]], met[learners[going]] = start[going], meets[going]
        if least_loss:
            # Whose own list meets the floor has it already.
            wanted[learners] = going & ~(floors.known[:, 0] >= tau)
            over_ranges(partial(swap, float(tau)), len(learners))
        now = lists[learners]
        session.put_in_order(now, learners)
        new = np.flatnonzero((now != before).any(axis=1))
        kept.append((new * len(taus) + place, now[new].astype(_narrow(session))))
        reached[:, place] = met[learners]
        before = now
    report(progress, len(taus), len(taus))
    starts = np.concatenate([where for where, _ in kept])
    found = np.concatenate([some for _, some in kept])
    order = np.argsort(starts, kind="stable")
    return ListGrid(taus, learners, starts[order], found[order]), reached


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
    """The first λ that meets any floor, looked up on a grid of :func:`floor_lams`: the procedure of
    the floor without re-ranking again."""

    def __init__(self, greedy: ListGrid, known: Floats) -> None:
        from equity_core.reranker.kernels import GRID, HALVINGS, TIE

        self.greedy, self.known, self.step = greedy, known, 2**HALVINGS
        coarse = self.known[:, :: self.step]
        # A learner who never reaches a floor gets the best of the coarse grid, at the smallest λ of
        # equals.
        best = np.zeros(len(coarse), dtype=np.int64)
        rows = np.arange(len(coarse))
        for j in range(1, GRID + 1):
            best = np.where(coarse[:, j] > coarse[rows, best] + TIE, j, best)
        self.best = best

    def at(self, floor: float) -> tuple[Ints, Bools]:
        """Per learner: where on the grid the floor ends, and whether it is reached (never
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
        return upper, np.asarray(reached)

    def lams(self, floor: float) -> Floats:
        """Per learner: the λ where the floor ends; NaN without candidates."""
        return np.where(np.isnan(self.known[:, 0]), np.nan, self.greedy.grid[self.at(floor)[0]])

    def first_lams(self, floor: float) -> tuple[npt.NDArray[np.int32], Floats, Bools]:
        """The greedy's list where the floor ends, that λ, and whether it meets the floor."""
        places, reached = self.at(floor)
        lams = np.where(np.isnan(self.known[:, 0]), np.nan, self.greedy.grid[places])
        return self.greedy.at(places), lams, reached


@dataclass(frozen=True, eq=False)
class ListLookup:
    """The lists of all learners of a session: at every λ and every floor of a search, and the
    greedy's at the first λ that meets any floor."""

    lams: ListGrid
    taus: ListGrid
    reached: Bools
    """(learners, floors): whether each list meets its floor."""
    floors: FloorLookup

    def at_lam(self, lam: float) -> npt.NDArray[np.int32] | None:
        """Everybody's list at one λ; None if the λ is not on the grid."""
        place = _place(self.lams.grid, lam)
        return None if place is None else self.lams.at(np.full(len(self.reached), place))

    def at_floor(self, floor: float) -> tuple[npt.NDArray[np.int32], Floats, Bools] | None:
        """Everybody's list at a floor, its λ, and whether it reaches the floor; None if the floor
        is not on the grid."""
        place = _place(self.taus.grid, floor)
        if place is None:
            return None
        lists = self.taus.at(np.full(len(self.reached), place))
        return lists, self.floors.lams(floor), self.reached[:, place].copy()

    def first_lams(self, floor: float) -> tuple[npt.NDArray[np.int32], Floats, Bools]:
        """The greedy's lists at the first λ that meets a floor, that λ, and whether one does."""
        return self.floors.first_lams(floor)


def _place(grid: Floats, value: float) -> int | None:
    """Where a value stands on a grid; None if it is not on it."""
    place = int(np.searchsorted(grid, value))
    return None if place == len(grid) or grid[place] != value else place
