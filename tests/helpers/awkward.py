"""Awkward data sets, one for each trouble that a screen has to stand."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

import equity_core as eq
from tests.helpers.worlds import tiny_frames

MARKUP = '<script>alert("x")</script> **bold** [link](http://example.org) $x$ :red[no] |'
RIGHT_TO_LEFT = "مقدمة في البرمجة"


def _bundle(change: Callable[[pd.DataFrame, pd.DataFrame, dict[str, pd.DataFrame]], None] | None = None, **settings: object) -> eq.Bundle:
    courses, log, scores = tiny_frames()
    if change is not None:
        change(courses, log, scores)
    return eq.Bundle.from_frames(courses, log, relevance=scores, **settings)  # type: ignore[arg-type]


def _keep(log: pd.DataFrame, rows: pd.Series) -> None:
    log.drop(log.index[~rows], inplace=True)  # noqa: PD002 - the frames are handed on


def one_algorithm() -> eq.Bundle:
    """A single recommender."""
    return _bundle(lambda courses, log, scores: scores.pop("userknn"))


def one_category() -> eq.Bundle:
    """Every course in one category."""
    return _bundle(lambda courses, log, scores: courses.__setitem__("category", "all"))


def three_learners() -> eq.Bundle:
    """Three learners only."""

    def change(courses: pd.DataFrame, log: pd.DataFrame, scores: dict[str, pd.DataFrame]) -> None:
        for frame in (log, *scores.values()):
            _keep(frame, frame["learner_id"].isin(["u1", "u2", "u3"]))

    return _bundle(change)


def no_test() -> eq.Bundle:
    """Train only: nothing to measure accuracy on."""
    return _bundle(lambda courses, log, scores: _keep(log, log["split"] == "train"))


def no_ratings() -> eq.Bundle:
    """No rating anywhere, and no principle that needs one; no timestamps either."""

    def change(courses: pd.DataFrame, log: pd.DataFrame, scores: dict[str, pd.DataFrame]) -> None:
        courses.drop(columns="rating", inplace=True)  # noqa: PD002
        log.drop(columns=["rating", "timestamp"], inplace=True)  # noqa: PD002

    return _bundle(change, principles=[principle for principle in eq.SEVEN if principle.name != "quality"])


def thirty_categories() -> eq.Bundle:
    """More categories than colours or rows."""
    courses, log, scores = tiny_frames()
    more = pd.concat([courses.assign(course_id=courses["course_id"] + f"-{at}", category=f"category {at:02d}") for at in range(30)])
    return eq.Bundle.from_frames(pd.concat([courses, more], ignore_index=True), log, relevance=scores)


def all_free() -> eq.Bundle:
    """Nothing costs anything."""
    return _bundle(lambda courses, log, scores: courses.__setitem__("price", 0.0))


def markup() -> eq.Bundle:
    """Titles, categories, levels, asset types and learners' columns with markup and right-to-left text."""

    def change(courses: pd.DataFrame, log: pd.DataFrame, scores: dict[str, pd.DataFrame]) -> None:
        courses["title"] = [f"{MARKUP} {at}" if at % 2 else RIGHT_TO_LEFT for at in range(len(courses))]
        courses["category"] = courses["category"].replace({"code": MARKUP, "music": RIGHT_TO_LEFT})
        courses["level"] = courses["level"].replace({"beginner": MARKUP})
        courses["assets"] = courses["assets"].str.replace("video", "<b>video</b>")

    learners = pd.DataFrame({"learner_id": [f"u{at}" for at in range(1, 7)], "<b>group</b>": [MARKUP, RIGHT_TO_LEFT, "x"] * 2})
    return _bundle(change, learners=learners, name=MARKUP, description=MARKUP, provenance={"source": MARKUP})


def long_ids() -> eq.Bundle:
    """Ids of forty characters."""

    def change(courses: pd.DataFrame, log: pd.DataFrame, scores: dict[str, pd.DataFrame]) -> None:
        for frame in (courses, log, *scores.values()):
            for column in {"learner_id", "course_id"} & set(frame.columns):
                frame[column] = frame[column].str.pad(40, fillchar="0")

    return _bundle(change)


def two_candidates() -> eq.Bundle:
    """A learner with two candidates, and one without any."""

    def change(courses: pd.DataFrame, log: pd.DataFrame, scores: dict[str, pd.DataFrame]) -> None:
        for frame in scores.values():
            place = frame.groupby("learner_id").cumcount()
            _keep(frame, ~((frame["learner_id"] == "u1") & (place >= 2)) & (frame["learner_id"] != "u2"))

    return _bundle(change)


BUNDLES: dict[str, Callable[[], eq.Bundle]] = {
    make.__name__: make
    for make in (
        one_algorithm, one_category, three_learners, no_test, no_ratings, thirty_categories, all_free, markup, long_ids, two_candidates,
    )
}  # fmt: skip
"""By name: each makes its bundle."""
