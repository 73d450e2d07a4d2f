"""Random: the lower end of every comparison."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from equity_core.progress import Progress
from equity_core.recommenders.base import Dense, Training


@dataclass(frozen=True)
class Random:
    """Gives each learner and course a score drawn evenly between 0 and 1.

    Each learner draws from an own stream (seed, position), so that blocks and threads change
    nothing.
    """

    name: ClassVar[str] = "random"

    def fit(self, training: Training, progress: Progress | None = None) -> Dense:
        """Nothing to learn; a score is in (0, 1]."""

        def scores(start: int, stop: int) -> npt.NDArray[np.float32]:
            out = np.empty((stop - start, training.catalogue), np.float32)
            for row, learner in zip(out, range(start, stop), strict=True):
                np.random.default_rng((training.seed, learner)).random(out=row, dtype=np.float32)
            return 1 - out

        return Dense(training, scores)
