"""An import as a file: what it says, what it leaves to the guesser, and what the command line makes
of it."""

from __future__ import annotations

import re

import pandas as pd
import pytest

import equity_core as eq
from equity_core.importers import Cut, Description, Report, TableDescription, import_tables
from tests.helpers.commands import fails, run, table
from tests.helpers.screens import ROOT

COURSES = pd.DataFrame(
    {
        "course_id": ["1", "2", "3", "4"],
        "name": ["A", "B", "C", "D"],
        "category": ["x", "y", "x", "y"],
        "price": ["1", "2", "3", "4"],
        "hours": ["5", "6", "7", "8"],
    }
)


@pytest.fixture
def files(tmp_path):
    log = pd.DataFrame(
        [
            (f"u{u}", str(c), 86_400 * (12_000 + 10 * u + c), 2 * c)
            for u in range(4)
            for c in (1, 2, 3)
        ],
        columns=["user", "item", "time", "stars"],
    )
    COURSES.to_csv(tmp_path / "courses.csv", index=False)
    log.to_csv(tmp_path / "log.csv", index=False)
    return tmp_path / "courses.csv", tmp_path / "log.csv"


def test_it_survives_its_file():
    said = Description(
        "Ours “1”",
        "text",
        (0.0, 10.0),
        {
            "courses": TableDescription(
                {"course_id": "Kurs-Nr.", "price": "", "assets:video": "has_video"},
                ("Dozent",),
                "day",
            ),
            "scores": TableDescription({"score": "Punktwert"}),
        },
        Cut("2024-06-01", 2, 1, 0, "time", seed=3),
        "keep",
    )
    assert Description.from_text(said.to_toml()) == said
    assert Description.from_text("") == Description()
    assert Description.from_text(Description().to_toml()) == Description()


def test_what_is_not_said_is_guessed_and_what_is_said_rules():
    said = Description(tables={"courses": TableDescription({"title": "category", "price": ""})})
    report = Report()
    columns, guesses = said.map(COURSES, "courses", report)
    assert dict(columns.columns) == {"title": "category", "course_id": "course_id"}
    assert [guess.target for guess in guesses] == ["course_id"]
    assert len(report.notes) == 1
    # Carried along is what nothing takes; not "price", which would be taken for the price.
    assert columns.keep == ("name", "hours")
    full = said.with_maps({"courses": columns})
    again, guessed = full.map(COURSES, "courses")
    assert again == columns
    assert guessed == []


def test_what_is_said_to_be_the_last_update_may_be_the_day_of_publication_as_well():
    frame = COURSES.assign(published_at="2020-05-01")
    for said in ({}, {"last_update": "published_at"}):
        columns, _ = Description(tables={"courses": TableDescription(said)}).map(frame, "courses")
        assert columns.columns["last_update"] == columns.columns["published"] == "published_at"
    said = {"last_update": "published_at", "published": ""}
    columns, _ = Description(tables={"courses": TableDescription(said)}).map(frame, "courses")
    assert "published" not in columns.columns


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("name = ", "does not describe"),
        ("[]", "not a table of fields"),
        ("colour = 1", "no field 'colour'"),
        ("[courses]\ncolour = 1", "no field 'colour'"),
        ("[courses.columns]\ncolour = 'x'", "colour"),
        ("[courses.columns]\ncolour = ''", "colour"),
        ("[courses.columns]\nprice = 3", "both text"),
        ("rating_scale = [5, 1]", "from low to high"),
        ("rating_scale = 5", "two numbers"),
        ("ids = 'words'", "does not describe|ids is 'words'"),
        ("[courses]\ndate_order = 'year'", "date_order"),
        ("future_courses = 'hide'", "use one of mask, keep"),
        ("[split]\nkind = 'weekly'", "weekly"),
        ("[split]\ncolour = 1", "no field 'colour'"),
    ],
)
def test_what_no_import_can_mean_is_refused(text, word):
    with pytest.raises(ValueError, match=word):
        Description.from_text(text).map(COURSES, "courses")


