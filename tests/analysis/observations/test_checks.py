"""The eight checks on evidence made by hand, where the verdict is known: each in all three
directions, and what cannot be checked."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from equity_core.analysis.observations import density, own_lists, verdicts
from equity_core.analysis.observations.checks import (
    check_evidence,
)
from equity_core.analysis.observations.density import check_score_density
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
    check_strategies,
)
from equity_core.metrics.intervals import drawn_counts
from tests.helpers.evidence import EIGHT, NAMES, dense, evaluation, evidence, values

HOLDS, NEGLIGIBLE, PARTLY, NOT, UNCLEAR, INCOMPARABLE, UNKNOWN = verdicts.VERDICTS
N = 300


@pytest.fixture
def rng():
    return np.random.default_rng(7)


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
        ((*EIGHT[-2:], "gmf", "neumf"), "by chance in at least 33 % of cases"),
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


def test_consistency_with_equality_needs_five_recommenders(rng):
    """Of four, the best order and its reverse come up in 2 of 24 cases: 8 %."""
    found = check_consistency_with_equality(
        evidence({name: evaluation(values(rng, N)) for name in EIGHT[:4]})
    )
    assert (found.verdict, found.reason) == (UNKNOWN, "it needs five recommenders, and there are 4")


@pytest.mark.parametrize(
    ("high", "low", "expected"),
    [
        ((0.3, 0.01), (0.0, 0.08), [HOLDS] * 5),
        ((-0.2, 0.08), (0.0, 0.01), [NOT] * 5),
        ((0.3, 0.08), (0.0, 0.01), [*[HOLDS] * 4, NOT]),
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
    assert [part.verdict for part in found.parts] == [UNCLEAR, HOLDS, HOLDS, UNCLEAR, UNCLEAR]
    np.testing.assert_allclose(
        [part.value for part in found.parts], [0.8, 0.93, 0.93, 0.0, 0.0], atol=1e-12
    )


def test_principles_met_leaves_out_what_cannot_be_compared(rng):
    """Validity is too low and variety too high, but neither is what the paper measured."""
    each = dict.fromkeys(("quality", "manageability"), (0.3, 0.01))
    each |= dict.fromkeys(("familiarity", "affordability", "learnability"), (0.0, 0.08))
    each |= {"validity": (-0.2, 0.1), "variety": (0.35, 0.001)}
    own = {name: evaluation(values(rng, N, 0.6, 0.01, **each)) for name in EIGHT[:2]}
    assert check_principles_met(evidence(own)).parts[1].verdict == NOT
    why = {"validity": "its column, last_update, is a stand-in", "variety": "filled in"}
    found = check_principles_met(replace(evidence(own), incomparable=why))
    assert [part.verdict for part in found.parts] == [
        HOLDS,
        INCOMPARABLE,
        HOLDS,
        HOLDS,
        HOLDS,
        INCOMPARABLE,
    ]
    assert found.verdict == PARTLY
    assert "“validity is largely met by all” (its column, last_update, is a stand-in)" in (
        found.reason
    )
    nothing = dict.fromkeys(NAMES, "filled in")
    found = check_principles_met(replace(evidence(own), incomparable=nothing))
    assert found.verdict == INCOMPARABLE
    assert {part.verdict for part in found.parts} == {INCOMPARABLE}


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


def test_past_and_lists_may_hold_and_be_negligible(rng):
    past = rng.uniform(0.3, 0.9, 4000)
    lists = np.clip(values(rng, 4000, 0.5, 0.05) + 0.02 * (past[:, None] - 0.6), 0, 1)
    found = check_past_and_lists(evidence({"userknn": evaluation(lists)}, past=past))
    assert found.parts[0].verdict == NEGLIGIBLE
    assert 0 < found.parts[0].value < 0.1


def test_past_and_lists_fails_for_pairs_that_go_the_other_way(rng):
    """Half of the pasts are alike and their lists are not; the others' pasts differ, and their
    lists are the same."""
    alike = rng.random(N) < 0.5
    past = np.where(alike, 0.5 + rng.normal(0, 0.01, N), rng.uniform(0, 1, N))
    level = np.where(alike, rng.uniform(0.2, 0.8, N), 0.5)
    lists = np.repeat(level[:, None], len(NAMES), axis=1)
    found = check_past_and_lists(evidence({"userknn": evaluation(lists)}, past=past))
    assert found.parts[1].verdict == NOT


def test_draws_over_pairs_follow_the_drawn_learners(rng):
    """To first order: a draw's correlation over its own pairs of different learners."""
    past, own = rng.uniform(0.3, 0.9, 150), evaluation(values(rng, 150, 0.5, 0.1))
    made = evidence({"userknn": own}, past=past, resamples=60)
    lists = own.per_learner_consistency
    expected = []
    for counts in drawn_counts(150, 60, 0):
        drawn = np.repeat(np.arange(150), counts)
        i, j = np.triu_indices(len(drawn), 1)
        apart = drawn[i] != drawn[j]
        a, b = drawn[i][apart], drawn[j][apart]
        expected.append(
            stats.spearmanr(np.abs(past[a] - past[b]), np.abs(lists[a] - lists[b])).statistic
        )
    found = made.bootstrap.resample_matrix_products(own_lists._over_pairs(made, "userknn"))[:, 0]
    assert np.corrcoef(found, expected)[0, 1] > 0.85
    assert np.std(found) == pytest.approx(np.std(expected), rel=0.25)


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


