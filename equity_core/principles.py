"""What a principle is, the paper's seven, and their course columns scaled to [0, 1].

Three kinds cover the seven and whatever a platform adds:

* ``mean``: a numeric column, rescaled between a low and a high end (values outside are clipped); a
  list's value is the mean over its courses.
* ``balance``: a categorical column; 1 − normalised Gini of its shares in the list, over all values
  in the catalogue.
* ``match``: a categorical column; 1 − Hellinger distance between the learner's past and the list.

The values of lists are computed in :mod:`equity_core.metrics`; this module prepares the courses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
import pandas as pd

Kind = Literal["mean", "balance", "match"]
Better = Literal["high", "low"]
Scale = Literal["linear", "log"]

UNKNOWN = "unknown"
"""The label of a missing category or level."""


@dataclass(frozen=True)
class Principle:
    """One educational principle: a course column, and how a list is judged by it.

    Parameters
    ----------
    name : str
        What the principle is called on screens, in policies and in files.
    kind : {"mean", "balance", "match"}
        How a list is judged: by the mean of a number, by how evenly the values of a category are
        spread, or by how closely they match the learner's past.
    column : str
        The course column that it reads.
    better : {"high", "low"}, default "high"
        Which end of a mean's scale is the better one.
    scale : {"linear", "log"}, default "linear"
        The scale of a mean; "log" takes log(1 + value).
    low, high : float or None, default None
        The ends of a mean's scale; None takes the default of the column (see :func:`ends`).

    Raises
    ------
    ValueError
        If a field is not allowed, or an option of means is given for another kind.

    Examples
    --------
    >>> import equity_core as eq
    >>> eq.Principle("brevity", "mean", "hours", better="low", low=0, high=40).kind
    'mean'
    """

    name: str
    kind: Kind
    column: str
    better: Better = "high"
    scale: Scale = "linear"
    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        for field, value, allowed in (
            ("kind", self.kind, get_args(Kind)),
            ("better", self.better, get_args(Better)),
            ("scale", self.scale, get_args(Scale)),
        ):
            if value not in allowed:
                raise ValueError(
                    f"principle {self.name!r}: {field} is {value!r}; use one of"
                    f" {', '.join(allowed)}"
                )
        for field, text in (("name", self.name), ("column", self.column)):
            if not isinstance(text, str) or not text.strip():
                raise ValueError(
                    f"a principle needs a {field}: text that is not empty, not {text!r}"
                )
        for end in (self.low, self.high):
            if end is not None and not np.isfinite(end):
                raise ValueError(f"principle {self.name!r}: low and high must be finite numbers")
        if self.low is not None and self.high is not None and self.low > self.high:
            raise ValueError(
                f"principle {self.name!r}: low ({self.low:g}) is above high ({self.high:g})"
            )
        if self.kind != "mean" and (self.better, self.scale, self.low, self.high) != (
            "high",
            "linear",
            None,
            None,
        ):
            raise ValueError(
                f"principle {self.name!r}: better, scale, low and high belong to kind 'mean' only"
            )
        if self.scale == "log" and self.low is not None and self.low < 0:
            raise ValueError(
                f"principle {self.name!r}: a log scale starts at 0 or above, not at {self.low:g}"
            )


def fields_of(principle: Principle) -> dict[str, Any]:
    """Return a principle as a table of the manifest or of a policy; defaults are left out."""
    found: dict[str, Any] = {
        "name": principle.name,
        "kind": principle.kind,
        "column": principle.column,
    }
    if principle.better != "high":
        found["better"] = principle.better
    if principle.scale != "linear":
        found["scale"] = principle.scale
    ends = {"low": principle.low, "high": principle.high}
    return found | {name: float(end) for name, end in ends.items() if end is not None}


SEVEN: tuple[Principle, ...] = (
    Principle("familiarity", "match", "category"),
    Principle("validity", "mean", "last_update"),
    Principle("learnability", "balance", "level"),
    Principle("variety", "mean", "assets"),
    Principle("quality", "mean", "rating"),
    Principle("manageability", "mean", "enrolled", better="low"),
    Principle("affordability", "mean", "price", better="low"),
)
"""The paper's seven principles, in the paper's order."""


@dataclass(frozen=True, eq=False)
class Encoded:
    """The courses as the kernels see them; rows are course positions."""

    means: npt.NDArray[np.float64]
    """(courses, mean principles): scaled to [0, 1], higher is better, missing values filled."""
    labels: npt.NDArray[np.int32]
    """(courses, categorical principles): codes; −1 is an unknown label of a balance principle."""
    sizes: npt.NDArray[np.int32]
    """Number of values of each categorical principle."""
    values: tuple[npt.NDArray[np.object_], ...]
    """The labels behind the codes."""
    is_match: npt.NDArray[np.bool_]
    """Whether each categorical principle is a match (else a balance)."""
    mean_of: npt.NDArray[np.int64]
    """Position among the principles of each column of ``means``."""
    cat_of: npt.NDArray[np.int64]
    """Position among the principles of each column of ``labels``."""
    filled: npt.NDArray[np.int64]
    """Number of courses filled in, per principle."""


def numeric(courses: pd.DataFrame, column: str) -> npt.NDArray[np.float64]:
    """Return a course column as numbers, NaN where unknown.

    Dates are in seconds; ``assets`` is the number of distinct types.
    """
    values = courses[column]
    if column == "assets":
        return np.array(
            [np.nan if types is None else float(len(set(types))) for types in values],
            dtype=np.float64,
        )
    if pd.api.types.is_datetime64_any_dtype(values.dtype):
        seconds = values.to_numpy().astype("datetime64[s]")
        return np.where(np.isnat(seconds), np.nan, seconds.astype(np.int64).astype(np.float64))
    try:
        return pd.to_numeric(values).to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError):
        raise ValueError(f"the column {column!r} does not have numbers throughout") from None


def asset_types(courses: pd.DataFrame) -> tuple[str, ...]:
    """Return the distinct asset types of the catalogue, sorted."""
    return tuple(
        sorted({kind for types in courses["assets"] if types is not None for kind in types})
    )


def seconds(moment: Any) -> float:
    """Return a date as seconds since 1970."""
    return float(pd.Timestamp(moment).tz_localize(None).timestamp())


def ends(
    principle: Principle,
    values: npt.NDArray[np.float64],
    courses: pd.DataFrame,
    *,
    now: Any,
    opened: Any,
    rating_scale: tuple[float, float],
) -> tuple[float, float]:
    """Return the low and the high end of a mean principle's scale: as given, else by column.

    ``last_update`` runs from the platform's opening to now, ``rating`` over the rating scale,
    ``assets`` from 0 to the number of types in the catalogue, every other column from the
    catalogue's minimum to its maximum.
    """
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    if principle.column == "last_update":
        low, high = (
            low if opened is None else seconds(opened),
            high if now is None else seconds(now),
        )
    elif principle.column == "rating":
        low, high = rating_scale
    elif principle.column == "assets":
        low, high = 0.0, float(len(asset_types(courses)))
    return low if principle.low is None else float(principle.low), (
        high if principle.high is None else float(principle.high)
    )


def rescale(
    values: npt.NDArray[np.float64], principle: Principle, low: float, high: float
) -> npt.NDArray[np.float64]:
    """Scale values to [0, 1], higher is better; values outside the scale are clipped.

    NaN is filled with the mean of the scaled values. Where low = high, all values are 1.
    """
    if low >= high:
        return np.ones_like(values)
    if principle.scale == "log":
        if low < 0:
            raise ValueError(
                f"principle {principle.name!r}: a log scale needs {principle.column!r} to be 0 or"
                " above; give low = 0 or use a linear scale"
            )
        values, low, high = (
            np.log1p(np.maximum(values, 0.0)),
            float(np.log1p(low)),
            float(np.log1p(high)),
        )
    scaled = np.clip((values - low) / (high - low), 0.0, 1.0)
    if principle.better == "low":
        scaled = 1.0 - scaled
    return np.where(np.isnan(scaled), np.nanmean(scaled), scaled)


def codes(
    labels: pd.Series, *, unknown_is_value: bool
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.object_]]:
    """Return the codes of a categorical column and the sorted values behind them.

    Unknown is −1 unless it counts as a value.
    """
    text = labels.astype(object).where(labels.notna(), UNKNOWN).astype(str).to_numpy(dtype=object)
    values = np.array(sorted(set(text) - (set() if unknown_is_value else {UNKNOWN})), dtype=object)
    position = {value: code for code, value in enumerate(values)}
    return np.array([position.get(label, -1) for label in text], dtype=np.int32), values


def encode(
    courses: pd.DataFrame,
    principles: Sequence[Principle],
    *,
    now: Any = None,
    opened: Any = None,
    rating_scale: tuple[float, float] = (1.0, 5.0),
) -> Encoded:
    """Turn the principles' course columns into arrays for the kernels.

    Raises
    ------
    ValueError
        If a column has no known value at all.
    """
    means, labels, values, mean_of, cat_of = [], [], [], [], []
    filled = np.zeros(len(principles), dtype=np.int64)
    for at, principle in enumerate(principles):
        if principle.kind == "mean":
            try:
                column = numeric(courses, principle.column)
            except ValueError as error:
                raise ValueError(f"principle {principle.name!r}: {error}") from None
            filled[at] = int(np.isnan(column).sum())
            if filled[at] == len(column):
                raise ValueError(
                    f"principle {principle.name!r}: column {principle.column!r} has no value at all"
                )
            low, high = ends(
                principle, column, courses, now=now, opened=opened, rating_scale=rating_scale
            )
            means.append(rescale(column, principle, low, high))
            mean_of.append(at)
        else:
            code, names = codes(
                courses[principle.column], unknown_is_value=principle.kind == "match"
            )
            unknown = courses[principle.column].isna() | (courses[principle.column] == UNKNOWN)
            filled[at] = int(unknown.sum())
            if filled[at] == len(code):
                raise ValueError(
                    f"principle {principle.name!r}: column {principle.column!r} has no value at all"
                )
            labels.append(code)
            values.append(names)
            cat_of.append(at)
    count = len(courses)
    return Encoded(
        means=np.ascontiguousarray(np.stack(means, axis=1)) if means else np.zeros((count, 0)),
        labels=(
            np.ascontiguousarray(np.stack(labels, axis=1))
            if labels
            else np.zeros((count, 0), dtype=np.int32)
        ),
        sizes=np.array([len(names) for names in values], dtype=np.int32),
        values=tuple(values),
        is_match=np.array([principles[at].kind == "match" for at in cat_of], dtype=np.bool_),
        mean_of=np.array(mean_of, dtype=np.int64),
        cat_of=np.array(cat_of, dtype=np.int64),
        filled=filled,
    )
