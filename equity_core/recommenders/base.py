"""What a recommender is: settings that are fitted to a training part and then give every learner
the best courses.

Learners and courses are positions (rows and columns of ``Training.matrix``), never ids. An
algorithm is one small file: a frozen dataclass that holds its settings, with a ``fit`` that returns
something with a ``top``.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt
import pandas as pd

from equity_core.progress import Progress
from equity_core.recommenders.topn import Top, dense_top, stack

if TYPE_CHECKING:
    from scipy import sparse


@dataclass(frozen=True, eq=False)
class Training:
    """All that a recommender may see: the training interactions, the catalogue and a seed. Nothing
    from valid or test.

    ``matrix`` has one row per learner and one column per course, 1.0 for each distinct pair,
    indices sorted. ``courses`` is the catalogue in the order of the columns (title, category, and
    description where the platform has one). ``hidden`` courses, such as those from the future, may
    be learnt from but are no candidates; None: all are.
    """

    matrix: sparse.csr_matrix[np.float32]
    courses: pd.DataFrame
    seed: int = 0
    hidden: npt.NDArray[np.bool_] | None = None

    @property
    def learners(self) -> int:
        """Number of learners."""
        return int(self.matrix.shape[0])

    @property
    def catalogue(self) -> int:
        """Number of courses."""
        return int(self.matrix.shape[1])

    @cached_property
    def popularity(self) -> npt.NDArray[np.int64]:
        """Number of learners who took each course."""
        return np.bincount(self.matrix.indices, minlength=self.catalogue).astype(np.int64)

    @cached_property
    def by_popularity(self) -> npt.NDArray[np.int64]:
        """The courses, most popular first, ties by position."""
        return np.argsort(-self.popularity, kind="stable")

    def barred(self, rows: slice) -> sparse.csr_matrix[np.float32]:
        """What the learners in ``rows`` cannot get: an entry for each course of their past and for
        each hidden one."""
        past = self.matrix[rows]
        if self.hidden is None or not self.hidden.any():
            return past
        from scipy import sparse

        everybody = sparse.csr_matrix(np.ones((past.shape[0], 1), dtype=np.float32))
        return (past + everybody @ sparse.csr_matrix(self.hidden[None], dtype=np.float32)).tocsr()


class Fitted(Protocol):
    """A trained recommender."""

    def top(self, rows: slice, n: int) -> Top:
        """The best n courses of the learners in ``rows`` (a slice with start and stop, step 1):
        score, highest first, then position.

        Never a course of the learner's past, nor a hidden one (:meth:`Training.barred`). A
        learner's answer depends neither on the slice nor on the number of threads. A row ends in −1
        where the algorithm has no score for any further course; an algorithm that leaves courses
        out so gives scores above 0 to the others, so that a fill of 0 ranks below them. One that
        scores the whole catalogue may use any finite values.
        """
        ...


class Recommender(Protocol):
    """The settings of one algorithm: a frozen dataclass whose fields are the settings, the paper's
    as defaults."""

    name: ClassVar[str]
    """As in eq.ALGORITHMS and in file names: "userknn"."""

    def fit(self, training: Training, progress: Progress | None = None) -> Fitted:
        """Train. The same settings and the same training, seed included, give the same bits."""
        ...


@dataclass(frozen=True, eq=False)
class Dense:
    """A trained recommender that scores the whole catalogue for a block of learners at once.

    ``scores(start, stop)`` returns (stop − start, courses); finite. It is asked for at most
    ``block`` learners a time.
    """

    training: Training
    scores: Callable[[int, int], npt.NDArray[np.floating[Any]]]
    block: int = 256

    def top(self, rows: slice, n: int) -> Top:
        """See :meth:`Fitted.top`."""
        bounds = [
            (a, min(a + self.block, rows.stop)) for a in range(rows.start, rows.stop, self.block)
        ]
        barred = self.training.barred
        return stack([dense_top(self.scores(a, b), barred(slice(a, b)), n) for a, b in bounds], n)


def require(module: str) -> Any:
    """Import a module that only training needs; an ImportError says which requirements bring it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        top = module.partition(".")[0]
        raise ImportError(
            f"{top} is not installed; this recommender needs it: pip install -r"
            " requirements-train.txt",
            name=top,
        ) from error
