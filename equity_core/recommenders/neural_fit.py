"""How a neural recommender is fitted: the search for the best epoch, then the training on all of
train. Imports JAX."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
from scipy import sparse

from equity_core.algorithms import label
from equity_core.progress import Progress, report
from equity_core.recommenders import neural_train
from equity_core.recommenders.base import Dense, Training
from equity_core.recommenders.neural import Neural
from equity_core.recommenders.neural_data import Positives, Shape, Validation, batches, hold_out

ASKED = 2000
"""Learners at most that validation asks."""

ENOUGH = 30
"""Learners that validation needs; with fewer its curve is chance, and the net trains for
``epochs``."""

STEPS = 15_000
"""Steps after which training ends, if ``most_epochs`` does not end it before: with more data a
learner's row moves further in an epoch."""

BLOCK = 256
"""Learners scored at once."""


class Run:
    """One net in training on a matrix: all of train, or the part that validation leaves."""

    def __init__(
        self,
        settings: Neural,
        training: Training,
        matrix: sparse.csr_matrix[np.float32],
        shape: Shape,
        *stream: int,
    ) -> None:
        self.net = type(settings)
        self.negatives, self.shape = settings.negatives, shape
        self.rng = np.random.default_rng([training.seed, *stream])
        self.positives = Positives.of(matrix)
        self.side = {
            name: jnp.asarray(value) for name, value in settings.side(training, matrix).items()
        }
        self.rates = neural_train.Rates(
            *(jnp.float32(rate) for rate in (settings.learning_rate, settings.decay, settings.l2))
        )
        self.state = neural_train.begin(settings.begin(training, matrix, self.rng))

    def epoch(self) -> None:
        """One pass; FloatingPointError if the loss is no longer a number."""
        drawn = batches(self.positives, self.shape, self.negatives, self.rng)
        self.state, loss = neural_train.epoch(self.net, self.state, self.side, drawn, self.rates)
        if not np.isfinite(float(loss)):
            raise FloatingPointError(
                f"{self.net.__name__}: the training diverged; use a smaller learning_rate"
            )

    def ndcg(self, validation: Validation) -> float:
        """NDCG at 10 on what was held out."""
        return neural_train.ndcg(self.net, self.state, self.side, validation)


def fit(settings: Neural, training: Training, progress: Progress | None) -> Dense:
    """Train ``settings`` on ``training``: see :mod:`equity_core.recommenders.neural`."""
    count = training.matrix.nnz
    if count == 0:
        raise ValueError(
            f"{label(settings.name)}: there are no training interactions to learn from"
        )
    shape = Shape.of(count, settings.positives_a_step(training.learners, training.catalogue))
    most = min(settings.most_epochs, max(settings.patience, STEPS // shape.steps))
    total = 2 * most

    validation = hold_out(training, ASKED, np.random.default_rng([training.seed, 0]))
    if len(validation.learner) >= ENOUGH:
        best = _search(
            Run(settings, training, validation.kept, shape, 1), settings, validation, most, progress
        )
    else:
        best = min(settings.epochs, most)

    run = Run(settings, training, training.matrix, shape, 2)
    for done in range(total - best, total):
        report(progress, done, total)
        run.epoch()
    report(progress, total, total)
    return _fitted(run, training)


def _search(
    run: Run, settings: Neural, validation: Validation, most: int, progress: Progress | None
) -> int:
    """The epoch with the best NDCG, the earliest among equals; the search ends when it is over for
    ``patience`` epochs."""
    best, top = 1, -1.0
    for number in range(1, most + 1):
        report(progress, number - 1, 2 * most)
        run.epoch()
        value = run.ndcg(validation)
        if value > top:
            best, top = number, value
        elif number >= settings.least_epochs and number - best >= settings.patience:
            break
    return best


def _fitted(run: Run, training: Training) -> Dense:
    net, params, side = (
        run.net,
        run.state.average,
        run.side,
    )  # the optimiser's state goes with the run

    def scores(start: int, stop: int) -> npt.NDArray[np.float32]:
        learners = np.zeros(BLOCK, np.int32)  # one shape, compiled once; what pads it is cut off
        learners[: stop - start] = np.arange(start, stop)
        return np.asarray(neural_train.scores(net, params, side, jnp.asarray(learners)))[
            : stop - start
        ]

    return Dense(training, scores, BLOCK)
