"""The rules of the verdicts: one part, several parts, and all eight observations together."""

from __future__ import annotations

import math

import pytest

from equity_core.analysis.observations import verdicts
from equity_core.analysis.observations.checks import (
    CheckedObservations,
    basis_sentence,
    verdicts_sentence,
)
from equity_core.analysis.observations.verdicts import Part

HOLDS, NEGLIGIBLE, PARTLY, NOT, UNCLEAR, INCOMPARABLE, UNKNOWN = verdicts.VERDICTS


@pytest.mark.parametrize(
    ("low", "high", "side", "expected"),
    [
        (0.1, 0.2, "above", HOLDS),
        (-0.2, -0.1, "above", NOT),
        (-0.1, 0.1, "above", UNCLEAR),
        (0.0, 0.1, "above", UNCLEAR),
        (0.1, 0.2, "below", NOT),
        (-0.2, -0.1, "below", HOLDS),
        (0.0, 0.0, "below", UNCLEAR),
        (math.nan, math.nan, "above", UNKNOWN),
    ],
)
def test_one_rule_for_every_part(low, high, side, expected):
    assert Part("a", "b", (low + high) / 2, low, high, side=side).verdict == expected


def test_few_recommenders_may_agree_by_chance():
    assert Part("a", "b", 0.5, 0.4, 0.6, chance=0.04).verdict == HOLDS
    assert Part("a", "b", 0.5, 0.4, 0.6, chance=0.06).verdict == UNCLEAR
    assert Part("a", "b", -0.5, -0.6, -0.4, chance=0.06).verdict == UNCLEAR
    assert Part("a", "b", -0.5, -0.6, -0.4, chance=0.04).verdict == NOT


def test_all_parts_have_to_hold_and_the_worst_decides():
    good, bad, open_ = (
        Part("good", "", 0.2, 0.1, 0.3),
        Part("bad", "", -0.2, -0.3, -0.1),
        Part("open", "", 0.0, -0.1, 0.1),
    )
    nothing = Part("nothing", "", math.nan, math.nan, math.nan)
    assert verdicts.overall_verdict([good, good]) == HOLDS
    assert verdicts.overall_verdict([good, open_]) == PARTLY
    assert verdicts.overall_verdict([good, open_, nothing]) == PARTLY
    assert verdicts.overall_verdict([good, nothing, bad]) == PARTLY
    assert verdicts.overall_verdict([bad, open_, nothing]) == NOT
    assert verdicts.overall_verdict([open_, nothing]) == UNKNOWN
    assert verdicts.overall_verdict([]) == UNKNOWN
    assert verdicts.failing_parts([good, open_, bad]) == "Fails: “bad”. Not clear: “open”."
    assert verdicts.failing_parts([good]) == ""
    near = Part("near", "", 0.2, 0.01, 0.3)
    assert verdicts.checked_observation(1, "c", [good, near], "", None, None).statistic is near  # type: ignore[arg-type]
    assert verdicts.checked_observation(1, "c", [good, bad, open_], "", None, None).statistic is bad  # type: ignore[arg-type]


def test_a_condition_alone_does_not_make_a_claim_hold_in_part():
    """That a loss is similar, or that a principle stays the same, is so too where nothing
    happens."""
    kept = Part("kept", "", 0.0, -0.1, 0.1, line=0.2, side="below", condition=True)
    bad, open_ = Part("bad", "", -0.2, -0.3, -0.1), Part("open", "", 0.0, -0.1, 0.1)
    assert kept.verdict == HOLDS
    assert verdicts.overall_verdict([kept, bad]) == NOT
    assert verdicts.overall_verdict([kept, open_]) == UNCLEAR
    assert verdicts.overall_verdict([kept, Part("good", "", 0.2, 0.1, 0.3), bad]) == PARTLY


