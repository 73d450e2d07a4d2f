"""The same data set judged by other principles: a platform's own, from any course column, or fewer
than the seven."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from equity_core.bundle import Bundle
from equity_core.metrics.inequality import gini
from equity_core.principles import Principle, encode

NOT_JUDGED = ("course_id", "title", "description")


def with_principles(bundle: Bundle, principles: Sequence[Principle]) -> Bundle:
    """A bundle that shares everything with the one given but its principles. ValueError: a column
    that a principle cannot use."""
    content = bundle._content
    names = [principle.name for principle in principles]
    if not names:
        raise ValueError("choose at least one principle")
    if len(set(names)) < len(names):
        raise ValueError(
            f"two principles are called {next(name for name in names if names.count(name) > 1)!r};"
            " give each its own name"
        )
    for principle in principles:
        if principle.column not in content.courses:
            raise ValueError(
                f"principle {principle.name!r}: the courses have no column {principle.column!r}"
            )
    encoded = encode(
        content.courses,
        tuple(principles),
        now=content.now,
        opened=content.opened,
        rating_scale=content.manifest.rating_scale,
    )
    targets = content.targets
    if targets is not None:
        targets = targets[[name for name in targets.columns if name in names]]
    return Bundle(
        replace(content, principles=tuple(principles), encoded=encoded, targets=targets),
        bundle._sources,
    )


def columns(bundle: Bundle) -> dict[str, str]:
    """Course columns that a principle can be made of, each as "mean" (numbers and dates) or
    "balance" (labels); assets count as numbers."""
    out = {}
    for name in bundle.courses.columns:
        if name in NOT_JUDGED:
            continue
        kind = bundle.courses[name].dtype
        numbers = (
            pd.api.types.is_numeric_dtype(kind)
            or pd.api.types.is_datetime64_any_dtype(kind)
            or name == "assets"
        )
        out[str(name)] = "mean" if numbers else "balance"
    return out


def reachable(bundle: Bundle, k: int) -> dict[str, float]:
    """The highest value that any list of k courses could have by each principle: what a target
    above it can never meet.

    mean: the mean of the k best courses. balance: k courses spread as evenly as can be over the n
    values, 1 − Gini · n/(n − 1). match: 1, an upper bound (a list can have any learner's shares
    only roughly).
    """
    out, encoded = {}, bundle.encoded
    for at, principle in enumerate(bundle.principles):
        if principle.kind == "mean":
            values = np.sort(encoded.means[:, int(np.flatnonzero(encoded.mean_of == at)[0])])
            out[principle.name] = float(values[-k:].mean())
        elif principle.kind == "match":
            out[principle.name] = 1.0
        else:
            size = int(encoded.sizes[int(np.flatnonzero(encoded.cat_of == at)[0])])
            even = (
                np.array([k // size + (place < k % size) for place in range(size)])
                if size
                else np.ones(1)
            )
            out[principle.name] = 1.0 if size < 2 else 1.0 - gini(even) * size / (size - 1)
    return {name: value if math.isfinite(value) else 1.0 for name, value in out.items()}
