"""Everybody's list at any λ of a grid and at any floor, looked up instead of re-ranked: what a
slider asks for again and again.

A search over every λ (:mod:`equity_core.reranker.grid`) has had all lists in its hands; here they
are kept, some fifty a learner.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equity_core.reranker.grid import Floats, Floors, Grid, Ints, Lists


@dataclass(frozen=True, eq=False)
class Walked:
    """The lists of all learners of a session on a grid of λ that holds those of the floors."""

    lams: Floats
    starts: Ints
    lists: Lists
    floors: Floors

    @classmethod
    def of(cls, grid: Grid, floors: Floors) -> Walked:
        """Of a grid of all learners. What only the search needs is not kept: it is ten times as
        large."""
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
        """The lists that hold at a place of the grid a learner."""
        asked = np.arange(len(places)) * len(self.lams) + places
        return self.lists[np.searchsorted(self.starts, asked, side="right") - 1].astype(np.int32)
