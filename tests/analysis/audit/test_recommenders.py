import math

import numpy as np
import pandas as pd
import pytest

from equity_core.analysis.audit import recommenders
from equity_core.metrics import gini
from equity_core.metrics.intervals import intervals
from tests.helpers.audited import own
from tests.helpers.awkward import BUNDLES


def test_table_has_the_evaluations_figures(found):
    frame = recommenders.table(found)
    assert list(frame.index) == list(found)
    for name, evaluation in found.items():
        row = frame.loc[name]
        assert (row["ndcg"], row["consistency"], row["equality"]) == (
            evaluation.ndcg,
            evaluation.consistency,
            evaluation.equality,
        )
        each = sorted(
            value for value in evaluation.per_learner_consistency if not math.isnan(value)
        )
        tenth = math.ceil(len(each) / 10)
        assert row["worst_tenth"] == pytest.approx(sum(each[:tenth]) / tenth)
        assert row["best_tenth"] == pytest.approx(sum(each[-tenth:]) / tenth)
        assert row["equality"] == pytest.approx(1 - gini(each))
        assert row["sd"] == pytest.approx(np.std(each))
        assert (row["min"], row["max"], row["learners"]) == (each[0], each[-1], len(each))
        sure = intervals(evaluation)
        for measure in ("ndcg", "consistency", "equality"):
            assert (row[f"{measure}_low"], row[f"{measure}_high"]) == (
                sure.loc[measure, "low"],
                sure.loc[measure, "high"],
            )
    assert frame.equals(
        recommenders.table(
            found, {name: intervals(evaluation) for name, evaluation in found.items()}
        )
    )
    assert frame.loc["mine", "learners"] == len(found["mine"].learner_ids) - 1
    assert (frame.loc["mine", "label"], frame.loc["mine", "family"]) == ("mine", "own")


def test_the_papers_table_is_that_of_the_formulas():
    paper = recommenders.PAPER
    assert (paper.loc["coupledcf"] == [0.013, 0.717, 0.969]).all()
    assert (paper.loc["neumf"] == [0.008, 0.662, 0.917]).all()
    assert (paper.loc["gmf"] == [0.010, 0.652, 0.906]).all()
    assert paper["ndcg"].idxmax() == "userknn"


def test_the_papers_values_stand_beside_ours(found):
    frame = recommenders.with_paper(recommenders.table(found))
    assert list(frame.columns) == [
        "label",
        "ndcg",
        "ndcg_paper",
        "consistency",
        "consistency_paper",
        "equality",
        "equality_paper",
        "principle_equality",
    ]
    assert frame.loc["userknn", "equality_paper"] == 0.885
    assert math.isnan(frame.loc["mine", "equality_paper"])


def world(**columns):
    """A table with the given ndcg and equality."""
    import pandas as pd

    frame = pd.DataFrame(columns).assign(
        consistency=0.6, worst_tenth=0.5, best_tenth=0.7, sd=0.03, learners=100
    )
    frame.index = pd.Index([f"a{at}" for at in range(len(frame))], name="algorithm")
    return frame.assign(label=frame.index.str.upper())


@pytest.mark.parametrize(
    ("equality", "head"),
    [
        ([0.99, 0.9, 0.8, 0.7, 0.6], "also the most equal"),
        ([0.6, 0.9, 0.8, 0.7, 0.99], "the least equal"),
        ([0.7, 0.9, 0.8, 0.6, 0.99], "among the least equal"),
        ([0.9, 0.99, 0.8, 0.7, 0.6], "not the most equal"),
    ],
)
def test_the_answer_ranks_the_most_accurate_by_equality(equality, head):
    frame = world(ndcg=[0.5, 0.1, 0.1, 0.1, 0.1], equality=equality)
    said, rest = recommenders.audit_answer(frame, "a0")
    assert head in said
    assert (
        "A0 leads in NDCG (0.500) and is"
        f" {['1st', '2nd', '3rd', '4th', '5th'][sorted(equality)[::-1].index(equality[0])]} of 5"
        in rest
    )
    assert "A2" in recommenders.audit_answer(frame, "a2")[1]


def test_the_answer_without_accuracy_with_one_and_with_no_list():
    nan = math.nan
    assert (
        "most equal of 2"
        in recommenders.audit_answer(world(ndcg=[nan, nan], equality=[0.9, 0.8]), "a1")[0]
    )
    alone = recommenders.audit_answer(world(ndcg=[nan], equality=[0.9]), "a0")
    assert "nan" not in " ".join(alone)
    empty = world(ndcg=[nan], equality=[nan]).assign(consistency=nan)
    assert "no list" in recommenders.audit_answer(empty, "a0")[0]


def test_the_chosen_one_is_the_leader_when_several_look_equally_accurate():
    frame = world(ndcg=[0.08001, 0.08002], equality=[0.9, 0.8])
    assert recommenders.audit_answer(frame, "a0")[1].startswith("A0 leads")


def test_together():
    frame = world(ndcg=[0.1] * 4, equality=[0.9, 0.8, 0.7, 0.6])
    frame["consistency"] = [0.9, 0.8, 0.7, 0.6]
    assert recommenders.consistency_equality_correlation(frame) == pytest.approx(1.0)
    assert "also more equal" in recommenders.consistency_equality_sentence(frame)
    frame["consistency"] = [0.6, 0.7, 0.8, 0.9]
    assert "less equal" in recommenders.consistency_equality_sentence(frame)
    assert "too few" in recommenders.consistency_equality_sentence(frame.head(2))


@pytest.mark.parametrize("name", BUNDLES)
def test_awkward_data(name):
    frame = recommenders.table(own(BUNDLES[name]())[1])
    for chosen in frame.index:
        said = [
            *recommenders.audit_answer(frame, chosen),
            recommenders.paper_sentence(frame),
            recommenders.consistency_equality_sentence(frame),
        ]
        assert all(text and "nan" not in text for text in said)


def test_which_reading_of_equality_is_closer_to_the_papers():
    names = ["userknn", "toppopular", "mine"]
    frame = pd.DataFrame(
        {"equality": [0.885, 0.9, 0.1], "principle_equality": [0.885, 0.795, 0.2]}, index=names
    )
    assert recommenders.equality_reading_sentence(frame) == (
        "The mean equality of the principles is closer to the paper's equality: 0.052 away on"
        " average with equality of consistency, 0.000 with the mean equality of the principles (2"
        " algorithms)."
    )
    turned = frame.rename(
        columns={"equality": "principle_equality", "principle_equality": "equality"}
    )
    assert recommenders.equality_reading_sentence(turned).startswith("Equality of consistency is")
    alike = frame.assign(principle_equality=frame["equality"])
    assert recommenders.equality_reading_sentence(alike).startswith("Both readings are as far from")
    assert recommenders.equality_reading_sentence(frame.loc[["mine"]]) == ""
