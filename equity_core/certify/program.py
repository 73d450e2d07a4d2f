"""The best list as a mixed-integer linear program whose optimum is never below the true one.

Maximise ``(1 − λ) Σ R_i x_i + λ (1 − Σ_m w_m g_m / |C|)`` over binary x with Σ x = k, where g_m ≥
|p_m − q_m|. Courses that are alike to every categorical principle form a group; while all means are
linear only the numbers taken of each group have to be whole. Written as:

* **mean**: q is linear in x; g ≥ p − q and g ≥ q − p. Exact.
* **balance**: with counts c_v and t courses of known label, q = 1 − Σ_{v<w} |c_v − c_w| / (t (s −
  1)). Each |c_v − c_w| is a variable e above both differences; t is replaced by k, which can only
  raise q. Exact where every label is known. A target below 1 needs g ≥ q − p too, where larger e
  would help: one binary per pair then keeps e at |c_v − c_w|; with unknown labels that side is left
  out.
* **match**: q = 1 − sqrt(1 − o), o = Σ_g sqrt(x_g c_g / k). sqrt(c_g) is concave: the chords
  between whole numbers bound it from above, and are exact there. 1 − sqrt(1 − o) is convex: it is
  bounded from above by chords over segments of o, one binary per segment, up to the largest overlap
  that the candidates allow. The other side, g ≥ q − p, takes tangents from below; o is only bounded
  from above there, so that side is loose.

Whatever is loose lets the program choose a better value than any list has, so its optimum stays an
upper bound.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


class Program:
    """Variables, bounds and rows, collected one by one; solved by SciPy's HiGHS."""

    def __init__(self) -> None:
        self.cost: list[float] = []
        self.low: list[float] = []
        self.high: list[float] = []
        self.whole: list[int] = []
        self.constant = 0.0
        self._entries: list[tuple[int, int, float]] = []
        self._at_most: list[float] = []
        self._at_least: list[float] = []

    def variable(self, low: float, high: float, *, gain: float = 0.0, whole: bool = False) -> int:
        """A new variable; ``gain`` is what one unit of it adds to the objective."""
        self.cost.append(-gain)
        self.low.append(low)
        self.high.append(high)
        self.whole.append(int(whole))
        return len(self.cost) - 1

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

    def solve(self, time_limit: float, gap: float = 0.0) -> tuple[float, bool]:
        """An upper bound of the maximum, and whether it was found in time: proven to be the maximum
        (of this program) up to ``gap``."""
        from scipy.optimize import Bounds, LinearConstraint, milp
        from scipy.sparse import csr_array

        rows, columns, values = zip(*self._entries, strict=True)
        matrix = csr_array((values, (rows, columns)), shape=(len(self._at_most), len(self.cost)))
        found: Any = milp(
            np.array(self.cost),
            integrality=np.array(self.whole),
            bounds=Bounds(np.array(self.low), np.array(self.high)),
            constraints=LinearConstraint(matrix, np.array(self._at_least), np.array(self._at_most)),
            options={"time_limit": time_limit, "mip_rel_gap": max(gap, 1e-6)},
        )
        bound = found.mip_dual_bound
        if bound is None or not np.isfinite(bound):
            # Stopped before the first relaxation was solved: what no list can pass, every course at
            # its best and every gap closed.
            return (
                self.constant
                - float(
                    np.minimum(
                        np.array(self.cost) * np.array(self.high),
                        np.array(self.cost) * np.array(self.low),
                    ).sum()
                ),
                False,
            )
        return self.constant - float(bound), bool(found.status == 0)
