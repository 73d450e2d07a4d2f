"""Accuracy on the real data beside the project, at its README's split: at least what a plain
prototype reaches, less its ties."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from equity_core.recommenders.precompute import precompute
from tests.helpers.coco import ABSENT, coco_frames, coco_present
from tests.recommenders.worlds import SEVEN

pytestmark = pytest.mark.skipif(not coco_present(), reason=ABSENT)

LEAST = {
    "userknn": 0.068,
    "p3alpha": 0.064,
    "rp3beta": 0.056,
    "toppopular": 0.044,
    "itemknncb": 0.036,
    "itemknn": 0.034,
}
K = 10


@pytest.fixture(scope="module")
def real() -> tuple[pd.DataFrame, dict[str, pd.DataFrame]]:
    courses, interactions = coco_frames()
    return interactions, precompute(courses, interactions, SEVEN, candidates=200)


def mean_ndcg(frame: pd.DataFrame, test: pd.DataFrame) -> float:
    """Binary gains, discount log2(rank + 1), ideal cut at K; over the learners with a test
    course."""
    top = frame.groupby("learner_id").head(K)
    rank = top.groupby("learner_id").cumcount()
    hit = pd.MultiIndex.from_frame(top[["learner_id", "course_id"]]).isin(
        pd.MultiIndex.from_frame(test[["learner_id", "course_id"]])
    )
    gain = (hit / np.log2(rank + 2)).groupby(top["learner_id"]).sum()
    ideal = np.cumsum(1 / np.log2(np.arange(K) + 2))
    wanted = test.groupby("learner_id")["course_id"].nunique()
    return float(
        (gain.reindex(wanted.index, fill_value=0) / ideal[np.minimum(wanted, K) - 1]).mean()
    )


@pytest.mark.parametrize("name", LEAST)
def test_ndcg_reaches_the_prototype(
    name: str, real: tuple[pd.DataFrame, dict[str, pd.DataFrame]]
) -> None:
    interactions, relevance = real
    assert mean_ndcg(relevance[name], interactions[interactions["split"] == "test"]) >= LEAST[name]


def test_all_do_better_than_random(real: tuple[pd.DataFrame, dict[str, pd.DataFrame]]) -> None:
    interactions, relevance = real
    test = interactions[interactions["split"] == "test"]
    assert (
        mean_ndcg(relevance["random"], test)
        < min(mean_ndcg(relevance[name], test) for name in LEAST) / 5
    )


def test_no_training_interaction_is_ever_recommended(
    real: tuple[pd.DataFrame, dict[str, pd.DataFrame]],
) -> None:
    interactions, relevance = real
    train = pd.MultiIndex.from_frame(
        interactions.loc[interactions["split"] == "train", ["learner_id", "course_id"]]
    )
    for name, frame in relevance.items():
        assert not pd.MultiIndex.from_frame(frame[["learner_id", "course_id"]]).isin(train).any(), (
            name
        )
        assert len(frame) == 3478 * 200, name
