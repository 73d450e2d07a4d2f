"""The eight checks on evidence made by hand, where the verdict is known: each in all three
directions, and what cannot be checked."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from equity_core.analysis.audit.past import pair_differences
from equity_core.analysis.observations import own_lists, verdicts
from equity_core.analysis.observations.checks import (
    CheckedObservations,
    basis_sentence,
    check_evidence,
    verdicts_sentence,
)
from equity_core.analysis.observations.evidence import LAMS
from equity_core.analysis.observations.own_lists import (
    check_past_and_lists,
    check_principles_met,
    check_principles_with_consistency,
)
from equity_core.analysis.observations.recommenders import (
    check_consistency_with_equality,
    check_content_metadata,
    inputs,
)
from equity_core.analysis.observations.reranking import (
    check_principles_after_reranking,
    check_score_density,
    check_strategies,
)
from equity_core.analysis.observations.verdicts import Part
from equity_core.metrics.intervals import drawn_counts
from tests.helpers.evidence import EIGHT, NAMES, dense, evaluation, evidence, values

HOLDS, NOT, UNCLEAR, UNKNOWN = verdicts.VERDICTS
N = 300


@pytest.fixture
def rng():
    return np.random.default_rng(7)


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
    assert verdicts.overall_verdict([good, open_]) == UNCLEAR
    assert verdicts.overall_verdict([good, open_, nothing]) == UNKNOWN
    assert verdicts.overall_verdict([good, nothing, bad]) == NOT
    assert verdicts.failing_parts([good, open_, bad]) == "Fails: “bad”. Not clear: “open”."
    assert verdicts.failing_parts([good]) == ""
    near = Part("near", "", 0.2, 0.01, 0.3)
    assert verdicts.checked_observation(1, "c", [good, near], "", None, None).statistic is near  # type: ignore[arg-type]
    assert verdicts.checked_observation(1, "c", [good, bad, open_], "", None, None).statistic is bad  # type: ignore[arg-type]


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


@pytest.mark.parametrize(
    ("content", "others", "expected"),
    [(0.02, 0.09, HOLDS), (0.09, 0.02, NOT), (0.05, 0.05, UNCLEAR)],
)
def test_content_metadata(rng, content, others, expected):
    own = {
        name: evaluation(values(rng, N, sd=content if inputs(name) == "content" else others))
        for name in EIGHT
    }
    found = check_content_metadata(evidence(own))
    assert found.verdict == expected
    assert found.parts[0].value == pytest.approx(
        np.mean([own[name].equality for name in EIGHT[-2:]])
        - np.mean([own[name].equality for name in EIGHT[:-2]])
    )
    assert found.frame.set_index("algorithm").loc["gmf", "equality"] == pytest.approx(
        own["gmf"].equality
    )


def test_what_a_recommender_uses():
    kinds = {
        name: inputs(name)
        for name in ("random", "toppopular", "neumf", "itemknncb", "coupledcf", "a platform's own")
    }
    assert list(kinds.values()) == [
        "neither",
        "interactions",
        "interactions",
        "content",
        "content",
        "neither",
    ]


@pytest.mark.parametrize(
    ("names", "reason"),
    [
        (EIGHT[:-1], "two recommenders with content metadata, and there is 1"),
        (EIGHT[:-2], "two recommenders with content metadata, and there is none"),
        (
            (*EIGHT[-2:], "gmf", "random"),
            "two recommenders using interactions alone, and there is 1",
        ),
        ((*EIGHT[-2:], "gmf", "neumf"), "by chance in at least 17 % of cases"),
    ],
)
def test_content_metadata_needs_enough_of_both_kinds(rng, names, reason):
    found = check_content_metadata(evidence({name: evaluation(values(rng, N)) for name in names}))
    assert found.verdict == UNKNOWN
    assert reason in found.sentence
    assert found.statistic is None


@pytest.mark.parametrize(
    ("levels", "sds", "expected"),
    [
        ((0.4, 0.45, 0.5, 0.55, 0.6, 0.65), (0.09, 0.08, 0.07, 0.06, 0.05, 0.03), HOLDS),
        ((0.4, 0.45, 0.5, 0.55, 0.6, 0.65), (0.01, 0.03, 0.05, 0.08, 0.10, 0.13), NOT),
        ((0.4, 0.45, 0.5, 0.55, 0.6, 0.65), (0.05, 0.02, 0.11, 0.12, 0.03, 0.07), UNCLEAR),
    ],
)
def test_consistency_with_equality_over_recommenders(rng, levels, sds, expected):
    own = {
        name: evaluation(values(rng, N, level, sd))
        for name, level, sd in zip(EIGHT[:6], levels, sds, strict=True)
    }
    found = check_consistency_with_equality(evidence(own))
    assert found.verdict == expected
    assert [part.side for part in found.parts] == ["above", "below"]


def test_consistency_with_equality_needs_four_recommenders(rng):
    found = check_consistency_with_equality(
        evidence({name: evaluation(values(rng, N)) for name in EIGHT[:3]})
    )
    assert (found.verdict, found.reason) == (UNKNOWN, "it needs four recommenders, and there are 3")


@pytest.mark.parametrize(
    ("high", "low", "expected"),
    [
        ((0.3, 0.01), (0.0, 0.08), [HOLDS, HOLDS, HOLDS]),
        ((-0.2, 0.08), (0.0, 0.01), [NOT, NOT, NOT]),
        ((0.3, 0.08), (0.0, 0.01), [HOLDS, HOLDS, NOT]),
    ],
)
def test_principles_met_by_level_and_deviation(rng, high, low, expected):
    each = dict.fromkeys(("quality", "validity", "manageability"), high)
    each |= dict.fromkeys(("familiarity", "affordability", "learnability", "variety"), low)
    own = {name: evaluation(values(rng, N, 0.6, 0.01, **each)) for name in EIGHT[:2]}
    found = check_principles_met(evidence(own))
    assert [part.verdict for part in found.parts] == expected
    assert found.verdict == verdicts.overall_verdict(found.parts)


def test_principles_met_is_not_clear_at_the_threshold(rng):
    """Quality is 0.8 on average, as is variety, and both deviate alike."""
    drawn = rng.normal(0, 1, (N, len(NAMES)))
    drawn = (drawn - drawn.mean(axis=0)) / drawn.std(axis=0)
    level = {"quality": 0.8, "validity": 0.93, "manageability": 0.93, "variety": 0.8}
    deviation = {"quality": 0.05, "validity": 0.01, "manageability": 0.01, "variety": 0.05}
    made = np.array([level.get(name, 0.4) for name in NAMES]) + drawn * np.array(
        [deviation.get(name, 0.12) for name in NAMES]
    )
    found = check_principles_met(evidence({"userknn": evaluation(made)}))
    assert [part.verdict for part in found.parts] == [UNCLEAR] * 3
    np.testing.assert_allclose([part.value for part in found.parts], [0.8, 0.0, 0.0], atol=1e-12)


@pytest.mark.parametrize(("three", "rest", "expected"), [(0.12, 0.02, HOLDS), (0.02, 0.12, NOT)])
def test_principles_with_consistency(rng, three, rest, expected):
    each = {
        name: (0.0, three if name in ("familiarity", "learnability", "affordability") else rest)
        for name in NAMES
    }
    own = {name: evaluation(values(rng, N, 0.5, 0.0, **each)) for name in EIGHT[:3]}
    assert check_principles_with_consistency(evidence(own)).verdict == expected


def test_principles_with_consistency_is_not_clear_if_two_are_similar(rng):
    each = {
        name: (
            0.0,
            0.12 if name in ("familiarity", "learnability", "affordability", "quality") else 0.02,
        )
        for name in NAMES
    }
    made = values(rng, N, 0.5, 0.0, **each)
    made[:, NAMES.index("quality")] = rng.permutation(made[:, NAMES.index("affordability")])
    # familiarity and learnability vary a little more, so that affordability is the lowest of the
    # three.
    for name in ("familiarity", "learnability"):
        made[:, NAMES.index(name)] += 0.5 * (made[:, NAMES.index(name)] - 0.5)
    assert (
        check_principles_with_consistency(evidence({"userknn": evaluation(made)})).verdict
        == UNCLEAR
    )


@pytest.mark.parametrize(
    ("slope", "expected"), [(1.0, [HOLDS, HOLDS]), (-1.0, [NOT, HOLDS]), (0.0, [UNCLEAR, UNCLEAR])]
)
def test_past_and_lists(rng, slope, expected):
    past = rng.uniform(0.3, 0.9, N)
    own = {
        name: evaluation(np.clip(values(rng, N, 0.5, 0.03) + slope * (past[:, None] - 0.6), 0, 1))
        for name in EIGHT[:2]
    }
    found = check_past_and_lists(evidence(own, past=past))
    assert [part.verdict for part in found.parts] == expected
    assert found.verdict == verdicts.overall_verdict(found.parts)


def test_past_and_lists_fails_for_pairs_that_go_the_other_way(rng, monkeypatch):
    def opposite(past, found):
        frame = pair_differences(past, found)
        return frame.assign(lists=1.0 - frame["past"])

    monkeypatch.setattr(own_lists, "pair_differences", opposite)
    past = rng.uniform(0.3, 0.9, N)
    found = check_past_and_lists(evidence({"userknn": evaluation(values(rng, N))}, past=past))
    assert found.parts[1].verdict == NOT
    assert found.parts[1].value == pytest.approx(-1.0)


def test_a_pair_is_drawn_as_often_as_its_two_learners_together(rng):
    past, own = rng.uniform(0.3, 0.9, 30), evaluation(values(rng, 30))
    made = evidence({"userknn": own}, past=past, resamples=4)
    frame = pair_differences(past, own)
    place = {learner: at for at, learner in enumerate(own.learner_ids.tolist())}
    for counts, found in zip(
        drawn_counts(30, 4, 0),
        made.bootstrap.resample(own_lists._over_pairs(made, "userknn"))[:, 0],
        strict=True,
    ):
        often = [
            int(counts[place[a]]) * int(counts[place[b]])
            for a, b in zip(frame["a"], frame["b"], strict=True)
        ]
        drawn = frame.loc[np.repeat(frame.index, often)]
        assert found == pytest.approx(stats.spearmanr(drawn["past"], drawn["lists"]).statistic)


@pytest.mark.parametrize(
    ("shift", "narrower", "kept", "expected"),
    [
        (0.05, 0.5, 1.0, [HOLDS, HOLDS, HOLDS]),
        (-0.05, 2.0, 0.5, [NOT, NOT, NOT]),
        (0.05, 0.5, 0.5, [HOLDS, HOLDS, NOT]),
        (0.0, 1.0, 1.0, [UNCLEAR, UNCLEAR, HOLDS]),
    ],
)
def test_strategies_at_the_same_lam(rng, shift, narrower, kept, expected):
    own = {
        name: evaluation(values(rng, N, 0.5, 0.05), rng.uniform(0, 0.2, N)) for name in EIGHT[:2]
    }
    again = {}
    for name, found in own.items():
        for lam in LAMS:
            again[name, "glob", lam] = found
            for strategy in ("user", "pers"):
                centre = found.per_learner_consistency.mean()
                changed = np.clip(centre + narrower * (found.values - centre) + shift, 0, 1)
                again[name, strategy, lam] = evaluation(changed, kept * found.per_learner_ndcg)
    found = check_strategies(evidence(own, again))
    assert [part.verdict for part in found.parts] == expected * 2
    assert len(found.frame) == 2 * len(LAMS)


def test_strategies_one_lam_the_other_way_is_enough_to_fail(rng):
    own = {"userknn": evaluation(values(rng, N, 0.5, 0.05))}
    up, down = (evaluation(np.clip(own["userknn"].values + shift, 0, 1)) for shift in (0.05, -0.05))
    again = {
        ("userknn", strategy, lam): down if lam == 0.99 else up
        for strategy in ("user", "pers")
        for lam in LAMS
    }
    found = check_strategies(evidence(own, again))
    assert found.verdict == NOT
    assert (
        "user has clearly higher consistency at λ = 0.25, 0.5 and 0.75; clearly lower consistency"
        " at λ = 0.99" in found.sentence
    )


@pytest.mark.parametrize(
    ("raised", "held", "verdicts"),
    [
        (0.1, 0.01, {HOLDS}),
        (-0.1, 0.2, {NOT}),
        (0.1, -0.2, {HOLDS, NOT}),
        (0.0, 0.0, {UNCLEAR, HOLDS}),
    ],
)
def test_principles_after_reranking(rng, raised, held, verdicts):
    own = {name: evaluation(values(rng, N, 0.5, 0.03)) for name in EIGHT[:2]}
    moves = {
        name: raised if name in ("familiarity", "variety", "affordability") else held
        for name in NAMES
    } | {"quality": -0.3}
    shift = np.array([moves[name] for name in NAMES])
    again = {
        (name, "glob", lam): evaluation(np.clip(own[name].values + shift, 0, 1))
        for name in own
        for lam in LAMS
    }
    found = check_principles_after_reranking(evidence(own, again))
    assert {part.verdict for part in found.parts} == verdicts
    assert "quality −0.30" in found.sentence


@pytest.mark.parametrize(
    ("order", "expected"),
    [((0, 1, 2, 3, 4, 5), HOLDS), ((5, 4, 3, 2, 1, 0), NOT), ((2, 0, 5, 4, 1, 3), UNCLEAR)],
)
def test_score_density_and_the_loss(rng, order, expected):
    own = {
        name: evaluation(values(rng, N), rng.uniform(0.05, 0.15, N))
        for name in (*EIGHT[:6], "random")
    }
    own["random"] = evaluation(values(rng, N), 0.0001)
    scores = {name: dense(N, 0.2 + 0.1 * at) for at, name in enumerate(EIGHT[:6])}
    again = {
        (name, "glob", lam): evaluation(
            own[name].values, (0.9 - 0.12 * order[at]) * own[name].per_learner_ndcg
        )
        for at, name in enumerate(EIGHT[:6])
        for lam in LAMS
    }
    found = check_score_density(evidence(own, again, score_histograms=scores))
    assert found.verdict == expected
    assert list(found.frame["algorithm"]) == list(EIGHT[:6])  # Random has nothing to lose
    np.testing.assert_allclose(
        found.frame["concentration"], [0.2 + 0.1 * at for at in range(6)], atol=1e-9
    )
    np.testing.assert_allclose(
        found.frame["lost"], [0.1 + 0.12 * place for place in order], atol=1e-9
    )


def test_score_density_needs_an_ndcg_and_four_recommenders(rng):
    nobody = {name: evaluation(values(rng, N), np.full(N, np.nan)) for name in EIGHT}
    assert "NDCG is unknown here" in check_score_density(evidence(nobody)).reason
    assert (
        "find anything"
        in check_score_density(
            evidence({name: evaluation(values(rng, N), 0.0) for name in EIGHT})
        ).reason
    )
    assert (
        "and there are 3"
        in check_score_density(
            evidence({name: evaluation(values(rng, N)) for name in EIGHT[:3]})
        ).reason
    )


def test_without_a_test_part_the_loss_is_unknown_and_said(rng):
    found = check_strategies(
        evidence({name: evaluation(values(rng, N), np.full(N, np.nan)) for name in EIGHT[:2]})
    )
    assert found.verdict == UNKNOWN
    assert "NDCG is unknown here" in found.sentence
    assert [part.verdict for part in found.parts][2] == UNKNOWN


def test_few_learners_are_no_sample(rng):
    eight = check_evidence(evidence({name: evaluation(values(rng, 19)) for name in EIGHT}))
    assert {one.verdict for one in eight.observations} == {UNKNOWN}
    assert all("fewer says nothing" in one.reason for one in eight.observations)


def test_what_they_say_together(rng):
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
