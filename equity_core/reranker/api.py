"""Re-rank everybody's list: one λ for all, or the floor."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from equity_core.metrics.kernel_data import frozen, kernel_data
from equity_core.metrics.targets import Rows, judged, targets_of
from equity_core.policy import Policy
from equity_core.reranker.resolve import ask_of, candidates_of, weights_of
from equity_core.threads import MEASURED, over_ranges

if TYPE_CHECKING:
    from equity_core.bundle import Bundle
    from equity_core.reranker.kernels_prepare import Ask, Candidates
    from equity_core.reranker.lam_grid import ListLookup


@dataclass(frozen=True, eq=False)
class Run:
    """The lists of one policy.

    Made by :func:`equity_core.rerank` and :class:`equity_core.Session`.
    """

    algorithm: str
    """The algorithm whose lists were re-ranked."""
    policy: Policy
    """The policy of the session. A run at another λ or floor has that one in ``lam``."""
    courses: npt.NDArray[np.int32]
    """(learners, k) course positions; −1 = no course."""
    lam: npt.NDArray[np.float64]
    """The λ used for each learner; NaN for a learner without a candidate. Under a floor, the first
    λ found whose greedy list meets it (the closest one, where none does)."""
    reached: npt.NDArray[np.bool_]
    """Whether each list meets the floor; all True without a floor."""
    targets: Rows
    """The targets, one row per learner, or one row for all."""
    weights: Rows
    """The weights that steered the re-ranking, one row per learner, or one row for all."""
    learner_ids: npt.NDArray[np.generic]
    """The learners' ids, in the order of the lists."""
    course_ids: npt.NDArray[np.generic]
    """The courses' ids by position."""

    def to_frame(self) -> pd.DataFrame:
        """Return the lists as a table of ids.

        Returns
        -------
        pandas.DataFrame
            One row per place of a list: learner_id, rank (from 1), course_id, lam (the λ used for
            the learner) and reached (whether the list meets the floor). Learners in the order of
            the data set, each list from its first place on; a learner without a list has no row.

        Examples
        --------
        >>> import equity_core as eq
        >>> bundle = eq.load_bundle("data/demo")
        >>> run = eq.rerank(bundle, "userknn", eq.Policy(lam=0.9, k=3))
        >>> run.to_frame().columns.tolist()
        ['learner_id', 'rank', 'course_id', 'lam', 'reached']
        """
        learner, place = np.nonzero(self.courses >= 0)
        return pd.DataFrame(
            {
                "learner_id": self.learner_ids[learner],
                "rank": place.astype(np.int32) + 1,
                "course_id": self.course_ids[self.courses[learner, place]],
                "lam": self.lam[learner],
                "reached": self.reached[learner],
            }
        )


