"""From interactions to relevance: fit recommenders and give every learner candidates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import pandas as pd

from equity_core.algorithms import ALGORITHMS
from equity_core.progress import Progress, report
from equity_core.recommenders.base import Training
from equity_core.recommenders.registry import check, create, need
from equity_core.recommenders.topn import Top, filled

if TYPE_CHECKING:
    from equity_core.bundle.future import FutureCourses

BLOCK = 4096
"""Learners computed, and written as one row group, at a time: 819,200 rows at 200 candidates."""


def precompute(
    courses: pd.DataFrame,
    interactions: pd.DataFrame,
    algorithms: Iterable[str] | None = None,
    candidates: int = 200,
    seed: int = 0,
    progress: Progress | None = None,
    future_courses: FutureCourses = "keep",
    split_at: Any = None,
) -> dict[str, pd.DataFrame]:
    """Train recommenders and return the candidates of every learner.

    They are trained on ``split == "train"`` alone; a repeated (learner, course) pair counts once.
    Every learner with a training interaction gets `candidates` courses, none of them from the
    learner's own past; fewer only where the catalogue without the past is smaller. Courses for
    which an algorithm has no score fill the remaining places with score 0, the most popular first
    (in training; ties by position); wherever that happens, real scores are above 0. The same seed
    gives the same bits, whatever the number of threads. With ``future_courses="mask"``, courses
    that did not exist yet at the moment of the split are no candidates.

    Parameters
    ----------
    courses : pandas.DataFrame
        One row per course, with course_id, and the columns that an algorithm reads.
    interactions : pandas.DataFrame
        learner_id, course_id and split; ids have the same type in both tables.
    algorithms : iterable of str or None, default None
        Some of ``ALGORITHMS``; None takes all ten.
    candidates : int, default 200
        Courses per learner.
    seed : int, default 0
        Seed of everything that is random.
    progress : callable or None, default None
        Called as progress(done, total); returning False cancels.
    future_courses : {"mask", "keep"}, default "keep"
        What happens to courses from after the split, as in :meth:`Bundle.from_frames`.
    split_at : date or None, default None
        The moment for which lists are made, as in :meth:`Bundle.from_frames`.

    Returns
    -------
    dict from str to pandas.DataFrame
        Per algorithm: learner_id, course_id and score (float32), with the ids as they were given.
        Rows go by learner (sorted), then by score, highest first, then by the course's position.

    Raises
    ------
    KeyError
        If an algorithm is unknown.
    ValueError
        If the tables cannot be used, `candidates` or `seed` is not a whole number in range, or
        `future_courses` is unknown.
    BundleError
        If dates have to be read and cannot be.
    ImportError
        If a training library (requirements-train.txt) is not installed.
    Cancelled
        If the callback returned False.

    Examples
    --------
    >>> import equity_core as eq
    >>> import pandas as pd
    >>> courses = pd.DataFrame({"course_id": [1, 2, 3]})
    >>> taken = pd.DataFrame(
    ...     {"learner_id": [7, 8, 8], "course_id": [1, 1, 2], "split": ["train"] * 3}
    ... )
    >>> eq.precompute(courses, taken, ["toppopular"])["toppopular"]["course_id"].tolist()
    [2, 3, 3]
    """
    work = Work.of(courses, interactions, algorithms, candidates, seed, future_courses, split_at)
    frames = {}
    for step, name in enumerate(work.algorithms):
        tops = [top for _, top in work.run(step, progress)]
        positions, scores = (
            np.concatenate([top[0] for top in tops]),
            np.concatenate([top[1] for top in tops]),
        )
        given = positions >= 0
        frames[name] = pd.DataFrame(
            {
                "learner_id": work.learner_ids.repeat(given.sum(axis=1)),
                "course_id": work.course_ids.take(positions[given]),
                "score": scores[given],
            }
        )
    return frames


def precompute_to(
    folder: str | Path,
    courses: pd.DataFrame,
    interactions: pd.DataFrame,
    algorithms: Iterable[str] | None = None,
    candidates: int = 200,
    seed: int = 0,
    progress: Progress | None = None,
    future_courses: FutureCourses = "keep",
    split_at: Any = None,
) -> dict[str, Path]:
    """Train recommenders and write the candidates to ``folder/<algorithm>.parquet``.

    The content is what :func:`precompute` returns, written block by block, so that no frame is ever
    held whole. A file appears when it is complete; a run that fails or is cancelled leaves the
    files of the algorithms before it.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    work = Work.of(courses, interactions, algorithms, candidates, seed, future_courses, split_at)
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    learner_ids, course_ids = (
        pa.array(ids.to_numpy(dtype=object)) for ids in (work.learner_ids, work.course_ids)
    )
    schema = pa.schema(
        [("learner_id", learner_ids.type), ("course_id", course_ids.type), ("score", pa.float32())]
    )
    paths = {}
    for step, name in enumerate(work.algorithms):
        part = folder / f"{name}.parquet.part"
        try:
            with pq.ParquetWriter(part, schema, compression="zstd") as writer:
                for start, (positions, scores) in work.run(step, progress):
                    given = positions >= 0
                    learners = np.repeat(
                        np.arange(start, start + len(positions)), given.sum(axis=1)
                    )
                    columns = [
                        learner_ids.take(pa.array(learners)),
                        course_ids.take(pa.array(positions[given])),
                        pa.array(scores[given]),
                    ]
                    writer.write_table(
                        pa.table(columns, schema=schema), row_group_size=BLOCK * work.candidates
                    )
            paths[name] = part.replace(folder / f"{name}.parquet")
        finally:
            part.unlink(missing_ok=True)
    return paths


