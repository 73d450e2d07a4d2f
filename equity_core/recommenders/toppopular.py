"""TopPopular: what many learners took."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from equity_core.progress import Progress
from equity_core.recommenders.base import Training
from equity_core.recommenders.topn import Top, dense_top


@dataclass(frozen=True)
class TopPopular:
    """Scores each course with the number of learners who took it; the same list for all, less each
    one's past."""

    name: ClassVar[str] = "toppopular"

    def fit(self, training: Training, progress: Progress | None = None) -> Counted:
        """Count."""
        return Counted(training)


@dataclass(frozen=True, eq=False)
class Counted:
    """The popularity of each course."""

    training: Training

    def top(self, rows: slice, n: int) -> Top:
        """See :meth:`equity_core.recommenders.base.Fitted.top`. Only as many popular courses are
        examined as are needed for n to be left without what is barred.
        """
        past = self.training.barred(rows)
        few = self.training.by_popularity[: n + int(np.diff(past.indptr).max(initial=0))]
        scores = np.broadcast_to(
            self.training.popularity[few].astype(np.float32), (past.shape[0], len(few))
        )
        places, values = dense_top(scores, past[:, few], n)
        return np.where(places < 0, np.int32(-1), few[places].astype(np.int32)), values
