import math

import numpy as np
import pandas as pd
import pytest

from equity_core.analysis.audit import groups
from tests.helpers.audited import own
from tests.helpers.awkward import BUNDLES


def test_a_label_column_against_a_plain_loop(bundle, found):
    evaluation = found["mine"]
    frame = groups.groups_by_column(bundle, evaluation, "region").set_index("group")
    got, ndcg = evaluation.per_learner_consistency, evaluation.per_learner_ndcg
    worst = set(np.argsort(got, kind="stable")[:6])  # NaN last; 59 learners have a list
    for region in ("north", "south", "east"):
        members = [
            at
            for at, value in enumerate(bundle.learners["region"])
            if value == region and not math.isnan(got[at])
        ]
        row = frame.loc[region]
        assert row["learners"] == len(members)
        assert row["consistency"] == pytest.approx(np.mean(got[members]))
        assert row["high"] - row["low"] == pytest.approx(
            2 * 1.959963985 * np.std(got[members]) / math.sqrt(len(members))
        )
        assert row["worst_off"] == len(worst & set(members))
        assert row["rate"] == pytest.approx(len(worst & set(members)) / len(members))
        everyone = [at for at, value in enumerate(bundle.learners["region"]) if value == region]
        assert row["ndcg"] == pytest.approx(np.nanmean(ndcg[everyone]))
    assert frame["share_of_worst_off"].sum() == pytest.approx(1.0)
    assert frame["share"].sum() == pytest.approx(1.0)


@pytest.mark.parametrize("column", ["region", "age", "joined"])
def test_every_learner_is_in_one_group(bundle, column):
    codes, names = groups.assign_groups(bundle.learners[column])
    assert codes.min() >= 0
    assert codes.max() < len(names)
    assert len(codes) == len(bundle.learner_ids)


def test_many_numbers_become_quarters():
    values = pd.Series(np.arange(100.0))
    codes, names = groups.assign_groups(values)
    assert np.bincount(codes).tolist() == [25, 25, 25, 25]
    assert names[0] == "under 24.75"
    assert names[-1] == "74.25 or more"


def test_missing_values_are_a_group_of_their_own():
    codes, names = groups.assign_groups(pd.Series(["a", None, "b", "a"]))
    assert [names[code] for code in codes] == ["a", "unknown", "b", "a"]
    codes, names = groups.assign_groups(pd.Series([1.0, np.nan, 2.0]))
    assert [names[code] for code in codes] == ["1", "unknown", "2"]
    codes, names = groups.assign_groups(pd.Series([True, False, True]))
    assert [names[code] for code in codes] == ["True", "False", "True"]


def test_many_labels_end_in_the_others():
    labels = [f"l{at:02d}" for at in range(40)] + ["l00"] * 5
    codes, names = groups.assign_groups(pd.Series(labels))
    assert len(names) == 12
    assert names[0] == "l00"
    assert names[-1] == "29 others"
    assert (codes == 11).sum() == 29


def test_an_unknown_column_lists_the_known(bundle, found):
    with pytest.raises(KeyError, match="region, age, joined"):
        groups.groups_by_column(bundle, found["mine"], "shoe size")


def frame(low, high, **columns):
    base = {
        "group": ["a", "b"],
        "learners": [50, 50],
        "share": [0.5, 0.5],
        "consistency": [0.5, 0.6],
        "share_of_worst_off": [0.8, 0.2],
    }
    return pd.DataFrame({**base, "low": low, "high": high, **columns})


def test_the_sentence_says_when_intervals_overlap_and_when_not():
    apart = groups.groups_sentence(frame([0.49, 0.59], [0.51, 0.61]), "plan")
    assert "do not overlap" in apart
    assert "“a” has 50 % of the learners but 80 % of the worst-off tenth" in apart
    assert "may be due to chance" in groups.groups_sentence(frame([0.4, 0.5], [0.6, 0.7]), "plan")
    assert "too few" in groups.groups_sentence(
        frame([0.4, 0.5], [0.6, 0.7], learners=[50, 3]), "plan"
    )


def test_a_bundle_without_learners_has_no_columns():
    assert groups.group_columns(BUNDLES["all_free"]()) == ()


def test_markup_in_columns_and_values_stays_text():
    bundle = BUNDLES["markup"]()
    found = own(bundle)[1]["userknn"]
    frame = groups.groups_by_column(bundle, found, "<b>group</b>")
    assert frame["learners"].sum() == 6
    assert "nan" not in groups.groups_sentence(frame, "<b>group</b>")
