"""The principles of a data set as they are computed: kind, column, the ends of their scales, how
much was filled in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from equity_core.analysis.words import amount, day
from equity_core.principles import ends, numeric

if TYPE_CHECKING:
    from equity_core.bundle import Bundle
    from equity_core.principles import Principle


def _ends(bundle: Bundle, principle: Principle) -> tuple[str, str]:
    """What scores 0 and what scores 1."""
    if principle.kind == "match":
        return (
            f"no {principle.column} in common with the past",
            f"the same shares of {principle.column} as in the past",
        )
    if principle.kind == "balance":
        return f"one {principle.column} only", f"every {principle.column} equally often"
    values = numeric(bundle.courses, principle.column)
    low, high = ends(
        principle,
        values,
        bundle.courses,
        now=bundle.now,
        opened=bundle.opened,
        rating_scale=bundle.rating_scale,
    )
    moment = pd.api.types.is_datetime64_any_dtype(bundle.courses[principle.column].dtype)
    written = [
        day(pd.Timestamp(round(end), unit="s")) if moment else amount(end) for end in (low, high)
    ]
    return (written[0], written[1]) if principle.better == "high" else (written[1], written[0])


def scales(bundle: Bundle) -> pd.DataFrame:
    """A row a principle: kind, column, scale, what scores 0 and 1, share of courses filled in."""
    rows = []
    for principle in bundle.principles:
        zero, one = _ends(bundle, principle)
        share = float(bundle.coverage["share_filled"].loc[principle.name])
        scale = principle.scale if principle.kind == "mean" else "–"
        rows.append((principle.name, principle.kind, principle.column, scale, zero, one, share))
    columns = ["principle", "kind", "column", "scale", "scores_0", "scores_1", "share_filled"]
    return pd.DataFrame(rows, columns=columns).set_index("principle")
