"""The principles under a policy: each before and after, and each over λ (the paper's Fig. 12).
Frames, and the sentences above their charts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from equity_core.analysis.words import join
from equity_core.metrics.evaluate import Evaluation

SEEN = 0.005
"""A change of a principle's mean below this is not called one."""


def before_and_after(before: Evaluation, after: Evaluation) -> pd.DataFrame:
    """One row per principle, in order: before and after (means over learners), before_sd and
    after_sd (standard deviations), change, and target (the mean target)."""
    known = ~np.isnan(after.per_learner_consistency)
    targets = (
        np.broadcast_to(after.targets, after.values.shape)[known] if known.any() else after.targets
    )
    was, now = before.principles, after.principles
    columns = {
        "before": was["mean"],
        "after": now["mean"],
        "before_sd": was["sd"],
        "after_sd": now["sd"],
    }
    # As plain arrays: all have the same rows, and aligning them takes longer than all the rest.
    arrays = {name: column.to_numpy() for name, column in columns.items()}
    arrays |= {"change": arrays["after"] - arrays["before"], "target": targets.mean(axis=0)}
    return pd.DataFrame(arrays, index=pd.Index(after.names, name="principle"))


def before_and_after_sentence(frame: pd.DataFrame) -> str:
    """Which principles rise most, and which fall. ``frame``: :func:`before_and_after`."""
    change = frame["change"].dropna().sort_values(ascending=False, kind="stable")
    up = [str(name) for name, value in change.items() if value >= SEEN][:3]
    down = [str(name) for name, value in change[::-1].items() if value <= -SEEN][:3]
    if not up and not down:
        return f"No principle moves by as much as {SEEN:g}."
    text = (
        f"{join(up)} rise{'s' if len(up) == 1 else ''} most"
        if up
        else f"No principle rises by as much as {SEEN:g}"
    )
    text += f"; {join(down)} fall{'s' if len(down) == 1 else ''}." if down else "; none falls."
    return text[0].upper() + text[1:]


def over_path(path: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """One row per principle and point of a path (Fig. 12): principle, value (of λ or τ), mean, own
    (the mean at the first point), low and high (95 % interval of the mean over learners)."""
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


def changes_over_path(frame: pd.DataFrame) -> pd.Series:
    """By principle: the change from the first to the last point of :func:`over_path`, largest
    first."""
    ends = frame.groupby("principle", sort=False)["mean"].agg(["first", "last"])
    change: pd.Series = (ends["last"] - ends["first"]).sort_values(ascending=False)
    return change


def over_lam_sentence(frame: pd.DataFrame) -> str:
    """Fig. 12 in words: which principles rise and which fall from λ = 0 to 1. ``frame``:
    :func:`over_path` of a λ path."""
    change = changes_over_path(frame)
    up = [f"{name} ({value:+.2f})" for name, value in change.items() if value >= SEEN]
    down = [
        f"{name} ({value:+.2f})".replace("-", "−")
        for name, value in change[::-1].items()
        if value <= -SEEN
    ]
    parts = ([f"From λ = 0 to 1, {join(up)} rise{'s' if len(up) == 1 else ''}"] if up else []) + (
        [f"{join(down)} fall{'s' if len(down) == 1 else ''}"] if down else []
    )
    return (
        "; ".join(parts) or f"No principle moves by as much as {SEEN:g} from λ = 0 to 1"
    ) + ". Dashed: own lists; band: 95 % interval of the mean; every cell runs from 0 to 1."
