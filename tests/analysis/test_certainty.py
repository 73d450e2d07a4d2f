"""Too few learners for intervals: said where it is so, and only there."""

from equity_core.analysis import certainty


def test_few_learners_are_told() -> None:
    assert certainty.note(200) == ""
    assert (
        certainty.note(199)
        == " With fewer than 200 learners, such intervals are somewhat too narrow."
    )
