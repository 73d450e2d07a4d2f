"""What eq.precompute promises, for each algorithm that needs no neural network."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from equity_core.progress import Cancelled
from equity_core.recommenders.precompute import precompute, precompute_to
from tests.recommenders.worlds import SEVEN, platform

CANDIDATES = 12
MODULE = sys.modules[
    "equity_core.recommenders.precompute"
]  # the package has a function of that name


@pytest.fixture(scope="module")
def made() -> tuple[pd.DataFrame, pd.DataFrame, dict[str, pd.DataFrame]]:
    courses, interactions = platform(1)
    return (
        courses,
        interactions,
        precompute(courses, interactions, SEVEN, candidates=CANDIDATES, seed=3),
    )


def pairs(frame: pd.DataFrame) -> set[tuple[object, object]]:
    return set(zip(frame["learner_id"], frame["course_id"], strict=True))


@pytest.mark.parametrize("name", SEVEN)
def test_every_learner_with_a_past_gets_the_candidates_and_never_a_past_course(
    name: str, made: tuple
) -> None:
    _, interactions, relevance = made
    train = interactions[interactions["split"] == "train"]
    frame = relevance[name]
    assert frame.columns.tolist() == ["learner_id", "course_id", "score"]
    assert frame.groupby("learner_id").size().to_dict() == dict.fromkeys(
        train["learner_id"].unique(), CANDIDATES
    )
    assert not pairs(frame) & pairs(train)
    assert not frame.duplicated(["learner_id", "course_id"]).any()


@pytest.mark.parametrize("name", SEVEN)
def test_rows_go_by_learner_then_score_then_position(name: str, made: tuple) -> None:
    courses, _, relevance = made
    frame = relevance[name].assign(
        position=lambda f: f["course_id"].map(
            dict(zip(courses["course_id"], range(len(courses)), strict=True))
        )
    )
    expected = frame.sort_values(
        ["learner_id", "score", "position"], ascending=[True, False, True], ignore_index=True
    )
    pd.testing.assert_frame_equal(frame, expected)


@pytest.mark.parametrize("name", SEVEN)
def test_what_has_no_score_is_filled_by_popularity(name: str, made: tuple) -> None:
    courses, interactions, relevance = made
    train = interactions[interactions["split"] == "train"].drop_duplicates(
        ["learner_id", "course_id"]
    )
    popularity = (
        train["course_id"].value_counts().reindex(courses["course_id"], fill_value=0).to_numpy()
    )
    order = courses["course_id"].to_numpy()[np.lexsort((np.arange(len(courses)), -popularity))]
    frame = relevance[name]
    for learner, mine in frame.groupby("learner_id"):
        fills = mine.loc[mine["score"] == 0, "course_id"]
        used = set(train.loc[train["learner_id"] == learner, "course_id"]) | set(
            mine.loc[mine["score"] > 0, "course_id"]
        )
        assert set(fills) == set([course for course in order if course not in used][: len(fills)])
    assert (frame["score"] >= 0).all()


def test_some_rows_of_that_test_are_filled() -> None:
    courses, interactions = platform(1)
    frame = precompute(courses, interactions, ["userknn"], candidates=25)["userknn"]
    assert 0 < (frame["score"] == 0).sum() < len(frame)


def test_candidates_beyond_the_catalogue_give_all_of_it_less_the_past() -> None:
    courses, interactions = platform(2)
    train = interactions[interactions["split"] == "train"]
    for name, frame in precompute(courses, interactions, SEVEN, candidates=10**12).items():
        everything = {
            (learner, course) for learner in train["learner_id"] for course in courses["course_id"]
        }
        assert pairs(frame) == everything - pairs(train), name


@pytest.mark.parametrize("name", SEVEN)
def test_the_same_seed_gives_the_same_bits_whatever_the_threads_and_the_order_of_rows(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    courses, interactions = platform(5, learners=150)
    monkeypatch.setenv("EQUITY_THREADS", "1")
    once = precompute(courses, interactions, [name], candidates=9, seed=11)[name]
    monkeypatch.setenv("EQUITY_THREADS", "4")
    again = precompute(
        courses, interactions.sample(frac=1, random_state=0), [name], candidates=9, seed=11
    )[name]
    pd.testing.assert_frame_equal(once, again, check_exact=True)


def test_another_seed_gives_another_random_order() -> None:
    courses, interactions = platform(0)
    first, second = (
        precompute(courses, interactions, ["random"], candidates=9, seed=seed)["random"]
        for seed in (0, 1)
    )
    assert not first["course_id"].equals(second["course_id"])


@pytest.mark.parametrize("name", SEVEN)
def test_nothing_of_valid_or_test_reaches_a_fit(name: str, made: tuple) -> None:
    """A course that everybody takes, but only in test, and learners who are only there, leave no
    trace."""
    courses, interactions, relevance = made
    train = interactions[interactions["split"] == "train"]
    learners = [*train["learner_id"].unique(), "only in test"]
    planted = pd.DataFrame({"learner_id": learners, "course_id": "c0", "split": "test"})
    held = pd.DataFrame({"learner_id": learners, "course_id": "c1", "split": "valid"})
    for other in (train, pd.concat([planted, interactions, held], ignore_index=True)):
        found = precompute(courses, other, [name], candidates=CANDIDATES, seed=3)[name]
        pd.testing.assert_frame_equal(found, relevance[name], check_exact=True)


def test_a_repeated_row_counts_once() -> None:
    courses, interactions = platform(3)
    once = interactions.drop_duplicates()
    assert len(once) < len(interactions)
    for name in SEVEN:
        left, right = (
            precompute(courses, log, [name], candidates=8)[name] for log in (once, interactions)
        )
        pd.testing.assert_frame_equal(left, right)


@pytest.mark.parametrize(
    "change",
    [
        lambda ids: ids.str.slice(1).astype("int64"),
        lambda ids: ids.str.slice(1).astype("int32"),
        lambda ids: ids.astype("object"),
        lambda ids: ids.astype("string"),
    ],
    ids=["int64", "int32", "object", "string"],
)
def test_ids_keep_the_type_of_the_caller_and_learners_are_sorted(change, tmp_path: Path) -> None:
    courses, interactions = platform(0)
    courses["course_id"] = change(courses["course_id"])
    interactions = interactions.assign(
        learner_id=change(interactions["learner_id"]), course_id=change(interactions["course_id"])
    )
    frame = precompute(courses, interactions, ["itemknn"], candidates=5)["itemknn"]
    assert frame["learner_id"].dtype == interactions["learner_id"].dtype
    assert frame["course_id"].dtype == courses["course_id"].dtype
    assert frame["score"].dtype == np.float32
    assert frame["learner_id"].is_monotonic_increasing
    written = pd.read_parquet(
        precompute_to(tmp_path, courses, interactions, ["itemknn"], candidates=5)["itemknn"]
    )
    assert written.astype({"learner_id": "object", "course_id": "object"}).equals(
        frame.astype({"learner_id": "object", "course_id": "object"})
    )


def test_categories_are_read_as_what_they_stand_for() -> None:
    courses, interactions = platform(0)
    backwards = sorted(interactions["learner_id"].unique(), reverse=True)
    as_categories = interactions.assign(
        learner_id=pd.Categorical(interactions["learner_id"], categories=backwards),
        course_id=interactions["course_id"].astype("category"),
        split=interactions["split"].astype("category"),
    )
    left, right = (
        precompute(courses, log, ["userknn"], candidates=5)["userknn"]
        for log in (interactions, as_categories)
    )
    pd.testing.assert_frame_equal(left, right)


def test_files_hold_the_same_in_row_groups_of_whole_learners(
    tmp_path: Path, made: tuple, monkeypatch: pytest.MonkeyPatch
) -> None:
    courses, interactions, relevance = made
    monkeypatch.setattr(MODULE, "BLOCK", 16)
    paths = precompute_to(
        tmp_path / "relevance", courses, interactions, SEVEN, candidates=CANDIDATES, seed=3
    )
    assert {path.name for path in (tmp_path / "relevance").iterdir()} == {
        f"{name}.parquet" for name in SEVEN
    }
    for name, path in paths.items():
        pd.testing.assert_frame_equal(pd.read_parquet(path), relevance[name], check_dtype=False)
        groups = pq.ParquetFile(path).metadata
        assert [groups.row_group(i).num_rows for i in range(groups.num_row_groups)] == [
            16 * 12,
            16 * 12,
            8 * 12,
        ]


def test_progress_counts_blocks_over_all_algorithms_and_can_cancel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    courses, interactions = platform(0)
    monkeypatch.setattr(MODULE, "BLOCK", 10)
    steps: list[tuple[int, int]] = []
    precompute(
        courses,
        interactions,
        ["random", "userknn"],
        candidates=5,
        progress=lambda done, total: steps.append((done, total)),
    )
    assert [done for done, _ in steps] == sorted(done for done, _ in steps)
    assert steps[0] == (0, 16)
    assert steps[-1] == (16, 16)
    assert len(set(steps)) >= 9

    with pytest.raises(Cancelled):
        precompute_to(
            tmp_path,
            courses,
            interactions,
            ["random", "userknn"],
            candidates=5,
            progress=lambda done, total: done < 13,
        )
    assert [path.name for path in tmp_path.iterdir()] == ["random.parquet"]


def test_faults_are_told_before_any_work(monkeypatch: pytest.MonkeyPatch) -> None:
    courses, interactions = platform(0)
    monkeypatch.setattr(MODULE, "create", lambda name: pytest.fail("work was begun"))
    with pytest.raises(KeyError, match=r"svd.*known: random"):
        precompute(courses, interactions, ["random", "svd"])
    monkeypatch.setitem(sys.modules, "jax", None)
    with pytest.raises(ImportError, match=r"gmf needs jax.*requirements-train\.txt"):
        precompute(courses, interactions)
    for candidates in (0, 2.5, True):
        with pytest.raises(ValueError, match="candidates is"):
            precompute(courses, interactions, ["random"], candidates=candidates)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="seed is -1"):
        precompute(courses, interactions, ["random"], seed=-1)


@pytest.mark.parametrize(
    ("courses", "interactions", "problem"),
    [
        (lambda c: c.drop(columns="course_id"), lambda i: i, "courses: column course_id missing"),
        (
            lambda c: c,
            lambda i: i.drop(columns=["split", "learner_id"]),
            "interactions: column learner_id and split missing",
        ),
        (lambda c: pd.concat([c, c.iloc[:1]]), lambda i: i, "course_id is missing or repeated"),
        (lambda c: c, lambda i: i[i["split"] != "train"], "no row has split 'train'"),
        (
            lambda c: c.iloc[:5],
            lambda i: i,
            r"training rows have a course_id that the courses table lacks",
        ),
        (
            lambda c: c,
            lambda i: i.assign(learner_id=i["learner_id"].where(i["learner_id"] != "u01")),
            "learner_id is missing",
        ),
        (
            lambda c: c,
            lambda i: i.assign(
                learner_id=i["learner_id"].astype(object).where(i["learner_id"] != "u01", 1)
            ),
            "mixes types",
        ),
    ],
)
def test_tables_that_cannot_be_used_say_why(courses, interactions, problem: str) -> None:
    catalogue, log = platform(0)
    with pytest.raises(ValueError, match=problem):
        precompute(courses(catalogue), interactions(log), ["random"])


def test_the_callers_frames_are_left_as_they_are() -> None:
    courses, interactions = platform(0)
    before = courses.copy(), interactions.copy()
    precompute(courses, interactions, SEVEN, candidates=5)
    pd.testing.assert_frame_equal(courses, before[0])
    pd.testing.assert_frame_equal(interactions, before[1])