def test_a_sure_but_tiny_effect_is_negligible():
    tiny = Part("tiny", "", 0.03, 0.02, 0.04, negligible=0.1)
    good, open_ = Part("good", "", 0.2, 0.1, 0.3, negligible=0.1), Part("open", "", 0.0, -0.1, 0.1)
    assert (tiny.verdict, good.verdict) == (NEGLIGIBLE, HOLDS)
    assert Part("a", "", 0.097, 0.09, 0.2, negligible=0.1).verdict == HOLDS  # shown as 0.10
    assert Part("a", "", -0.03, -0.04, -0.02, negligible=0.1).verdict == NOT
    assert verdicts.overall_verdict([tiny, good]) == NEGLIGIBLE
    assert verdicts.overall_verdict([tiny, open_]) == UNCLEAR  # nothing to speak of holds
    assert verdicts.failing_parts([tiny, good]) == "Negligible: “tiny”."


def test_a_claim_about_every_lam_may_hold_at_some():
    some = Part("some", "", -0.2, -0.3, -0.1, at=(0.25, 0.5))
    assert some.verdict == PARTLY
    assert verdicts.overall_verdict([some, Part("bad", "", -0.2, -0.3, -0.1)]) == PARTLY
    assert verdicts.failing_parts([some]) == "Only in part: “some” (at λ = 0.25 and 0.5)."
    assert Part("all", "", 0.2, 0.1, 0.3, at=(0.25, 0.5)).verdict == HOLDS


def test_what_is_not_the_papers_column_is_not_comparable():
    other = Part("other", "", 0.2, 0.1, 0.3, incomparable="filled in for 60 % of the courses")
    good, bad, open_ = (
        Part("good", "", 0.2, 0.1, 0.3),
        Part("bad", "", -0.2, -0.3, -0.1),
        Part("open", "", 0.0, -0.1, 0.1),
    )
    assert other.verdict == INCOMPARABLE
    assert verdicts.overall_verdict([other]) == INCOMPARABLE
    assert verdicts.overall_verdict([other, good]) == PARTLY
    assert verdicts.overall_verdict([other, bad]) == NOT
    assert verdicts.overall_verdict([other, open_]) == UNCLEAR
    assert (
        verdicts.failing_parts([other, good])
        == "Not comparable: “other” (filled in for 60 % of the courses)."
    )


def test_words_of_a_part():
    assert Part("a", "b", 0.0121, 0.0101, 0.0149).words == "+0.012 (95 % interval +0.010 to +0.015)"
    assert (
        Part("a", "b", -0.5, -0.6, -0.4, form="correlation", chance=0.3).words
        == "−0.50 (95 % interval −0.60 to −0.40; by chance in 30 % of cases)"
    )
    assert (
        Part("a", "b", 0.034, 0.01, 0.051, form="share").words
        == "+3.4 % (95 % interval +1.0 % to +5.1 %)"
    )
    assert Part("a", "b", 0.0, -0.0004, 0.0004).words == "0.0000 (95 % interval −0.0004 to +0.0004)"
    assert Part("a", "b", math.nan, math.nan, math.nan).words == "unknown"


def test_what_they_say_together():
    def of(*given):
        made = [
            verdicts.Observation(at, "", verdict, "", (), "", None, None)
            for at, verdict in enumerate(given)
        ]  # type: ignore[arg-type]
        return verdicts_sentence(CheckedObservations(tuple(made), 10, 10, 10))

    assert (
        of(*[HOLDS] * 5, NOT, UNCLEAR, UNCLEAR)
        == "Of the paper's eight observations, 5 hold on these data, 1 does not, 2 are not clear."
    )
    assert (
        of(HOLDS, NEGLIGIBLE, NEGLIGIBLE, PARTLY, PARTLY, PARTLY, INCOMPARABLE, NOT)
        == "Of the paper's eight observations, 1 holds on these data, 2 hold, but are negligible,"
        " 3 hold in part, 1 does not, 1 is not comparable."
    )
    assert (
        of(HOLDS, *[NOT] * 5, UNCLEAR, UNKNOWN)
        == "Of the paper's eight observations, 1 holds on these data, 5 do not, 1 is not clear, 1"
        " cannot be checked."
    )
    assert (
        of(*[UNKNOWN] * 8)
        == "Of the paper's eight observations, none holds on these data, 8 cannot be checked."
    )
    assert of(*[HOLDS] * 8) == "Of the paper's eight observations, 8 hold on these data."
    assert "a fixed sample of 3,000 of 43,021 learners" in basis_sentence(
        CheckedObservations((), 43021, 3000, 10)
    )
