"""Groups of learners by any column of the learners table: what their lists get, and how many of the
worst-off are among them."""

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
"""Learners below which a group is shown but not spoken of."""
Z = 1.959963984540054
NONE = "unknown"


def columns(bundle: Bundle) -> tuple[str, ...]:
    """The columns that learners can be grouped by."""
    return () if bundle.learners is None else tuple(str(name) for name in bundle.learners.columns)


def groups(values: pd.Series) -> tuple[npt.NDArray[np.int64], list[str]]:
    """Each learner's group and the groups' names: labels as they are (beyond twelve, the rest as
    one), numbers by value or in quarters, dates by year. A missing value is a group of its own."""
    missing = values.isna().to_numpy()
    if pd.api.types.is_datetime64_any_dtype(values.dtype):
        values = values.dt.year.astype("Float64")
    if pd.api.types.is_numeric_dtype(values.dtype) and not pd.api.types.is_bool_dtype(values.dtype):
        codes, names = _numbers(values.to_numpy(dtype=np.float64, na_value=np.nan), missing)
    else:
        codes, names = _labels(values.astype(str).to_numpy(dtype=object), missing)
    codes[missing] = len(names)
    return codes, [*names, NONE] if missing.any() else names


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


def by_column(bundle: Bundle, evaluation: Evaluation, column: str) -> pd.DataFrame:
    """A row a group: learners (that have a list) and their share, mean consistency with sd and 95 %
    interval (normal), mean NDCG and how many have one, worst_off (how many of the worst-off tenth
    are in the group), share_of_worst_off (of that tenth), rate (of the group)."""
    if bundle.learners is None or column not in bundle.learners:
        raise KeyError(
            f"the learners table has no column {column!r}; it has"
            f" {', '.join(columns(bundle)) or 'none'}"
        )
    codes, names = groups(bundle.learners[column])
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


def sentence(frame: pd.DataFrame, column: str) -> str:
    """The group that is over-represented most among the worst-off, if its size lets one say so."""
    large = frame[(frame["learners"] >= FEW) & (frame["group"] != NONE)]
    if len(large) < 2:
        return (
            f"By {column}, fewer than two groups have {FEW} learners or more: too few to compare."
        )
    low, high = (
        large.iloc[int(at)].to_dict()
        for at in (large["consistency"].argmin(), large["consistency"].argmax())
    )
    apart = low["high"] < high["low"]
    spread = (
        f"Mean consistency runs from {low['consistency']:.3f} (“{low['group']}”) to"
        f" {high['consistency']:.3f} (“{high['group']}”); their 95 % intervals"
        f" {'do not overlap' if apart else 'overlap, so the difference may be chance'}."
    )
    most = large.iloc[int((large["share_of_worst_off"] - large["share"]).argmax())].to_dict()
    if most["share_of_worst_off"] <= most["share"] or not apart:
        return spread
    shares = (
        f"{percent(most['share'])} of the learners, {percent(most['share_of_worst_off'])} of the"
        " worst-off tenth"
    )
    return f"{spread} “{most['group']}”: {shares}."
