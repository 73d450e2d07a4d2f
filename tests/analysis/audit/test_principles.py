"""Principles by recommender and their correlation with consistency, against plain loops and
SciPy."""

import numpy as np
import pytest
from scipy import stats

from equity_core.analysis.audit import principles
from tests.helpers.audited import own
from tests.helpers.awkward import BUNDLES


def test_principles_are_the_evaluations(found):
    frame = principles.principles_by_algorithm(found).set_index(["algorithm", "principle"])
    for name, evaluation in found.items():
        for principle in evaluation.names:
            for column in ("mean", "sd", "min", "max"):
                assert (
                    frame.loc[(name, principle), column]
                    == evaluation.principles.loc[principle, column]
                )
            assert frame.loc[(name, principle), "target"] == 1.0
            values = evaluation.learners[principle].dropna().to_numpy()
            apart = np.abs(values[:, None] - values[None, :]).mean()
            assert frame.loc[(name, principle), "equality"] == pytest.approx(
                1 - apart / (2 * values.mean())
            )
    assert (
        frame.loc[("mine", "quality"), "learners"]
        == frame.loc[("random", "quality"), "learners"] - 1
    )


def test_the_sentence_on_principles_is_true(found):
    frame = principles.principles_by_algorithm(found)
    said = principles.principles_sentence(frame)
    lowest = {
        name: part.set_index("principle")["mean"].idxmin()
        for name, part in frame.groupby("algorithm")
    }
    assert ("is the lowest principle for every" in said) == (len(set(lowest.values())) == 1)
    widest = frame.groupby("principle")["sd"].mean().nlargest(2).index
    assert all(name in said for name in widest)


def test_spearman_is_scipys(found):
    frame = principles.correlations_with_consistency(found)
    for name, evaluation in found.items():
        known = ~np.isnan(evaluation.per_learner_consistency)
        for m, principle in enumerate(evaluation.names):
            row = frame[(frame["algorithm"] == name) & (frame["principle"] == principle)].iloc[0]
            expected = stats.spearmanr(
                evaluation.values[known, m], evaluation.per_learner_consistency[known]
            ).statistic
            assert row["rho"] == pytest.approx(expected, abs=1e-12)
            assert row["learners"] == known.sum()


def test_no_correlation_without_spread_or_with_two_learners():
    assert np.isnan(principles.spearman(np.ones(9), np.arange(9.0)))
    assert np.isnan(principles.spearman(np.arange(2.0), np.arange(2.0)))


@pytest.mark.parametrize("name", BUNDLES)
def test_awkward_data(name):
    found = own(BUNDLES[name]())[1]
    said = [
        principles.principles_sentence(principles.principles_by_algorithm(found)),
        principles.correlations_sentence(principles.correlations_with_consistency(found)),
    ]
    assert all(text and "nan" not in text for text in said)


def test_equality_by_principle(found):
    frame = principles.equality_by_principle(found)
    each = principles.principles_by_algorithm(found)
    for name, part in frame.groupby("algorithm"):
        rows = part.set_index("of")["equality"]
        expected = each[each["algorithm"] == name].set_index("principle")["equality"]
        assert rows[expected.index].tolist() == expected.tolist()
        assert rows[principles.MEAN_ROW] == pytest.approx(expected.mean())
        assert principles.mean_equality(found[name]) == pytest.approx(expected.mean())
        assert rows[principles.CONSISTENCY_ROW] == found[name].equality
    said = principles.equality_by_principle_sentence(frame)
    mean = frame.groupby("of")["equality"].mean()
    lowest = mean.drop([principles.MEAN_ROW, principles.CONSISTENCY_ROW]).idxmin()
    assert said.startswith(f"{lowest.capitalize()} is spread least equally over learners")
    assert ("is more equal than the principles" in said) == (
        mean[principles.CONSISTENCY_ROW] > mean[principles.MEAN_ROW]
    )


@pytest.mark.parametrize("name", BUNDLES)
def test_equality_by_principle_of_awkward_data(name):
    frame = principles.equality_by_principle(own(BUNDLES[name](), k=3)[1])
    assert frame["equality"].dropna().between(0, 1).all()
    assert "nan" not in principles.equality_by_principle_sentence(frame)


def test_equality_by_principle_where_all_are_the_same(found):
    frame = principles.equality_by_principle(found).assign(equality=1.0)
    assert principles.equality_by_principle_sentence(frame) == (
        "The principles are spread equally over learners: 1.000, on average over the recommenders;"
        " consistency: 1.000."
    )
