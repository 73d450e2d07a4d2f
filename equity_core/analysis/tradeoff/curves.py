"""The measures over λ by strategy (the paper's Fig. 10), and what a loss of NDCG buys (Fig. 11).
Frames, and the sentences above their charts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from equity_core.algorithms import label
from equity_core.analysis.tradeoff.paths import loss
from equity_core.analysis.words import STRATEGIES, decimal

MEASURES = ("ndcg", "consistency", "equality")
COMPARED_STRATEGIES = ("glob", "user", "pers")
DEFAULT_LAM = 0.9
"""Where the sentence reads the lines, if the policy is a floor."""
LIMIT = 0.1
"""The loss of NDCG that the sentences of Fig. 11 are about."""

Line = tuple[str, str, str]
"""Algorithm, strategy, measure."""
Lines = dict[Line, tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]]
"""The λ and the values of every line."""


# -------------------------------------------------------------------------------------------------
# Fig. 10: measures over λ by strategy


def by_strategy(paths: Mapping[tuple[str, str], pd.DataFrame]) -> pd.DataFrame:
    """One row per algorithm, strategy, measure and λ (Fig. 10): algorithm, strategy, lam, measure,
    value, low and high (95 % bootstrap interval over learners). ``paths``: λ paths by (algorithm,
    strategy)."""
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


def strategy_lines(frame: pd.DataFrame) -> Lines:
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


def lines_at_lam(
    lines: Lines, lam: float, exact: Mapping[Line, float] | None = None
) -> dict[Line, float]:
    """Every line at one λ, straight between its points; NaN for a line without a value. ``exact``:
    what was measured at that λ."""
    read = {
        line: float(np.interp(lam, x, y)) if len(x) else float("nan")
        for line, (x, y) in lines.items()
    }
    return read | {line: value for line, value in (exact or {}).items() if line in read}


def is_between_points(lines: Lines, lam: float) -> bool:
    """Whether a λ lies between the points of the lines, so that values there are read off, not
    measured."""
    return any(len(x) and lam not in x for x, _ in lines.values())


def strategies_sentence(
    lines: Lines, lam: float | None, algorithm: str, exact: Mapping[Line, float] | None = None
) -> str:
    """Fig. 10 in words: what the strategies reach at the current λ (at 0.9 where the policy is a
    floor).

    ``exact``: what was measured there; other strategies are read off the lines, and the sentence
    says so where that makes a difference.
    """
    at = DEFAULT_LAM if lam is None else lam
    values = {
        (strategy, measure): value
        for (name, strategy, measure), value in lines_at_lam(lines, at, exact).items()
        if name == algorithm
    }
    order = sorted(
        (s for s, m in values if m == "consistency" and not math.isnan(values[s, m])),
        key=lambda s: -values[s, "consistency"],
    )
    if not order:
        return "No learner has a list, so there is nothing to measure."
    parts = [
        f"**{STRATEGIES.get(name, name)}** {values[name, 'consistency']:.3f}" for name in order
    ]
    others = " (other strategies: read off the lines)" if is_between_points(lines, at) else ""
    text = f"{label(algorithm)} at λ = {at:g}{others}: consistency {', '.join(parts)}"
    if not all(math.isnan(values[name, "ndcg"]) for name in order):
        text += f"; NDCG {', '.join(decimal(values[name, 'ndcg'], 4) for name in order)}"
    return (
        text + ". Dashed: own lists. Grey: the other strategies. Band: 95 % bootstrap interval over"
        " learners."
    )


# -------------------------------------------------------------------------------------------------
# Fig. 11: what a loss buys


def gains_for_loss(paths: Mapping[tuple[str, str], pd.DataFrame]) -> pd.DataFrame:
    """One row per policy (Fig. 11): algorithm, line, value, loss, gain_consistency, gain_equality,
    each with the ends of its paired 95 % bootstrap interval (loss_low, loss_high, …).

    ``paths`` by (algorithm, line), where a line is a strategy or "floor". Everything is compared
    with the own lists of the algorithm, the first point of its λ path; a path of floors takes them
    from any λ path of the algorithm.
    """
    baselines = {
        algorithm: path.iloc[0]
        for (algorithm, _), path in paths.items()
        if len(path) and path.iloc[0]["kind"] == "lam"
    }
    frames = []
    for (algorithm, line), path in paths.items():
        if algorithm not in baselines:
            continue
        own = baselines[algorithm]
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


def gains_sentences(frame: pd.DataFrame) -> dict[str, str]:
    """Fig. 11 in words, by gain ("gain_equality", "gain_consistency"): the line that gains most for
    a loss of at most a tenth. ``frame``: :func:`gains_for_loss`."""
    out = {}
    for gain, measure in (("gain_equality", "equality"), ("gain_consistency", "consistency")):
        known = frame[(frame["loss"] <= LIMIT) & frame[gain].notna()]
        if known.empty:
            out[gain] = f"NDCG is unknown here, so nobody can say what {measure} costs."
            continue
        top = known.sort_values(gain, kind="stable").iloc[-1]
        line = str(top["line"])
        if len(set(frame["algorithm"])) > 1:
            who = label(str(top["algorithm"]))
        else:
            who = "the floor" if line == "floor" else f"“{STRATEGIES.get(line, line)}”"
        best = (
            f"For a loss of at most 10 % of NDCG, {who} gains the most {measure}:"
            f" {float(top[gain]):+.3f}."
        )
        out[gain] = f"{best} Up and to the left is better; thin lines: 95 % intervals."
    return out
