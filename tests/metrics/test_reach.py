"""Which targets can be met: against every list there is."""

import itertools

import numpy as np
import pytest

import equity_core as eq
from equity_core.analysis.data import scales
from equity_core.analysis.methods import reach_frame, reach_sentence
from equity_core.metrics.evaluate import achieved
from equity_core.metrics.reach import best_balance
from tests.helpers.awkward import BUNDLES
from tests.helpers.worlds import tiny_frames


def test_ten_courses_over_four_levels():
    """The figure that formulas and Methods name."""
    assert best_balance(10, [100] * 4) == pytest.approx(0.867, abs=5e-4)
    assert best_balance(8, [100] * 4) == 1.0
    assert best_balance(10, [100] * 4, unknown=2) == 1.0
    assert best_balance(10, [100]) == 1.0
    assert best_balance(3, [100, 0]) == 0.0


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_no_list_is_better_and_one_is_as_good(k):
    courses, log, scores = tiny_frames()
    bundle = eq.Bundle.from_frames(courses, log, relevance=scores)
    lists = np.array(list(itertools.combinations(range(len(courses)), k)), dtype=np.int32)
    frame = reach_frame(bundle, eq.Policy(k=k))
    # Means and balance do not depend on the learner: the first one stands for all.
    width = len(bundle.learner_ids)
    best = np.full(len(bundle.principles), -np.inf)
    for start in range(0, len(lists), width):
        part = lists[start : start + width]
        rows = np.vstack([part, np.repeat(part[-1:], width - len(part), axis=0)])
        best = np.maximum(best, achieved(bundle, rows).max(axis=0))
    for at, principle in enumerate(bundle.principles):
        if principle.kind == "match":
            assert np.isnan(frame.loc[principle.name, "best"])
        else:
            assert frame.loc[principle.name, "best"] == pytest.approx(best[at], abs=1e-12)


def test_sentence_names_what_is_out_of_reach():
    courses, log, scores = tiny_frames()
    bundle = eq.Bundle.from_frames(courses, log, relevance=scores)
    text = reach_sentence(reach_frame(bundle, eq.Policy(k=4)), 4)
    assert "variety (at best " in text
    low = eq.Policy(k=4, targets={principle.name: 0.1 for principle in bundle.principles})
    assert "no target is out of reach by itself" in reach_sentence(reach_frame(bundle, low), 4)


@pytest.mark.parametrize("name", BUNDLES)
def test_awkward_data(name):
    bundle = BUNDLES[name]()
    frame = reach_frame(bundle, eq.Policy(k=50))
    assert frame.index.tolist() == [principle.name for principle in bundle.principles]
    assert frame["best"].dropna().between(0, 1 + 1e-12).all()
    table = scales.scales(bundle)
    assert table.index.tolist() == frame.index.tolist()
    assert (table["scores_1"].str.len() > 0).all()


def test_scales_say_what_scores_one():
    courses, log, scores = tiny_frames()
    bundle = eq.Bundle.from_frames(courses, log, relevance=scores)
    table = scales.scales(bundle)
    assert table.loc["affordability", ["scores_0", "scores_1"]].tolist() == ["199.99", "0"]
    assert table.loc["quality", ["scores_0", "scores_1"]].tolist() == ["1", "5"]
    assert table.loc["validity", ["scores_0", "scores_1"]].tolist() == [
        "9 September 2013",
        "1 June 2017",
    ]
    assert table.loc["affordability", "share_filled"] == pytest.approx(1 / 12)
