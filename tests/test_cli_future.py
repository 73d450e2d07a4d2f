"""The commands on courses from the future: left out by default, counted, and kept on demand."""

import numpy as np
import pandas as pd

import equity_core as eq
from tests.test_cli import platform, run

__all__ = ["platform"]  # the fixture


def test_courses_from_the_future_are_left_out_counted_and_can_be_kept(platform, tmp_path):
    options = ("--min-train", 2, "--split-at", "2017-06-08T12:00:00")
    run("import", "tables", *platform, *options, "--out", tmp_path / "made")
    data = eq.load_bundle(tmp_path / "made")
    hidden = set(data.course_ids[data.future.hidden])
    assert 0 < len(hidden) < 30
    run("precompute", tmp_path / "made", "--algorithms", "random", "--candidates", 30)
    data = eq.load_bundle(tmp_path / "made")
    stored = data.relevance("random")
    assert not data.future.hidden[stored.courses].any()
    listed = np.diff(stored.indptr) + np.diff(data.past.indptr)
    assert (listed == 30 - len(hidden)).all()
    checked = run("check", tmp_path / "made").stdout
    assert f"courses from the future: {len(hidden)}\n" in checked
    assert f"{len(hidden)} courses of 30 can be in no list" in checked
    # Another system's candidates are read in the same way.
    pd.DataFrame({"user": "n0", "item": sorted(hidden), "score": 1.0}).to_csv(
        tmp_path / "scores.csv", index=False
    )
    target = eq.load_bundle(tmp_path / "made").with_relevance(
        {
            "other": pd.read_csv(tmp_path / "scores.csv").set_axis(
                ["learner_id", "course_id", "score"], axis=1
            )
        }
    )
    assert target.counts.get("relevance_of_future_courses[other]", 0) + target.counts[
        "relevance_of_past_courses[other]"
    ] + target.counts["relevance_without_past[other]"] == len(hidden)
    run("import", "tables", *platform, *options, "--keep-future", "--out", tmp_path / "kept")
    run("precompute", tmp_path / "kept", "--algorithms", "random", "--candidates", 30)
    kept = eq.load_bundle(tmp_path / "kept")
    assert hidden <= set(kept.course_ids[kept.relevance("random").courses])
    assert "future" not in run("check", tmp_path / "kept").stdout
    # The same by an import description, which is also written.
    given, full = tmp_path / "import.toml", tmp_path / "full.toml"
    given.write_text('future_courses = "keep"\n')
    said = ("--map", given, "--save-map", full)
    run("import", "tables", *platform, *options, *said, "--out", tmp_path / "said")
    assert eq.load_bundle(tmp_path / "said").future_courses == "keep"
    assert 'future_courses = "keep"' in full.read_text()
