"""Relevance at size: the compiled loops agree with pandas, and threads may share a bundle."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from equity_core.bundle import Bundle, Relevance, kernels, load_bundle, sources
from equity_core.bundle.csr import Csr
from tests.helpers.worlds import tiny_frames


def world(
    ids: str, *, learners: int = 300, courses: int = 120, seed: int = 0
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Courses, interactions and relevance with past courses, ties, and learners without a past
    among the rows, in no order."""
    rng = np.random.default_rng(seed)
    if ids == "text":
        course_id = np.array([f"course {n:04d}" for n in rng.permutation(courses)], dtype=object)
        learner_id = np.array([f"ü{n}" for n in range(learners)], dtype=object)
    else:
        course_id = rng.choice(np.arange(-(2**62), 2**62, 2**50), courses, replace=False)
        course_id[0] = 0
        learner_id = rng.choice(10**6, learners, replace=False)
    tiny = tiny_frames()[0].drop(columns="course_id")
    frame = (
        tiny.iloc[np.arange(courses) % len(tiny)].reset_index(drop=True).assign(course_id=course_id)
    )
    who, what = rng.integers(0, learners, 900), rng.integers(0, courses, 900)
    split = np.where(who < 20, "test", rng.choice(["train", "test"], 900))
    log = pd.DataFrame(
        {"learner_id": learner_id[who], "course_id": course_id[what], "split": split}
    )
    pair = rng.choice(learners * courses, 6000, replace=False)
    scores = rng.integers(0, 9, 6000) / 4 - 1
    return (
        frame,
        log,
        pd.DataFrame(
            {
                "learner_id": learner_id[pair // courses],
                "course_id": course_id[pair % courses],
                "score": scores,
            }
        ),
    )


def expected(bundle: Bundle, rows: pd.DataFrame) -> pd.DataFrame:
    """The rows that should remain, in their order, by pandas."""
    place = {course: at for at, course in enumerate(bundle.course_ids)}
    past = {
        (bundle.learner_ids[i], c)
        for i in range(len(bundle.past))
        for c in bundle.course_ids[bundle.past.row(i)]
    }
    rows = rows[rows["learner_id"].isin(bundle.learner_ids)]
    rows = rows[
        [pair not in past for pair in zip(rows["learner_id"], rows["course_id"], strict=True)]
    ]
    rows = rows.assign(place=rows["course_id"].map(place)).sort_values(
        ["learner_id", "score", "place"], ascending=[True, False, True]
    )
    return rows.reset_index(drop=True)


@pytest.mark.parametrize(
    ("ids", "via"),
    [
        ("text", "frames"),
        ("text", "parquet"),
        ("text", "csv"),
        ("number", "frames"),
        ("number", "parquet"),
    ],
)
def test_rows_in_any_order_agree_with_pandas(ids: str, via: str, tmp_path: Path) -> None:
    courses, log, rows = world(ids)
    bundle = Bundle.from_frames(courses, log, {"own": rows})
    if via != "frames":
        bundle.save(tmp_path / "bundle")
        (tmp_path / "bundle" / "manifest.toml").write_text("")
        (tmp_path / "bundle" / "relevance" / "own.parquet").unlink()
        path = tmp_path / "bundle" / "relevance" / f"own.{via}"
        rows.to_parquet(path, index=False, row_group_size=500) if via == "parquet" else rows.to_csv(
            path, index=False
        )
        bundle = load_bundle(tmp_path / "bundle")
    found, wanted = bundle.relevance("own"), expected(bundle, rows)
    counts = wanted.groupby("learner_id").size().reindex(bundle.learner_ids, fill_value=0)
    assert np.diff(found.indptr).tolist() == counts.tolist()
    assert found.courses.tolist() == wanted["place"].tolist()
    assert found.scores.tolist() == wanted["score"].tolist()
    dropped = (
        bundle.counts["relevance_without_past[own]"]
        + bundle.counts["relevance_of_past_courses[own]"]
    )
    assert dropped == len(rows) - len(wanted) > 0


@pytest.mark.parametrize("ids", ["text", "number"])
def test_many_row_groups_are_written_and_read(
    ids: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("equity_core.bundle.store.GROUP", 64)
    courses, log, rows = world(ids)
    made = Bundle.from_frames(courses, log, {"own": rows})
    made.save(tmp_path / "bundle")
    loaded = load_bundle(tmp_path / "bundle")
    for name in ("indptr", "courses", "scores"):
        np.testing.assert_array_equal(
            getattr(loaded.relevance("own"), name), getattr(made.relevance("own"), name)
        )
    assert loaded.fingerprint == made.fingerprint


def test_saved_rows_need_no_sorting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    courses, log, rows = world("text")
    Bundle.from_frames(courses, log, {"own": rows}).save(tmp_path / "bundle")
    loaded = load_bundle(tmp_path / "bundle")

    def never(*_: Any) -> None:
        raise AssertionError("rows were brought into another order")

    monkeypatch.setattr(kernels, "gather", never)
    assert len(loaded.relevance("own").courses)


def test_locate_finds_what_is_there_and_only_that() -> None:
    keys = np.array([5, 0, -7, 2**62, -(2**63), 9], dtype=np.int64)
    values = np.array([0, 0, 5, 1, 2**62, -(2**63), 9, -7, -8, 2**63 - 1], dtype=np.int64)
    out = np.empty(len(values), dtype=np.int32)
    kernels.locate(values, keys, out)
    assert out.tolist() == [1, 1, 0, -1, 3, 4, 5, 2, -1, -1]
    without_zero = np.array([5, 7], dtype=np.int64)
    kernels.locate(np.zeros(2, dtype=np.int64), without_zero, out[:2])
    assert out[:2].tolist() == [-1, -1]
    kernels.locate(np.array([3], dtype=np.int64), np.empty(0, dtype=np.int64), out[:1])
    assert out[0] == -1


def test_threads_load_an_algorithm_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    courses, log, rows = world("text")
    Bundle.from_frames(courses, log, {"own": rows, "other": rows}).save(tmp_path / "bundle")
    loaded = load_bundle(tmp_path / "bundle")
    loads: list[str] = []
    load = sources.Stored.load

    def counted(self: sources.Stored, content: Any) -> Any:
        loads.append(self.file)
        return load(self, content)

    monkeypatch.setattr(sources.Stored, "load", counted)
    found: list[Relevance] = []
    start = threading.Barrier(8)

    def work(number: int) -> None:
        start.wait()
        found.append(loaded.relevance("own" if number % 2 else "other"))
        assert loaded.fingerprint
        assert len(loaded.positives("test"))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(loads) == ["relevance/other.parquet", "relevance/own.parquet"]
    assert len({id(one) for one in found}) == 2


def test_rows_outside_are_an_index_error() -> None:
    rows = Csr(np.array([0, 1, 1], dtype=np.int64), np.array([4], dtype=np.int32))
    assert (len(rows), rows.row(0).tolist(), rows.row(1).tolist()) == (2, [4], [])
    relevance = Relevance(rows.indptr, rows.indices, np.array([0.5]))
    assert [part.tolist() for part in relevance.row(0)] == [[4], [0.5]]
    for table in (rows, relevance):
        for row in (-1, 2):
            with pytest.raises(IndexError):
                table.row(row)
