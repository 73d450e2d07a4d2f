"""Swaps by the slow reference: every exchange of one course for another is looked at, one round
after the other.

Each answer says whether rounding may have decided somewhere (``doubtful``): then another list is as
good, and only what holds of any answer can be compared.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.reference import ROUNDING, Candidates, World, consistency

LEAST, SLACK = 1e-9, 1e-9


@dataclass
class Swapper:
    """One learner's candidates, and what is asked of a list of them. Lists are places among the
    candidates."""

    world: World
    learner: Any
    pool: Candidates
    p: np.ndarray
    w: np.ndarray
    doubtful: bool = field(default=False)

    def places(self, courses: Any) -> list[int]:
        at = {int(course): place for place, course in enumerate(self.pool.positions)}
        return [at[int(course)] for course in courses]

    def courses(self, places: list[int]) -> set[int]:
        return {int(self.pool.positions[place]) for place in places}

    def consistency(self, lists: list[list[int]], w: np.ndarray) -> np.ndarray:
        values = self.world.values(self.learner, self.pool.positions[np.array(lists)])
        return consistency(self.p, values, w)

    def relevance(self, places: list[int]) -> float:
        return float(self.pool.relevance[places].sum())

    def objective(self, places: list[int], lam: float) -> float:
        reached = float(self.consistency([places], self.w)[0])
        return (1 - lam) * self.relevance(places) + lam * reached

    def swaps(self, here: list[int], w: np.ndarray) -> tuple[np.ndarray, ...]:
        """Every swap: place in the list, candidate, change of relevance, consistency after it."""
        free = [place for place in range(len(self.pool.positions)) if place not in here]
        pairs = np.array([(r, i) for r in range(len(here)) for i in free]).reshape(-1, 2)
        if not len(pairs):
            return (*pairs.T, np.empty(0), np.empty(0))
        lists = [[*here[:r], i, *here[r + 1 :]] for r, i in pairs]
        change = (
            self.pool.relevance[pairs[:, 1]] - self.pool.relevance[[here[r] for r in pairs.T[0]]]
        )
        return (*pairs.T, change, self.consistency(lists, w))

    def doubt(self, worth: np.ndarray, best: int, r: np.ndarray, came: np.ndarray) -> None:
        """Whether another swap is worth the same but for rounding. Candidates with the same columns
        and relevance do not count: the first one is taken."""
        twins = self.world.twins(self.pool)
        near = np.abs(worth - worth[best]) < ROUNDING
        same = (r == r[best]) & (twins[came] == twins[came[best]])
        same &= self.pool.relevance[came] == self.pool.relevance[came[best]]
        self.doubtful |= bool((near & ~same).any())

    def improve(self, greedy: list[int], own: list[int], lam: float) -> list[int]:
        """The better of two lists, then the swap that raises the objective most until none does."""
        more = self.objective(own, lam) - self.objective(greedy, lam)
        self.doubtful |= abs(more - LEAST) < ROUNDING
        here = list(own if more > LEAST else greedy)
        while True:
            r, came, change, after = self.swaps(here, self.w)
            if not len(r):
                return here
            before = float(self.consistency([here], self.w)[0])
            gain = (1 - lam) * change + lam * (after - before)
            self.doubtful |= bool((np.abs(gain - LEAST) < ROUNDING).any())
            best = int(gain.argmax())
            if gain[best] <= LEAST:
                return here
            self.doubt(gain, best, r, came)
            here[r[best]] = int(came[best])

    # ---- the floor

    def meets(self, value: float | np.ndarray, tau: float) -> Any:
        self.doubtful |= bool((np.abs(value - (tau - SLACK)) < ROUNDING).any())
        return value >= tau - SLACK

    def repair(self, here: list[int], tau: float) -> list[int] | None:
        """Swaps of least loss per gain until τ is met; the best way to meet it found on the way."""
        here, found, ones = list(here), None, np.ones_like(self.p)
        while True:
            before = float(self.consistency([here], ones)[0])
            if self.meets(np.array(before), tau):
                if found is None or self.relevance(here) > self.relevance(found):
                    found = list(here)
                return found
            r, came, change, after = self.swaps(here, ones)
            better = after > before + LEAST
            self.doubtful |= bool((np.abs(after - before - LEAST) < ROUNDING).any())
            r, came, loss, after = r[better], came[better], -change[better], after[better]
            if not len(r):
                return found
            done = self.meets(after, tau)
            if done.any():
                least = int(np.lexsort((-after, np.where(done, loss, np.inf)))[0])
                self.doubt(np.where(done, loss, np.inf), least, r, came)
                finished = [*here[: r[least]], int(came[least]), *here[r[least] + 1 :]]
                if found is None or self.relevance(finished) > self.relevance(found):
                    if found is not None:
                        close = self.relevance(finished) - self.relevance(found)
                        self.doubtful |= close < ROUNDING
                    found = finished
            gain = np.where(done, tau, after) - before
            rate = gain / np.maximum(loss, 1e-9)
            best = int(rate.argmax())
            self.doubt(rate / max(rate[best], 1.0), best, r, came)
            here[r[best]] = int(came[best])
            if found is not None:
                close = self.relevance(here) - self.relevance(found)
                self.doubtful |= abs(close) < ROUNDING and set(here) != set(found)
                if close <= 0 or set(here) == set(found):
                    return found

    def give_back(self, here: list[int], tau: float) -> list[int]:
        here, ones = list(here), np.ones_like(self.p)
        while True:
            r, came, change, after = self.swaps(here, ones)
            if not len(r):
                return here
            gain = np.where(self.meets(after, tau), change, -np.inf)
            self.doubtful |= bool((np.abs(gain - LEAST) < ROUNDING).any())
            best = int(np.lexsort((-after, -gain))[0])
            if gain[best] <= LEAST:
                return here
            self.doubt(gain, best, r, came)
            here[r[best]] = int(came[best])

    def climb(self, here: list[int], tau: float) -> list[int]:
        here, ones = list(here), np.ones_like(self.p)
        while True:
            before = float(self.consistency([here], ones)[0])
            if self.meets(np.array(before), tau):
                return here
            r, came, _, after = self.swaps(here, ones)
            if not len(r) or after.max() - before <= LEAST:
                return here
            self.doubtful |= abs(after.max() - before - LEAST) < ROUNDING
            best = int(after.argmax())
            self.doubt(after, best, r, came)
            here[r[best]] = int(came[best])

    def least_loss(self, first: list[int], own: list[int], tau: float) -> tuple[list[int], bool]:
        """The most relevant list found with a consistency of τ, and whether it has it."""
        ones = np.ones_like(self.p)

        def has(places: list[int]) -> bool:
            return bool(self.meets(self.consistency([places], ones)[0], tau))

        if has(own):
            return own, True
        reached = has(first)
        found = self.repair(own, tau)
        if found is not None:
            found = self.give_back(found, tau)
        elif not reached:
            most, other = self.climb(own, tau), self.climb(first, tau)
            values = self.consistency([most, other], ones)
            self.doubtful |= abs(values[0] - values[1]) < ROUNDING and set(most) != set(other)
            best = most if values[0] > values[1] else other
            return (self.give_back(best, tau), True) if has(best) else (best, False)
        if reached:
            other = self.give_back(first, tau)
            if found is not None:
                close = self.relevance(other) - self.relevance(found)
                self.doubtful |= abs(close) < ROUNDING and set(other) != set(found)
            if found is None or self.relevance(other) >= self.relevance(found):
                return other, True
        assert found is not None
        return found, True