@dataclass(frozen=True, eq=False)
class Work:
    """A checked request: the training part in positions, and what the positions stand for."""

    training: Training
    learner_ids: pd.Index
    course_ids: pd.Index
    algorithms: tuple[str, ...]
    candidates: int

    @classmethod
    def of(
        cls,
        courses: pd.DataFrame,
        interactions: pd.DataFrame,
        algorithms: Iterable[str] | None,
        candidates: int,
        seed: int,
        future_courses: FutureCourses,
        split_at: Any,
    ) -> Work:
        """Check everything that can be wrong before any work is done."""
        names = check(ALGORITHMS if algorithms is None else algorithms)
        need(names)
        for name, value, least in (("candidates", candidates, 1), ("seed", seed, 0)):
            if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
                raise ValueError(f"{name} is {value!r}; give a whole number, {least} or more")
        # Here, and not above: the bundle's modules load libraries that a name does not need.
        from equity_core.bundle.future import FutureCourses, of_frames

        if future_courses not in get_args(FutureCourses):
            raise ValueError(
                f"future_courses is {future_courses!r}; use one of"
                f" {', '.join(get_args(FutureCourses))}"
            )
        training, learner_ids, course_ids = prepare(courses, interactions, int(seed))
        if future_courses == "mask":
            hidden = of_frames(courses, interactions, split_at).hidden
            training = replace(training, hidden=hidden)
        return cls(
            training, learner_ids, course_ids, names, min(int(candidates), training.catalogue)
        )

    def run(self, step: int, progress: Progress | None) -> Iterator[tuple[int, Top]]:
        """Fit the algorithm at ``step`` and yield candidates, one block of learners after another.

        Each block comes with its start. Progress counts blocks over all algorithms; a fit counts as
        much as all its blocks together.
        """
        name, starts = self.algorithms[step], range(0, self.training.learners, BLOCK)
        share, total = len(starts), 2 * len(starts) * len(self.algorithms)
        before = 2 * share * step
        report(progress, before, total)
        fitting = (
            None
            if progress is None
            else lambda done, of: progress(before + share * done // max(of, 1), total)
        )
        fitted = create(name).fit(self.training, fitting)
        for block, start in enumerate(starts, start=1):
            rows = slice(start, min(start + BLOCK, self.training.learners))
            yield (
                start,
                filled(
                    fitted.top(rows, self.candidates),
                    self.training.barred(rows),
                    self.training.by_popularity,
                ),
            )
            report(progress, before + share + block, total)


def prepare(
    courses: pd.DataFrame, interactions: pd.DataFrame, seed: int = 0
) -> tuple[Training, pd.Index, pd.Index]:
    """Return the training part in positions, the learners' ids and the courses' ids.

    Learners are sorted; courses keep the order of their table.
    """
    from scipy import sparse

    _need_columns(courses, "courses", ("course_id",))
    _need_columns(interactions, "interactions", ("learner_id", "course_id", "split"))
    course_ids = _ids(courses["course_id"])
    if course_ids.hasnans or not course_ids.is_unique:
        raise ValueError(
            "courses: course_id is missing or repeated in some rows; give each course one row and"
            " an id"
        )
    train = interactions[(interactions["split"] == "train").to_numpy(dtype=bool, na_value=False)]
    if train.empty:
        raise ValueError(
            "interactions: no row has split 'train', so there is nothing to learn from;"
            " split_by_time cuts a log by time"
        )
    learners, taken = _ids(train["learner_id"]), _ids(train["course_id"])
    if learners.hasnans:
        raise ValueError(
            "interactions: learner_id is missing in some training rows; remove them or fill in the"
            " learner"
        )
    column = course_ids.get_indexer(taken)
    if (column < 0).any():
        some = ", ".join(repr(value) for value in taken[column < 0].unique()[:3])
        raise ValueError(
            f"interactions: {int((column < 0).sum()):,} training rows have a course_id that the"
            f" courses table lacks ({some}); ids must have the same type in both tables (here"
            f" {taken.dtype} and {course_ids.dtype})"
        )
    try:
        learner_ids = learners.unique().sort_values()
    except TypeError as error:
        raise ValueError(
            "interactions: learner_id mixes types; make all ids text or all integers"
        ) from error
    row = learner_ids.get_indexer(learners)
    shape = (len(learner_ids), len(course_ids))
    pairs = np.unique(
        row.astype(np.int64) * shape[1] + column
    )  # sorted by learner, then course; each once
    indptr = np.searchsorted(pairs, np.arange(shape[0] + 1, dtype=np.int64) * shape[1]).astype(
        np.int32
    )
    data, indices = np.ones(len(pairs), np.float32), (pairs % shape[1]).astype(np.int32)
    matrix = sparse.csr_matrix((data, indices, indptr), shape=shape)
    return Training(matrix, courses.reset_index(drop=True), seed), learner_ids, course_ids


def _ids(column: pd.Series[Any]) -> pd.Index[Any]:
    """Return the ids in the caller's type.

    Categories become what they stand for, because they sort in an order of their own.
    """
    plain = (
        column.astype(column.dtype.categories.dtype)
        if isinstance(column.dtype, pd.CategoricalDtype)
        else column
    )
    ids: pd.Index[Any] = pd.Index(plain)
    return ids


def _need_columns(table: pd.DataFrame, name: str, columns: tuple[str, ...]) -> None:
    missing = [column for column in columns if column not in table]
    if missing:
        raise ValueError(
            f"{name}: column {' and '.join(missing)} missing; recommenders need"
            f" {', '.join(columns)}"
        )
