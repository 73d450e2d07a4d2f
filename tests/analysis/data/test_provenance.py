import pytest

from equity_core.analysis.data import provenance
from tests.helpers.audited import make
from tests.helpers.awkward import BUNDLES


def test_splits_against_the_interactions(bundle):
    frame = provenance.splits(bundle).set_index("split")
    log = bundle.interactions
    for split in bundle.splits:
        rows = log[log["split"] == split]
        assert frame.loc[split, "interactions"] == len(rows)
        assert frame.loc[split, "learners"] == len(set(rows["learner"]))
        assert frame.loc[split, "courses"] == len(set(rows["course"]))
        assert frame.loc[split, "first"] == rows["timestamp"].min()
        assert frame.loc[split, "last"] == rows["timestamp"].max()
    assert "Test follows train in time." in provenance.splits_sentence(provenance.splits(bundle))


def test_coverage_adds_up_to_the_catalogue(bundle):
    frame = provenance.coverage(bundle)
    assert frame["principle"].tolist() == [principle.name for principle in bundle.principles]
    assert (frame["known"] + frame["filled"] == len(bundle.courses)).all()
    assert (
        frame.set_index("principle").loc["quality", "filled"]
        == bundle.courses["rating"].isna().sum()
    )


def test_dropped_holds_every_count(bundle):
    assert provenance.dropped_rows(bundle)["count"].sum() == sum(bundle.counts.values())
    assert len(provenance.dropped_rows(bundle)) == len(bundle.counts)
    assert not provenance.dropped_rows(bundle)["what"].str.contains("_").any()


def test_synthetic_is_said_first(bundle):
    assert provenance.data_answer(bundle)[0].startswith("Synthetic")
    assert "real" in provenance.data_answer(BUNDLES["all_free"]())[0]


def test_a_missing_part_is_said():
    assert "neither a validation nor a test part" in provenance.data_answer(BUNDLES["no_test"]())[1]


@pytest.mark.parametrize("name", BUNDLES)
def test_awkward_data(name):
    bundle = BUNDLES[name]()
    said = [
        *provenance.data_answer(bundle),
        provenance.splits_sentence(provenance.splits(bundle)),
        provenance.coverage_sentence(bundle),
    ]
    said.append(provenance.dropped_sentence(bundle))
    assert all(text and "nan" not in text.lower() and "NaT" not in text for text in said)


def test_which_principles_are_not_what_their_names_say():
    bundle = make(learners=20)
    assert provenance.incomparable_principles(bundle) == {}
    bundle.provenance = {
        "last_update": "the day of publication: a stand-in for the last update",
        "price": "as charged",
        "rating": {"a": "stand-in"},
        "unused": "a stand-in",
    }
    bundle.coverage.loc["variety", "share_filled"] = 0.6
    bundle.coverage.loc["quality", "share_filled"] = 0.5
    assert provenance.incomparable_principles(bundle) == {
        "validity": "its column, last_update, is a stand-in",
        "variety": "filled in for 60 % of the courses",
    }
