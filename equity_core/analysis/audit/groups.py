"""Learners grouped by any column of the learners table: the consistency of each group's lists, and
how many of the worst-off tenth are in each group."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from equity_core.analysis.words import amount, percent
from equity_core.metrics.evaluate import Evaluation
from equity_core.metrics.inequality import known_mean, lowest_tenth

if TYPE_CHECKING:
    from equity_core.bundle import Bundle

MOST_GROUPS = 12
FEW = 30
"""A group of fewer learners is shown but not mentioned in the sentence."""
Z = 1.959963984540054
"""The 97.5 % point of the normal distribution: half the width of a 95 % interval in standard
errors."""
UNKNOWN_GROUP = "unknown"


def group_columns(bundle: Bundle) -> tuple[str, ...]:
    """The columns that learners can be grouped by."""
    return () if bundle.learners is None else tuple(str(name) for name in bundle.learners.columns)


def assign_groups(values: pd.Series) -> tuple[npt.NDArray[np.int64], list[str]]:
    """The group of each learner and the names of the groups. Labels stay as they are (beyond
    twelve, the rest share one group), numbers are grouped by value or in quarters, dates by year.
    Missing values are a group of their own."""
    missing = values.isna().to_numpy()
    if pd.api.types.is_datetime64_any_dtype(values.dtype):
        values = values.dt.year.astype("Float64")
    if pd.api.types.is_numeric_dtype(values.dtype) and not pd.api.types.is_bool_dtype(values.dtype):
        codes, names = _numbers(values.to_numpy(dtype=np.float64, na_value=np.nan), missing)
    else:
        codes, names = _labels(values.astype(str).to_numpy(dtype=object), missing)
    codes[missing] = len(names)
    return codes, [*names, UNKNOWN_GROUP] if missing.any() else names


def _numbers(
    values: npt.NDArray[np.float64], missing: npt.NDArray[np.bool_]
) -> tuple[npt.NDArray[np.int64], list[str]]:
    distinct = np.unique(values[~missing])
    filled = np.where(missing, distinct[0] if distinct.size else 0.0, values)
    if len(distinct) <= MOST_GROUPS:
        return np.searchsorted(distinct, filled).astype(np.int64), [
            f"{value:g}" for value in distinct
        ]
    cuts = np.unique(np.quantile(values[~missing], [0.25, 0.5, 0.75]))
    edges = [amount(float(cut)) for cut in cuts]
    names = [
        f"under {edges[0]}",
        *(f"{a} to under {b}" for a, b in pairwise(edges)),
        f"{edges[-1]} or more",
    ]
    return np.searchsorted(cuts, filled, side="right").astype(np.int64), names


def _labels(
    values: npt.NDArray[Any], missing: npt.NDArray[np.bool_]
) -> tuple[npt.NDArray[np.int64], list[str]]:
    found = pd.Series(values[~missing]).value_counts()
    ordered = sorted(
        ((str(name), int(number)) for name, number in found.items()),
        key=lambda item: (-item[1], item[0]),
    )
    names = [name for name, _ in ordered]
    if len(names) > MOST_GROUPS:
        names = [*names[: MOST_GROUPS - 1], f"{len(names) - MOST_GROUPS + 1} others"]
    place = {name: code for code, (name, _) in enumerate(ordered)}
    return (
        np.array(
            [min(place.get(str(value), 0), len(names) - 1) for value in values], dtype=np.int64
        ),
        names,
    )


def groups_by_column(bundle: Bundle, evaluation: Evaluation, column: str) -> pd.DataFrame:
    """One row per group: learners (that have a list) and their share, mean consistency with sd and
    95 % interval (normal), mean NDCG and how many learners have one, worst_off (how many of the
    worst-off tenth are in the group), share_of_worst_off (as a share of that tenth), rate (as a
    share of the group)."""
    if bundle.learners is None or column not in bundle.learners:
        raise KeyError(
            f"the learners table has no column {column!r}; it has"
            f" {', '.join(group_columns(bundle)) or 'none'}"
        )
    codes, names = assign_groups(bundle.learners[column])
    got, ndcg = evaluation.per_learner_consistency, evaluation.per_learner_ndcg
    listed, worst = ~np.isnan(got), lowest_tenth(got)
    rows = []
    for code, name in enumerate(names):
        inside = codes == code
        values, found = got[inside & listed], ndcg[inside]
        n, some = len(values), len(values) > 0
        mean, sd = (
            (float(values.mean()), float(values.std())) if some else (float("nan"), float("nan"))
        )
        hit = int((inside & worst).sum())
        rows.append(
            {
                "group": name,
                "learners": n,
                "share": n / max(int(listed.sum()), 1),
                "consistency": mean,
                "sd": sd,
                "low": mean - Z * sd / np.sqrt(n) if some else float("nan"),
                "high": mean + Z * sd / np.sqrt(n) if some else float("nan"),
                "ndcg": known_mean(found),
                "learners_ndcg": int((~np.isnan(found)).sum()),
                "worst_off": hit,
                "share_of_worst_off": hit / max(int(worst.sum()), 1),
                "rate": hit / n if some else float("nan"),
            }
        )
    return pd.DataFrame(rows)


def groups_sentence(frame: pd.DataFrame, column: str) -> str:
    """The groups with the lowest and highest mean consistency, and the one most over-represented
    among the worst-off; only groups large enough to compare."""
    large = frame[(frame["learners"] >= FEW) & (frame["group"] != UNKNOWN_GROUP)]
    if len(large) < 2:
        return (
            f"By {column}, fewer than two groups have {FEW} or more learners: too few to compare."
        )
    low, high = (
        large.iloc[int(at)].to_dict()
        for at in (large["consistency"].argmin(), large["consistency"].argmax())
    )
    apart = low["high"] < high["low"]
    spread = (
        f"Mean consistency ranges from {low['consistency']:.3f} (“{low['group']}”) to"
        f" {high['consistency']:.3f} (“{high['group']}”); their 95 % intervals"
        f" {'do not overlap' if apart else 'overlap, so the difference may be due to chance'}."
    )
    most = large.iloc[int((large["share_of_worst_off"] - large["share"]).argmax())].to_dict()
    if most["share_of_worst_off"] <= most["share"] or not apart:
        return spread
    shares = (
        f"{percent(most['share'])} of the learners but {percent(most['share_of_worst_off'])} of the"
        " worst-off tenth"
    )
    return f"{spread} “{most['group']}” has {shares}."
