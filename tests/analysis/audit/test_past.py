"""The past as a list, the tenths by it, and pairs of learners."""

import itertools

import numpy as np
import pytest

import equity_core as eq
from equity_core.analysis.audit import past, principles
from tests.helpers.audited import own
from tests.helpers.awkward import BUNDLES


def test_the_past_is_valued_as_a_list_of_the_same_courses(bundle):
    longest = int(np.diff(bundle.past.indptr).max())
    lists = np.full((len(bundle.learner_ids), longest), -1, dtype=np.int32)
    for u in range(len(lists)):
        lists[u, : len(bundle.past.row(u))] = bundle.past.row(u)
    expected = eq.evaluate(bundle, lists, eq.Policy(lam=0.0, k=longest))
    np.testing.assert_allclose(past.past_values(bundle), expected.values, atol=1e-12)
    np.testing.assert_allclose(
        past.past_consistency(bundle, eq.Policy()), expected.per_learner_consistency, atol=1e-12
    )


def test_blocks_do_not_change_the_values(bundle, monkeypatch):
    whole = past.past_values(bundle)
    monkeypatch.setattr(past, "BLOCK", 7)
    np.testing.assert_array_equal(past.past_values(bundle), whole)


def test_familiarity_of_the_past_with_itself_is_one(bundle):
    at = [principle.name for principle in bundle.principles].index("familiarity")
    np.testing.assert_allclose(past.past_values(bundle)[:, at], 1.0, atol=1e-12)


def test_groups_are_the_tenths_by_past(bundle, found):
    before = past.past_consistency(bundle, eq.Policy())
    frame = past.past_tenths(before, found).set_index(["algorithm", "group"])
    order = np.argsort(before, kind="stable")
    least = order[:6]  # 60 learners
    got = found["userknn"].per_learner_consistency
    assert frame.loc[("userknn", "least"), "consistency"] == pytest.approx(got[least].mean())
    assert frame.loc[("userknn", "least"), "past"] == pytest.approx(before[least].mean())
    assert frame.loc[("userknn", "all"), "consistency"] == pytest.approx(
        found["userknn"].consistency
    )
    assert frame.loc[("userknn", "most"), "past"] > frame.loc[("userknn", "least"), "past"]
    assert frame.loc[("mine", "all"), "learners"] == 59


@pytest.mark.parametrize("learners", [0, 1, 2, 3, 10, 40])
def test_all_pairs_where_there_are_few(learners):
    found = {tuple(pair) for pair in past.sample_pairs(learners, pairs=10_000).tolist()}
    assert found == set(itertools.combinations(range(learners), 2))


def test_a_sample_is_of_distinct_pairs_and_seeded():
    found = past.sample_pairs(50_000, pairs=2_000, seed=3)
    assert len({tuple(pair) for pair in found.tolist()}) == 2_000
    assert (found[:, 0] < found[:, 1]).all()
    assert found.min() >= 0
    assert found.max() < 50_000
    np.testing.assert_array_equal(found, past.sample_pairs(50_000, pairs=2_000, seed=3))
    assert not np.array_equal(found, past.sample_pairs(50_000, pairs=2_000, seed=4))


def test_differences_against_a_plain_loop(bundle, found):
    before = past.past_consistency(bundle, eq.Policy())
    frame = past.pair_differences(before, found["mine"], pairs=100_000)
    ids = list(bundle.learner_ids)
    got = found["mine"].per_learner_consistency
    assert len(frame) == 59 * 58 // 2  # one learner has no list
    for row in frame.sample(50, random_state=0).itertuples():
        a, b = ids.index(row.a), ids.index(row.b)
        assert row.past == pytest.approx(abs(before[a] - before[b]))
        assert row.lists == pytest.approx(abs(got[a] - got[b]))


def test_the_trend_keeps_every_pair(bundle, found):
    frame = past.pair_differences(past.past_consistency(bundle, eq.Policy()), found["userknn"])
    trend = past.pair_trend(frame)
    assert len(trend) == 10
    assert trend["pairs"].sum() == len(frame)
    assert (trend["lists"] * trend["pairs"]).sum() == pytest.approx(frame["lists"].sum())
    assert trend["past"].is_monotonic_increasing


def test_like_pasts_and_like_lists_correlate():
    rng = np.random.default_rng(0)
    before = rng.random(200)

    class Measured:
        learner_ids = np.arange(200)
        per_learner_consistency = before * 0.5

    frame = past.pair_correlations(before, {"x": Measured()})
    assert frame["rho"].iloc[0] == pytest.approx(1.0)
    assert frame["pairs"].iloc[0] == 200 * 199 // 2
    said = past.pairs_sentence(frame, "x")
    assert said.startswith("The more two learners' pasts differ")
    assert "over all 19,900 pairs of 200 learners" in said


def test_correlations_are_over_all_pairs_with_an_interval(bundle, found):
    before = past.past_consistency(bundle, eq.Policy())
    frame = past.pair_correlations(before, found).set_index("algorithm")
    every = past.pair_differences(before, found["mine"], pairs=100_000)
    assert frame.loc["mine", "pairs"] == len(every)
    assert frame.loc["mine", "rho"] == pytest.approx(
        principles.spearman(every["past"].to_numpy(), every["lists"].to_numpy()), abs=0.002
    )
    assert frame.loc["mine", "low"] < frame.loc["mine", "rho"] < frame.loc["mine", "high"]


@pytest.mark.parametrize("name", BUNDLES)
def test_awkward_data(name):
    bundle = BUNDLES[name]()
    found = own(bundle)[1]
    before = past.past_consistency(bundle, eq.Policy())
    frame = past.pair_correlations(before, found)
    said = [
        past.past_tenths_sentence(past.past_tenths(before, found)),
        *(past.pairs_sentence(frame, chosen) for chosen in found),
    ]
    assert all(text and "nan" not in text for text in said)
    for evaluation in found.values():
        past.pair_trend(past.pair_differences(before, evaluation))
