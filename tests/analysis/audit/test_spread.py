"""Curves of consistency over learners, against plain loops."""

import numpy as np
import pytest

from equity_core.analysis.audit import recommenders, spread
from tests.helpers.audited import own
from tests.helpers.awkward import BUNDLES


def test_sorted_consistency_is_every_learner_in_order(found):
    frame = spread.sorted_consistency(found)
    for name, evaluation in found.items():
        part = frame[frame["algorithm"] == name]
        known = np.sort(
            evaluation.per_learner_consistency[~np.isnan(evaluation.per_learner_consistency)]
        )
        np.testing.assert_array_equal(part["consistency"], known)
        np.testing.assert_allclose(part["share"], np.arange(1, len(known) + 1) / len(known))


def test_a_long_curve_keeps_its_ends_and_takes_learners_as_they_are(found):
    frame = spread.sorted_consistency(found, points=7)
    for name, evaluation in found.items():
        part = frame[frame["algorithm"] == name]
        known = np.sort(
            evaluation.per_learner_consistency[~np.isnan(evaluation.per_learner_consistency)]
        )
        assert len(part) == 7
        np.testing.assert_array_equal(part["consistency"], known[part["rank"] - 1])
        assert part["rank"].tolist()[0] == 1
        assert part["rank"].tolist()[-1] == len(known)


def test_the_area_under_the_lorenz_curve_is_equality(found):
    frame = spread.lorenz_curves(found)
    for name, evaluation in found.items():
        part = frame[frame["algorithm"] == name]
        assert 2 * np.trapezoid(part["held"], part["share"]) == pytest.approx(
            evaluation.equality, abs=1e-9
        )
        np.testing.assert_allclose(part["missing"], part["share"] - part["held"])
        assert (part["missing"] > -1e-12).all()


@pytest.mark.parametrize("name", BUNDLES)
def test_awkward_data(name):
    found = own(BUNDLES[name]())[1]
    table = recommenders.table(found)
    said = []
    for chosen in found:
        said += [
            spread.sorted_consistency_sentence(table, chosen),
            spread.lorenz_sentence(found, chosen),
        ]
    assert all(text and "nan" not in text for text in said)
