"""Candidates made here never hold a course from the future, where that is asked for."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import equity_core as eq
from equity_core.bundle.faults import BundleError
from equity_core.recommenders.precompute import precompute, precompute_to
from tests.recommenders.worlds import SEVEN, platform

CANDIDATES = 12


def timed(seed: int = 1) -> tuple[pd.DataFrame, pd.DataFrame, set[str]]:
    """A platform with a moment, and the courses from after it: some by their day of publication
    (popular ones among them, which nobody took early enough to prove that they were there), and
    those that were only taken later."""
    courses, log = platform(seed)
    rng = np.random.default_rng(seed)
    late = {"c0", "c4", "c9", "c17", "c23"}
    log = log[(log["split"] == "test") | ~log["course_id"].isin(late)].reset_index(drop=True)
    days = np.where(log["split"] == "test", 50, 0) + rng.integers(0, 40, len(log))
    log["timestamp"] = pd.Timestamp("2020-01-01") + pd.to_timedelta(days, unit="D")
    early = set(log.loc[log["split"] != "test", "course_id"])
    courses["published"] = ["2020-06-01" if name in late else None for name in courses["course_id"]]
    tested = set(log.loc[log["split"] == "test", "course_id"])
    return courses, log, late | (tested - early)


def expected(
    courses: pd.DataFrame, log: pd.DataFrame, whole: pd.DataFrame, hidden: set[str]
) -> dict[str, list[str]]:
    """From the scores of the whole catalogue: the best courses that are there, then the most
    popular ones, in the order of the catalogue."""
    train = log[log["split"] == "train"].drop_duplicates(["learner_id", "course_id"])
    place = {course: at for at, course in enumerate(courses["course_id"])}
    taken = train.groupby("course_id").size()
    popular = sorted(place, key=lambda course: (-taken.get(course, 0), place[course]))
    result = {}
    for learner, rows in whole.groupby("learner_id"):
        past = set(train.loc[train["learner_id"] == learner, "course_id"])
        scored = rows.loc[rows["score"] > 0, "course_id"]
        best = [course for course in scored if course not in hidden][:CANDIDATES]
        rest = [c for c in popular if c not in hidden | past | set(best)]
        fill = rest[: CANDIDATES - len(best)]
        result[learner] = best + sorted(fill, key=place.__getitem__)
    return result


@pytest.mark.parametrize("name", SEVEN)
def test_the_best_of_the_courses_that_are_there(name: str) -> None:
    courses, log, hidden = timed()
    assert 5 <= len(hidden) < 15
    whole = precompute(courses, log, [name], len(courses), 3)[name]
    assert set(whole["course_id"]) & hidden, "without the mask they are candidates"
    found = precompute(courses, log, [name], CANDIDATES, 3, future_courses="mask")[name]
    wanted = expected(courses, log, whole, hidden)
    lists = found.groupby("learner_id")["course_id"].agg(list).to_dict()
    assert lists == wanted


def test_a_catalogue_that_is_used_up() -> None:
    courses, log, hidden = timed()
    found = precompute(courses, log, ["userknn"], 100, future_courses="mask")["userknn"]
    train = log[log["split"] == "train"].drop_duplicates(["learner_id", "course_id"])
    past = train.groupby("learner_id").size()
    counts = found.groupby("learner_id").size()
    assert (counts == len(courses) - len(hidden) - past).all()


def test_files_moments_and_bundles_agree(tmp_path) -> None:
    courses, log, hidden = timed()
    frames = precompute(courses, log, ["itemknn"], CANDIDATES, future_courses="mask")
    paths = precompute_to(
        tmp_path, courses, log, ["itemknn"], CANDIDATES, future_courses="mask", split_at=None
    )
    pd.testing.assert_frame_equal(
        pd.read_parquet(paths["itemknn"]), frames["itemknn"], check_dtype=False
    )
    bundle = eq.Bundle.from_frames(
        courses,
        log,
        frames,
        principles=[eq.Principle("topic", "balance", "category")],
        future_courses="mask",
    )
    assert set(bundle.course_ids[bundle.future.hidden]) == hidden
    assert bundle.counts["relevance_of_future_courses[itemknn]"] == 0
    later = precompute(courses, log, ["random"], 100, future_courses="mask", split_at="2021-01-01")[
        "random"
    ]
    assert hidden <= set(later["course_id"])


def test_what_cannot_be_asked() -> None:
    courses, log, _ = timed()
    with pytest.raises(ValueError, match="future_courses is 'hide'; use one of mask, keep"):
        precompute(courses, log, ["random"], future_courses="hide")  # type: ignore[arg-type]
    with pytest.raises(BundleError, match="published"):
        precompute(courses.assign(published="soon"), log, ["random"], future_courses="mask")
    precompute(courses.assign(published="soon"), log, ["random"])
