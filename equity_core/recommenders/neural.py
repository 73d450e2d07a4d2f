"""What GMF, NeuMF and CoupledCF share: their settings, and what each of them has to define.

Training goes in two stages. Search: the last training interaction of each learner with at least
four is held out, and the net trains on the rest until NDCG at 10 on what was held out has not risen
for ``patience`` epochs; the best epoch counts. Final: the net trains on all of train, from its
start, for that number of epochs. Neither stage sees anything but ``Training``. The parameters used
are averaged over the epochs, with more weight on recent ones. How that is done:
:mod:`~equity_core.recommenders.neural_fit`; this module is light and does not import JAX.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt
from scipy import sparse

from equity_core.algorithms import label
from equity_core.progress import Progress
from equity_core.recommenders.base import Dense, Training, require

if TYPE_CHECKING:
    import jax

    from equity_core.recommenders.neural_train import Params

TUNED_AT = 3200
"""√(learners · courses) of the data that the settings were tuned on; ``batch`` grows with it."""

Start = dict[str, npt.NDArray[Any]]
"""A net's parameters before training, by name."""


@dataclass(frozen=True)
class Neural(ABC):
    """The settings: the paper's number of factors and of negatives, the others tuned on validation.

    ``l2`` holds down the embedding rows that a batch uses, ``decay`` (AdamW's) all parameters at
    each step. ``start`` is the standard deviation of the embeddings at the start. ``batch`` is the
    number of positives per step for 3,200 learners and as many courses. The search ends after
    ``patience`` epochs without a rise, but not before ``least_epochs``: curves stay flat for a
    while before they rise. ``epochs`` is for data with too few learners to validate on.
    """

    factors: int = 10
    negatives: int = 4
    learning_rate: float = 5e-3
    decay: float = 0.3
    l2: float = 0.03
    start: float = 1e-3
    batch: int = 128
    patience: int = 12
    least_epochs: int = 30
    epochs: int = 40
    most_epochs: int = 60

    name: ClassVar[str]
    label: ClassVar[str]
    family: ClassVar[str]

    def __post_init__(self) -> None:
        for field in fields(self):
            value, whole = getattr(self, field.name), isinstance(field.default, int)
            if (
                not np.isfinite(value)
                or value < 0
                or (whole and (value != int(value) or value < 1))
            ):
                kind = "a whole number, 1 or more" if whole else "a finite number, 0 or more"
                raise ValueError(f"{label(self.name)}: {field.name} is {value!r}; give {kind}")

    def fit(self, training: Training, progress: Progress | None = None) -> Dense:
        """Search for the best epoch, then train on all of train. Progress counts epochs and may
        cancel between two of them."""
        for module in ("jax", "optax"):
            require(module)
        from equity_core.recommenders.neural_fit import fit

        return fit(self, training, progress)

    def positives_a_step(self, learners: int, courses: int) -> int:
        """``batch`` for 3,200 learners and as many courses; for others in proportion to √(learners
        · courses), 8 or more.

        The decay acts on every row at every step, the gradient only on the rows that the step
        meets. So what keeps the two in balance is the number of steps between two meetings:
        learners / batch for a learner, courses / batch for a course.
        """
        return max(8, round(self.batch * math.sqrt(learners * courses) / TUNED_AT))

    @abstractmethod
    def begin(
        self, training: Training, matrix: sparse.csr_matrix[np.float32], rng: np.random.Generator
    ) -> Start:
        """The parameters before training on ``matrix``, which is all of train or the part that
        validation leaves."""

    def side(
        self, training: Training, matrix: sparse.csr_matrix[np.float32]
    ) -> dict[str, npt.NDArray[Any]]:
        """What the net knows of learners and courses beside their positions; of the interactions it
        sees ``matrix`` alone."""
        return {}

    @staticmethod
    @abstractmethod
    def logits(
        params: Params, side: Params, learner: jax.Array, courses: jax.Array
    ) -> tuple[jax.Array, list[jax.Array]]:
        """(batch, 1 + negatives) logits of pairs, the positive first, and the embedding rows that
        they used.

        Those are (batch, d) for learners and (batch, 1 + negatives, d) for courses.
        """

    @staticmethod
    @abstractmethod
    def course_part(params: Params, side: Params) -> Any:
        """What of the scores depends on the courses alone, computed once for many learners."""

    @staticmethod
    @abstractmethod
    def scores(params: Params, side: Params, part: Any, learner: jax.Array) -> jax.Array:
        """(courses,) logits of one learner with the whole catalogue; of a pair it says what
        ``logits`` says."""
