"""The principles of the recommender's own lists and of the policy's, side by side."""

from __future__ import annotations

import numpy as np
import pandas as pd

from equity_core.metrics.evaluate import Evaluation


def principles(before: Evaluation, after: Evaluation) -> pd.DataFrame:
    """A row a principle, in order: before and after (means), their sds over learners, change, and
    the mean target."""
    known = ~np.isnan(after.per_learner_consistency)
    targets = (
        np.broadcast_to(after.targets, after.values.shape)[known] if known.any() else after.targets
    )
    was, now = before.principles, after.principles
    columns = {
        "before": was["mean"],
        "after": now["mean"],
        "before_sd": was["sd"],
        "after_sd": now["sd"],
    }
    # As plain arrays: all have the same rows, and looking for that takes longer than all the rest.
    found = {name: column.to_numpy() for name, column in columns.items()}
    found |= {"change": found["after"] - found["before"], "target": targets.mean(axis=0)}
    return pd.DataFrame(found, index=pd.Index(after.names, name="principle"))
