"""Courses from the future: which they are, what becomes of them, and that nothing changes for those
who do not ask."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import equity_core as eq
from equity_core.bundle.future import NO_LATER, NO_TIMES, OVERLAP
from tests.helpers.bundles import assert_same
from tests.helpers.dated import dated
from tests.helpers.random_worlds import ALGORITHM, examples
from tests.reference import settings

CHEAP = eq.Principle("affordability", "mean", "price", better="low")
TRAIN, TEST = ["2020-01-01", "2020-03-01"], ["2020-06-01", "2020-07-01"]


def small(
    published: list[str | None], train: list[str | None], test: list[str | None], **more: object
) -> eq.Bundle:
    """Courses c0, c1 …; ann takes c0 in training, bob c1, and in test ann takes c2, bob c3."""
    courses = pd.DataFrame({"course_id": [f"c{at}" for at in range(6)], "price": range(6)})
    courses["title"] = courses["course_id"]
    courses["published"] = [*published, *[None] * (6 - len(published))]
    log = pd.DataFrame(
        {
            "learner_id": ["ann", "bob", "ann", "bob"],
            "course_id": ["c0", "c1", "c2", "c3"],
            "split": ["train", "train", "test", "test"],
            "timestamp": [*train, *(test or TEST)],
        }
    )
    if not test:
        log = log.iloc[:2]
    scores = pd.DataFrame(
        [(who, f"c{at}", 10.0 - at) for who in ("ann", "bob") for at in range(6)],
        columns=["learner_id", "course_id", "score"],
    )
    settings = {"principles": [CHEAP], "future_courses": "mask", **more}
    return eq.Bundle.from_frames(courses, log, {"own": scores}, **settings)  # type: ignore[arg-type]


def hidden(bundle: eq.Bundle) -> list[str]:
    return bundle.course_ids[bundle.future.hidden].tolist()


@examples(80)
@given(data=st.data())
def test_the_plain_account_agrees(data: st.DataObject) -> None:
    one = data.draw(dated(most_learners=6, most_courses=25))
    world, bundle, kept = one.world, one.bundle(), one.bundle(future_courses="keep")
    future = bundle.future
    assert set(np.flatnonzero(future.hidden)) == world.hidden
    assert future.at == one.moment
    assert (future.why == "") == (one.moment is not None)
    assert future.published + future.taken == len(world.hidden)
    assert bundle.counts.get("courses_from_the_future", 0) == len(world.hidden)
    # Stored candidates: the same rows in the same order, less the hidden courses.
    stored, before = bundle.relevance(ALGORITHM), kept.relevance(ALGORITHM)
    for row, learner in enumerate(world.learners):
        expected = world.candidates(learner, ALGORITHM, settings()).positions
        assert stored.row(row)[0].tolist() == expected.tolist()
    gone = len(before.courses) - len(stored.courses)
    assert bundle.counts.get(f"relevance_of_future_courses[{ALGORITHM}]", 0) == gone
    # The fingerprint tells the two apart exactly where they differ.
    dates = {"published", "first_taken"} & set(world.courses)
    assert not kept.future.hidden.any()
    if not dates:
        assert (bundle.fingerprint == kept.fingerprint) == (not world.hidden)


@examples(12)
@given(data=st.data())
def test_saving_and_loading_keeps_it(data: st.DataObject, tmp_path_factory) -> None:
    folder = tmp_path_factory.mktemp("future")
    made = data.draw(dated(most_learners=4, most_courses=12)).bundle()
    for target in (folder / "plain", folder / "zipped.zip"):
        made.save(target)
        loaded = eq.load_bundle(target)
        assert_same(loaded, made)
        loaded.save(folder / "again")
        assert_same(eq.load_bundle(folder / "again"), made)


def test_published_then_first_taken_then_nothing() -> None:
    # c2 was published in time, though nobody took it before the test part; c3 has no day, and was
    # first taken later; c4 was published later; nothing is known of c5.
    bundle = small([None, None, "2020-02-01", None, "2020-04-01"], TRAIN, TEST)
    assert bundle.future.at == pd.Timestamp("2020-03-01")
    assert hidden(bundle) == ["c3", "c4"]
    assert (bundle.future.published, bundle.future.taken) == (1, 1)
    assert bundle.course_ids[bundle.relevance("own").row(0)[0]].tolist() == ["c1", "c2", "c5"]
    assert bundle.counts["relevance_of_future_courses[own]"] == 4
    assert bundle.counts["relevance_of_past_courses[own]"] == 2


def test_whoever_took_it_proves_that_it_was_there() -> None:
    assert hidden(small(["2020-05-01"], TRAIN, TEST)) == ["c2", "c3"]  # not c0, which ann took


def test_the_day_itself_is_not_the_future() -> None:
    assert hidden(small([None, None, "2020-03-01", "2020-03-02"], TRAIN, TEST)) == ["c3"]


@pytest.mark.parametrize(
    ("train", "test", "why"),
    [
        ([None, None], [None, None], NO_TIMES),
        ([None, None], TEST, NO_TIMES),
        (TRAIN, [None, None], NO_LATER),
        (TRAIN, [], NO_LATER),
        (TRAIN, ["2020-02-01", "2020-07-01"], OVERLAP),
    ],
)
def test_without_a_moment_nothing_is_hidden(train, test, why) -> None:
    bundle = small(["2030-01-01"] * 6, train, test)
    assert bundle.future.why == why
    assert bundle.future.at is None
    assert not bundle.future.hidden.any()
    # A moment that is given decides whatever the log looks like.
    given = small([None, None, None, None, "2030-01-01"], train, test, split_at="2025-01-01")
    assert hidden(given) == ["c4"]
    assert given.future.why == ""


def test_a_test_part_that_starts_when_training_ends_follows_it() -> None:
    bundle = small([None, None, None, None, "2020-03-05"], TRAIN, ["2020-03-01", "2020-07-01"])
    assert hidden(bundle) == ["c3", "c4"]


def test_everything_may_be_from_the_future(tmp_path: Path) -> None:
    days = ["2020-05-01"] * 6
    bundle = small(days, TRAIN, TEST, split_at="2019-01-01")
    assert bundle.future.hidden.all()
    for pool in ("stored", "catalogue"):
        run = eq.rerank(bundle, "own", eq.Policy(lam=0.5, k=3, pool=pool))  # type: ignore[arg-type]
        assert (run.courses == -1).all()
    bundle.save(tmp_path / "none")
    assert_same(eq.load_bundle(tmp_path / "none"), bundle)


def test_who_does_not_ask_gets_what_there_was(tmp_path: Path) -> None:
    """The demo was saved before there was such a field: the hashes in its manifest still hold."""
    demo = eq.load_bundle("data/demo")
    assert "future_courses" not in Path("data/demo/manifest.toml").read_text(encoding="utf-8")
    assert demo.future_courses == "keep"
    assert demo.fingerprint == demo.provenance["fingerprint"]
    kept = small(["2030-01-01"] * 6, TRAIN, TEST, future_courses="keep")
    kept.save(tmp_path / "kept")
    text = (tmp_path / "kept" / "manifest.toml").read_text(encoding="utf-8")
    assert "future" not in text
    assert "split_at" not in text
    assert set(kept.counts) == set(demo.counts) - {
        "learners_rows_without_past",
        "learners_without_row_in_learners",
    } | {"relevance_without_past[own]", "relevance_of_past_courses[own]"}


def test_a_mask_that_hides_nothing_changes_no_fingerprint() -> None:
    masked, kept = (
        small([None] * 6, [None] * 2, [None] * 2, future_courses=mode) for mode in ("mask", "keep")
    )
    assert masked.fingerprint == kept.fingerprint


def test_asking_later_in_the_manifest(tmp_path: Path) -> None:
    kept = small([], TRAIN, TEST, future_courses="keep")
    kept.save(tmp_path / "one")
    path = tmp_path / "one" / "manifest.toml"
    path.write_text('future_courses = "mask"\n' + path.read_text(encoding="utf-8"))
    masked = eq.load_bundle(tmp_path / "one")
    assert hidden(masked) == ["c2", "c3"]
    assert masked.fingerprint == small([], TRAIN, TEST).fingerprint != kept.fingerprint
    assert masked.counts["relevance_of_future_courses[own]"] == 4


def test_bundles_made_from_others_keep_it() -> None:
    bundle = small([None, None, None, None, "2020-04-01"], TRAIN, TEST)
    other = bundle.with_principles([eq.Principle("novelty", "mean", "published")])
    assert hidden(other) == hidden(bundle) == ["c2", "c3", "c4"]
    scores = pd.DataFrame(
        {"learner_id": ["ann"] * 2, "course_id": ["c4", "c5"], "score": [2.0, 1.0]}
    )
    more = bundle.with_relevance({"new": scores})
    assert more.course_ids[more.relevance("new").row(0)[0]].tolist() == ["c5"]


def test_days_that_cannot_be_read_are_faults_only_where_they_matter() -> None:
    with pytest.raises(eq.BundleError, match="published"):
        small(["soon"], TRAIN, TEST)
    assert small(["soon"], TRAIN, TEST, future_courses="keep").courses["published"][0] == "soon"
    with pytest.raises(eq.BundleError, match="split_at"):
        small([], TRAIN, TEST, split_at="soon")
    with pytest.raises(eq.BundleError, match="future_courses"):
        small([], TRAIN, TEST, future_courses="hide")
