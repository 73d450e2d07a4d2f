"""The chooser against the long way: on the demo over a grid of 1,001 λ, on small worlds over
everything that it searches."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import equity_core as eq
from equity_core.analysis.choosing import limits, minimums, words
from equity_core.metrics.safety import missing, own_moments
from equity_core.reranker import search as lam_search
from equity_core.reranker.sampling import SAMPLE
from tests.helpers import awkward
from tests.helpers.audited import make
from tests.helpers.brute import LAMS, allowed, grid

DEMO = Path(__file__).parents[3] / "data" / "demo"
LIMITS = (0.01, 0.05, 0.10, 0.25, 0.50)
PRINCIPLES = [principle.name for principle in eq.SEVEN]


@pytest.fixture(scope="module")
def demo() -> eq.Bundle:
    return eq.load_bundle(DEMO)


@pytest.fixture(scope="module")
def demo_searched(demo: eq.Bundle) -> lam_search.SearchResult:
    return lam_search.search(demo, "userknn", eq.Policy(), "test", "valid")


@pytest.fixture(scope="module")
def demo_grid(demo: eq.Bundle) -> pd.DataFrame:
    return grid(demo, "userknn", eq.Policy(), LAMS, choosing="valid")


@pytest.mark.slow
@pytest.mark.parametrize("limit", LIMITS)
def test_no_lam_of_1001_beats_the_answer_on_the_demo(
    demo_searched: lam_search.SearchResult, demo_grid: pd.DataFrame, limit: float
) -> None:
    found, own = limits.maximum_loss(demo_searched, limit), demo_grid["ndcg"].iloc[0]
    keep = allowed(demo_grid, limit, own)
    assert found.bold_lam.equality == keep["equality"].max()
    mine = demo_grid.loc[round(found.bold_lam.value * 1000)]
    assert mine["ndcg"] >= (1 - limit) * own - 1e-9
    assert mine["equality"] == found.bold_lam.equality
    assert found.bold_lam.chosen_loss == pytest.approx(1 - mine["ndcg"] / own)
    # The floor, too, keeps the limit, and is more equal than any λ within it.
    assert found.bold_floor.chosen_loss <= limit + 1e-9
    assert found.bold_floor.equality > keep["equality"].max()
    assert found.bold is found.bold_floor


@pytest.mark.slow
@pytest.mark.parametrize(("algorithm", "strategy"), [("itemknncb", "pers"), ("rp3beta", "user")])
def test_no_lam_of_1001_beats_the_answer_for_others(
    demo: eq.Bundle, algorithm: str, strategy: str
) -> None:
    policy = eq.Policy(k=5, strategy=strategy)
    rows = grid(demo, algorithm, policy, LAMS, choosing="valid")
    found = limits.maximum_loss(lam_search.search(demo, algorithm, policy, "test", "valid"), 0.1)
    assert found.bold_lam.equality == allowed(rows, 0.1, rows["ndcg"].iloc[0])["equality"].max()


def test_the_answer_is_reported_on_test_and_chosen_on_valid(
    demo: eq.Bundle, demo_searched: lam_search.SearchResult
) -> None:
    answer = limits.maximum_loss(demo_searched, 0.1).bold_floor
    own, now = (
        eq.rerank(demo, "userknn", policy) for policy in (eq.Policy(lam=0.0), answer.policy)
    )
    test, before = (eq.evaluate(demo, run, eq.Policy()) for run in (now, own))
    valid, start = (eq.evaluate(demo, run, eq.Policy(), split="valid") for run in (now, own))
    assert answer.evaluation.ndcg == test.ndcg
    assert answer.loss == pytest.approx(1 - test.ndcg / before.ndcg)
    assert answer.chosen_loss == pytest.approx(1 - valid.ndcg / start.ndcg)
    assert answer.compared.loc["equality", "change"] == test.equality - before.equality
    assert (
        answer.compared.loc["equality", "change_low"]
        < answer.compared.loc["equality", "change"]
        < answer.compared.loc["equality", "change_high"]
    )


POLICIES = {
    "glob": eq.Policy(k=5),
    "user": eq.Policy(k=5, strategy="user"),
    "pers": eq.Policy(k=3, strategy="pers", relevance_scale="rank"),
    "catalogue": eq.Policy(k=5, pool="catalogue"),
    "custom": eq.Policy(
        k=4,
        strategy="custom",
        weights={"quality": 3.0, "variety": 0.0},
        targets={"quality": 0.7, "familiarity": 0.4},
    ),
    "long": eq.Policy(k=30),
}


@pytest.mark.parametrize("name", POLICIES)
def test_every_row_of_the_search_is_the_policy_s_own_figures(bundle: eq.Bundle, name: str) -> None:
    """λ and floor, to the last digit; the algorithm "mine" leaves a learner without candidates."""
    policy = POLICIES[name]
    algorithm = "mine" if name in ("glob", "long") else "userknn"
    found = lam_search.search(bundle, algorithm, policy)
    by_lam = grid(bundle, algorithm, policy, LAMS[::7])
    by_floor = grid(bundle, algorithm, policy, found.floor["value"][::7], "floor")
    for mine, expected in ((found.lam.iloc[::7], by_lam), (found.floor.iloc[::7], by_floor)):
        for column in ("value", "equality", "consistency", "lowest", "unreached", *PRINCIPLES):
            np.testing.assert_array_equal(mine[column], expected[column], err_msg=column)
        np.testing.assert_array_equal(mine["ndcg"], expected["ndcg"])


def test_the_floors_searched_are_all_that_do_anything(bundle: eq.Bundle) -> None:
    found = lam_search.search(bundle, "userknn", POLICIES["glob"])
    first, last = found.floor["value"].iloc[0], found.floor["value"].iloc[-1]
    rows = grid(bundle, "userknn", POLICIES["glob"], [0.0, first, last, 1.0], "floor")
    assert rows["equality"].iloc[0] == rows["equality"].iloc[1] == found.lam["equality"].iloc[0]
    assert rows["equality"].iloc[2] == rows["equality"].iloc[3]
    assert rows["unreached"].iloc[2] == rows["unreached"].iloc[3]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_within_is_the_best_of_all_on_small_worlds(seed: int) -> None:
    bundle, policy = make(seed=seed), eq.Policy(k=4, strategy="pers" if seed == 2 else "glob")
    searched = lam_search.search(bundle, "userknn", policy)
    for kind in ("lam", "floor"):
        values = LAMS if kind == "lam" else [number / 200 for number in range(201)]
        rows = grid(bundle, "userknn", policy, values, kind)
        own = eq.evaluate(bundle, eq.rerank(bundle, "userknn", policy.but(lam=0.0)), policy).ndcg
        for limit in (0.0, 0.07, 0.3, 1.0):
            answer = getattr(limits.maximum_loss(searched, limit), f"bold_{kind}")
            best = allowed(rows, limit, own)["equality"].max()
            assert answer.equality == best
            assert answer.evaluation.ndcg >= (1 - limit) * own - 1e-9
            # Equals: the higher NDCG, then the smaller value (a floor that asks nothing is searched
            # once only).
            equals = rows[(rows["equality"] == best) & (rows["ndcg"] >= (1 - limit) * own - 1e-9)]
            assert answer.evaluation.ndcg == equals["ndcg"].max()
            if kind == "lam":
                assert answer.value == equals[equals["ndcg"] == equals["ndcg"].max()]["value"].min()


@pytest.mark.parametrize("tau", [0.3, 0.5, 0.6, 0.66, 0.9])
def test_none_below_is_the_smallest_lam_and_the_highest_floor(
    bundle: eq.Bundle, tau: float
) -> None:
    policy = eq.Policy(k=5)
    found = limits.learner_minimum(lam_search.search(bundle, "mine", policy), tau)
    rows = grid(bundle, "mine", policy, LAMS)
    enough = rows[rows["lowest"] >= tau - 1e-9]
    assert (found.lam.value if found.lam else None) == (
        enough["value"].iloc[0] if len(enough) else None
    )
    run = eq.rerank(bundle, "mine", policy.but(floor=tau))
    measured = eq.evaluate(bundle, run, policy)
    assert found.below == (measured.per_learner_consistency < tau - 1e-9).sum()
    assert found.without_list == 1
    assert found.floor.loss == pytest.approx(1 - measured.ndcg / rows["ndcg"].iloc[0])
    floors = grid(bundle, "mine", policy, [number / 200 for number in range(201)], "floor")
    assert found.highest_floor == floors[floors["unreached"] <= found.without_list]["value"].max()


@pytest.mark.parametrize(
    "asked",
    [(("affordability", 0.8),), (("affordability", 0.8), ("familiarity", 0.55))],
)
def test_each_at_least_is_the_cheapest_of_all_searched(
    asked: tuple[tuple[str, float], ...],
) -> None:
    bundle, policy = make(seed=5), eq.Policy(k=4)
    found = minimums.principle_minimums(bundle, "userknn", policy, asked)
    own = eq.evaluate(bundle, eq.rerank(bundle, "userknn", policy.but(lam=0.0)), policy)
    steps, best, highest = (
        [number / 200 for number in range(0, 201, 3)],
        -math.inf,
        dict.fromkeys(dict(asked), -math.inf),
    )
    for family in minimums.families(bundle, policy, dict(asked), own.principles["mean"].to_dict()):
        for kind in ("lam", "floor"):
            rows = grid(bundle, "userknn", family, steps, kind)
            good = rows[np.logical_and.reduce([rows[name] >= value for name, value in asked])]
            best = max(best, good["ndcg"].max() if len(good) else -math.inf)
            highest = {name: max(value, rows[name].max()) for name, value in highest.items()}
    assert found.answer is not None
    measured = eq.evaluate(bundle, eq.rerank(bundle, "userknn", found.answer.policy), policy)
    for name, value in asked:
        assert measured.principles.loc[name, "mean"] >= value - 1e-9
        assert found.highest[name][0] >= highest[name]
    assert measured.ndcg >= best  # more is searched: weights adjusted to the cheapest so far
    assert found.answer.evaluation.ndcg == measured.ndcg


def test_out_of_reach_says_what_is_missing(bundle: eq.Bundle) -> None:
    found = minimums.principle_minimums(
        bundle, "userknn", eq.Policy(k=5), (("affordability", 0.999), ("quality", 0.2))
    )
    assert found.answer is None
    text = words.principle_minimums_sentence(found, "test")
    top, policy = found.highest["affordability"]
    assert f"Affordability reaches at most {math.floor(top * 1000) / 1000:.3f}" in text
    assert "quality alone is possible" in text
    run = eq.rerank(bundle, "userknn", policy)
    assert eq.evaluate(bundle, run, eq.Policy(k=5)).principles.loc[
        "affordability", "mean"
    ] == pytest.approx(top)


def test_what_the_own_lists_have_costs_nothing(bundle: eq.Bundle) -> None:
    found = minimums.principle_minimums(bundle, "userknn", eq.Policy(k=5), (("quality", 0.0),))
    assert found.answer.loss <= 0
    with pytest.raises(ValueError, match="is not a principle"):
        minimums.principle_minimums(bundle, "userknn", eq.Policy(k=5), (("luck", 0.5),))
    with pytest.raises(ValueError, match="at least one"):
        minimums.principle_minimums(bundle, "userknn", eq.Policy(k=5), ())
    with pytest.raises(ValueError, match="between 0 and 1"):
        limits.maximum_loss(lam_search.search(bundle, "userknn", eq.Policy(k=5)), 10)


def test_weights_are_halved_where_too_much_is_reached() -> None:
    policy = eq.Policy(strategy="custom", weights={"quality": 1.0, "variety": 1.0})
    again = minimums.adjusted(
        policy, {"quality": 0.5, "variety": 0.5}, {"quality": 0.9, "variety": 0.51}
    )
    assert dict(again.weights) == {"quality": 0.5, "variety": 1.0}
    assert minimums.adjusted(policy, {"quality": 0.5}, {"quality": 0.9}) is None
    assert (
        minimums.adjusted(
            policy, {"quality": 0.5, "variety": 0.5}, {"quality": 0.5, "variety": 0.5}
        )
        is None
    )


@pytest.mark.parametrize("question", ["within", "below", "each"])
def test_a_sample_is_searched_and_everybody_checked(
    bundle: eq.Bundle, monkeypatch: pytest.MonkeyPatch, question: str
) -> None:
    monkeypatch.setattr(lam_search, "sample_size", lambda learners, k: 20)
    policy = eq.Policy(k=5)
    own = eq.evaluate(bundle, eq.rerank(bundle, "userknn", policy.but(lam=0.0)), policy)
    if question == "each":
        found = minimums.principle_minimums(
            bundle, "userknn", policy, (("affordability", 0.85),)
        ).answer
        measured = eq.evaluate(bundle, eq.rerank(bundle, "userknn", found.policy), policy)
        assert measured.principles.loc["affordability", "mean"] >= 0.85 - 1e-9
        return
    searched = lam_search.search(bundle, "userknn", policy)
    assert searched.sampled
    assert searched.learners == 20
    if question == "within":
        for limit in (0.05, 0.2):
            made = limits.maximum_loss(searched, limit)
            for answer in (made.bold_floor, made.bold_lam, made.safe_floor, made.safe_lam):
                measured = eq.evaluate(bundle, eq.rerank(bundle, "userknn", answer.policy), policy)
                assert measured.ndcg >= (1 - limit) * own.ndcg - 1e-9
    else:
        made = limits.learner_minimum(searched, 0.6)
        measured = eq.evaluate(bundle, eq.rerank(bundle, "userknn", made.lam.policy), policy)
        assert np.nanmin(measured.per_learner_consistency) >= 0.6 - 1e-9
        floors = grid(bundle, "userknn", policy, [number / 200 for number in range(201)], "floor")
        assert made.highest_floor == floors[floors["unreached"] == 0]["value"].max()
    assert "sample of 20 learners, checked on all 60" in words.sample_sentence(
        searched.learners, 60
    )


def test_how_many_are_searched() -> None:
    assert lam_search.sample_size(6000, 10) == 6000
    assert lam_search.sample_size(43021, 10) == SAMPLE
    assert lam_search.sample_size(2000, 100) == 200
    assert lam_search.sample_size(3, 1000) == 3


def test_progress_counts_and_cancels(bundle: eq.Bundle) -> None:
    seen: list[tuple[int, int]] = []
    lam_search.search(
        bundle, "userknn", eq.Policy(k=3), progress=lambda done, total: seen.append((done, total))
    )
    assert seen == sorted(seen)
    assert (seen[0], seen[-1][1]) == ((0, 100), 100)
    with pytest.raises(eq.Cancelled):
        lam_search.search(bundle, "userknn", eq.Policy(k=3), progress=lambda done, total: done < 50)
    with pytest.raises(eq.Cancelled):
        minimums.principle_minimums(
            bundle,
            "userknn",
            eq.Policy(k=3),
            (("quality", 0.5),),
            progress=lambda done, total: done < 200,
        )


@pytest.mark.parametrize("name", list(awkward.BUNDLES))
def test_awkward_data_are_answered_in_words(name: str) -> None:
    bundle, policy = awkward.BUNDLES[name](), eq.Policy(k=3)
    searched = lam_search.search(bundle, "userknn", policy)
    made = limits.maximum_loss(searched, 0.1)
    first = bundle.principles[0].name
    each = minimums.principle_minimums(bundle, "userknn", policy, ((first, 0.3),))
    texts = [
        words.maximum_loss_sentence(made, "test", "test")
        if made.safe
        else words.no_answer_sentence(searched.own_chosen, 0.1),
        words.limit_exceeded_sentence(made, "test", "test"),
        words.learner_minimum_sentence(
            limits.learner_minimum(searched, 0.6), "test", len(bundle.learner_ids)
        ),
        words.principle_minimums_sentence(each, "test"),
        words.chosen_on_sentence("test", "test"),
    ]
    assert "nan" not in " ".join(texts).lower().replace("finance", "")
    if name == "no_test":
        assert made.safe is made.bold is None
        assert "NDCG is unknown" in texts[0]
        assert each.answer is not None
        assert "unknown here" in texts[3]
    else:
        assert made.safe is not None
        assert made.bold.equality >= made.safe.equality
    assert "no validation part" in texts[-1]
    assert "validation part, reported on the test part" in words.chosen_on_sentence("test", "valid")


def test_own_lists_that_find_nothing_have_no_ndcg_to_lose(bundle: eq.Bundle) -> None:
    path = lam_search.search(bundle, "userknn", eq.Policy(k=2)).lam
    assert len(limits.ranked_within(path, 1.0, float(path["chosen_ndcg"].iloc[0]))) == 1001
    assert limits.ranked_within(path, 1.0, 0.0).empty
    assert limits.ranked_within(path, 1.0, math.nan).empty
    assert "NDCG 0" in words.no_answer_sentence(0.0, 0.5)


def test_equals_go_to_the_higher_ndcg_then_to_the_smaller_value() -> None:
    columns = {
        "value": [0.1, 0.2, 0.3, 0.4, 0.5],
        "chosen_ndcg": [0.9, 0.95, 0.95, 1.0, 0.5],
        "equality": [0.8, 0.8, 0.8, 0.7, 0.9],
    }
    assert list(limits.ranked_within(pd.DataFrame(columns), 0.1, 1.0)["value"]) == [
        0.2,
        0.3,
        0.1,
        0.4,
    ]
    assert limits.ranked_within(pd.DataFrame(columns), 0.5, 1.0)["value"].iloc[0] == 0.5


def test_a_limit_that_does_not_hold_on_test_is_said_plainly(
    demo_searched: lam_search.SearchResult,
) -> None:
    found = limits.maximum_loss(demo_searched, 0.1)
    text = words.limit_exceeded_sentence(found, "test", "valid")
    over = [answer for answer in found.answers if answer.loss > 0.1]
    assert bool(text) == bool(over)
    for answer in over:
        kind = "safe" if answer is found.safe else "bold"
        assert (
            f"{words.policy_name(answer.policy)} ({kind}) loses {answer.loss * 100:.1f} %" in text
        )
    assert words.limit_exceeded_sentence(found, "test", "test") == ""


def test_the_sentences_have_the_answer_s_figures(demo_searched: lam_search.SearchResult) -> None:
    found = limits.maximum_loss(demo_searched, 0.03)
    safe, bold, lam = found.safe_floor, found.bold_floor, found.safe_lam
    assert found.answers == [safe, bold]
    text = words.maximum_loss_sentence(found, "test", "valid")
    assert text.startswith(
        f"**Floor {safe.value:g} is the most equal policy that keeps the loss within 3 % with"
        " 95 % confidence** for learners like these; later behaviour may differ."
    )
    assert f"to {safe.equality:.3f}" in text
    assert (
        f"Bold, without that confidence: Floor {bold.value:g}: equality {bold.equality:.3f}" in text
    )
    assert f"λ = {lam.value:g}: equality {lam.equality:.3f}" in text
    kinds = [words.answer_kind(found, answer) for answer in found.answers]
    marks = words.answer_marks(found.answers, eq.Policy(), kinds)
    assert [mark["text"] for mark in marks] == [
        f"Safe: floor {safe.value:g}",
        f"Bold: floor {bold.value:g}",
    ]
    marks = words.answer_marks([safe, lam], eq.Policy())
    assert [mark["text"] for mark in marks] == [
        f"Answer: floor {safe.value:g}",
        f"or λ = {lam.value:g}",
    ]
    rows = dict(words.answers_table([safe, lam], "test", "valid", 10))
    assert rows["Equality"][0][0] == f"{safe.equality:.3f}"
    assert list(rows) == ["NDCG@10, test", "validation", "Equality", "Consistency"]
    assert "validation" not in dict(words.answers_table([safe], "test", "test", 10))


def safe_the_long_way(
    bundle: eq.Bundle, policy: eq.Policy, values: pd.Series, kind: str, limit: float, part: str
) -> list[float]:
    """The values of a path that are safe: each re-ranked by itself, tested by scipy, up to the
    first failure."""
    session, safe = eq.Session(bundle, "userknn", policy), [float(values.iloc[0])]
    own = eq.evaluate(bundle, session.at_lam(0.0), policy, split=part).per_learner_ndcg
    known = ~np.isnan(own)
    hit = own[known & (own > 0)].mean()
    for value in values.iloc[1:]:
        run = session.at_lam(value) if kind == "lam" else session.at_floor(value)
        after = eq.evaluate(bundle, run, policy, split=part).per_learner_ndcg
        d = (after - (1 - limit) * own)[known]
        d = np.append(d, -(1 - limit) * hit)
        if stats.ttest_1samp(d, 0.0, alternative="greater").pvalue > 0.025:
            break
        safe.append(float(value))
    return safe


@pytest.mark.parametrize("kind", ["lam", "floor"])
@pytest.mark.parametrize("limit", [0.05, 0.3])
def test_the_safe_policies_are_those_of_a_plain_test(kind: str, limit: float) -> None:
    bundle, policy = make(learners=150, seed=4), eq.Policy(k=5)
    searched = lam_search.search(bundle, "userknn", policy, steps=200)
    path = searched.path(kind)
    found = limits.safe_within(path, limit, searched.own_searched)
    expected = safe_the_long_way(bundle, policy, path["value"], kind, limit, "test")
    assert sorted(found["value"]) == expected
    assert 1 < len(expected) < len(path) or limit == 0.05
    best = path[path["value"].isin(expected)]["equality"].max()
    assert found["equality"].iloc[0] == best
    made = limits.maximum_loss(searched, limit)
    assert getattr(made, f"safe_{kind}").equality == best
    assert made.safe.equality <= made.bold.equality


def test_a_safe_answer_never_loses_more_than_a_bold_one(
    demo_searched: lam_search.SearchResult,
) -> None:
    before = -1.0
    for limit in (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0):
        made = limits.maximum_loss(demo_searched, limit)
        assert made.safe.chosen_loss <= limit + 1e-9
        assert made.safe.equality <= made.bold.equality
        assert made.safe.equality >= before  # more room: never a less equal answer, here
        before = made.safe.equality
    # Everything may be lost: nothing is left to be sure of.
    assert made.safe.policy == made.bold.policy
    assert made.answers == [made.safe]
    assert "even without that confidence" in words.maximum_loss_sentence(made, "test", "valid")


def test_more_confidence_is_never_more_equal(demo_searched: lam_search.SearchResult) -> None:
    found = [
        limits.maximum_loss(demo_searched, 0.02, confidence).safe.equality
        for confidence in (0.5, 0.8, 0.95, 0.999)
    ]
    assert found == sorted(found, reverse=True)
    assert found[0] > found[-1]


def test_too_few_learners_to_be_sure_of_anything() -> None:
    bundle = make(learners=12, seed=3)
    searched = lam_search.search(bundle, "userknn", eq.Policy(k=5))
    made = limits.maximum_loss(searched, 0.02)
    assert words.is_own(made.safe)
    text = words.maximum_loss_sentence(made, "test", "test")
    known = int((~np.isnan(searched.own.per_learner_ndcg)).sum())
    if words.is_own(made.bold):
        assert "nothing is more equal than the own lists" in text
    else:
        assert text.startswith("**No policy that keeps the loss within 2 % with 95 % confidence is")
        assert f"the {known} learners with a course to find in the test part" in text
        assert "Bold, without that confidence" in text


def test_where_a_sample_was_searched_the_safe_answer_passes_on_both(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Safe by the sample's own test, so that the error is kept; and by the test on everybody."""
    bundle, policy = make(learners=300, seed=6), eq.Policy(k=5)
    monkeypatch.setattr(lam_search, "sample_size", lambda learners, k: 150)
    searched = lam_search.search(bundle, "userknn", policy)
    assert searched.sampled
    everybody = own_moments(searched.own.per_learner_ndcg)
    moved = 0
    for limit in (0.1, 0.2, 0.4):
        made = limits.maximum_loss(searched, limit)
        for kind in ("lam", "floor"):
            answer = getattr(made, f"safe_{kind}")
            if answer.value == 0:
                continue
            sample = limits.safe_within(searched.path(kind), limit, searched.own_searched)
            assert answer.value in set(sample["value"])
            assert missing(everybody, answer.change, limit) <= 1e-9
            moved += answer.equality > searched.own.equality
    assert moved
