"""The synthetic worlds, the synthetic relevance and the demo bundle."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import equity_core as eq
from equity_core.bundle.splitting import split_by_time
from equity_core.synth import facts, relevance_frame, synthesise, synthetic_relevance
from equity_core.synth.demo import build_demo, rounded
from equity_core.synth.titles import title_case, vocabulary

DEMO = Path(__file__).resolve().parents[2] / "data" / "demo"
PLATFORM = {"courses": 1500, "learners": 2000}


@pytest.fixture(scope="module")
def world():
    return synthesise(**PLATFORM)


@pytest.fixture(scope="module")
def large():
    """A catalogue so large that shares and medians are near their expectation."""
    return synthesise(learners=100, courses=20_000)


@pytest.fixture(scope="module")
def demo():
    return eq.load_bundle(DEMO)


# --- worlds


def test_same_seed_same_world_another_seed_another(world):
    again, other = synthesise(**PLATFORM), synthesise(**PLATFORM, seed=1)
    for name in ("courses", "learners", "interactions"):
        pd.testing.assert_frame_equal(getattr(world, name), getattr(again, name))
    assert not world.courses["title"].equals(other.courses["title"])
    assert not np.array_equal(world.pairs.course, other.pairs.course)


def test_a_world_says_that_it_is_synthetic(world):
    assert world.synthetic
    assert world.description.startswith("Synthetic")
    assert world.opened < world.split_at < world.now


def test_ids_sort_in_the_order_of_the_positions(world):
    for ids in (world.courses["course_id"], world.learners["learner_id"]):
        assert ids.is_unique
        assert ids.is_monotonic_increasing


def test_every_learner_has_the_promised_interactions(world):
    counts = pd.crosstab(world.pairs.learner, world.interactions["split"].to_numpy())
    assert len(counts) == len(world.learners) == 2000
    assert counts["train"].min() == 4
    assert (counts["valid"] == 2).all()
    assert counts["test"].min() == 1
    assert counts["train"].max() > 40  # a long tail


def test_no_pair_twice_and_the_number_of_interactions_is_the_one_asked_for(world):
    assert not world.interactions.duplicated(["learner_id", "course_id"]).any()
    assert len(world.interactions) == round(2000 * 12.3)
    assert len(synthesise(50, 300, interactions_per_learner=9.5).pairs) == 475


def test_the_split_is_the_one_that_split_by_time_makes(world):
    log = world.interactions
    cut, report = split_by_time(
        log.drop(columns="split"), str(world.split_at), min_train=4, min_test=1, valid=2
    )
    assert report.learners_dropped == report.repeated == report.undated == 0
    assert (cut["split"].to_numpy() == log["split"].astype(str).to_numpy()).all()
    late = log["timestamp"] > pd.Timestamp(world.split_at)
    assert (late == (log["split"] == "test")).all()


def test_nobody_takes_a_course_before_it_is_there_or_before_joining(world):
    assert (world.catalogue.published[world.pairs.course] <= world.pairs.seconds).all()
    year = world.interactions["timestamp"].dt.year.to_numpy()
    assert (year >= world.learners["joined"].to_numpy()[world.pairs.learner]).all()
    assert world.interactions["timestamp"].max() < pd.Timestamp(world.now)


def test_ratings_are_stars_some_missing(world):
    stars = world.interactions["rating"]
    assert set(stars.dropna()) == {1.0, 2.0, 3.0, 4.0, 5.0}
    assert 0.35 < stars.isna().mean() < 0.45
    assert 4.0 < stars.mean() < 4.6


@pytest.mark.parametrize(("learners", "courses", "mean"), [(1, 80, 7), (7, 100, 10), (300, 80, 8)])
def test_small_and_crowded_worlds(learners, courses, mean):
    world = synthesise(learners, courses, interactions_per_learner=mean)
    assert (len(world.learners), len(world.courses), len(world.pairs)) == (
        learners,
        courses,
        learners * mean,
    )
    keys = world.pairs.learner.astype(np.int64) * courses + world.pairs.course
    assert len(np.unique(keys)) == len(keys)


def test_the_papers_density_at_a_tenth_of_its_size():
    world = synthesise(4302, 2432, interactions_per_learner=529_857 / 43_021)
    assert len(world.pairs) == round(4302 * 529_857 / 43_021)
    assert world.pairs.learner.dtype == world.pairs.course.dtype == np.int32


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"learners": 0}, "at least 1 learner"),
        ({"courses": 59}, "60 courses"),
        ({"interactions_per_learner": 6.9}, "give 7 or more"),
        ({"courses": 100, "interactions_per_learner": 20}, "give 200 or more"),
    ],
)
def test_impossible_worlds_are_refused_with_a_reason(arguments, says):
    with pytest.raises(ValueError, match=says):
        synthesise(**arguments)


# --- the catalogue


def test_titles_are_unique_readable_and_about_their_subtopic(large):
    courses = large.courses
    assert courses["title"].is_unique
    assert courses["title"].str.len().between(8, 110).all()
    assert not courses["title"].str.contains(r"[{}]|  ").any()
    topics = {sub.name: sub.topics for sub in vocabulary()}
    for column in ("title", "description"):
        texts = zip(courses[column], courses["subcategory"], strict=True)
        assert all(any(topic in text for topic in topics[sub]) for text, sub in texts)


def test_a_demo_sized_catalogue_needs_no_numbered_titles(world):
    assert not world.courses["title"].str.contains(r", Part \d").any()
    assert world.courses["description"].nunique() > 1400


def test_title_case_leaves_small_words_inside_alone():
    assert title_case("turn a design into a page") == "Turn a Design into a Page"
    assert title_case("make plans others can build from") == "Make Plans Others Can Build From"


def test_vocabulary_repeats_no_subtopic_and_no_topic():
    words = vocabulary()
    topics = [topic for sub in words for topic in sub.topics]
    assert len(topics) == len(set(topics))
    assert len({sub.name for sub in words}) == len(words)
    assert {sub.category for sub in words} == set(facts.CATEGORIES)


def test_category_and_level_shares_follow_the_facts(large):
    share = large.courses["category"].value_counts(normalize=True)
    assert len(share) == 15
    for name, fact in facts.CATEGORIES.items():
        assert share[name] == pytest.approx(
            fact.courses / 0.998, abs=0.001
        )  # the rounded shares sum to 0.998
    levels = large.courses["level"].value_counts(normalize=True)
    for level, expected in zip(facts.LEVELS, (0.593, 0.297, 0.0955, 0.0148), strict=True):
        assert levels[level] == pytest.approx(expected, abs=0.012)


def test_medians_by_category_follow_the_facts(large):
    middle = large.courses.groupby("category")[["price", "enrolled", "rating"]].median()
    for name, fact in facts.CATEGORIES.items():
        assert middle.loc[name, "price"] == pytest.approx(fact.price, abs=6)
        assert middle.loc[name, "enrolled"] == pytest.approx(fact.enrolled, rel=0.01)
        assert middle.loc[name, "rating"] == pytest.approx(fact.rating, abs=0.03)


def test_prices_are_the_points_of_the_time(large):
    price = large.courses["price"]
    assert set(price.dropna()) == set(facts.PRICE_POINTS)
    assert (price == 0).mean() == pytest.approx(0.047, abs=0.01)
    assert price.quantile(0.95) == 199.99


def test_enrolment_has_a_long_tail_and_ratings_crowd(world, large):
    for courses in (world.courses, large.courses):
        enrolled, rating = courses["enrolled"], courses["rating"]
        assert 500_000 < enrolled.max() <= 924_141
        assert enrolled.median() == pytest.approx(4445, rel=0.05)
        assert enrolled.quantile(0.99) > 15 * enrolled.median()
        assert rating.between(4, 4.7).mean() > 0.6
        assert rating.between(1, 5).sum() == rating.notna().sum()


def test_some_values_are_unknown_as_in_reality(large):
    unknown = large.courses.isna().mean()
    assert unknown["rating"] == pytest.approx(facts.UNKNOWN_RATING, abs=0.01)
    assert unknown["assets"] == pytest.approx(facts.UNKNOWN_ASSETS, abs=0.01)
    assert unknown["price"] == pytest.approx(facts.UNKNOWN_PRICE, abs=0.005)
    assert (
        unknown[["course_id", "title", "category", "enrolled", "description", "hours"]] == 0
    ).all()


def test_asset_types_have_the_shares_of_the_facts(large):
    kinds = large.courses["assets"].dropna().str.split("|")
    for kind, share in facts.ASSETS.items():
        assert kinds.map(lambda have, kind=kind: kind in have).mean() == pytest.approx(
            share, abs=0.02
        )
    number = kinds.map(len).value_counts(normalize=True)
    assert number[3] == pytest.approx(0.53, abs=0.05)
    assert number[2] == pytest.approx(0.34, abs=0.05)


def test_dates_run_from_the_opening_to_now(large):
    update = large.courses["last_update"].dropna()
    assert pd.Timestamp(large.opened) < update.min()
    assert update.max() < pd.Timestamp(large.now)
    year = (
        large.catalogue.published.astype("datetime64[s]").astype("datetime64[Y]").astype(int) + 1970
    )
    for which, share in facts.PUBLISHED.items():
        assert (year == which).mean() == pytest.approx(share, abs=0.02)
    assert (large.catalogue.updated >= large.catalogue.published).all()


# --- tastes


def test_learners_stay_near_their_interests(world):
    """The top category of a learner takes more than its share of the platform's interactions, by
    far."""
    category = world.courses["category"].to_numpy()[world.pairs.course]
    own = pd.crosstab(world.pairs.learner, category, normalize="index").max(axis=1).mean()
    assert own > 0.6
    demand = pd.Series(category).value_counts(normalize=True)
    assert demand["Development"] == pytest.approx(facts.CATEGORIES["Development"].demand, abs=0.08)
    assert own > demand.max() + 0.1


def test_plans_go_with_prices_and_categories(world):
    plan = world.learners["plan"].to_numpy()[world.pairs.learner]
    price = world.courses["price"].to_numpy()[world.pairs.course]
    mean = pd.Series(price).groupby(plan).mean()
    assert mean["free"] + 20 < mean["pay per course"] < mean["employer"]
    category = world.courses["category"].to_numpy()[world.pairs.course]
    office = pd.Series(category == "Office Productivity").groupby(plan).mean()
    assert office["employer"] > 1.5 * office["free"]


def test_popularity_feeds_on_itself(world):
    """A few courses take far more than an equal share, and what was popular in training is popular
    in the test."""
    train = np.bincount(world.pairs.course[world.pairs.split == 0], minlength=1500)
    test = np.bincount(world.pairs.course[world.pairs.split == 2], minlength=1500)
    assert np.sort(train)[-15:].sum() > 0.1 * train.sum()
    assert np.corrcoef(train, test)[0, 1] > 0.5


def test_recommenders_differ_for_a_reason(world):
    """Neighbours beat popularity clearly, text beats chance clearly, and UserKNN is in the range of
    real data."""
    relevance = eq.precompute(
        world.courses,
        world.interactions,
        ["random", "toppopular", "userknn", "itemknncb"],
        candidates=20,
    )
    bundle = eq.Bundle.from_frames(
        world.courses, world.interactions, relevance, now=world.now, opened=world.opened
    )
    policy = eq.Policy(lam=0)
    ndcg = {
        name: eq.evaluate(bundle, eq.rerank(bundle, name, policy).courses, policy).ndcg
        for name in bundle.algorithms
    }
    assert 0.05 < ndcg["userknn"] < 0.12
    assert ndcg["userknn"] > 1.3 * ndcg["toppopular"]
    assert ndcg["itemknncb"] > 5 * ndcg["random"]
    assert ndcg["toppopular"] > 5 * ndcg["random"]


# --- synthetic relevance


def test_synthetic_relevance_keeps_the_contract_of_a_bundles_relevance(world):
    relevance = synthetic_relevance(world, candidates=200, seed=3)
    assert (relevance.indptr.dtype, relevance.courses.dtype, relevance.scores.dtype) == (
        np.int64,
        np.int32,
        np.float64,
    )
    lengths = np.diff(relevance.indptr)
    assert len(lengths) == 2000
    assert lengths.max() == 200
    assert np.median(lengths) == 200
    indptr, past = world.past()
    learner = np.repeat(np.arange(2000), lengths)
    keys = learner * 1500 + relevance.courses
    assert len(np.unique(keys)) == len(keys)
    assert not np.isin(keys, np.repeat(np.arange(2000), np.diff(indptr)) * 1500 + past).any()
    same = learner[1:] == learner[:-1]
    assert (np.diff(relevance.scores)[same] <= 0).all()


def test_synthetic_relevance_is_what_a_bundle_makes_of_its_frame(world):
    """Through a bundle's own checking and sorting: the same candidates in the same order, and no
    row dropped."""
    relevance = synthetic_relevance(world, candidates=30)
    bundle = eq.Bundle.from_frames(
        world.courses, world.interactions, {"made": relevance_frame(world, relevance)}
    )
    through = bundle.relevance("made")
    assert (
        through.courses == relevance.courses
    ).mean() > 0.999  # float32 may make ties of neighbours
    assert np.array_equal(through.indptr, relevance.indptr)
    assert through.scores == pytest.approx(relevance.scores, rel=1e-6)


def test_synthetic_relevance_has_a_few_high_scores_and_a_long_tail(world):
    relevance = synthetic_relevance(world)
    first = relevance.scores[relevance.indptr[:-1]]
    middle = np.array([np.median(relevance.row(at)[1]) for at in range(0, 2000, 50)])
    assert np.median(first) > 8 * np.median(middle)


def test_synthetic_relevance_prefers_the_learners_interests(world):
    relevance = synthetic_relevance(world)
    top = np.stack([relevance.row(at)[0][:10] for at in range(2000)])
    near = world.catalogue.subtopic[top] == world.tastes.interests[:, :1]
    assert (
        near.mean() > 5 * (world.catalogue.subtopic[:, None] == world.tastes.interests[:, 0]).mean()
    )


def test_synthetic_relevance_from_sizes_alone():
    one, two = (
        synthetic_relevance((500, 900), candidates=50, seed=4),
        synthetic_relevance((500, 900), candidates=50, seed=4),
    )
    assert np.array_equal(one.courses, two.courses)
    assert np.array_equal(one.scores, two.scores)
    assert np.array_equal(np.diff(one.indptr), np.full(500, 50))
    assert not np.array_equal(
        one.courses, synthetic_relevance((500, 900), candidates=50, seed=5).courses
    )
    assert all(len(np.unique(one.row(at)[0])) == 50 for at in range(500))


def test_synthetic_relevance_of_a_catalogue_smaller_than_asked_for():
    relevance = synthetic_relevance((20, 70), candidates=200)
    assert np.array_equal(np.diff(relevance.indptr), np.full(20, 70))
    assert all(np.array_equal(np.sort(relevance.row(at)[0]), np.arange(70)) for at in range(20))
    with pytest.raises(ValueError, match="1 or more"):
        synthetic_relevance((20, 70), candidates=0)


# --- the demo


def test_rounded_keeps_five_significant_digits_and_the_sign_of_scores():
    scores = np.array([123456.7, 0.0123456, -9.999999, 0.0, 1e-30, 1.0], dtype=np.float64)
    assert rounded(scores) == pytest.approx([123460, 0.012346, -10, 0, 1e-30, 1], rel=1e-6)
    assert rounded(scores).dtype == np.float32
    assert (np.sign(rounded(scores)) == np.sign(scores)).all()


def test_demo_is_synthetic_complete_and_has_the_fingerprint_it_was_built_with(demo):
    assert demo.synthetic
    assert "ynthetic" in demo.name
    assert demo.fingerprint == demo.provenance["fingerprint"]
    assert (len(demo.learner_ids), len(demo.course_ids)) == (2000, 1500)
    assert demo.splits == ("train", "valid", "test")
    assert demo.algorithms == eq.ALGORITHMS
    for name in demo.algorithms:
        relevance = demo.relevance(name)
        assert (np.diff(relevance.indptr) == 200).all()
    assert all(count == 0 for count in demo.counts.values())


def test_demo_holds_the_world_of_its_seed(demo, world):
    assert demo.provenance["seed"] == world.seed
    assert demo.courses["title"].tolist() == world.courses["title"].tolist()
    assert np.array_equal(demo.past.indices, world.past()[1])
    assert demo.learners is not None
    assert demo.learners["plan"].tolist() == world.learners["plan"].tolist()


def test_demo_fits_the_repository():
    assert sum(path.stat().st_size for path in DEMO.rglob("*") if path.is_file()) < 20_000_000


def test_demo_recommenders_beat_chance_and_differ(demo):
    policy = eq.Policy(lam=0)
    lists = {name: eq.rerank(demo, name, policy).courses for name in demo.algorithms}
    ndcg = {name: eq.evaluate(demo, courses, policy).ndcg for name, courses in lists.items()}
    assert all(value > 5 * ndcg["random"] for name, value in ndcg.items() if name != "random")
    assert all(
        ndcg[name] > ndcg["toppopular"]
        for name in demo.algorithms
        if name not in ("random", "toppopular")
    )
    for at, one in enumerate(demo.algorithms):
        for other in demo.algorithms[:at]:
            same = (lists[one][:, :, None] == lists[other][:, None, :]).any(axis=2).mean()
            assert same < 0.85, (one, other)


@pytest.mark.slow
def test_a_small_demo_is_built_twice_alike(tmp_path):
    sizes = {
        "seed": 5,
        "learners": 80,
        "courses": 150,
        "candidates": 20,
        "algorithms": ["userknn", "gmf", "itemknncb"],
    }
    one, two = build_demo(tmp_path / "one", **sizes), build_demo(tmp_path / "two", **sizes)
    assert one.fingerprint == two.fingerprint == one.provenance["fingerprint"]
    for path in sorted((tmp_path / "one").rglob("*.*")):
        assert (
            path.read_bytes()
            == (tmp_path / "two" / path.relative_to(tmp_path / "one")).read_bytes()
        ), path.name
