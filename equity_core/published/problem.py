"""What every published method is given: the candidates, scaled relevance and list length of a
policy, and the labels that it looks at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from equity_core.metrics.kernel_data import frozen
from equity_core.metrics.targets import Rows, judged, targets_of
from equity_core.principles import codes
from equity_core.reranker.resolve import ask_of, candidates_of
from equity_core.threads import over_ranges

if TYPE_CHECKING:
    from equity_core.bundle import Bundle
    from equity_core.policy import Policy
    from equity_core.published.kernels import Labels
    from equity_core.reranker.kernels_prepare import Ask, Candidates

Lists = npt.NDArray[np.int32]
"""(learners, k) course positions; −1 = no course."""


@dataclass(frozen=True, eq=False)
class Problem:
    """One bundle, algorithm and policy, as the published methods take them. The policy's λ, floor,
    strategy and weights are not used: every method has its own trade-off, and consistency counts
    every principle alike."""

    bundle: Bundle
    policy: Policy
    candidates: Candidates
    ask: Ask
    targets: Rows
    blocks: Sequence[tuple[int, int]] | None = None
    """The learners that get a list, as ranges; None: all of them. The others' lists stay empty."""

    @classmethod
    def of(
        cls,
        bundle: Bundle,
        algorithm: str,
        policy: Policy,
        blocks: Sequence[tuple[int, int]] | None = None,
    ) -> Problem:
        """Resolve a policy; an unknown algorithm is a KeyError that lists the known ones."""
        bundle = judged(bundle, policy)
        targets = targets_of(bundle, policy)
        ask = ask_of(bundle, policy, targets, np.ones((1, targets.shape[1])))
        return cls(bundle, policy, candidates_of(bundle, algorithm), ask, targets, blocks)

    def learners(self) -> npt.NDArray[np.bool_]:
        """Which learners get a list, if they have candidates."""
        out = np.full(len(self.bundle.learner_ids), self.blocks is None)
        for lo, hi in self.blocks or ():
            out[lo:hi] = True
        return out

    def empty(self) -> Lists:
        """Lists without any course, to be filled in."""
        return np.full((len(self.bundle.learner_ids), self.policy.k), -1, dtype=np.int32)

    def over(self, kernel: Callable[[int, int], object]) -> None:
        """Call ``kernel(lo, hi)`` on ranges that cover the learners."""
        if self.blocks is None:
            over_ranges(kernel, len(self.bundle.learner_ids))
            return
        for lo, hi in self.blocks:
            kernel(lo, min(hi, len(self.bundle.learner_ids)))

    def greedy(self, method: int, trade: float, labels: Labels) -> Lists:
        """The lists of a method of the shared greedy loop, in the order picked."""
        from equity_core.published.kernels import greedy_range

        out, ask = self.empty(), self.ask
        self.over(
            lambda lo, hi: greedy_range(
                self.candidates, labels, method, trade, ask.k, ask.scale, ask.catalogue, lo, hi, out
            )
        )
        return out

    def in_own_order(self, lists: Lists) -> Lists:
        """The same courses in the recommender's own order: by score, then position."""
        from equity_core.published.kernels import own_order_range

        out = lists.copy()
        self.over(lambda lo, hi: own_order_range(self.candidates, lo, hi, out))
        return out


def labels_of(bundle: Bundle, columns: Sequence[str], *, unknown_is_label: bool) -> Labels:
    """The labels of some columns of the courses. An unknown one is a label like any other, or
    none."""
    from equity_core.published.kernels import Labels

    found = [codes(bundle.courses[name], unknown_is_value=unknown_is_label) for name in columns]
    coded = np.stack([code for code, _ in found], axis=1)
    offsets = np.concatenate([[0], np.cumsum([len(values) for _, values in found])])
    rows, group = np.unique(coded, axis=0, return_inverse=True)
    return Labels(
        offsets=frozen(offsets, np.int64),
        group=frozen(group.reshape(-1), np.int32),
        slots=frozen(np.where(rows < 0, -1, rows + offsets[:-1]).T, np.int64),
        past_indptr=frozen(bundle.past.indptr, np.int64),
        past_courses=frozen(bundle.past.indices, np.int32),
    )


def label_columns(bundle: Bundle) -> list[str]:
    """The columns of the categorical principles, each once."""
    return list(dict.fromkeys(p.column for p in bundle.principles if p.kind != "mean"))
