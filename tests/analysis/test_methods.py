"""The tables on Methods: which targets are out of reach, and what each principle's scale means."""

import numpy as np
import pytest

import equity_core as eq
from equity_core.analysis.data import provenance
from equity_core.analysis.methods import reach_frame, reach_sentence
from equity_core.metrics.reach import reachable
from tests.helpers.awkward import BUNDLES
from tests.helpers.worlds import tiny_frames


@pytest.mark.parametrize("k", [1, 4, 10])
def test_best_is_what_the_sidebar_says_too(k):
    courses, log, scores = tiny_frames()
    bundle = eq.Bundle.from_frames(courses, log, relevance=scores)
    frame, found = reach_frame(bundle, eq.Policy(k=k)), reachable(bundle, k)
    for name, kind in frame["kind"].items():
        best = frame.loc[name, "best"]
        assert np.isnan(best) if kind == "match" else best == found[name]


def test_learnability_of_the_demo_is_not_limited_by_ten_places():
    """Ten courses over four levels give 0.867 at best, but two places can go to courses of unknown
    level, which do not count."""
    bundle = eq.load_bundle("data/demo")
    row = reach_frame(bundle, eq.Policy(k=10)).loc["learnability"]
    assert row["best"] == 1.0
    assert "0.867; with courses of unknown level, which do not count: 1.000" in row["why"]


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
    table = provenance.principle_scales(bundle)
    assert table.index.tolist() == frame.index.tolist()
    assert (table["scores_1"].str.len() > 0).all()


def test_scales_say_what_scores_one():
    courses, log, scores = tiny_frames()
    bundle = eq.Bundle.from_frames(courses, log, relevance=scores)
    table = provenance.principle_scales(bundle)
    assert table.loc["affordability", ["scores_0", "scores_1"]].tolist() == ["199.99", "0"]
    assert table.loc["quality", ["scores_0", "scores_1"]].tolist() == ["1", "5"]
    assert table.loc["validity", ["scores_0", "scores_1"]].tolist() == [
        "9 September 2013",
        "1 June 2017",
    ]
    assert table.loc["affordability", "share_filled"] == pytest.approx(1 / 12)
