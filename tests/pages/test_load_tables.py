"""The form for one's own tables: what it can say, and that it makes the data set that the command
line makes."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import equity_core as eq
from equity_core.importers import Description
from tests.helpers import platform
from tests.helpers.commands import fails, run
from tests.helpers.numbered import Numbered, numbered
from tests.helpers.screens import ROOT
from tests.pages.conftest import Opened, wrong

POLICY = eq.Policy(floor=0.6)


def form() -> AppTest:
    """The form on an empty page; what it makes is kept as on the real one."""

    def page() -> None:
        import streamlit as st

        from pages.shared import datasets, loading, tables_form

        def done(bundle, given):
            st.session_state["made"] = datasets.keep_upload(bundle)
            st.session_state["given"] = given

        tables_form.form(done, loading._explain)

    return AppTest.from_function(page, default_timeout=120).run()


def put(app: AppTest, **files: Path | tuple[str, bytes]) -> AppTest:
    for key, file in files.items():
        name, content = (file.name, file.read_bytes()) if isinstance(file, Path) else file
        app.file_uploader(key=f"load_{key}").set_value((name, content, "text/plain"))
        app.run()
        assert not app.exception, app.exception
    return app


def used(app: AppTest) -> eq.Bundle:
    app.button(key="load_use").click().run()
    assert not app.exception, app.exception
    assert not app.error, [code.value for code in app.code]
    if app.warning:
        app.button(key="load_anyway").click().run()
    return app.session_state["_uploads"][app.session_state["made"]].bundle


def figures(bundle: eq.Bundle, algorithm: str) -> tuple[float, ...]:
    run_ = eq.rerank(bundle, algorithm, POLICY)
    found = eq.evaluate(bundle, run_, POLICY)
    return (found.ndcg, found.consistency, found.equality, *found.principles["mean"])


@pytest.fixture(autouse=True)
def at_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


@pytest.fixture(scope="module")
def world() -> Numbered:
    return numbered()


def as_log(world: Numbered) -> pd.DataFrame:
    """The platform's log with times and ratings from 0 to 10, and no split."""
    place = world.interactions.groupby("learner_id").cumcount()
    rng = np.random.default_rng(5)
    return pd.DataFrame(
        {
            "user": world.interactions["learner_id"],
            "item": world.interactions["course_id"],
            # Everybody in weeks of their own: no moment has more than one of them on both sides.
            "time": 1_000_000_000
            + 86_400 * (place + 20 * world.interactions["learner_id"].astype(int)),
            "stars": rng.integers(0, 11, len(place)),
        }
    )


def written(frame: pd.DataFrame, path: Path) -> Path:
    frame.to_csv(path, index=False) if path.suffix == ".csv" else frame.to_parquet(path)
    return path


def test_three_files_give_the_figures_of_the_command_line(tmp_path):
    files = platform.write(tmp_path)
    app = put(form(), courses=files[0], interactions=files[1], scores=files[2])
    bundle = used(app)
    results = [
        run("import", "tables", *files[:2], "--out", tmp_path / "mine"),
        run("import", "relevance", files[2], tmp_path / "mine", "--name", "ours"),
    ]
    assert not any("warning" in result.stderr for result in results)
    other = eq.load_bundle(tmp_path / "mine")
    assert bundle.splits == other.splits == ("train", "valid", "test")
    (algorithm,) = bundle.algorithms
    assert figures(bundle, algorithm) == figures(other, "ours")
    assert "Dozent" in bundle.courses
    assert "Dozent" in other.courses
    assert app.session_state["given"] == platform.LEARNERS


def test_the_dialog_opens_with_the_form(opened: Opened) -> None:
    app = opened(page="data")
    app.button(key="load").click().run()
    assert wrong(app) == []
    assert app.file_uploader(key="load_courses").label == "Courses"
    assert app.file_uploader(key="load_map").allowed_type == [".toml", ".json"]


