"""The paper's Figs. 10 to 12 as frames: measures over λ by strategy, what a loss of NDCG buys, the principles over λ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np
import pandas as pd

from equity_core.audit.choose import loss

MEASURES = ("ndcg", "consistency", "equality")
STRATEGIES = ("glob", "user", "pers")


def by_strategy(paths: Mapping[tuple[str, str], pd.DataFrame]) -> pd.DataFrame:
    """λ paths by (algorithm, strategy) in one frame, a row a point and measure: algorithm, strategy, lam, measure, value (Fig. 10)."""
    frames = []
    for (algorithm, strategy), path in paths.items():
        for measure in MEASURES:
            rows = {"algorithm": algorithm, "strategy": strategy, "lam": path["value"], "measure": measure, "value": path[measure]}
            frames.append(pd.DataFrame(rows))
    columns = ["algorithm", "strategy", "lam", "measure", "value"]
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=columns)


def bought(paths: Mapping[tuple[str, str], pd.DataFrame]) -> pd.DataFrame:
    """What a loss of NDCG buys (Fig. 11), a row a policy: algorithm, line, policy value, loss, gain_consistency, gain_equality.

    ``paths`` by (algorithm, line), where a line is a strategy or "floor". Everything is against the own lists of the algorithm, the
    first point of its λ path; a path of floors takes them from any λ path of the algorithm.
    """
    start = {algorithm: path.iloc[0] for (algorithm, _), path in paths.items() if len(path) and path.iloc[0]["kind"] == "lam"}
    frames = []
    for (algorithm, line), path in paths.items():
        if algorithm not in start:
            continue
        own = start[algorithm]
        frames.append(
            pd.DataFrame(
                {
                    "algorithm": algorithm,
                    "line": line,
                    "value": path["value"],
                    "loss": loss(path, float(own["ndcg"])),
                    "gain_consistency": path["consistency"] - own["consistency"],
                    "gain_equality": path["equality"] - own["equality"],
                }
            )
        )
    columns = ["algorithm", "line", "value", "loss", "gain_consistency", "gain_equality"]
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=columns)


def by_principle(path: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """The mean of each principle over a path (Fig. 12), a row a point and principle: principle, value (of λ or τ), mean, own."""
    frames = []
    for name in names:
        frames.append(pd.DataFrame({"principle": name, "value": path["value"], "mean": path[name], "own": path[name].iloc[0]}))
    return pd.concat(frames, ignore_index=True)


def moves(frame: pd.DataFrame) -> pd.Series:
    """By principle, the change from the first to the last point of :func:`by_principle`, largest first."""
    ends = frame.groupby("principle", sort=False)["mean"].agg(["first", "last"])
    change: pd.Series = (ends["last"] - ends["first"]).sort_values(ascending=False)
    return change


def at_lam(frame: pd.DataFrame, lam: float) -> pd.DataFrame:
    """Every line of :func:`by_strategy` at one λ, straight between its points: algorithm, strategy, measure, lam, value."""
    x, y = frame["lam"].to_numpy(dtype=np.float64), frame["value"].to_numpy(dtype=np.float64)
    rows = []
    for line, group in frame.groupby(["algorithm", "strategy", "measure"], sort=False, observed=True).indices.items():
        known = group[~np.isnan(y[group])]
        value = float(np.interp(lam, x[known], y[known])) if known.size else float("nan")
        rows.append((*cast(tuple[str, str, str], line), lam, value))
    return pd.DataFrame(rows, columns=["algorithm", "strategy", "measure", "lam", "value"])
