"""What a column's values look like: how well they fit a target, in [0, 1], and why, in plain
words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from equity_core.importers.convert.dates import to_dates
from equity_core.importers.convert.labels import to_assets
from equity_core.importers.convert.numbers import Kind, to_numbers
from equity_core.importers.convert.words import CURRENCIES, FREE, LEVELS, MISSING, SPLITS, clean
from equity_core.importers.report import Report

SAMPLE = 2_000


@dataclass(frozen=True)
class Fit:
    """``distinctive``: the values alone identify the column, whatever its name."""

    share: float
    why: str
    distinctive: bool = False


NOTHING = Fit(0.0, "the column is empty")


def sample(values: pd.Series) -> pd.Series:
    """Up to SAMPLE values that are not missing, spread over the column."""
    text = values.dropna()
    if not pd.api.types.is_numeric_dtype(text.dtype) and not pd.api.types.is_datetime64_any_dtype(
        text.dtype
    ):
        text = text[
            ~text.map(lambda value: isinstance(value, str) and clean(value) in MISSING).astype(bool)
        ]
    return text.iloc[:: max(1, len(text) // SAMPLE)][:SAMPLE]


def _numbers(values: pd.Series, kind: Kind) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    if pd.api.types.is_datetime64_any_dtype(values.dtype):
        return np.full(len(values), np.nan)
    if (
        values.dtype == object
        and values.map(lambda value: isinstance(value, (list, tuple, np.ndarray))).any()
    ):
        return np.full(len(values), np.nan)
    return to_numbers(values, "", Report(), kind=kind)


def _words(share: float, what: str) -> str:
    if share >= 1:
        return f"every value {what}"
    return (
        f"{share:.0%} of the values"
        f" {what.replace('is ', 'are ', 1) if what.startswith('is ') else what}"
    )


def _number_fit(
    kind: Kind, low: float, high: float, what: str, *, whole: bool = False
) -> Callable[[pd.Series], Fit]:
    def fit(values: pd.Series) -> Fit:
        numbers = _numbers(values, kind)
        good = (numbers >= low) & (numbers <= high) & ((numbers == np.floor(numbers)) | (not whole))
        share = float(good.mean())
        return Fit(share, _words(share, what))

    return fit


def fit_price(values: pd.Series) -> Fit:
    """Amounts of money; currency signs or words for free give a price away."""
    base = _number_fit("price", 0, 1e7, "is an amount of 0 or more")(values)
    if pd.api.types.is_numeric_dtype(values.dtype):
        return base
    marked = values.map(
        lambda value: (
            (text := clean(value)) in FREE
            or any(sign in text for sign in CURRENCIES if not sign.isalpha())
        )
    )
    share = float(marked.mean())
    return (
        Fit(base.share, f"{base.why}, with currency signs or words for 'free'", True)
        if share > 0.5 and base.share > 0.9
        else base
    )


def fit_date(values: pd.Series) -> Fit:
    read = to_dates(values, "", Report())
    share = float(read.notna().mean())
    distinctive = share == 1 and bool(
        pd.to_numeric(values.astype(str), errors="coerce").isna().all()
    )  # numbers may be ids
    return Fit(share, _words(share, "is a date"), distinctive)


def fit_labels(values: pd.Series) -> Fit:
    """Few labels that repeat."""
    distinct = values.astype(str).nunique()
    ratio = distinct / len(values)
    share = 1.0 if distinct <= 60 or ratio < 0.2 else max(0.0, 1 - ratio)
    if len(values) < 20:
        share = max(share, 0.8)
    return Fit(share, f"{distinct:,} distinct labels in {len(values):,} courses examined")


def fit_level(values: pd.Series) -> Fit:
    text = values.astype(str).map(clean)
    share = float(text.isin(LEVELS).mean())
    if share > 0.5:
        return Fit(1.0, _words(share, "is a word for a level"), True)
    distinct = text.nunique()
    return Fit(0.7 if distinct <= 12 else 0.1, f"{distinct:,} distinct labels")


def fit_split(values: pd.Series) -> Fit:
    share = float(values.astype(str).map(clean).isin(list(SPLITS)).mean())
    return Fit(share, _words(share, "is train, valid or test"), share == 1)


def fit_text(shortest: float) -> Callable[[pd.Series], Fit]:
    def fit(values: pd.Series) -> Fit:
        if pd.api.types.is_numeric_dtype(values.dtype):
            return Fit(0.0, "the values are numbers")
        text = values.astype(str)
        length = float(text.str.len().mean())
        if (
            _numbers(values, "number").size
            and float(np.isfinite(_numbers(values, "number")).mean()) > 0.9
        ):
            return Fit(0.0, "the values are numbers")
        return Fit(
            1.0 if length >= shortest else 0.6, f"text of {length:.0f} characters on average"
        )

    return fit


def fit_assets(values: pd.Series) -> Fit:
    """Lists of a few words that come back in many courses."""
    if pd.api.types.is_numeric_dtype(values.dtype) or pd.api.types.is_datetime64_any_dtype(
        values.dtype
    ):
        return Fit(0.0, "the values are numbers, not names of types")
    if float(np.isfinite(_numbers(values, "number")).mean()) > 0.5:
        return Fit(0.0, "the values are numbers, not names of types")
    types = to_assets(values, "", Report())
    distinct = len({name for cell in types if cell for name in cell})
    return Fit(1.0 if distinct <= 30 else 0.2, f"lists of {distinct:,} distinct types")


def fit_id(values: pd.Series) -> Fit:
    """Whole numbers or short texts."""
    if pd.api.types.is_datetime64_any_dtype(values.dtype) or pd.api.types.is_bool_dtype(
        values.dtype
    ):
        return Fit(0.0, "the values are not ids")
    if pd.api.types.is_float_dtype(values.dtype) and not (values == np.floor(values)).all():
        return Fit(0.0, "the values are fractions")
    length = float(values.astype(str).str.len().mean())
    return Fit(
        1.0 if length <= 64 else 0.2,
        f"{values.astype(str).nunique():,} distinct values in {len(values):,} examined",
    )


def fit_course_id(values: pd.Series) -> Fit:
    """An id that no two courses share; one that a few rows share may still be the id of a catalogue
    that lists courses twice."""
    fit = fit_id(values)
    distinct = values.astype(str).nunique()
    if fit.share < 0.5:
        return fit
    if distinct == len(values):
        return Fit(1.0, "no value occurs twice")
    share = distinct / len(values)
    return Fit(
        0.3 + 0.5 * share if share >= 0.5 else 0.2,
        f"only {distinct:,} of {len(values):,} values are distinct",
    )


FITS: dict[str, Callable[[pd.Series], Fit]] = {
    "title": fit_text(8),
    "category": fit_labels,
    "level": fit_level,
    "last_update": fit_date,
    "price": fit_price,
    "enrolled": _number_fit("count", 0, 1e9, "is a whole number of 0 or more", whole=True),
    "rating": _number_fit("rating", 0, 100, "is a number from 0 to 100"),
    "assets": fit_assets,
    "description": fit_text(40),
    "published": fit_date,
    "split": fit_split,
    "timestamp": fit_date,
    "score": _number_fit("score", -np.inf, np.inf, "is a number"),
    "rank": _number_fit("score", 0, 1e7, "is a whole number of 0 or more", whole=True),
    "learner_id": fit_id,
    "course_id": fit_id,
}
