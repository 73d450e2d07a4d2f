"""Bundles compared with each other, and written as CSV by ordinary means."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from equity_core.bundle import Bundle


def assert_same(found: Bundle, expected: Bundle) -> None:
    """Two bundles say the same in every part."""
    for name in (
        "name",
        "description",
        "synthetic",
        "provenance",
        "now",
        "opened",
        "rating_scale",
        "principles",
        "splits",
        "algorithms",
        "future_courses",
    ):
        assert getattr(found, name) == getattr(expected, name), name
    assert found.future.at == expected.future.at
    np.testing.assert_array_equal(found.future.hidden, expected.future.hidden)
    for name in ("learner_ids", "course_ids"):
        assert getattr(found, name).dtype == getattr(expected, name).dtype
        assert getattr(found, name).tolist() == getattr(expected, name).tolist()
    for name in ("courses", "interactions", "learners", "targets", "coverage"):
        one, other = getattr(found, name), getattr(expected, name)
        assert (one is None) == (other is None), name
        if one is not None:
            pd.testing.assert_frame_equal(one, other)
    for split in ("train", "valid", "test"):
        np.testing.assert_array_equal(
            found.positives(split).indptr, expected.positives(split).indptr
        )
        np.testing.assert_array_equal(
            found.positives(split).indices, expected.positives(split).indices
        )
    for name in ("means", "labels", "sizes", "is_match", "mean_of", "cat_of", "filled"):
        np.testing.assert_array_equal(getattr(found.encoded, name), getattr(expected.encoded, name))
    assert found.fingerprint == expected.fingerprint
    for algorithm in expected.algorithms:
        one, other = found.relevance(algorithm), expected.relevance(algorithm)
        np.testing.assert_array_equal(one.indptr, other.indptr)
        np.testing.assert_array_equal(one.courses, other.courses)
        np.testing.assert_array_equal(one.scores, other.scores)
    assert found.fingerprint == expected.fingerprint


def write_csv(bundle: Bundle, folder: Path) -> None:
    """The bundle as CSV files with a manifest of its name."""
    (folder / "relevance").mkdir(parents=True)
    (folder / "manifest.toml").write_text(
        f'name = "{bundle.name}"\nsynthetic = {str(bundle.synthetic).lower()}\n'
    )
    assets = bundle.courses["assets"].map(lambda kinds: None if kinds is None else "|".join(kinds))
    bundle.courses.assign(assets=assets).to_csv(folder / "courses.csv", index=False)
    log = bundle.interactions
    ids = {
        "learner_id": bundle.learner_ids[log["learner"]],
        "course_id": bundle.course_ids[log["course"]],
    }
    pd.DataFrame({**ids, **log[["split", "timestamp", "rating"]]}).to_csv(
        folder / "interactions.csv", index=False
    )
    for name, table in (("learners", bundle.learners), ("targets", bundle.targets)):
        if table is not None:
            table.to_csv(folder / f"{name}.csv")
    for algorithm in bundle.algorithms:
        rows = bundle.relevance(algorithm)
        learner = np.repeat(bundle.learner_ids, np.diff(rows.indptr))
        frame = pd.DataFrame(
            {
                "learner_id": learner,
                "course_id": bundle.course_ids[rows.courses],
                "score": rows.scores,
            }
        )
        frame.to_csv(folder / "relevance" / f"{algorithm}.csv", index=False)
