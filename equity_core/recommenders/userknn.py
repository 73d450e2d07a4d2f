"""UserKNN: what learners with a similar past took."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from equity_core.progress import Progress
from equity_core.recommenders.base import Training
from equity_core.recommenders.sparse_products import Product, neighbours, power, scaled, transposed


@dataclass(frozen=True)
class UserKNN:
    """Adds up, for each course, the cosine similarity of the nearest learners who took it.

    score(u, i) = Σ of cos(u, v) over the ``neighbours`` nearest learners v of u who took i; cos(u,
    v) = common courses / √(n_u n_v).
    """

    neighbours: int = 100

    name: ClassVar[str] = "userknn"

    def fit(self, training: Training, progress: Progress | None = None) -> Product:
        """Find the nearest learners of each learner."""
        matrix = training.matrix
        unit = scaled(matrix, rows=power(np.diff(matrix.indptr), -0.5))
        return Product(training, neighbours(unit, transposed(unit), self.neighbours), matrix)
