"""Inequality indices: known values, and the properties that an index of inequality must have."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from equity_core.metrics import atkinson, equality, gini, lorenz, ratio_90_10, share_below, theil
from tests.helpers.random_worlds import examples
from tests.reference import gini as slow_gini

INDICES = [gini, theil, atkinson, lambda x: atkinson(x, 1.0), lambda x: atkinson(x, 2.0)]
NAMES = ["gini", "theil", "atkinson ½", "atkinson 1", "atkinson 2"]
populations = st.lists(st.floats(0.0, 1.0), min_size=1, max_size=30)
positive = st.lists(st.floats(0.01, 1.0), min_size=2, max_size=30)

of_every_index = pytest.mark.parametrize("index", INDICES, ids=NAMES)


def test_known_values():
    assert gini([1, 3]) == pytest.approx(0.25)
    assert gini([0, 0, 0, 1]) == pytest.approx(0.75)
    assert gini([1, 2, 3, 4]) == pytest.approx(0.25)
    assert equality([1, 3]) == pytest.approx(0.75)
    # shares .5 and 1.5 of the mean: (.5 ln .5 + 1.5 ln 1.5)/2
    assert theil([1, 3]) == pytest.approx((0.5 * math.log(0.5) + 1.5 * math.log(1.5)) / 2)
    assert theil([0, 0, 0, 1]) == pytest.approx(math.log(4))
    # geometric mean √3 against 2; harmonic mean 1.5 against 2; ((1 + √3)/2)² against 2
    assert atkinson([1, 3], 1.0) == pytest.approx(1 - math.sqrt(3) / 2)
    assert atkinson([1, 3], 2.0) == pytest.approx(0.25)
    assert atkinson([1, 3], 0.5) == pytest.approx(1 - ((1 + math.sqrt(3)) / 2) ** 2 / 2)
    assert atkinson([0, 1], 1.0) == 1
    assert atkinson([0, 1], 2.0) == 1
    # quantiles of 0 … 10 are the values themselves
    assert ratio_90_10(np.arange(11)) == pytest.approx(9)
    assert ratio_90_10([5, 5, 5]) == 1
    assert ratio_90_10([0, 0, 0, 0, 1, 1]) == math.inf
    assert ratio_90_10([0, 0]) == 1
    assert share_below([0.5, 0.6, 0.65, 0.7], 0.65) == 0.5
    assert share_below([0.65 - 1e-12], 0.65) == 0


def test_lorenz_by_hand():
    learners, shares = lorenz([3, 1])
    np.testing.assert_allclose(learners, [0, 0.5, 1])
    np.testing.assert_allclose(shares, [0, 0.25, 1])
    np.testing.assert_allclose(lorenz([0, 0])[1], [0, 0.5, 1])


@pytest.mark.parametrize(
    "function", [gini, equality, theil, atkinson, ratio_90_10, lambda x: share_below(x, 0.5)]
)
def test_nobody_gives_nan_and_nan_is_nobody(function):
    assert math.isnan(function([]))
    assert math.isnan(function([math.nan]))
    assert function([0.2, math.nan, 0.6]) == function([0.2, 0.6])


@pytest.mark.parametrize("function", [gini, theil, atkinson, ratio_90_10, lorenz])
def test_negative_values_are_refused(function):
    with pytest.raises(ValueError, match="0 or more"):
        function([0.5, -0.1])


@pytest.mark.parametrize("aversion", [0.0, -1.0, math.nan])
def test_aversion_must_be_above_zero(aversion):
    with pytest.raises(ValueError, match="aversion"):
        atkinson([1, 2], aversion)


def test_all_zero_is_equal():
    for index in INDICES:
        assert index([0, 0, 0]) == 0


@examples(100)
@given(populations)
def test_gini_is_the_mean_difference_over_twice_the_mean(values):
    assume(sum(values) > 1e-9)
    assert gini(values) == pytest.approx(slow_gini(values), abs=1e-9)


@of_every_index
@examples(50)
@given(values=positive)
def test_bounds(index, values):
    value = index(values)
    assert 0 <= value <= (math.log(len(values)) + 1e-9 if index is theil else 1)
    if index is gini:
        assert value <= 1 - 1 / len(values) + 1e-12


@of_every_index
@examples(50)
@given(value=st.floats(0.01, 1.0), size=st.integers(1, 30))
def test_a_constant_population_is_equal(index, value, size):
    assert index([value] * size) == pytest.approx(0, abs=1e-12)
    assert equality([value] * size) == pytest.approx(1, abs=1e-12)


@of_every_index
@examples(50)
@given(values=positive, factor=st.floats(0.1, 10.0))
def test_scale_invariance(index, values, factor):
    assert index(np.array(values) * factor) == pytest.approx(index(values), abs=1e-9)


@of_every_index
@examples(50)
@given(values=positive, times=st.integers(2, 4))
def test_replication_and_order_change_nothing(index, values, times):
    assert index(values * times) == pytest.approx(index(values), abs=1e-9)
    assert index(sorted(values)) == pytest.approx(index(values), abs=1e-9)


@of_every_index
@examples(100)
@given(values=positive, data=st.data())
def test_a_transfer_from_richer_to_poorer_makes_more_equal(index, values, data):
    values = sorted(values)
    poor, rich = sorted(
        data.draw(st.lists(st.integers(0, len(values) - 1), min_size=2, max_size=2, unique=True))
    )
    gap = values[rich] - values[poor]
    assume(gap > 1e-3)
    amount = gap * data.draw(st.floats(0.05, 0.5))
    after = list(values)
    after[poor] += amount
    after[rich] -= amount
    assert index(after) < index(values)


@examples(60)
@given(populations)
def test_lorenz_curve(values):
    assume(sum(values) > 1e-9)
    learners, shares = lorenz(values)
    assert (learners[0], learners[-1], shares[0]) == (0, 1, 0)
    assert shares[-1] == pytest.approx(1)
    assert (np.diff(shares, 2) >= -1e-9).all(), "worst-off first, so it bends upwards"
    assert (shares <= learners + 1e-12).all()
    # Gini is twice the area between the curve and the diagonal
    assert gini(values) == pytest.approx(1 - 2 * np.trapezoid(shares, learners), abs=1e-9)
