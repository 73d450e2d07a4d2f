"""The chooser's questions answered the long way: every policy of a grid re-ranked and measured by
itself, with the public calls."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

import equity_core as eq

LAMS = [number / 1000 for number in range(1001)]


def grid(
    bundle: eq.Bundle,
    algorithm: str,
    policy: eq.Policy,
    values: Iterable[float],
    kind: str = "lam",
    *,
    choosing: str = "test",
) -> pd.DataFrame:
    """A row a λ or floor: value, NDCG on the part chosen on, equality, consistency, the lowest
    consistency, unreached, each principle."""
    session, rows = eq.Session(bundle, algorithm, policy), []
    for value in values:
        run = session.at_lam(value) if kind == "lam" else session.at_floor(value)
        found = eq.evaluate(bundle, run, policy, split=choosing)
        consistency = found.per_learner_consistency
        rows.append(
            {
                "value": value,
                "ndcg": found.ndcg,
                "equality": found.equality,
                "consistency": found.consistency,
                "lowest": np.nanmin(consistency) if (~np.isnan(consistency)).any() else np.nan,
                "unreached": int((~run.reached).sum()),
                **found.principles["mean"],
            }
        )
    return pd.DataFrame(rows)


def allowed(rows: pd.DataFrame, limit: float, own: float) -> pd.DataFrame:
    """The rows that keep a loss limit."""
    return rows[rows["ndcg"] >= (1 - limit) * own]
