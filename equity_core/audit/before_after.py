"""The principles of the recommender's own lists and of the policy's, side by side."""

from __future__ import annotations

import numpy as np
import pandas as pd

from equity_core.metrics.evaluate import Evaluation


def principles(before: Evaluation, after: Evaluation) -> pd.DataFrame:
    """A row a principle, in order: before and after (means), their sds over learners, change, and the mean target."""
    known = ~np.isnan(after.per_learner_consistency)
    targets = np.broadcast_to(after.targets, after.values.shape)[known] if known.any() else after.targets
    return pd.DataFrame(
        {
            "before": before.principles["mean"],
            "after": after.principles["mean"],
            "before_sd": before.principles["sd"],
            "after_sd": after.principles["sd"],
            "change": after.principles["mean"] - before.principles["mean"],
            "target": targets.mean(axis=0),
        },
        index=pd.Index(after.names, name="principle"),
    )