def test_strategies_one_lam_the_other_way_is_enough_to_hold_in_part_only(rng):
    own = {"userknn": evaluation(values(rng, N, 0.5, 0.05))}
    up, down = (evaluation(np.clip(own["userknn"].values + shift, 0, 1)) for shift in (0.05, -0.05))
    again = {
        ("userknn", strategy, lam): down if lam == 0.99 else up
        for strategy in ("user", "pers")
        for lam in LAMS
    }
    found = check_strategies(evidence(own, again))
    assert found.verdict == PARTLY
    assert found.parts[0].at == (0.25, 0.5, 0.75)
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
    why = {"variety": "filled in", "validity": "its column is a stand-in"}
    found = check_principles_after_reranking(replace(evidence(own, again), incomparable=why))
    assert {part.name.split()[0] for part in found.parts if part.verdict == INCOMPARABLE} == {
        "variety",
        "validity",
    }
    assert found.verdict not in (HOLDS, NEGLIGIBLE)


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


def test_score_density_says_what_it_hangs_on(rng):
    """Rather falling over five recommenders, but the sixth is the densest and loses most."""
    own = {name: evaluation(values(rng, N), rng.uniform(0.05, 0.15, N)) for name in EIGHT[:6]}
    scores = {name: dense(N, 0.2 + 0.1 * at) for at, name in enumerate(EIGHT[:6])}
    lost = (0.5, 0.4, 0.1, 0.2, 0.3, 0.6)
    again = {
        (name, "glob", lam): evaluation(
            own[name].values, (1 - lost[at]) * own[name].per_learner_ndcg
        )
        for at, name in enumerate(EIGHT[:6])
        for lam in LAMS
    }
    found = check_score_density(evidence(own, again, score_histograms=scores))
    dense_, expected = np.arange(6.0), np.array(lost)
    for at, (_, row) in enumerate(found.frame.iterrows()):
        rest = np.delete(np.arange(6), at)
        assert row["rho_without"] == pytest.approx(
            stats.spearmanr(dense_[rest], expected[rest]).statistic
        )
    assert found.parts[0].value == pytest.approx(stats.spearmanr(dense_, expected).statistic)
    assert found.note == "It turns around without GMF: −0.60 over the other 5."
    assert found.note in found.sentence


@pytest.mark.parametrize(
    ("lost", "said"),
    [
        ((1, 2, 3, 4, 5, 6), "It does not turn around without any one or two of the recommenders."),
        ((1, 2, 3, 4, 5), "It does not turn around without any one of the recommenders."),
        ((1, 2, 3, 4), ""),
        ((1, 1, 1, 1, 1), "There is no direction that could turn around."),
        ((7, 6, 1, 2, 3, 4, 5), "It turns around without c0: +0.14 over the other 6."),
    ],
)
def test_which_recommenders_turn_it_around(lost, said):
    labels = [f"c{at}" for at in range(len(lost))]
    found = density.flips_sentence(labels, np.arange(len(lost)) * 1.0, np.array(lost) * 1.0)
    assert found == said


def test_score_density_needs_an_ndcg_and_five_recommenders(rng):
    nobody = {name: evaluation(values(rng, N), np.full(N, np.nan)) for name in EIGHT}
    assert "NDCG is unknown here" in check_score_density(evidence(nobody)).reason
    assert (
        "find anything"
        in check_score_density(
            evidence({name: evaluation(values(rng, N), 0.0) for name in EIGHT})
        ).reason
    )
    assert (
        "it needs five recommenders with something to lose (at least a tenth of the best one's"
        " NDCG), and there are 4"
        in check_score_density(
            evidence({name: evaluation(values(rng, N)) for name in EIGHT[:4]})
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
