import numpy as np
import pytest

from equity_core.metrics.inequality import highest_tenth, known_mean, lowest_tenth, tenth_size


@pytest.mark.parametrize(("count", "size"), [(0, 0), (1, 1), (10, 1), (11, 2), (3478, 348)])
def test_a_tenth_is_rounded_up(count, size):
    assert tenth_size(count) == size


def test_the_tenths_are_the_extremes_and_leave_out_who_has_no_value():
    values = np.array([0.5, np.nan, 0.1, 0.9, 0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.95, np.nan])
    assert np.flatnonzero(lowest_tenth(values)).tolist() == [
        2,
        4,
    ]  # of eleven values, equals by position
    assert np.flatnonzero(highest_tenth(values)).tolist() == [3, 11]


def test_nobody_has_a_value():
    nothing = np.full(4, np.nan)
    assert not lowest_tenth(nothing).any()
    assert np.isnan(known_mean(nothing))
