"""Awkward data sets, one for each trouble that a screen has to stand."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

import equity_core as eq
from tests.helpers.worlds import tiny_frames

MARKUP = '<script>alert("x")</script> **bold** [link](http://example.org) $x$ :red[no] |'
RIGHT_TO_LEFT = "مقدمة في البرمجة"


def one_algorithm() -> eq.Bundle:
    """A single recommender."""
    courses, log, scores = tiny_frames()
    return eq.Bundle.from_frames(courses, log, relevance={"userknn": scores["userknn"]})


def one_category() -> eq.Bundle:
    """Every course in one category."""
    courses, log, scores = tiny_frames()
    return eq.Bundle.from_frames(courses.assign(category="all"), log, relevance=scores)


def three_learners() -> eq.Bundle:
    """Three learners only."""
    courses, log, scores = tiny_frames()
    log, *rest = (
        frame[frame["learner_id"].isin(["u1", "u2", "u3"])] for frame in (log, *scores.values())
    )
    return eq.Bundle.from_frames(courses, log, relevance=dict(zip(scores, rest, strict=True)))


def no_test() -> eq.Bundle:
    """Train only: nothing to measure accuracy on."""
    courses, log, scores = tiny_frames()
    return eq.Bundle.from_frames(courses, log[log["split"] == "train"], relevance=scores)


def no_ratings() -> eq.Bundle:
    """No rating anywhere, and no principle that needs one; no timestamps either."""
    courses, log, scores = tiny_frames()
    principles = [principle for principle in eq.SEVEN if principle.name != "quality"]
    log = log.drop(columns=["rating", "timestamp"])
    return eq.Bundle.from_frames(
        courses.drop(columns="rating"), log, relevance=scores, principles=principles
    )


def thirty_categories() -> eq.Bundle:
    """More categories than colours or rows."""
    courses, log, scores = tiny_frames()
    more = pd.concat(
        [
            courses.assign(course_id=courses["course_id"] + f"-{at}", category=f"category {at:02d}")
            for at in range(30)
        ]
    )
    return eq.Bundle.from_frames(
        pd.concat([courses, more], ignore_index=True), log, relevance=scores
    )


def all_free() -> eq.Bundle:
    """Nothing costs anything."""
    courses, log, scores = tiny_frames()
    return eq.Bundle.from_frames(courses.assign(price=0.0), log, relevance=scores)


def markup() -> eq.Bundle:
    """Titles, categories, levels, asset types and learners' columns with markup and right-to-left
    text."""
    courses, log, scores = tiny_frames()
    courses = courses.assign(
        title=[f"{MARKUP} {at}" if at % 2 else RIGHT_TO_LEFT for at in range(len(courses))],
        category=courses["category"].replace({"code": MARKUP, "music": RIGHT_TO_LEFT}),
        level=courses["level"].replace({"beginner": MARKUP}),
        assets=courses["assets"].str.replace("video", "<b>video</b>"),
    )
    learners = pd.DataFrame(
        {
            "learner_id": [f"u{at}" for at in range(1, 7)],
            "<b>group</b>": [MARKUP, RIGHT_TO_LEFT, "x"] * 2,
        }
    )
    told = {"name": MARKUP, "description": MARKUP, "provenance": {"source": MARKUP}}
    return eq.Bundle.from_frames(courses, log, relevance=scores, learners=learners, **told)  # type: ignore[arg-type]


def long_ids() -> eq.Bundle:
    """Ids of forty characters."""
    courses, log, *scores = (
        frame.assign(
            **{
                name: frame[name].str.pad(40, fillchar="0")
                for name in ("learner_id", "course_id")
                if name in frame
            }
        )
        for frame in (*tiny_frames()[:2], *tiny_frames()[2].values())
    )
    return eq.Bundle.from_frames(
        courses, log, relevance=dict(zip(tiny_frames()[2], scores, strict=True))
    )


def two_candidates() -> eq.Bundle:
    """A learner with two candidates, and one without any."""
    courses, log, scores = tiny_frames()

    def few(frame: pd.DataFrame) -> pd.DataFrame:
        place = frame.groupby("learner_id").cumcount()
        return frame[
            ~((frame["learner_id"] == "u1") & (place >= 2)) & (frame["learner_id"] != "u2")
        ]

    return eq.Bundle.from_frames(
        courses, log, relevance={name: few(frame) for name, frame in scores.items()}
    )


BUNDLES: dict[str, Callable[[], eq.Bundle]] = {
    make.__name__: make
    for make in (
        one_algorithm,
        one_category,
        three_learners,
        no_test,
        no_ratings,
        thirty_categories,
        all_free,
        markup,
        long_ids,
        two_candidates,
    )
}
"""By name: each makes its bundle."""
