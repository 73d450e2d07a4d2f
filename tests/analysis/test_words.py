import math
from typing import get_args

import pytest

from equity_core.analysis import words
from equity_core.policy import Strategy


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.0, "0 %"),
        (0.001, "under 1 %"),
        (0.25, "25 %"),
        (0.999, "over 99 %"),
        (1.0, "100 %"),
        (math.nan, "an unknown share"),
    ],
)
def test_percent_never_rounds_something_to_nothing_or_to_all(share, text):
    assert words.percent(share) == text


def test_ordinals():
    assert [words.ordinal(n) for n in (1, 2, 3, 4, 11, 12, 13, 21, 102, 111)] == [
        "1st",
        "2nd",
        "3rd",
        "4th",
        "11th",
        "12th",
        "13th",
        "21st",
        "102nd",
        "111th",
    ]


def test_counts_agree_with_their_noun():
    assert (words.count(1, "learner"), words.count(3478, "learner")) == (
        "1 learner",
        "3,478 learners",
    )
    assert words.count(2, "category", "categories") == "2 categories"


def test_join():
    assert [words.join(names) for names in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == [
        "none",
        "a",
        "a and b",
        "a, b and c",
    ]


def test_a_difference_that_rounds_to_zero_has_no_sign():
    assert (words.signed(-0.001), words.signed(-0.2), words.signed(0.2)) == (
        "0.00",
        "−0.20",
        "+0.20",
    )


def test_equal_looking_values_share_a_rank_and_nan_has_none():
    values = [0.97149, 0.97141, math.nan, 0.98, 0.5]
    assert words.rank(values, 0.98) == 1
    assert words.rank(values, 0.97149) == words.rank(values, 0.97141) == 2
    assert words.rank(values, 0.5) == 4


def test_few_learners_are_noted_and_enough_are_not():
    assert words.few_learners_note(200) == ""
    assert (
        words.few_learners_note(199)
        == " With fewer than 200 learners, these intervals are somewhat too narrow."
    )
    assert words.few_learners_note(3000, 20) == ""
    assert words.few_learners_note(3000, 0) == ""  # nothing changes, which is no guess
    assert (
        words.few_learners_note(3000, 19)
        == " NDCG changes for only 19 learners, so the interval of its change is too narrow."
    )
    assert "only one learner," in words.few_learners_note(3000, 1)
    assert "fewer than 200" in words.few_learners_note(150, 3)


def test_every_strategy_has_a_name_with_its_code():
    assert tuple(words.STRATEGIES) == get_args(Strategy)
    assert all(name.endswith(f" ({code})") for code, name in words.STRATEGIES.items())
