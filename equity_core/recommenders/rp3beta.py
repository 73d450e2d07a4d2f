"""RP3Beta: P3Alpha with popular courses held back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from equity_core.progress import Progress
from equity_core.recommenders.base import Training
from equity_core.recommenders.p3alpha import walk
from equity_core.recommenders.sparse_products import Product


@dataclass(frozen=True)
class RP3Beta:
    """Scores as P3Alpha does, and divides each course's entries by its popularity to the power β.

    The division comes before each row keeps its ``neighbours`` largest entries; no normalisation
    after that.
    """

    alpha: float = 0.6
    beta: float = 0.3
    neighbours: int = 200

    name: ClassVar[str] = "rp3beta"

    def fit(self, training: Training, progress: Progress | None = None) -> Product:
        """Walk from each course to its nearest, less the popular ones."""
        return walk(training, self.alpha, self.beta, self.neighbours)
