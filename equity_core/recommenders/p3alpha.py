"""P3Alpha: a walk of three steps from the learner over courses and learners to courses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from equity_core.progress import Progress
from equity_core.recommenders.base import Training
from equity_core.recommenders.sparse_products import Product, neighbours, power, scaled, transposed


@dataclass(frozen=True)
class P3Alpha:
    """Scores a course by the chance that a random walk learner → course → learner → course ends
    there.

    Each step's probability (1/degree) is raised to α: W_ji = Σ_v (1/n_j)^α (1/n_v)^α over the
    learners v who took j and i; each row of W keeps its ``neighbours`` largest entries and is not
    normalised after that; score(u, i) = Σ_j W_ji over the past courses j of u. (The first step
    gives all courses of a learner the same factor; it changes no order and is left out.)
    """

    alpha: float = 0.8
    neighbours: int = 200

    name: ClassVar[str] = "p3alpha"

    def fit(self, training: Training, progress: Progress | None = None) -> Product:
        """Walk from each course to its nearest."""
        return walk(training, self.alpha, 0.0, self.neighbours)


def walk(training: Training, alpha: float, beta: float, n: int) -> Product:
    """P3Alpha's W with the entries of each course divided by its popularity^β."""
    matrix = training.matrix
    to_learner = transposed(scaled(matrix, columns=power(training.popularity, -alpha)))
    to_course = scaled(
        matrix,
        rows=power(np.diff(matrix.indptr), -alpha),
        columns=power(training.popularity, -beta),
    )
    return Product(training, matrix, neighbours(to_learner, to_course, n))
