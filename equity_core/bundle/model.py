"""What a data set is, once it is checked: positions, tables, principles and relevance."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy.typing as npt
import pandas as pd

from equity_core.algorithms import ALGORITHMS
from equity_core.bundle import fingerprint as fingerprints
from equity_core.bundle import manifest as manifests
from equity_core.bundle import sources
from equity_core.bundle.assemble import Assembled, Content, Raw, assemble
from equity_core.bundle.courses import judged_columns
from equity_core.bundle.csr import Csr, pointers
from equity_core.bundle.derived import KEPT, Shared, other_principles
from equity_core.bundle.faults import Faults
from equity_core.bundle.future import Future, FutureCourses
from equity_core.bundle.interactions import SPLITS
from equity_core.bundle.manifest import Kept
from equity_core.bundle.relevance import Relevance
from equity_core.bundle.sources import Held, Source, Stored
from equity_core.bundle.tables import from_frame
from equity_core.principles import Encoded, Principle, fields_of


class Bundle:
    """A checked data set: courses, interactions, principles and the relevance of its algorithms.

    Made by :func:`equity_core.load_bundle` or :meth:`from_frames`; not to be changed afterwards.
    Safe to share between threads. Learners and courses are addressed by position: learners by their
    position in ``learner_ids`` (sorted), courses by theirs in ``course_ids`` (the order of the
    table).

    Examples
    --------
    >>> import equity_core as eq
    >>> bundle = eq.load_bundle("data/demo")
    >>> bundle.splits
    ('train', 'valid', 'test')
    >>> len(bundle.learner_ids), len(bundle.course_ids)
    (2000, 1500)
    """

    name: str
    """The name of the data set."""
    description: str
    """What the data set is, in a sentence or two; may be empty."""
    synthetic: bool
    """Whether the learners are invented."""
    provenance: dict[str, Any]
    """Where the data set comes from: free fields of the manifest."""
    now: pd.Timestamp | None
    """The end of the scale of last_update: as given, else the newest update."""
    opened: pd.Timestamp | None
    """The start of the scale of last_update: as given, else the oldest update."""
    rating_scale: tuple[float, float]
    """The lowest and the highest possible rating."""
    principles: tuple[Principle, ...]
    """The principles that lists are judged by."""
    encoded: Encoded
    """The courses' columns as arrays for the kernels."""
    learner_ids: npt.NDArray[Any]
    """The learners' ids, sorted."""
    course_ids: npt.NDArray[Any]
    """The courses' ids, in the order of their table."""
    courses: pd.DataFrame
    """One row per course, by position. A course without a rating has the mean of its training
    ratings, where there are any."""
    interactions: pd.DataFrame
    """learner and course (positions), split, timestamp and rating; sorted, each pair once per
    split."""
    learners: pd.DataFrame | None
    """Columns to group learners by: one row per learner, by position, indexed by learner_id."""
    targets: pd.DataFrame | None
    """Learner-specific targets: one row per learner, by position, indexed by learner_id; 1 where
    none was given."""
    coverage: pd.DataFrame
    """Per principle, the number (filled) and the share (share_filled) of courses whose value was
    missing and is filled in."""
    counts: dict[str, int]
    """What was dropped or merged, in rows or learners. The counts of an algorithm's relevance are
    added at its first use."""
    past: Csr
    """The courses of each learner in train."""
    splits: tuple[str, ...]
    """The splits that have interactions."""
    algorithms: tuple[str, ...]
    """The algorithms that have relevance."""
    future_courses: FutureCourses
    """What happens to courses from after the split: "mask" leaves them out of every list."""
    future: Future
    """The courses that are left out so, as ``future.hidden``, and the moment, as ``future.at``."""

    def __init__(
        self, content: Content, relevance: Mapping[str, Source], shared: Shared | None = None
    ) -> None:
        known = content.known
        assert known.learner_ids is not None
        assert known.course_ids is not None
        manifest = content.manifest
        self.name, self.description, self.synthetic, self.provenance = (
            manifest.name,
            manifest.description,
            manifest.synthetic,
            manifest.provenance,
        )
        self.now, self.opened, self.rating_scale = (
            content.now,
            content.opened,
            manifest.rating_scale,
        )
        self.principles, self.encoded = content.principles, content.encoded
        self.learner_ids, self.course_ids = known.learner_ids, known.course_ids
        self.courses, self.interactions, self.learners, self.targets = (
            content.courses,
            content.interactions,
            content.learners,
            content.targets,
        )
        self.counts, self.past = dict(content.counts), content.past
        self.future_courses, self.future = manifest.future_courses, content.future
        filled = pd.Series(
            content.encoded.filled,
            index=pd.Index([p.name for p in self.principles], name="principle"),
        )
        self.coverage = pd.DataFrame({"filled": filled, "share_filled": filled / len(self.courses)})
        codes = self.interactions["split"].cat.codes.to_numpy()
        self.splits = tuple(split for code, split in enumerate(SPLITS) if (codes == code).any())
        first = [name for name in ALGORITHMS if name in relevance]
        self.algorithms = (*first, *sorted(set(relevance) - set(first)))

        self._content = content
        self._sources = dict(relevance)
        self._whole = None if shared is None else shared.whole
        self._shared = shared or Shared(self, self.counts, {"train": self.past})
        self.counts, self._lock = self._shared.counts, self._shared.lock
        self._positives, self._relevance = self._shared.positives, self._shared.relevance
        self._hashes: dict[str, str] = {}
        self._judged: dict[tuple[Principle, ...], Bundle] = {}
        for algorithm, source in self._sources.items():
            if isinstance(source, Held):
                self.relevance(algorithm)

    @classmethod
    def from_frames(
        cls,
        courses: pd.DataFrame,
        interactions: pd.DataFrame,
        relevance: Mapping[str, pd.DataFrame] | None = None,
        principles: Sequence[Principle] | None = None,
        now: Any = None,
        opened: Any = None,
        rating_scale: tuple[float, float] = (1, 5),
        learners: pd.DataFrame | None = None,
        targets: pd.DataFrame | None = None,
        name: str = "unnamed",
        synthetic: bool = False,
        description: str = "",
        provenance: Mapping[str, Any] | str | None = None,
        future_courses: FutureCourses = "keep",
        split_at: Any = None,
    ) -> Bundle:
        """Make a bundle from pandas frames, in the columns of the data format.

        The frames are not changed. ``docs/data-format.md`` says what each column means.

        Parameters
        ----------
        courses : pandas.DataFrame
            One row per course: course_id, title, and the columns that the principles read.
        interactions : pandas.DataFrame
            One row per interaction: learner_id, course_id, split ("train", "valid" or "test"), and
            timestamp and rating where known.
        relevance : mapping from str to pandas.DataFrame or None, default None
            Per algorithm, one row per candidate: learner_id, course_id, score.
        principles : sequence of Principle or None, default None
            The principles; None takes the paper's seven.
        now, opened : date or None, default None
            The ends of the scale of last_update; None takes the newest and the oldest update.
        rating_scale : tuple of float, default (1, 5)
            The lowest and the highest possible rating.
        learners : pandas.DataFrame or None, default None
            Columns to group learners by, one row per learner, with learner_id.
        targets : pandas.DataFrame or None, default None
            Learner-specific targets, one row per learner and one column per principle, with
            learner_id.
        name : str, default "unnamed"
            The name of the data set.
        synthetic : bool, default False
            Whether the learners are invented.
        description : str, default ""
            What the data set is, in a sentence or two.
        provenance : mapping, str or None, default None
            Where the data come from.
        future_courses : {"mask", "keep"}, default "keep"
            What happens to courses that did not exist yet, as far as ``published``, ``first_taken``
            and the timestamps tell, at the moment of the split: "mask" leaves them out of every
            list. Frames seldom tell enough, so that here it has to be asked for; importers do.
        split_at : date or None, default None
            The moment for which lists are made; None takes the latest training interaction, where
            the test part follows it.

        Returns
        -------
        Bundle
            The checked data set.

        Raises
        ------
        BundleError
            If there are faults: one message that lists them all.

        Examples
        --------
        >>> import equity_core as eq
        >>> import pandas as pd
        >>> courses = pd.DataFrame(
        ...     {"course_id": [1, 2], "title": ["Algebra", "Biology"], "price": [0.0, 20.0]}
        ... )
        >>> taken = pd.DataFrame({"learner_id": [7], "course_id": [1], "split": ["train"]})
        >>> cheap = eq.Principle("affordability", "mean", "price", better="low")
        >>> eq.Bundle.from_frames(courses, taken, principles=[cheap], name="small")
        <Bundle 'small': 1 learners, 2 courses, 0 algorithms>
        """
        faults = Faults()
        own = (
            None
            if principles is None
            else [fields_of(p) if isinstance(p, Principle) else p for p in principles]
        )
        fields = {
            "name": name,
            "description": description,
            "synthetic": synthetic,
            "rating_scale": rating_scale,
            "now": now,
            "opened": opened,
            "provenance": provenance,
            "principles": own,
            "future_courses": future_courses,
            "split_at": split_at,
        }
        manifest = manifests.parse(fields, "settings", faults)
        raw = Raw(
            from_frame(courses, "courses", faults, key="course_id"),
            from_frame(interactions, "interactions", faults),
            (
                None
                if learners is None
                else from_frame(learners, "learners", faults, key="learner_id")
            ),
            None if targets is None else from_frame(targets, "targets", faults, key="learner_id"),
        )
        assembled = assemble(raw, manifest, "settings", faults)
        held: dict[str, Source] = {}
        given: Any = {} if relevance is None else relevance
        if not isinstance(given, Mapping):
            faults.add(
                "relevance",
                f"this is not a dictionary but a {type(given).__name__}",
                'Give {"userknn": frame, …}',
            )
            given = {}
        sources.check_names(given, faults)
        for algorithm, frame in given.items():
            table = from_frame(frame, f"relevance {algorithm!r}", faults)
            found = None if table is None else sources.from_table(table, assembled, faults)
            if found is not None:
                held[algorithm] = found
        faults.stop()
        assert assembled.content is not None
        return cls(assembled.content, held)

    def __repr__(self) -> str:
        kind = "synthetic " if self.synthetic else ""
        size = (
            f"{len(self.learner_ids):,} learners, {len(self.course_ids):,} courses,"
            f" {len(self.algorithms)} algorithms"
        )
        return f"<Bundle {self.name!r}: {kind}{size}>"

    def with_principles(self, principles: Sequence[Principle]) -> Bundle:
        """Return the same data set judged by other principles.

        They may be a platform's own, made from any course column, or fewer than before. Everything
        else is shared with this bundle. The data sets asked for last are kept: asking again costs
        nothing.

        Parameters
        ----------
        principles : sequence of Principle
            At least one; each with a name of its own.

        Returns
        -------
        Bundle
            The data set with these principles, this one if they are its own; learner-specific
            targets of others are left out.

        Raises
        ------
        ValueError
            If there is no principle, a name is used twice, or a column is missing or cannot be
            used.

        Examples
        --------
        >>> import equity_core as eq
        >>> bundle = eq.load_bundle("data/demo")
        >>> len(bundle.with_principles(eq.SEVEN[:3]).principles)
        3
        """
        given = tuple(principles)
        if given == self.principles:
            return self
        if self._whole is not None:  # which has the targets of all its principles
            return self._whole.with_principles(given)
        with self._lock:
            made = self._judged.pop(given, None) or Bundle(
                other_principles(self._content, given), self._sources, self._shared
            )
            self._judged[given] = made  # the last one in is the last one out
            while len(self._judged) > KEPT:
                del self._judged[next(iter(self._judged))]
            return made

    def principle_columns(self) -> dict[str, str]:
        """Return the course columns that a principle can be made of.

        Returns
        -------
        dict from str to str
            Per column "mean" (numbers and dates; assets count as numbers) or "balance" (labels).
        """
        return judged_columns(self.courses)

    def with_relevance(self, relevance: Mapping[str, pd.DataFrame | Path]) -> Bundle:
        """Return the same tables with more algorithms.

        An algorithm of the same name is replaced. Nothing is written before :meth:`save`.

        Parameters
        ----------
        relevance : mapping from str to pandas.DataFrame or pathlib.Path
            Per algorithm a frame with learner_id, course_id and score, checked at once, or a
            Parquet file, checked at first use (or when the bundle is saved).

        Returns
        -------
        Bundle
            The data set with these algorithms as well.

        Raises
        ------
        BundleError
            If names or rows are at fault.
        """
        faults = Faults()
        held: dict[str, Source] = {
            name: source for name, source in self._sources.items() if name not in relevance
        }
        sources.check_names([*held, *relevance], faults)
        for name, given in relevance.items():
            if isinstance(given, Path):
                held[name] = Stored.at(given, given.name, Kept())
                continue
            table = from_frame(given, f"relevance {name!r}", faults)
            found = (
                None
                if table is None
                else sources.from_table(
                    table, Assembled(self._content, self._content.known), faults
                )
            )
            if found is not None:
                held[name] = found
        faults.stop()
        return Bundle(self._content, held)

    def positives(self, split: str) -> Csr:
        """Return the courses of each learner in a split.

        Parameters
        ----------
        split : {"train", "valid", "test"}
            The split.

        Returns
        -------
        Csr
            One sorted row of course positions per learner (``row(i)``); all rows are empty if the
            bundle does not have the split.

        Raises
        ------
        ValueError
            If the split is unknown.

        Examples
        --------
        >>> import equity_core as eq
        >>> eq.load_bundle("data/demo").positives("test").row(0)
        array([ 834, 1111, 1265, 1389], dtype=int32)
        """
        if split not in SPLITS:
            raise ValueError(f"unknown split {split!r}; use one of {', '.join(SPLITS)}")
        with self._lock:
            if split not in self._positives:
                chosen = self.interactions[self.interactions["split"] == split]
                rows = chosen["learner"].to_numpy()
                self._positives[split] = Csr(
                    pointers(rows, len(self.learner_ids)), chosen["course"].to_numpy()
                )
            return self._positives[split]

    def relevance(self, algorithm: str) -> Relevance:
        """Return an algorithm's candidates, read and checked at first use and then kept.

        Parameters
        ----------
        algorithm : str
            One of ``algorithms``.

        Returns
        -------
        Relevance
            Per learner the candidate courses and their scores, highest first (``row(i)``), without
            the courses of the learner's past, and without those from the future, where the
            bundle masks them.

        Raises
        ------
        KeyError
            If the bundle has no such algorithm.
        BundleError
            If rows are at fault.
        """
        self._known(algorithm)
        with self._lock:
            if algorithm not in self._relevance:
                self._relevance[algorithm] = self._load(algorithm)
            return self._relevance[algorithm]

    def _known(self, algorithm: str) -> None:
        if algorithm not in self._sources:
            raise KeyError(
                f"unknown algorithm {algorithm!r}; this bundle has"
                f" {', '.join(self.algorithms) or 'none'}"
            )

    def _load(self, algorithm: str) -> Relevance:
        """Return an algorithm's candidates, without keeping those that are not kept yet."""
        with self._lock:
            if algorithm in self._relevance:
                return self._relevance[algorithm]
            found, counts = self._sources[algorithm].load(self._content)
            self.counts.update({f"{what}[{algorithm}]": count for what, count in counts.items()})
            return found

    @property
    def fingerprint(self) -> str:
        """A hash of the content: tables, settings and relevance.

        The name, the description and the order of rows do not count.
        """
        with self._lock:
            parts = {
                f"relevance {algorithm}": self._content_hash(algorithm)
                for algorithm in self.algorithms
            }
            return fingerprints.of_parts({"tables": self._tables_hash(), **parts})

    def _tables_hash(self) -> str:
        with self._lock:
            if "" not in self._hashes:
                self._hashes[""] = fingerprints.of_content(self._content)
            return self._hashes[""]

    def _content_hash(self, algorithm: str) -> str:
        """Return the hash of an algorithm's relevance.

        The manifest's hash holds as long as the tables are those that it was computed with.
        """
        with self._lock:
            if algorithm not in self._hashes:
                kept = self._sources[algorithm].kept_content() if self._keeps_hashes else None
                self._hashes[algorithm] = kept or fingerprints.of_relevance(
                    self._load(algorithm), self.learner_ids, self.course_ids
                )
            return self._hashes[algorithm]

    def save(self, path: str | os.PathLike[str], *, aside: Path | None = None) -> None:
        """Write the bundle to a folder, or to a zip if the path ends in .zip.

        Either the whole bundle is written or nothing is. A bundle that is already there is
        replaced.

        Parameters
        ----------
        path : str or os.PathLike
            Where the bundle goes.
        aside : pathlib.Path or None, default None
            Where a bundle that is already there is kept; None removes it.

        Raises
        ------
        FileExistsError
            If something other than a bundle is there; it is left alone.
        BundleError
            If relevance that is read only now is at fault.
        """
        from equity_core.bundle import store

        kept: dict[str, Kept] = {}

        def write(folder: Path) -> None:
            store.write_tables(self, folder)
            for algorithm in self.algorithms:
                file = folder / "relevance" / f"{algorithm}.parquet"
                kept[algorithm] = self._write_relevance(algorithm, file)
            # Last, with the hashes of the others.
            store.write_manifest(folder, self._content, self._tables_hash(), kept)

        folder = store.put_in_place(path, write, aside)
        if folder is not None:
            self._moved(folder, kept)

    def _write_relevance(self, algorithm: str, file: Path) -> Kept:
        """Write an algorithm's relevance; return what a manifest keeps about the file."""
        from equity_core.bundle import store

        relevance = self._load(algorithm)  # not kept: all ten together may not fit into memory
        store.write_relevance(relevance, self.learner_ids, self.course_ids, file)
        content, rows = self._content_hash(algorithm), len(relevance.courses)
        return Kept(sha256=sources.sha256(file), content=content, rows=rows)

    @property
    def _keeps_hashes(self) -> bool:
        """Whether the manifest has hashes that hold for these very tables."""
        return self._content.manifest.tables == self._tables_hash()

    def _moved(self, folder: Path, kept: Mapping[str, Kept]) -> None:
        """Take over the new files after saving over the folder that this bundle was loaded from."""
        with self._lock:
            for algorithm, source in self._sources.items():
                if (
                    isinstance(source, Stored)
                    and Path(os.path.realpath(source.path.parent)) == folder / "relevance"
                ):
                    path = folder / "relevance" / f"{algorithm}.parquet"
                    self._sources[algorithm] = Stored.at(
                        path, f"relevance/{path.name}", kept[algorithm]
                    )