def test_ratings_from_0_to_10_and_ids_of_two_types_can_be_loaded(world, tmp_path):
    log = as_log(world)
    courses = written(
        world.courses.assign(course_id=world.courses["course_id"].astype(int)),
        tmp_path / "courses.parquet",
    )
    written(log, tmp_path / "log.csv")
    scores = written(world.frame(), tmp_path / "scores.csv")
    app = put(form(), courses=courses, interactions=tmp_path / "log.csv", scores=scores)
    app.button(key="load_use").click().run()
    (told,) = app.code
    assert "ratings outside the scale from 1 to 5" in told.value
    assert "perhaps 0 to 10" in told.value
    app.number_input(key="set_low").set_value(0.0)
    app.number_input(key="set_high").set_value(10.0)
    app.button(key="load_use").click().run()
    (told,) = app.code
    assert "course ids are text here but whole numbers in courses.parquet" in told.value
    app.selectbox(key="set_ids").set_value("text")
    bundle = used(app)
    assert bundle.rating_scale == (0.0, 10.0)
    # The same on the command line, by options.
    run(
        "import", "tables", courses, tmp_path / "log.csv", "--ids", "text",
        "--rating-scale", "0,10", "--save-map", tmp_path / "import.toml",
        "--out", tmp_path / "mine",
    )  # fmt: skip
    run("import", "relevance", scores, tmp_path / "mine", "--name", "scores")
    assert figures(eq.load_bundle(tmp_path / "mine"), "scores") == figures(bundle, "scores")
    # And back: the description of the command line fills the form.
    again = put(form(), map=tmp_path / "import.toml")
    put(again, courses=courses, interactions=tmp_path / "log.csv", scores=scores)
    assert again.number_input(key="set_high").value == 10.0
    assert again.selectbox(key="set_ids").value == "text"
    assert figures(used(again), "scores") == figures(bundle, "scores")


def test_every_kind_of_split_is_offered_with_what_it_keeps(world, tmp_path):
    written(as_log(world).drop(columns="stars"), tmp_path / "log.csv")
    courses = written(world.courses, tmp_path / "courses.csv")
    app = put(form(), courses=courses, interactions=tmp_path / "log.csv")
    kept = app.dataframe[-1].value.set_index("split")
    assert kept["learners"].to_dict() == {
        "time": 1,
        "last": 150,
        "share": 150,
        "random": 150,
        "none": 150,
    }
    assert kept.loc["last", "remark"] == "the default here"
    for kind in ("last", "share", "random", "time", "none"):
        app.selectbox(key="set_kind").set_value(kind).run()
        bundle = used(app)
        run(
            "import", "tables", courses, tmp_path / "log.csv", "--split-by", kind,
            "--out", tmp_path / kind,
        )  # fmt: skip
        other = eq.load_bundle(tmp_path / kind)
        assert len(bundle.learner_ids) == kept.loc[kind, "learners"]
        pd.testing.assert_frame_equal(bundle.interactions, other.interactions)
        assert bundle.provenance["split"] == kind
        assert (bundle.future.at is not None) == (kind == "time")
        assert bundle.future.hidden.tolist() == other.future.hidden.tolist()


def test_courses_from_after_the_split_are_left_out_unless_a_box_is_ticked(world, tmp_path):
    courses = written(world.courses, tmp_path / "courses.csv")
    rows = as_log(world).drop(columns="stars")
    early = rows.loc[rows["user"] == rows["user"].iloc[0], "time"].sort_values().iloc[-2]
    log = written(rows, tmp_path / "log.csv")
    app = put(form(), courses=courses, interactions=log)
    app.text_input(key="set_at").set_value(str(pd.Timestamp(early, unit="s"))).run()
    masked = used(app)
    (algorithm,) = masked.algorithms
    assert masked.future_courses == "mask"
    assert masked.future.hidden.any()
    app.checkbox(key="set_keep_future").check().run()
    kept = used(app)
    assert kept.future_courses == "keep"
    assert not kept.future.hidden.any()
    # Candidates are made with it, not only read with it: none is lost on reading.
    assert masked.counts.get(f"relevance_of_future_courses[{algorithm}]", 0) == 0
    (tmp_path / "import.toml").write_text('future_courses = "keep"')
    again = put(form(), map=tmp_path / "import.toml", courses=courses, interactions=log)
    assert again.checkbox(key="set_keep_future").value


