import math

import numpy as np
import pytest

import equity_core as eq
from equity_core.analysis.audit import worst_off
from tests.helpers.audited import own
from tests.helpers.awkward import BUNDLES


def tenth(evaluation):
    got = evaluation.per_learner_consistency
    known = [at for at in range(len(got)) if not math.isnan(got[at])]
    order = sorted(known, key=lambda at: (got[at], at))
    size = math.ceil(len(known) / 10)
    return order[:size], order[size:]


@pytest.mark.parametrize("algorithm", ["random", "userknn", "mine"])
def test_the_parts_add_up_to_the_gap(bundle, lists, found, algorithm):
    evaluation = found[algorithm]
    frame = worst_off.gap_by_principle(bundle, lists[algorithm].courses, evaluation)
    worst, others = tenth(evaluation)
    gap = (
        evaluation.per_learner_consistency[others].mean()
        - evaluation.per_learner_consistency[worst].mean()
    )
    assert frame["part"].sum() == pytest.approx(gap, abs=1e-12)
    assert frame["share"].sum() == pytest.approx(1.0)
    for m, name in enumerate(evaluation.names):
        row = frame.set_index("principle").loc[name]
        assert row["worst"] == pytest.approx(evaluation.values[worst, m].mean())
        assert row["others"] == pytest.approx(evaluation.values[others, m].mean())


def test_the_parts_add_up_with_targets_below_one(bundle):
    runs, found = own(bundle, targets={"quality": 0.5, "affordability": 0.2})
    frame = worst_off.gap_by_principle(bundle, runs["userknn"].courses, found["userknn"])
    worst, others = tenth(found["userknn"])
    got = found["userknn"].per_learner_consistency
    assert frame["part"].sum() == pytest.approx(got[others].mean() - got[worst].mean(), abs=1e-12)


def test_measures_in_the_catalogues_units(bundle, lists, found):
    courses, evaluation = lists["userknn"].courses, found["userknn"]
    frame = worst_off.gap_by_principle(bundle, courses, evaluation).set_index("principle")
    worst, others = tenth(evaluation)
    table = bundle.courses

    def prices(group):
        return np.mean(
            [table["price"][course] for u in group for course in courses[u] if course >= 0]
        )

    assert frame.loc["affordability", "worst_measured"] == f"{prices(worst):,.2f}"
    assert frame.loc["affordability", "others_measured"] == f"{prices(others):,.2f}"

    def one_level(group):
        seen = [
            {table["level"][course] for course in courses[u] if course >= 0} - {"unknown"}
            for u in group
        ]
        return np.mean([len(levels) == 1 for levels in seen if levels])

    assert frame.loc["learnability", "others_measured"] == f"{one_level(others):.0%}".replace(
        "%", " %"
    )

    def known(group):
        hits = []
        for u in group:
            past = {table["category"][course] for course in bundle.past.row(u)}
            hits += [table["category"][course] in past for course in courses[u] if course >= 0]
        return np.mean(hits)

    assert frame.loc["familiarity", "others_measured"] == f"{known(others):.0%}".replace("%", " %")


def test_figures_and_the_sentence(bundle, lists, found):
    evaluation = found["userknn"]
    worst, others = tenth(evaluation)
    figures = worst_off.tenth_and_others(evaluation)
    assert figures["learners"] == 6
    assert figures["consistency"] == pytest.approx(evaluation.per_learner_consistency[worst].mean())
    assert figures["ndcg_others"] == pytest.approx(np.nanmean(evaluation.per_learner_ndcg[others]))
    said = worst_off.worst_off_sentence(bundle, lists["userknn"].courses, evaluation)
    parts = worst_off.gap_by_principle(bundle, lists["userknn"].courses, evaluation).nlargest(
        2, "part"
    )
    assert all(name in said for name in parts["principle"])
    assert ("Most of the gap" in said) == (parts["share"].sum() > 0.5)


def test_the_topic_shown_too_often_is_named():
    runs, found = own(BUNDLES["three_learners"](), k=3)
    bundle = BUNDLES["three_learners"]()
    said = worst_off.worst_off_sentence(bundle, runs["userknn"].courses, found["userknn"])
    assert "yet" in said


def test_four_numbers(bundle, lists, found):
    numbers = worst_off.worst_off_numbers(bundle, lists["userknn"].courses, found["userknn"])
    assert len(numbers) == 4
    assert numbers[-1]["name"] == "NDCG"


def test_the_learners_one_by_one(bundle, found):
    evaluation = found["mine"]
    frame = worst_off.worst_off_learners(bundle, evaluation)
    worst, _ = tenth(evaluation)
    assert frame["learner_id"].tolist() == [bundle.learner_ids[at] for at in worst]
    assert frame["consistency"].is_monotonic_increasing
    assert frame["past_courses"].tolist() == [len(bundle.past.row(at)) for at in worst]
    missed = np.abs(1.0 - evaluation.values)
    behind = [
        evaluation.names[int((missed[at] - np.nanmean(missed, axis=0)).argmax())] for at in worst
    ]
    assert frame["furthest_behind"].tolist() == behind


@pytest.mark.parametrize("name", BUNDLES)
def test_awkward_data(name):
    bundle = BUNDLES[name]()
    runs, found = own(bundle)
    for algorithm in bundle.algorithms:
        courses, evaluation = runs[algorithm].courses, found[algorithm]
        said = [worst_off.worst_off_sentence(bundle, courses, evaluation)]
        said += [
            text
            for number in worst_off.worst_off_numbers(bundle, courses, evaluation)
            for text in number.values()
        ]
        assert all(text and "nan" not in text for text in said)
        assert len(worst_off.worst_off_learners(bundle, evaluation)) == 1


def test_nobody_has_a_list(bundle):
    nobody = eq.evaluate(bundle, np.full((60, 5), -1, dtype=np.int32), eq.Policy(lam=0.0, k=5))
    empty = np.full((60, 5), -1, dtype=np.int32)
    assert worst_off.worst_off_sentence(bundle, empty, nobody) == "No learner has a list."
    assert worst_off.gap_by_principle(bundle, empty, nobody)["part"].isna().all()
    assert worst_off.worst_off_learners(bundle, nobody).empty