def test_options_and_a_description_go_together(files, tmp_path):
    """Neither switches the other off, and the options prevail."""
    (tmp_path / "import.toml").write_text(
        'ids = "text"\nrating_scale = [0, 5]\n[courses.columns]\ntitle = "name"\n'
        '[split]\nkind = "none"\n'
    )
    command = ("import", "tables", *files, "--map", tmp_path / "import.toml")
    assert "ratings outside the scale from 0 to 5: 6.0" in fails(*command, "--out", tmp_path / "a")
    run(*command, "--rating-scale", "0,6", "--save-map", tmp_path / "full.toml",
        "--out", tmp_path / "a")  # fmt: skip
    found = eq.load_bundle(tmp_path / "a")
    assert found.rating_scale == (0, 6)
    assert found.splits == ("train",)
    assert {"price", "category", "hours"} <= set(found.courses)  # guessed beside the title, or kept
    # What was written says everything: the same bundle without a guess.
    result = run(
        "import", "tables", *files, "--map", tmp_path / "full.toml", "--out", tmp_path / "b"
    )
    assert "taken as" not in result.stderr
    assert eq.load_bundle(tmp_path / "b").fingerprint == found.fingerprint


def test_the_preview_honours_it(files, tmp_path):
    (tmp_path / "import.toml").write_text(
        'rating_scale = [0, 10]\n[courses.columns]\nprice = ""\n[split]\nmin_train = 2\n'
    )
    result = run("import", "tables", *files, "--map", tmp_path / "import.toml", "--preview")
    found = table(result)
    assert "price" not in set(found["target"])
    assert "(kept)" in set(found["target"])
    assert "last    4 learners" in result.stderr
    assert "none    4 learners" in result.stderr
    assert "the default here" in result.stderr


def test_the_moment_and_the_kind_are_in_the_manifest(files, tmp_path):
    run("import", "tables", *files, "--rating-scale", "0,10", "--min-train", 2, "--split-by",
        "time", "--out", tmp_path / "a")  # fmt: skip
    found = eq.load_bundle(tmp_path / "a")
    assert found.provenance["split"] == "time"
    assert found.future.at.year == 2002


def test_a_cut_that_keeps_few_is_said(files, tmp_path):
    base = ("import", "tables", *files, "--rating-scale", "0,10", "--min-train", 2)
    result = run(*base, "--out", tmp_path / "a")
    assert "a cut at one moment would keep only 1 of the 4 learners" in result.stderr
    assert eq.load_bundle(tmp_path / "a").provenance["split"] == "last"
    result = run(*base, "--split-by", "time", "--out", tmp_path / "b")
    assert "warning: log.csv: this moment keeps 1 of the 4 learners" in result.stderr
    assert "would keep 4" in result.stderr


def test_without_timestamps_random_and_none_are_offered(files):
    log = pd.read_csv(files[1], dtype=str).drop(columns=["time", "stars"])
    with pytest.raises(eq.BundleError, match=r"split at random \(random\)"):
        import_tables(files[0], log)
    made = import_tables(files[0], log, cut=Cut(kind="random", min_train=2, share=0.4))
    assert set(made.interactions["split"]) == {"train", "test"}
    with pytest.raises(eq.BundleError, match="no column with a split"):
        import_tables(files[0], log, cut=Cut(kind="column"))


def test_none_says_that_nothing_is_measured(files, tmp_path):
    result = run("import", "tables", *files, "--rating-scale", "0,10", "--split-by", "none",
                 "--out", tmp_path / "a")  # fmt: skip
    assert "nothing can be measured" in result.stderr
    run("precompute", tmp_path / "a", "--algorithms", "toppopular")
    said = run("check", tmp_path / "a").stderr
    assert "neither a valid nor a test split" in said
    for command in (
        ("audit", tmp_path / "a", "--k", 1),
        ("rerank", tmp_path / "a", "toppopular", "--k", 1, "--out", tmp_path / "lists.csv"),
        ("sweep", tmp_path / "a", "toppopular", "--k", 1),
    ):
        assert "there is no test part, so NDCG is unknown" in run(*command).stderr


def test_the_example_in_the_documents_is_one():
    text = (ROOT / "docs" / "data-format.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```toml\n(name = \"Our platform\"\n.*?)```", text, re.DOTALL)
    said = Description.from_text(example)
    assert (said.ids, said.split.kind, said.future_courses) == ("text", "last", "keep")
    assert said.tables["courses"].columns == {"title": "name", "description": ""}
