"""Published methods beside our paths: what is read off them, and the sentence."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

import equity_core as eq
from equity_core.analysis.tradeoff import front, paths, published
from equity_core.published.registry import METHODS, VALUES
from equity_core.reranker import sampling
from tests.helpers import awkward
from tests.helpers.audited import make

POLICY = eq.Policy(k=5)


def line(*points: tuple[float, float], name: str = "a") -> pd.DataFrame:
    return pd.DataFrame(points, columns=["ndcg", "equality"]).assign(name=name, kind=name)


def measures(ndcg: float, equality: float) -> eq.Evaluation:
    """An evaluation with these two figures."""
    two = np.array([1.0 - equality, equality])
    found = eq.Evaluation(
        "test", (), np.arange(2), np.ones((1, 0)), np.ones((2, 0)), np.full(2, ndcg), two, two
    )
    found.__dict__["equality"] = equality
    return found


def test_equality_at_a_loss_is_read_off_the_line() -> None:
    path = line((0.1, 0.9), (0.09, 0.95), (0.05, 0.99))
    assert published.equality_at_loss(path, 0.0, 0.1) == pytest.approx(0.9)
    assert published.equality_at_loss(path, 0.1, 0.1) == pytest.approx(0.95)
    assert published.equality_at_loss(path, 0.3, 0.1) == pytest.approx(0.97)
    assert published.equality_at_loss(path, 0.9, 0.1) == pytest.approx(0.99)
    # Less equal further on: nobody has to go there.
    assert published.equality_at_loss(line((0.1, 0.9), (0.05, 0.8)), 0.3, 0.1) == pytest.approx(0.9)
    assert math.isnan(published.equality_at_loss(line((0.05, 0.9)), 0.1, 0.1))
    assert math.isnan(published.equality_at_loss(line((math.nan, 0.9)), 0.1, 0.1))


def test_the_sentence_names_the_most_equal() -> None:
    ours = {"lam": line((0.1, 0.9), (0.05, 0.92)), "floor": line((0.1, 0.9), (0.05, 1.0))}
    theirs = pd.concat(
        [line((0.1, 0.9), (0.05, 0.95), name="MMR"), line((0.1, 0.9), (0.05, 0.99), name="B")]
    )
    own = measures(0.1, 0.9)
    text = published.published_sentence(theirs, ours, eq.Policy(lam=0.0), own, own)
    assert text == (
        "At a loss of 5 % of NDCG, the floor is the most equal (0.910); then B 0.909, MMR 0.905 and"
        " one λ for all 0.902."
    )
    now = measures(0.08, 0.93)
    text = published.published_sentence(theirs, ours, eq.Policy(floor=0.6), own, now)
    assert text == (
        "At the current policy's loss of NDCG (20 %), B is the most equal (0.936); then the current"
        " policy 0.930, MMR 0.920 and one λ for all 0.908."
    )
    even = published.published_sentence(theirs, ours, eq.Policy(), own, measures(0.08, 0.936))
    assert "the floor 0.9" not in even
    assert "B and the current policy are the most equal (0.936)" not in even
    assert "the floor is the most equal (0.940)" in even
    tied = published.published_sentence(
        theirs, ours, eq.Policy(floor=0.6), own, measures(0.08, 0.9361)
    )
    assert "the current policy and B are the most equal (0.936); then MMR" in tied


@pytest.mark.parametrize("name", list(awkward.BUNDLES))
def test_paths_and_sentence_on_awkward_data(name: str) -> None:
    bundle = awkward.BUNDLES[name]()
    policy = eq.Policy(k=4, floor=0.7)
    frame = published.published_paths(bundle, "userknn", policy)
    assert len(frame) == len(METHODS) * len(VALUES)
    ours = {
        "lam": paths.lam_path(bundle, "userknn", policy),
        "floor": paths.floor_path(bundle, "userknn", policy),
    }
    own, now = (
        eq.evaluate(bundle, eq.rerank(bundle, "userknn", one), one)
        for one in (policy.but(floor=None, lam=0.0), policy)
    )
    text = published.published_sentence(frame, ours, policy, own, now)
    assert "nan" not in text
    assert text.endswith(".")
    if name == "no_test":
        assert "cannot" in text or "nothing can be compared" in text
    else:
        assert "the most equal" in text
    table = front.with_published(paths.both_in_one(ours["lam"], ours["floor"]), frame)
    assert len(table) == len(frame) + len(ours["lam"]) + len(ours["floor"])
    told = front.alternative_text(ours, frame)
    assert ("MMR" in told) == (name != "no_test")


def test_paths_report_progress_and_can_be_cancelled() -> None:
    with pytest.raises(eq.Cancelled):
        published.published_paths(make(), "userknn", POLICY, progress=lambda done, total: done < 3)


def test_many_learners_are_sampled_like_our_paths(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "LARGE", 50)
    monkeypatch.setattr(sampling, "SAMPLE", 20)
    monkeypatch.setattr(sampling.SampledSession.__init__, "__defaults__", (20,))
    bundle = make()
    frame = published.published_paths(bundle, "userknn", POLICY)
    ours = paths.lam_path(bundle, "userknn", POLICY)
    assert frame.attrs["learners"] == ours.attrs["learners"] < 60
    first = frame[frame["value"] == 0.0]
    np.testing.assert_allclose(first["ndcg"], ours["ndcg"].iloc[0])
    np.testing.assert_allclose(first["equality"], ours["equality"].iloc[0])