def test_a_matrix_can_be_loaded_and_a_shuffled_one_is_asked_about(world, tmp_path):
    courses = written(world.courses, tmp_path / "courses.csv")
    log = written(world.interactions, tmp_path / "log.csv")
    content = io.BytesIO()
    np.save(content, world.scores)
    app = put(form(), courses=courses, interactions=log, scores=("ours.npy", content.getvalue()))
    bundle = used(app)
    right = bundle.with_relevance({"right": world.frame()})
    assert figures(bundle, "ours") == figures(right, "right")
    order = np.random.default_rng(3).permutation(world.learners)
    shuffled = world.frame().assign(
        learner_id=lambda frame: (order[frame["learner_id"].astype(int) - 1] + 1).astype(str)
    )
    app = put(
        form(),
        courses=courses,
        interactions=log,
        scores=written(shuffled, tmp_path / "scores.csv"),
    )
    app.button(key="load_use").click().run()
    assert "_uploads" not in app.session_state
    assert "no sign of belonging to these learners" in app.warning[0].value
    app.button(key="load_anyway").click().run()
    assert len(app.session_state["_uploads"]) == 1


def test_lists_of_lenskit_within_cells_are_read_as_on_the_command_line(world, tmp_path):
    courses = written(world.courses, tmp_path / "courses.csv")
    log = written(world.interactions, tmp_path / "log.csv")
    flat = world.frame().astype({"learner_id": int, "course_id": int})  # whole numbers, too
    nested = pd.DataFrame(
        [
            {
                "user_id": learner,
                "items": [
                    {"item_id": row.course_id, "score": row.score}
                    for row in mine.itertuples(index=False)
                ],
            }
            for learner, mine in flat.groupby("learner_id")
        ]
    )
    scores = written(nested, tmp_path / "lists.parquet")
    bundle = used(put(form(), courses=courses, interactions=log, scores=scores))
    run("import", "tables", courses, log, "--out", tmp_path / "mine")
    run("import", "relevance", scores, tmp_path / "mine")
    assert figures(bundle, "lists") == figures(eq.load_bundle(tmp_path / "mine"), "lists")


def test_what_is_set_by_hand_is_in_the_description(world, tmp_path):
    written(as_log(world), tmp_path / "log.csv")
    courses = written(world.courses.assign(hours=3), tmp_path / "courses.csv")
    text = """
    name = "Mine"
    rating_scale = [0, 10]
    [courses]
    keep = []
    [courses.columns]
    title = ""
    [split]
    kind = "share"
    share = 0.25
    min_train = 2
    """
    (tmp_path / "import.toml").write_text(text)
    app = put(
        form(), map=tmp_path / "import.toml", courses=courses, interactions=tmp_path / "log.csv"
    )
    assert app.selectbox(key="map_courses_title").value == "(none)"
    assert app.selectbox(key="map_courses_category").value == "category"  # guessed all the same
    bundle = used(app)
    assert bundle.name == "Mine"
    assert "hours" not in bundle.courses
    assert bundle.courses["title"].tolist() == bundle.course_ids.tolist()
    run(
        "import", "tables", courses, tmp_path / "log.csv", "--map", tmp_path / "import.toml",
        "--out", tmp_path / "mine",
    )  # fmt: skip
    other = eq.load_bundle(tmp_path / "mine")
    assert other.name == "Mine"
    pd.testing.assert_frame_equal(other.interactions, bundle.interactions)
    pd.testing.assert_frame_equal(other.courses, bundle.courses)
    # A description that is none is explained, and nothing else happens.
    app = put(form(), map=("import.toml", b"colour = 3"))
    assert "has no field 'colour'" in app.code[0].value
    assert Description.from_text(text).split.share == 0.25
    assert "colour" in fails(
        "import", "tables", courses, tmp_path / "log.csv", "--map", bad(tmp_path),
        "--out", tmp_path / "x",
    )  # fmt: skip


def bad(folder: Path) -> Path:
    (folder / "bad.toml").write_text("colour = 3")
    return folder / "bad.toml"
