"""Accuracy of the neural three on the real data beside the project, at its README's split: trained
on train, NDCG at 10 on test."""

from __future__ import annotations

import numpy as np
import pytest

from equity_core.recommenders.precompute import prepare
from equity_core.recommenders.registry import create
from tests.helpers.coco import ABSENT, coco_frames, coco_present

LEAST = {"gmf": 0.058, "coupledcf": 0.055, "neumf": 0.050}
POPULAR = 0.0455
"""What TopPopular reaches there: 0.0454."""


@pytest.mark.slow
@pytest.mark.skipif(not coco_present(), reason=ABSENT)
@pytest.mark.parametrize("name", LEAST)
def test_ndcg_on_real_learners(name: str) -> None:
    courses, interactions = coco_frames()
    training, learner_ids, course_ids = prepare(courses, interactions)
    test = interactions[interactions["split"] == "test"]
    wanted = np.zeros((training.learners, training.catalogue), bool)
    wanted[
        learner_ids.get_indexer(test["learner_id"]), course_ids.get_indexer(test["course_id"])
    ] = True
    assert wanted.sum() == 7317

    positions, _ = create(name).fit(training).top(slice(0, training.learners), 10)
    discount = 1 / np.log2(np.arange(10) + 2)
    gained = (np.take_along_axis(wanted, positions, axis=1) * discount).sum(axis=1)
    ndcg = (gained / np.cumsum(discount)[np.minimum(wanted.sum(axis=1), 10) - 1]).mean()
    assert ndcg >= LEAST[name] > POPULAR
