"""The paper's Figs. 10 to 12 as frames: measures over λ by strategy, what a loss of NDCG buys, the
principles over λ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from equity_core.analysis.tradeoff.reading import loss

MEASURES = ("ndcg", "consistency", "equality")
STRATEGIES = ("glob", "user", "pers")


def by_strategy(paths: Mapping[tuple[str, str], pd.DataFrame]) -> pd.DataFrame:
    """λ paths by (algorithm, strategy) in one frame (Fig. 10): algorithm, strategy, lam, measure,
    value, low, high.

    low and high are the 95 % bootstrap interval over learners.
    """
    frames = []
    for (algorithm, strategy), path in paths.items():
        for measure in MEASURES:
            rows = {
                "algorithm": algorithm,
                "strategy": strategy,
                "lam": path["value"],
                "measure": measure,
                "value": path[measure],
            }
            frames.append(
                pd.DataFrame(
                    {**rows, "low": path[f"{measure}_low"], "high": path[f"{measure}_high"]}
                )
            )
    columns = ["algorithm", "strategy", "lam", "measure", "value", "low", "high"]
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=columns)


def bought(paths: Mapping[tuple[str, str], pd.DataFrame]) -> pd.DataFrame:
    """What a loss of NDCG buys (Fig. 11), a row a policy: algorithm, line, value, loss,
    gain_consistency, gain_equality, each with the ends of its paired 95 % bootstrap interval
    (loss_low, loss_high, …).

    ``paths`` by (algorithm, line), where a line is a strategy or "floor". Everything is against the
    own lists of the algorithm, the first point of its λ path; a path of floors takes them from any
    λ path of the algorithm.
    """
    start = {
        algorithm: path.iloc[0]
        for (algorithm, _), path in paths.items()
        if len(path) and path.iloc[0]["kind"] == "lam"
    }
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
                    # The larger the change of NDCG, the smaller the loss.
                    "loss_low": -path["ndcg_relative_high"],
                    "loss_high": -path["ndcg_relative_low"],
                    **{
                        f"gain_{name}_{end}": path[f"{name}_change_{end}"]
                        for name in ("consistency", "equality")
                        for end in ("low", "high")
                    },
                }
            )
        )
    columns = ["algorithm", "line", "value", "loss", "gain_consistency", "gain_equality"]
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=columns)


def by_principle(path: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """The mean of each principle over a path (Fig. 12), a row a point and principle: principle,
    value (of λ or τ), mean, own, low, high.

    low and high: the 95 % interval of the mean over learners.
    """
    frames = []
    for name in names:
        rows = {
            "principle": name,
            "value": path["value"],
            "mean": path[name],
            "own": path[name].iloc[0],
        }
        frames.append(
            pd.DataFrame({**rows, "low": path[f"{name}_low"], "high": path[f"{name}_high"]})
        )
    return pd.concat(frames, ignore_index=True)


def moves(frame: pd.DataFrame) -> pd.Series:
    """By principle, the change from the first to the last point of :func:`by_principle`, largest
    first."""
    ends = frame.groupby("principle", sort=False)["mean"].agg(["first", "last"])
    change: pd.Series = (ends["last"] - ends["first"]).sort_values(ascending=False)
    return change


Line = tuple[str, str, str]
"""Algorithm, strategy, measure."""
Lines = dict[Line, tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]]


def lines(frame: pd.DataFrame) -> Lines:
    """Every line of :func:`by_strategy` as λ and values, missing ones left out: taken out of the
    frame once, read at every move of λ."""
    x, y = frame["lam"].to_numpy(dtype=np.float64), frame["value"].to_numpy(dtype=np.float64)
    out = {}
    for line, group in frame.groupby(
        ["algorithm", "strategy", "measure"], sort=False, observed=True
    ).indices.items():
        known = group[~np.isnan(y[group])]
        out[cast(Line, line)] = x[known], y[known]
    return out


def at_lam(
    found: Lines, lam: float, exact: Mapping[Line, float] | None = None
) -> dict[Line, float]:
    """Every line at one λ, straight between its points; NaN for a line without a value. ``exact``:
    what was measured at that λ."""
    read = {
        line: float(np.interp(lam, x, y)) if len(x) else float("nan")
        for line, (x, y) in found.items()
    }
    return read | {line: value for line, value in (exact or {}).items() if line in read}


def between(found: Lines, lam: float) -> bool:
    """Whether a λ lies between the points of the lines, so that values there are read off, not
    measured."""
    return any(len(x) and lam not in x for x, _ in found.values())
