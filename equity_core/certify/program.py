"""A mixed-integer linear program, collected piece by piece and solved by SciPy's HiGHS."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

OPTIMAL, INFEASIBLE = 0, 2
"""What SciPy calls the two ends of a search that was not stopped."""
LEAST_GAP = 1e-7
"""The solver is never asked for more: its numbers are not more exact than this."""


@dataclass(frozen=True)
class Solution:
    """What the solver found: a bound that no solution beats, and the best solution."""

    bound: float
    """At least the maximum; −∞ where the program has no solution at all."""
    solved: bool
    """Whether the bound was proven to be the maximum (up to the gap) in time."""
    values: Floats | None
    """The variables of the best solution found; None without one."""


class Program:
    """Variables, bounds and rows, collected one by one."""

    def __init__(self) -> None:
        self.cost: list[float] = []
        self.low: list[float] = []
        self.high: list[float] = []
        self.whole: list[int] = []
        self.constant = 0.0
        self._entries: list[tuple[int, int, float]] = []
        self._at_most: list[float] = []
        self._at_least: list[float] = []

    def variable(self, low: float, high: float, *, whole: bool = False) -> int:
        """A new variable."""
        self.cost.append(0.0)
        self.low.append(low)
        self.high.append(high)
        self.whole.append(int(whole))
        return len(self.cost) - 1

    def gain(self, terms: dict[int, float], times: float = 1.0) -> None:
        """Add coefficient · variable to what is maximised."""
        for variable, value in terms.items():
            self.cost[variable] -= times * value

    def row(
        self, terms: dict[int, float], at_least: float = -np.inf, at_most: float = np.inf
    ) -> None:
        """at_least ≤ Σ coefficient · variable ≤ at_most."""
        number = len(self._at_most)
        self._entries += [
            (number, variable, value) for variable, value in terms.items() if value != 0.0
        ]
        self._at_least.append(at_least)
        self._at_most.append(at_most)

    def solve(self, time_limit: float, gap: float = 0.0) -> Solution:
        """The maximum, proven up to ``gap`` (a share of it), or the bound that was reached in
        time."""
        from scipy.optimize import Bounds, LinearConstraint, milp
        from scipy.sparse import csr_array

        ends_at = time.perf_counter() + time_limit
        rows, columns, values = zip(*self._entries, strict=True)
        matrix = csr_array((values, (rows, columns)), shape=(len(self._at_most), len(self.cost)))
        cost, low, high = np.array(self.cost), np.array(self.low), np.array(self.high)
        # What no solution can pass: every variable at its best.
        bound = self.constant - float(np.minimum(cost * high, cost * low).sum())
        best, solved = None, False
        # HiGHS may call a solution optimal although its own bound is not that low; without the
        # presolving it then proves what is missing.
        for presolve in (True, False):
            found: Any = milp(
                cost,
                integrality=np.array(self.whole),
                bounds=Bounds(low, high),
                constraints=LinearConstraint(
                    matrix, np.array(self._at_least), np.array(self._at_most)
                ),
                options={
                    "time_limit": max(ends_at - time.perf_counter(), 1e-3),
                    "mip_rel_gap": max(gap, LEAST_GAP),
                    "presolve": presolve,
                },
            )
            if found.status == INFEASIBLE:
                return Solution(float("-inf"), True, None)
            if found.mip_dual_bound is not None and np.isfinite(found.mip_dual_bound):
                bound = min(bound, self.constant - float(found.mip_dual_bound))
            if found.x is not None:
                best = found.x
                open_gap = bound - self.constant + float(found.fun)
                allowed = max(gap * abs(float(found.fun)), 10.0 * LEAST_GAP)
                solved = found.status == OPTIMAL and open_gap <= allowed
            if solved or found.status != OPTIMAL:
                break
        return Solution(bound, solved, best)
