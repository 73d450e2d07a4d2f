"""Samples of measured learners."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from equity_core.metrics import Evaluation


def drawn(evaluation: Evaluation, rows: np.ndarray) -> Evaluation:
    """Some of the learners."""
    return replace(
        evaluation,
        learner_ids=rows,
        values=evaluation.values[rows],
        per_learner_ndcg=evaluation.per_learner_ndcg[rows],
        per_learner_consistency=evaluation.per_learner_consistency[rows],
        per_learner_weighted=evaluation.per_learner_weighted[rows],
    )


def mixed(one: Evaluation, other: Evaluation, swap: np.ndarray) -> Evaluation:
    """The first's values, the other's where swapped."""
    return replace(
        one,
        per_learner_ndcg=np.where(swap, other.per_learner_ndcg, one.per_learner_ndcg),
        per_learner_consistency=np.where(
            swap, other.per_learner_consistency, one.per_learner_consistency
        ),
    )
