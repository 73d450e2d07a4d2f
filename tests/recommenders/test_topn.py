"""The best n of each row against plain sorting."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from equity_core.recommenders.topn import dense_top, filled, ragged_top

# Few distinct values, both zeros and extremes: ties are the point.
VALUES = st.sampled_from([-3e38, -1.5, -1e-45, -0.0, 0.0, 1e-45, 0.25, 0.5, 1.0, 3e38])
SHAPES = st.tuples(st.integers(1, 6), st.integers(1, 9))


@st.composite
def blocks(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, int]:
    shape = draw(SHAPES)
    return (
        draw(hnp.arrays(np.float32, shape, elements=VALUES.map(np.float32))),
        draw(hnp.arrays(np.bool_, shape)),
        draw(st.integers(1, 11)),
    )


def plain(scores: np.ndarray, allowed: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    positions, values = np.full((len(scores), n), -1), np.zeros((len(scores), n), np.float32)
    for row in range(len(scores)):
        best = sorted(
            np.flatnonzero(allowed[row]), key=lambda course: (-scores[row, course], course)
        )[:n]
        positions[row, : len(best)], values[row, : len(best)] = best, scores[row, best]
    return positions, values


def matrix(mask: np.ndarray) -> sparse.csr_matrix:
    return sparse.csr_matrix(mask.astype(np.float32))


@settings(deadline=None)
@given(blocks())
def test_dense_top_sorts_by_score_then_position_without_the_past(
    block: tuple[np.ndarray, np.ndarray, int],
) -> None:
    scores, past, n = block
    positions, values = dense_top(scores, matrix(past), n)
    expected = plain(scores, ~past, n)
    np.testing.assert_array_equal(positions, expected[0])
    np.testing.assert_array_equal(values, expected[1])
    assert (positions.dtype, values.dtype) == (np.int32, np.float32)


@settings(deadline=None)
@given(blocks())
def test_ragged_top_leaves_out_what_is_not_above_0(
    block: tuple[np.ndarray, np.ndarray, int],
) -> None:
    scores, past, n = block
    positions, values = ragged_top(sparse.csr_matrix(scores), matrix(past), n)
    expected = plain(scores, ~past & (scores > 0), n)
    np.testing.assert_array_equal(positions, expected[0])
    np.testing.assert_array_equal(values, expected[1])


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_score_that_is_not_finite_is_no_score(bad: float) -> None:
    with pytest.raises(ValueError, match="not a finite number"):
        dense_top(np.array([[1.0, bad]]), matrix(np.zeros((1, 2), bool)), 1)


@settings(deadline=None)
@given(blocks(), st.randoms(use_true_random=False))
def test_filling_takes_the_first_free_courses_of_the_order(
    block: tuple[np.ndarray, np.ndarray, int], random: object
) -> None:
    scores, past, n = block
    order = np.array(sorted(range(scores.shape[1]), key=lambda _: random.random()), dtype=np.int64)  # type: ignore[attr-defined]
    top = ragged_top(sparse.csr_matrix(scores), matrix(past), n)
    positions, values = filled((top[0].copy(), top[1].copy()), matrix(past), order)
    for row in range(len(scores)):
        own = [course for course in top[0][row] if course >= 0]
        free = [course for course in order if not past[row, course] and course not in own][
            : n - len(own)
        ]
        expected = own + sorted(free)
        assert positions[row].tolist() == expected + [-1] * (n - len(expected))
        assert values[row].tolist() == top[1][row, : len(own)].tolist() + [0.0] * (n - len(own))
