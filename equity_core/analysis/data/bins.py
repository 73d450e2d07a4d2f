"""Numbers and dates in bins that a reader would choose: 1, 2, 5, 10 …; quarters or years; free
courses in a bin of their own.

Every frame has one row per bin, in order, empty bins included: label (the lower end, for an axis),
range (in words), count and share.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pandas as pd

from equity_core.analysis.words import amount

Floats = npt.NDArray[np.float64]
MOST_VALUES = 11
EVEN_BINS = 16
PRICE_BINS = 10


def _frame(labels: Sequence[str], ranges: Sequence[str], counts: npt.ArrayLike) -> pd.DataFrame:
    numbers = np.asarray(counts, dtype=np.int64)
    return pd.DataFrame(
        {
            "label": list(labels),
            "range": list(ranges),
            "count": numbers,
            "share": numbers / max(int(numbers.sum()), 1),
        }
    )


def empty() -> pd.DataFrame:
    """No bins at all."""
    return _frame([], [], np.zeros(0))


def short_number(value: float) -> str:
    """A number for an axis: 500, 2k, 1M."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:g}{letter}"
    return f"{value:g}"


def even(values: Floats, low: float, high: float, count: int = EVEN_BINS) -> pd.DataFrame:
    """Bins of one width from low to high; the last one includes its upper end. Values outside are
    in the outermost bins."""
    if low >= high:
        return _frame([short_number(low)], [amount(low)], [len(values)])
    edges = np.linspace(low, high, count + 1)
    counts, _ = np.histogram(np.clip(values, low, high), edges)
    ranges = [
        f"{a:g} to {'' if at == count - 1 else 'under '}{b:g}"
        for at, (a, b) in enumerate(pairwise(edges))
    ]
    return _frame([f"{edge:g}" for edge in edges[:-1]], ranges, counts)


def values_or_even(values: Floats, low: float, high: float) -> pd.DataFrame:
    """One bar per value if there are few values, otherwise even bins."""
    distinct, counts = np.unique(values, return_counts=True)
    if len(distinct) > MOST_VALUES:
        return even(values, low, high)
    names = [f"{value:g}" for value in distinct]
    return _frame(names, names, counts)


def doubling(values: Floats) -> pd.DataFrame:
    """0, 1, 2–4, 5–9, 10–19, 20–49 …: about equal steps on a log scale, from the first bin that
    holds a value (0 or more)."""
    edges, step = [0.0, 1.0], 0
    while edges[-1] <= values.max():
        edges.append((2.0, 5.0, 10.0)[step % 3] * 10.0 ** (step // 3))
        step += 1
    counts, _ = (
        np.histogram(values, [*edges[:-1], math.inf])
        if len(edges) > 2
        else (np.array([len(values)]), None)
    )
    first = int(np.flatnonzero(counts)[0])
    ranges = [
        amount(a) if b - a == 1 else f"{amount(a)} to {amount(b - 1)}" for a, b in pairwise(edges)
    ]
    return _frame([short_number(edge) for edge in edges[:-1]][first:], ranges[first:], counts[first:])


def prices(values: Floats) -> pd.DataFrame:
    """A bin for free courses, then even bins with round ends."""
    paid = values[values > 0]
    free = _frame(["free"], ["free"], [len(values) - len(paid)])
    if not paid.size:
        return free
    step = _round_step(float(paid.max()) / PRICE_BINS)
    edges = np.arange(0.0, paid.max() + step, step)
    counts, _ = np.histogram(paid, edges)
    pairs = list(pairwise(edges))
    ranges = [
        f"{'above ' if a == 0 else ''}{amount(a)} to"
        f" {'' if b == edges[-1] else 'under '}{amount(b)}"
        for a, b in pairs
    ]
    numbers = np.concatenate([free["count"].to_numpy(), counts])
    return _frame(
        ["free", *(short_number(float(edge)) for edge in edges[:-1])], ["free", *ranges], numbers
    )


def _round_step(least: float) -> float:
    """The smallest of 1, 2, 5 times a power of ten that is at least as large."""
    power = 10.0 ** math.floor(math.log10(least))
    return float(
        next(step * power for step in (1.0, 2.0, 5.0, 10.0) if step * power >= least * (1 - 1e-9))
    )


def periods(moments: pd.Series) -> pd.DataFrame:
    """Courses per month, quarter or year, whichever gives at most about 24 bars (years for anything
    longer than six years)."""
    months = (
        (moments.max().year - moments.min().year) * 12 + moments.max().month - moments.min().month
    )
    unit = "M" if months < 24 else "Q" if months < 72 else "Y"
    each = moments.dt.to_period(unit)
    every = pd.period_range(each.min(), each.max(), freq=unit)
    counts = each.value_counts().reindex(every, fill_value=0)
    written = {"M": "%b %Y", "Q": "%Y Q%q", "Y": "%Y"}[unit]
    names = [period.strftime(written) for period in every]
    return _frame(names, names, counts.to_numpy())
