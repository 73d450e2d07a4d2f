import pytest
from hypothesis import given
from hypothesis import strategies as st

from equity_core.analysis.data import provenance
from tests.helpers.audited import make
from tests.helpers.awkward import BUNDLES
from tests.helpers.dated import dated
from tests.helpers.random_worlds import examples


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


@examples(40)
@given(data=st.data())
def test_courses_from_the_future_are_counted(data):
    """On any data, with or without such courses: the sentence says how many, and the table has the
    same number."""
    bundle = data.draw(dated(most_learners=4, most_courses=15)).bundle()
    said, hidden = provenance.future_sentence(bundle), int(bundle.future.hidden.sum())
    assert said
    assert said.endswith(".")
    assert not any(word in said for word in ("NaT", "None", "nan", "  "))
    rows = provenance.dropped_rows(bundle).set_index("what")["count"]
    shown = "courses left out of every list: they appeared after the split"
    if hidden:
        assert said.startswith(f"{hidden} course")
        assert rows[shown] == hidden
        missed = sum(bool(bundle.future.hidden[at]) for at in bundle.positives("test").indices)
        assert (f"NDCG counts {missed} test interaction" in said) == (missed > 0)
    else:
        assert said.startswith("No course is ")
        assert shown not in rows
    assert (bundle.future.why in said) or bundle.future.at is not None


def test_who_keeps_courses_from_the_future_is_told_nothing(bundle):
    assert bundle.future_courses == "keep"
    assert provenance.future_sentence(bundle) == ""


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