class Session:
    """One bundle, algorithm and policy, prepared once and run for many λ or floors.

    What does not change from one λ or floor to the next is computed once.

    Parameters
    ----------
    bundle : Bundle
        The data set.
    algorithm : str
        One of the bundle's algorithms.
    policy : Policy
        Length, strategy, targets, weights, relevance scale and pool; its λ and floor are used by
        :meth:`run` only.

    Attributes
    ----------
    bundle : Bundle
        The data set, judged by the policy's principles.
    targets : numpy.ndarray
        The targets, one row per learner, or one row for all.
    weights : numpy.ndarray
        The weights that steer the re-ranking, one row per learner, or one row for all.
    candidates : Candidates
        The algorithm's candidates, as the kernels take them.
    ask : Ask
        The policy, as the kernels take it.

    Raises
    ------
    KeyError
        If the bundle has no such algorithm.
    ValueError
        If the policy names a principle or a learner that the bundle does not have, or has
        principles that do not fit it.

    Examples
    --------
    >>> import equity_core as eq
    >>> session = eq.Session(eq.load_bundle("data/demo"), "userknn", eq.Policy(k=5))
    >>> session.at_lam(0.9).courses.shape
    (2000, 5)
    >>> bool(session.at_floor(0.6).reached.all())
    True
    """

    def __init__(self, bundle: Bundle, algorithm: str, policy: Policy) -> None:
        bundle = judged(bundle, policy)
        self.bundle, self.algorithm, self.policy = bundle, algorithm, policy
        self.candidates: Candidates = candidates_of(bundle, algorithm)
        self.targets = targets_of(bundle, policy)
        self.weights = weights_of(bundle, algorithm, policy)
        self.ask: Ask = ask_of(bundle, policy, self.targets, self.weights)
        self._lookup: ListLookup | None = None
        self._known: npt.NDArray[np.float64] | None = None

    def _run(
        self,
        courses: npt.NDArray[np.int32],
        lam: npt.NDArray[np.float64],
        reached: npt.NDArray[np.bool_],
    ) -> Run:
        return Run(
            self.algorithm,
            self.policy,
            courses,
            lam,
            reached,
            self.targets,
            self.weights,
            self.bundle.learner_ids,
            self.bundle.course_ids,
        )

    def remember(self, lookup: ListLookup) -> None:
        """Keep all lists of a search: from then on they are looked up instead of computed.

        Parameters
        ----------
        lookup : ListLookup
            The lists of all learners at every λ and every floor of the search.
        """
        self._lookup = lookup

    @property
    def remembers(self) -> bool:
        """Whether lists are looked up instead of computed."""
        return self._lookup is not None

    def _over_learners(self, kernel: Callable[[int, int], object]) -> None:
        """Call ``kernel(lo, hi)`` on ranges that cover the learners of this session."""
        over_ranges(kernel, len(self.bundle.learner_ids))

    def _no_lists(self) -> npt.NDArray[np.int32]:
        return np.full((len(self.bundle.learner_ids), self.policy.k), -1, dtype=np.int32)

    def put_in_order(
        self, lists: npt.NDArray[np.int32], learners: npt.NDArray[np.int64] | None = None
    ) -> None:
        """Put lists into the order that the policy shows them in.

        Parameters
        ----------
        lists : numpy.ndarray
            One row per list; changed in place.
        learners : numpy.ndarray or None, default None
            The learner of each list, the lists of one learner beside each other; None: one list per
            learner.
        """
        from equity_core.reranker.kernels_order import order_range

        if self.policy.order == "relevance":
            rows = np.arange(len(lists)) if learners is None else learners
            whose = frozen(rows, np.int64)
            over_ranges(
                lambda lo, hi: order_range(
                    self.candidates, len(self.bundle.course_ids), whose, lo, hi, lists
                ),
                len(lists),
                MEASURED,
            )

    def at_lam(self, lam: float) -> Run:
        """Build every learner's list at one λ.

        Parameters
        ----------
        lam : float
            λ, from 0 to 1.

        Returns
        -------
        Run
            The lists.
        """
        lists = None if self._lookup is None else self._lookup.at_lam(lam)
        if lists is None:
            lists = self._make_at_lam(lam)
        return self._run(
            lists,
            np.where(lists[:, 0] < 0, np.nan, lam),
            np.ones(len(lists), dtype=np.bool_),
        )

    def _make_at_lam(self, lam: float) -> npt.NDArray[np.int32]:
        from equity_core.reranker.kernels import lam_range
        from equity_core.reranker.kernels_improve import improve_range

        world, lists = kernel_data(self.bundle), self._no_lists()
        lams, unused = frozen(np.full(len(lists), lam), np.float64), np.empty(len(lists))
        ask, candidates = self.ask, self.candidates
        swaps = self.policy.method == "greedy+swaps" and lam > 0

        def work(lo: int, hi: int) -> None:
            lam_range(world, candidates, ask, lams, lo, hi, lists, unused)
            if swaps:
                improve_range(world, candidates, ask, lams, lo, hi, lists)

        self._over_learners(work)
        self.put_in_order(lists)
        return lists

    def at_floor(self, floor: float) -> Run:
        """Build every learner's list under a floor.

        Consistencies on the grid of λ are kept for the next floor.

        Parameters
        ----------
        floor : float
            τ, the consistency that every list has to meet, from 0 to 1.

        Returns
        -------
        Run
            The lists. Where no list is found that meets the floor, ``reached`` is False and the
            list is the most consistent one found. ``lam`` is the first λ found that meets the
            floor, or, where none does, the one that comes closest.
        """
        looked_up = None if self._lookup is None else self._lookup.at_floor(floor)
        if looked_up is not None:
            return self._run(*looked_up)
        world, floors = kernel_data(self.bundle), self._first_lams(floor)
        lists, _, reached = floors
        if self.policy.floor_method == "least-loss":
            from equity_core.reranker.kernels_floor import least_loss_range

            everyone = np.ones(len(lists), dtype=np.bool_)
            self._over_learners(
                lambda lo, hi: least_loss_range(
                    world, self.candidates, self.ask, floor, lo, hi, everyone, lists, reached
                )
            )
        self.put_in_order(lists)
        return self._run(*floors)

    def _first_lams(
        self, floor: float
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
        """Return the greedy's lists at the first λ found that meets the floor.

        With them that λ, and whether one meets it.
        """
        from equity_core.reranker.kernels import GRID, floor_range

        if self._lookup is not None:
            return self._lookup.first_lams(floor)
        world, count = kernel_data(self.bundle), len(self.bundle.learner_ids)
        if self._known is None:
            self._known = np.full((count, GRID + 1), np.nan)
        known, lists = self._known, self._no_lists()
        lam, reached = np.full(count, np.nan), np.ones(count, dtype=np.bool_)
        self._over_learners(
            lambda lo, hi: floor_range(
                world, self.candidates, self.ask, floor, known, lo, hi, lists, lam, reached
            )
        )
        return lists, lam, reached

    def run(self) -> Run:
        """Build every learner's list as the policy says: at its floor if it has one, else at its λ.

        Returns
        -------
        Run
            The lists.
        """
        return (
            self.at_lam(self.policy.lam)
            if self.policy.floor is None
            else self.at_floor(self.policy.floor)
        )


def rerank(bundle: Bundle, algorithm: str, policy: Policy) -> Run:
    """Re-rank every learner's list under a policy.

    Parameters
    ----------
    bundle : Bundle
        The data set.
    algorithm : str
        One of the bundle's algorithms.
    policy : Policy
        How to re-rank.

    Returns
    -------
    Run
        The lists, and the λ used for each learner.

    Raises
    ------
    KeyError
        If the bundle has no such algorithm.
    ValueError
        If the policy names a principle or a learner that the bundle does not have, or has
        principles that do not fit it.

    Examples
    --------
    >>> import equity_core as eq
    >>> bundle = eq.load_bundle("data/demo")
    >>> run = eq.rerank(bundle, "userknn", eq.Policy(lam=0.9))
    >>> run.courses.shape
    (2000, 10)
    """
    return Session(bundle, algorithm, policy).run()
