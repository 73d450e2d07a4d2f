"""ItemKNN: courses that were taken together with the learner's own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from equity_core.progress import Progress
from equity_core.recommenders.base import Training
from equity_core.recommenders.sparse_products import Product, neighbours, power, scaled, transposed


@dataclass(frozen=True)
class ItemKNN:
    """Adds up, for each course, its cosine similarity to the learner's courses among whose nearest
    it is.

    score(u, i) = Σ of cos(j, i) over the past courses j of u that have i among their ``neighbours``
    nearest; cos(j, i) = common learners / √(n_j n_i).
    """

    neighbours: int = 100

    name: ClassVar[str] = "itemknn"

    def fit(self, training: Training, progress: Progress | None = None) -> Product:
        """Find the nearest courses of each course."""
        unit = scaled(training.matrix, columns=power(training.popularity, -0.5))
        return Product(
            training, training.matrix, neighbours(transposed(unit), unit, self.neighbours)
        )
