"""Measures: NDCG, principles, consistency, equality and other inequality indices."""

from equity_core.metrics.evaluate import Evaluation, evaluate
from equity_core.metrics.inequality import (
    atkinson,
    equality,
    gini,
    lorenz,
    ratio_90_10,
    share_below,
    theil,
)

__all__ = [
    "Evaluation",
    "atkinson",
    "equality",
    "evaluate",
    "gini",
    "lorenz",
    "ratio_90_10",
    "share_below",
    "theil",
]
