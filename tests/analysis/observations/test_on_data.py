"""The eight checks on data sets: figures of the demo against a plain computation, awkward data,
samples, cancelling, and their words."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import equity_core as eq
from equity_core.analysis.audit import past, recommenders
from equity_core.analysis.observations import (
    basis_sentence,
    check_observations,
    verdicts_table,
)
from equity_core.analysis.observations.checks import check_evidence
from equity_core.analysis.observations.evidence import LAMS, STRATEGIES, gather_evidence
from equity_core.analysis.tradeoff import density
from equity_core.importers import import_coco
from equity_core.policy import FIRST_EDITION
from equity_core.reranker import sampling
from tests.helpers.audited import make
from tests.helpers.awkward import BUNDLES, MARKUP
from tests.helpers.coco import ABSENT, FOLDER, coco_present

ROOT = Path(__file__).parents[3]
CAUSES = re.compile(
    r"\b(because|caus\w+|due to|leads? to|led to|results? in|makes?|drives?|thanks"
    r" to|effects?|affects?|influences?|improves?|explains?|"
    r"fair\w*|unfair|debias\w*|solve\w*)\b",
    re.IGNORECASE,
)
HIGH, LOW = (
    ("quality", "validity", "manageability"),
    ("familiarity", "affordability", "learnability", "variety"),
)
THREE = ("familiarity", "learnability", "affordability")


def gini(values):
    known = values[~np.isnan(values)]
    return np.abs(known[:, None] - known[None, :]).mean() / (2 * known.mean())


@pytest.fixture(scope="module")
def demo():
    return eq.load_bundle(ROOT / "data" / "demo")


@pytest.fixture(scope="module")
def eight(demo):
    return {one.number: one for one in check_observations(demo, eq.Policy()).observations}


@pytest.fixture(scope="module")
def own(demo):
    return {
        name: eq.evaluate(demo, eq.rerank(demo, name, eq.Policy(lam=0)), eq.Policy(lam=0))
        for name in demo.algorithms
    }


@pytest.fixture(scope="module")
def swept(demo):
    """By algorithm and strategy: eq.sweep over 0 and the paper's λ, by the paper's procedure."""
    return {
        (name, strategy): eq.sweep(
            demo, name, eq.Policy(strategy=strategy).but(**FIRST_EDITION), lams=[0, *LAMS]
        )
        for name in demo.algorithms
        for strategy in STRATEGIES
    }


def parts(found):
    return [part.value for part in found.parts]


def test_demo_families(eight, own):
    equality = {name: 1 - gini(found.per_learner_consistency) for name, found in own.items()}
    content = [equality[name] for name in ("itemknncb", "coupledcf")]
    others = [
        equality[name]
        for name in ("toppopular", "userknn", "itemknn", "p3alpha", "rp3beta", "gmf", "neumf")
    ]
    assert parts(eight[1]) == pytest.approx([np.mean(content) - np.mean(others)], abs=1e-12)
    mean = [np.mean(own[name].per_learner_consistency) for name in own]
    sd = [np.std(own[name].per_learner_consistency) for name in own]
    assert parts(eight[2]) == pytest.approx(
        [
            stats.spearmanr(mean, list(equality.values())).statistic,
            stats.spearmanr(mean, sd).statistic,
        ],
        abs=1e-12,
    )
    assert parts(eight[2])[0] == pytest.approx(
        recommenders.consistency_equality_correlation(recommenders.table(own))
    )  # what the screen says elsewhere


def test_demo_levels_and_correlations(eight, own):
    means = {
        name: np.mean([found.learners[name].mean() for found in own.values()])
        for name in (*HIGH, *LOW)
    }
    sds = {
        name: np.mean([found.learners[name].std(ddof=0) for found in own.values()])
        for name in (*HIGH, *LOW)
    }
    least = [min(found.learners[name].mean() for found in own.values()) for name in HIGH]
    assert parts(eight[3]) == pytest.approx(
        [
            *least,
            min(means[n] for n in HIGH) - max(means[n] for n in LOW),
            min(sds[n] for n in LOW) - max(sds[n] for n in HIGH),
        ],
        abs=1e-12,
    )
    rho = {
        name: np.mean(
            [
                stats.spearmanr(found.learners[name], found.learners["consistency"]).statistic
                for found in own.values()
            ]
        )
        for name in (*HIGH, *LOW)
    }
    assert parts(eight[4]) == pytest.approx(
        [min(rho[n] for n in THREE) - max(rho[n] for n in rho if n not in THREE)], abs=1e-12
    )


def test_demo_pasts(eight, demo, own):
    before = past.past_consistency(demo, eq.Policy())
    each = [
        stats.spearmanr(before, found.per_learner_consistency).statistic for found in own.values()
    ]
    over_pairs = past.pair_correlations(before, own)["rho"]  # figure 7
    assert parts(eight[5]) == pytest.approx([np.mean(each), over_pairs.mean()], abs=1e-9)
    np.testing.assert_allclose(eight[5].frame["rho_pairs"], over_pairs, atol=1e-9)


def test_demo_strategies(eight, demo, swept):
    def mean(strategy, measure):
        return np.mean(
            [swept[name, strategy][measure].to_numpy() for name in demo.algorithms], axis=0
        )

    expected = []
    for strategy in ("user", "pers"):
        expected += [
            (mean(strategy, measure) - mean("glob", measure))[1:].min()
            for measure in ("consistency", "equality")
        ]
        lost = (mean("glob", "ndcg") - mean(strategy, "ndcg"))[1:] / mean("glob", "ndcg")[0]
        expected.append(lost.max())
    assert parts(eight[6]) == pytest.approx(expected, abs=1e-9)
    moved = {name: mean("glob", name)[1:] - mean("glob", name)[0] for name in (*HIGH, *LOW)}
    expected = [moved[name].min() for name in ("familiarity", "variety", "affordability")]
    expected += [
        np.abs(moved[name]).max() for name in ("validity", "learnability", "manageability")
    ]
    assert parts(eight[7]) == pytest.approx(expected, abs=1e-9)


def test_demo_density(eight, demo, swept):
    dense = density.concentration(density.density(demo, demo.algorithms))
    names = [name for name in demo.algorithms if name != "random"]
    lost = [
        1 - swept[name, "glob"]["ndcg"][1:].mean() / swept[name, "glob"]["ndcg"][0]
        for name in names
    ]
    assert parts(eight[8]) == pytest.approx(
        [stats.spearmanr(dense[names], lost).statistic], abs=1e-9
    )
    np.testing.assert_allclose(eight[8].frame["concentration"], dense[names])
    np.testing.assert_allclose(eight[8].frame["lost"], lost)


def test_every_interval_holds_its_value_and_the_demo_has_all_eight(eight):
    assert sorted(eight) == list(range(1, 9))
    for one in eight.values():
        assert one.parts
        for part in one.parts:
            assert part.low <= part.value + 0.02 * abs(part.high - part.low) + 1e-9
            assert part.value <= part.high + 0.02 * abs(part.high - part.low) + 1e-9


def documented(column: int) -> dict[int, str]:
    """By observation: the verdict that docs/methods.md gives, in the table of what the checks
    say."""
    text = (
        (ROOT / "docs" / "methods.md").read_text(encoding="utf-8").partition("**What they say**")[2]
    )
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in text.splitlines()
        if re.match(r"\| \d \|", line)
    ]
    return {
        int(row[0]): row[column].partition(":")[0].replace("not clear", "not clear here")
        for row in rows[:8]
    }


def test_the_document_says_of_the_demo_what_is_found(eight):
    assert documented(1) == {number: one.verdict for number, one in eight.items()}


@pytest.fixture(scope="module")
def said(eight):
    """Every sentence of the demo, of small data and of awkward data."""
    found = [
        check_evidence(gather_evidence(BUNDLES[name](), eq.Policy(k=3))).observations
        for name in BUNDLES
    ]
    found += [
        check_observations(make(learners=60), eq.Policy(k=5)).observations,
        tuple(eight.values()),
    ]
    return [
        text
        for eight_ in found
        for one in eight_
        for text in (one.claim, one.sentence, one.reason, *(p.name for p in one.parts))
    ]


def test_no_sentence_claims_a_cause_or_judges(said):
    assert CAUSES.search("re-ranking leads to higher equality")
    assert [text for text in said if CAUSES.search(text)] == []


def test_no_sentence_shows_a_missing_number(said):
    assert [text for text in said if re.search(r"\bnan\b|None", text)] == []


@pytest.mark.parametrize("name", BUNDLES)
def test_awkward_data_cannot_be_checked_and_say_why(name):
    found = check_observations(BUNDLES[name](), eq.Policy(k=3))
    assert len(found.observations) == 8
    for one in found.observations:
        assert one.verdict == "cannot be checked"
        assert "20 learners" in one.reason
        assert MARKUP not in one.sentence
    assert len(verdicts_table(found)) == 8


def test_a_small_world_is_checked_where_it_can_be():
    """Three recommenders, none with content metadata."""
    found = {
        one.number: one
        for one in check_observations(make(learners=60), eq.Policy(k=5)).observations
    }
    assert {number for number, one in found.items() if one.verdict == "cannot be checked"} == {
        1,
        2,
        8,
    }
    assert found[8].frame["algorithm"].tolist()


def test_missing_principles_are_named():
    bundle = make(learners=60)
    fewer = bundle.with_principles(
        [one for one in bundle.principles if one.name not in ("variety", "quality")]
    )
    found = {one.number: one for one in check_observations(fewer, eq.Policy(k=5)).observations}
    for number in (3, 4, 7):
        assert (
            found[number].reason
            == "this data set does not have quality and variety among its principles"
        )
    assert found[5].verdict != "cannot be checked"


def test_targets_count_not_values():
    """With a target of 0.2 everywhere, a list at 0.2 meets it and a list at 1 does not."""
    bundle = make(learners=60)
    low = eq.Policy(k=5, targets=dict.fromkeys((*HIGH, *LOW), 0.2))
    own = {
        name: eq.evaluate(bundle, eq.rerank(bundle, name, low.but(lam=0.0)), low)
        for name in bundle.algorithms
    }
    found = {one.number: one for one in check_observations(bundle, low).observations}
    expected = min(
        np.mean(1 - np.abs(0.2 - evaluation.learners[name].dropna()))
        for evaluation in own.values()
        for name in HIGH
    )
    assert min(part.value for part in found[3].parts[:3]) == pytest.approx(expected)


def test_many_learners_are_sampled_and_it_is_said(monkeypatch):
    monkeypatch.setattr(sampling, "LARGE", 50)
    monkeypatch.setattr(sampling.SampledSession.__init__, "__defaults__", (40,))
    bundle = make(learners=200)
    gathered = gather_evidence(bundle, eq.Policy(k=5))
    assert gathered.sampled
    assert len(gathered.past) == 40
    chosen = np.isin(bundle.learner_ids, gathered.own["userknn"].learner_ids)
    whole = eq.evaluate(
        bundle,
        eq.rerank(
            bundle, "userknn", eq.Policy(lam=0.75, k=5, strategy="pers").but(**FIRST_EDITION)
        ),
        eq.Policy(k=5),
    )
    np.testing.assert_allclose(
        gathered.reranked["userknn", "pers", 0.75].per_learner_consistency,
        whole.per_learner_consistency[chosen],
    )
    np.testing.assert_allclose(gathered.past, past.past_consistency(bundle, eq.Policy())[chosen])
    assert "a fixed sample of 40 of 200 learners" in basis_sentence(check_evidence(gathered))


def test_progress_counts_to_the_end_and_cancels():
    bundle, seen = make(learners=60), []
    check_observations(
        bundle, eq.Policy(k=5), progress=lambda done, total: seen.append((done, total))
    )
    total = 3 * 13 + 8
    assert seen[0] == (0, total)
    assert seen[-1] == (total, total)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    for stop in (3, total - 4):
        with pytest.raises(eq.Cancelled):
            check_observations(
                bundle, eq.Policy(k=5), progress=lambda done, _, stop=stop: done < stop
            )


@pytest.mark.slow
@pytest.mark.skipif(not coco_present(), reason=ABSENT)
def test_verdicts_on_real_learners_are_those_of_the_document():
    source = import_coco(FOLDER, future_courses="keep")
    names = ["random", "toppopular", "userknn", "itemknn", "p3alpha", "rp3beta", "itemknncb"]
    bundle = source.bundle(eq.precompute(source.courses, source.interactions, algorithms=names))
    assert {
        one.number: one.verdict for one in check_observations(bundle, eq.Policy()).observations
    } == documented(2)
