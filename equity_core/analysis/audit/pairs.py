"""Figure 7: do learners with a like past get lists of like consistency? Over pairs of learners."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import pandas as pd

from equity_core.analysis.audit.correlation import spearman
from equity_core.analysis.words import count, signed
from equity_core.metrics.evaluate import Evaluation
from equity_core.recommenders.registry import label

Floats = npt.NDArray[np.float64]
PAIRS = 2000
SEED = 0


def sample(learners: int, pairs: int = PAIRS, seed: int = SEED) -> npt.NDArray[np.int64]:
    """Distinct pairs of different learners, first below second: all of them where there are no more
    than asked, else a seeded sample."""
    total = learners * (learners - 1) // 2
    number = (
        np.arange(total)
        if total <= pairs
        else np.sort(np.random.default_rng(seed).choice(total, pairs, replace=False))
    )
    # Pair (i, j), i < j, has the number j (j − 1) / 2 + i.
    j = ((1.0 + np.sqrt(1.0 + 8.0 * number)) / 2.0).astype(np.int64)
    j -= j * (j - 1) // 2 > number
    j += j * (j + 1) // 2 <= number
    return np.stack([number - j * (j - 1) // 2, j], axis=1)


def differences(
    past: Floats, evaluation: Evaluation, pairs: int = PAIRS, seed: int = SEED
) -> pd.DataFrame:
    """A row a pair of learners that have a list: a, b (their ids), past and lists (absolute
    differences of consistency)."""
    known = np.flatnonzero(~np.isnan(evaluation.per_learner_consistency))
    chosen = known[sample(len(known), pairs, seed)].reshape(-1, 2)
    got = evaluation.per_learner_consistency
    ids = np.asarray(evaluation.learner_ids)
    return pd.DataFrame(
        {
            "a": ids[chosen[:, 0]],
            "b": ids[chosen[:, 1]],
            "past": np.abs(past[chosen[:, 0]] - past[chosen[:, 1]]),
            "lists": np.abs(got[chosen[:, 0]] - got[chosen[:, 1]]),
        }
    )


def trend(frame: pd.DataFrame, groups: int = 10) -> pd.DataFrame:
    """The pairs in groups of like size by the difference of their past: mean past, mean and sd of
    lists, number of pairs."""
    if frame.empty:
        return pd.DataFrame({name: np.zeros(0) for name in ("past", "lists", "sd", "pairs")})
    ordered = frame.sort_values("past", kind="stable")
    parts = [
        part
        for part in np.array_split(np.arange(len(ordered)), min(groups, len(ordered)))
        if len(part)
    ]
    cut = [ordered.iloc[part] for part in parts]
    return pd.DataFrame(
        {
            "past": [float(part["past"].mean()) for part in cut],
            "lists": [float(part["lists"].mean()) for part in cut],
            "sd": [float(part["lists"].std(ddof=0)) for part in cut],
            "pairs": [len(part) for part in cut],
        }
    )


def by_algorithm(
    past: Floats, evaluations: Mapping[str, Evaluation], pairs: int = PAIRS, seed: int = SEED
) -> pd.DataFrame:
    """A row an algorithm: Spearman's rho between the two differences over its pairs (NaN if there
    is none to be had), and their number."""
    rows = []
    for algorithm, evaluation in evaluations.items():
        frame = differences(past, evaluation, pairs, seed)
        rho = spearman(frame["past"].to_numpy(), frame["lists"].to_numpy())
        rows.append(
            {"algorithm": algorithm, "label": label(algorithm), "rho": rho, "pairs": len(frame)}
        )
    return pd.DataFrame(rows)


def sentence(frame: pd.DataFrame, chosen: str) -> str:
    """Whether a like past goes with lists of like consistency, for the chosen algorithm."""
    row = frame.set_index("algorithm").loc[chosen].to_dict()
    rho, many = float(row["rho"]), count(int(row["pairs"]), "pair")
    if math.isnan(rho):
        return f"{row['label']}: {many} of learners, too few or too alike for a correlation."
    words = (
        "The more two learners' pasts differ, the more their lists differ"
        if rho >= 0.3
        else "Learners whose pasts differ get lists that differ a little more"
        if rho >= 0.1
        else "How far two pasts differ says next to nothing about how far the lists differ"
        if rho > -0.1
        else "Learners whose pasts differ get lists that differ less"
    )
    return f"{words}: {row['label']}, rank correlation {signed(rho)} over {many}."
