"""Two tables of any platform to a bundle."""

import numpy as np
import pandas as pd
import pytest

from equity_core.bundle import BundleError, load_bundle
from equity_core.bundle.future import NO_LATER, OVERLAP
from equity_core.importers import ColumnMap, Cut, import_tables, split_table

COURSES = """\
ID;Título;Categoría;Nivel;Actualizado;Precio;Inscritos;Valoración;has_video;n_articles
001;Piano desde cero;música;principiante;13/06/2015;19,99 €;1.234;4,5;sí;0
002;Guitarra avanzada;música;avanzado;01/02/2016;Gratis;56;3,9;sí;4
003;Diseño web;diseño;intermedio;;1.299,00 €;7;;no;
"""
START = 1_496_880_000
LOG = pd.DataFrame(
    {
        "userId": ["a", "a", "a", "b", "b", "b"],
        "courseId": ["001", "002", "003", "003", "001", "009"],
        "time": [(START + day * 86_400) * 1000 for day in (0, 1, 9, 0, 9, 9)],
    }
)


@pytest.fixture
def files(tmp_path):
    (tmp_path / "cursos.csv").write_text(COURSES, encoding="utf-8")
    LOG.to_csv(tmp_path / "log.csv", index=False)
    return tmp_path / "cursos.csv", tmp_path / "log.csv"


def test_two_files_with_guessed_columns(files):
    found = import_tables(*files, cut=Cut("2017-06-10", min_train=1, valid=0))
    courses = found.courses.set_index("course_id")
    assert list(courses.index) == ["001", "002", "003"]
    assert courses["price"].tolist() == [19.99, 0.0, 1299.0]
    assert courses["enrolled"].tolist() == [1234, 56, 7]
    assert courses["assets"].tolist() == [("video",), ("article", "video"), ()]
    np.testing.assert_allclose(courses["rating"], [4.5, 3.9, np.nan])
    assert found.principles is None
    assert found.interactions[["learner_id", "course_id", "split"]].values.tolist() == [
        ["a", "001", "train"],
        ["a", "002", "train"],
        ["a", "003", "test"],
        ["b", "003", "train"],
        ["b", "001", "test"],
    ]
    notes = " ".join(str(note) for note in found.report.notes)
    assert "unix milliseconds read as dates" in notes
    assert "1 of 6 rows belong to courses that are not in cursos.csv" in notes
    assert "'Precio' is a common name for the price" in notes


def test_the_bundle_can_be_saved_and_says_where_it_comes_from(files, tmp_path):
    bundle = import_tables(*files, cut=Cut("2017-06-10", min_train=1, valid=0), name="Mía").bundle()
    bundle.save(tmp_path / "bundle")
    again = load_bundle(tmp_path / "bundle")
    assert again.fingerprint == bundle.fingerprint
    assert again.name == "Mía"
    assert "cursos.csv" in again.provenance["source"]
    assert again.coverage.loc["quality", "filled"] == 1


def test_maps_that_are_given_rule():
    courses = pd.DataFrame({"x": [1, 2], "y": ["a", "b"], "hours": [3, 4]})
    log = pd.DataFrame({"p": [7, 7], "q": [1, 2], "r": ["train", "test"]})
    found = import_tables(
        courses,
        log,
        ColumnMap("courses", {"course_id": "x", "category": "y"}, keep=("hours",)),
        ColumnMap("interactions", {"learner_id": "p", "course_id": "q", "split": "r"}),
    )
    assert found.courses.columns.tolist() == ["course_id", "category", "hours", "title"]
    assert [principle.name for principle in found.principles] == ["familiarity"]
    assert found.interactions["split"].tolist() == ["train", "test"]
    assert sum("is left out" in note.message for note in found.report.notes) == 6
    assert found.bundle().principles == found.principles
    with pytest.raises(ValueError, match="column map for the courses is one for the interactions"):
        import_tables(
            courses, log, ColumnMap("interactions", {"learner_id": "x", "course_id": "y"})
        )


def test_a_split_column_is_kept_unless_a_new_split_is_asked_for(files):
    log = LOG.assign(split=["train", "train", "test", "train", "test", "test"])
    assert import_tables(files[0], log).interactions["split"].tolist() == [
        "train",
        "train",
        "test",
        "train",
        "test",
    ]
    again = import_tables(
        files[0], log, resplit=True, cut=Cut("2017-06-08", min_train=1, valid=0)
    ).interactions
    assert again["split"].tolist() == ["train", "test", "test", "train", "test"]


def test_faults_of_both_tables_come_together(files):
    log = LOG.assign(time=["soon"] * 6)
    courses = pd.DataFrame({"id": ["001", "002"], "price": ["dear", "5"]}, dtype=object)
    with pytest.raises(BundleError) as error:
        import_tables(
            courses,
            log,
            ColumnMap("courses", {"course_id": "id", "price": "price"}),
            ColumnMap(
                "interactions",
                {"learner_id": "userId", "course_id": "courseId", "timestamp": "time"},
            ),
        )
    assert {(fault.file, fault.column) for fault in error.value.faults} == {
        ("courses", "price"),
        ("interactions", "time"),
    }


@pytest.mark.parametrize(
    ("courses", "log", "word"),
    [
        (pd.DataFrame({"title": ["a"]}), LOG, "no column is mapped to course_id"),
        (
            pd.DataFrame({"course_id": [1, 2], "price": [1, 2]}),
            LOG,
            "course ids are text here but whole numbers in courses",
        ),
        (
            pd.DataFrame({"course_id": ["x", "y"], "price": [1, 2]}),
            LOG,
            "none of its courses are in courses",
        ),
        (
            pd.DataFrame({"course_id": ["001", "002"], "price": [1, 2]}),
            LOG.drop(columns="time"),
            "neither a split nor timestamps",
        ),
        (
            pd.DataFrame({"course_id": ["001", "002"]}),
            LOG.assign(split="train"),
            "no column that any principle could use",
        ),
    ],
)
def test_tables_that_do_not_fit(courses, log, word):
    with pytest.raises(BundleError, match=word):
        import_tables(courses, log)


def test_courses_that_are_there_twice():
    courses = pd.DataFrame({"course_id": ["001", "001"], "price": [1, 2]})
    with pytest.raises(BundleError) as error:
        import_tables(
            courses, LOG, ColumnMap("courses", {"course_id": "course_id", "price": "price"})
        )
    assert error.value.faults[0].rows == (1,)


def test_ids_of_one_type_can_be_asked_for():
    courses = pd.DataFrame({"course_id": [1, 2], "price": [1, 2]})
    log = pd.DataFrame({"user": ["a", "a"], "course": ["1", "2"], "split": ["train", "test"]})
    found = import_tables(courses, log, ids="text")
    assert found.courses["course_id"].tolist() == ["1", "2"]
    assert len(found.interactions) == 2


def test_a_log_alone_can_be_split(files):
    table = split_table(files[1], Cut("2017-06-10", min_train=2, valid=0))
    assert table["learner_id"].unique().tolist() == ["a"]
    assert table["split"].tolist() == ["train", "train", "test"]


def test_relevance_is_added_to_a_bundle_and_replaced_by_name(files, tmp_path):
    bundle = import_tables(*files, cut=Cut("2017-06-10", min_train=1, valid=0)).bundle()
    more = bundle.with_relevance(
        {"mine": pd.DataFrame({"learner_id": ["a"], "course_id": ["003"], "score": [1.0]})}
    )
    assert more.algorithms == ("mine",)
    assert bundle.algorithms == ()
    more.save(tmp_path / "bundle")
    path = tmp_path / "userknn.parquet"
    pd.DataFrame(
        {"learner_id": ["a", "b"], "course_id": ["003", "002"], "score": [1.0, 2.0]}
    ).to_parquet(path)
    both = load_bundle(tmp_path / "bundle").with_relevance({"userknn": path, "mine": path})
    both.save(tmp_path / "bundle")
    again = load_bundle(tmp_path / "bundle")
    assert again.algorithms == ("userknn", "mine")
    assert len(again.relevance("mine").courses) == 2
    with pytest.raises(BundleError, match="not in courses"):
        bundle.with_relevance(
            {"bad": pd.DataFrame({"learner_id": ["a"], "course_id": ["zzz"], "score": [1.0]})},
        )
    with pytest.raises(BundleError, match="name"):
        bundle.with_relevance({"../bad": path})


def test_courses_from_after_the_split_are_left_out_unless_they_are_kept():
    """The day of publication counts where there is one; else the first time that anybody took the
    course, those included who are dropped for having taken too little."""
    courses = pd.DataFrame(
        {
            "id": ["a", "b", "c", "d", "e"],
            "title": ["Algebra", "Biology", "Chemistry", "Drawing", "English"],
            "price": [1.0, 2.0, 3.0, 4.0, 5.0],
            "published": [None, None, None, "2020-08-01", None],
        }
    )
    log = pd.DataFrame(
        [
            ("u", "a", "2020-01-01"),
            ("u", "b", "2020-07-01"),
            ("u", "c", "2020-07-02"),
            ("v", "c", "2020-02-01"),  # dropped, but c was there
            ("w", "b", "2020-09-01"),
        ],
        columns=["user_id", "course_id", "time"],
    )
    cut = Cut("2020-06-01", min_train=1)
    made = import_tables(courses, log, cut=cut)
    assert made.split_at == pd.Timestamp("2020-06-01")
    bundle = made.bundle()
    assert bundle.learner_ids.tolist() == ["u"]
    assert bundle.course_ids[bundle.future.hidden].tolist() == ["b", "d"]
    assert bundle.future.at == pd.Timestamp("2020-06-01")
    # The day of publication stands in for the last update all the same.
    assert bundle.courses["last_update"].tolist()[3] == pd.Timestamp("2020-08-01")
    assert "first_taken" not in bundle.principle_columns()
    kept = import_tables(courses, log, cut=cut, future_courses="keep")
    assert "first_taken" not in kept.courses
    assert not kept.bundle().future.hidden.any()


def test_a_log_with_its_own_split_says_when_it_was_cut():
    courses = pd.DataFrame({"id": [1, 2, 3], "price": [1.0, 2.0, 3.0]})
    log = pd.DataFrame(
        {
            "user_id": ["u", "u", "v"],
            "course_id": [1, 2, 3],
            "split": ["train", "test", "train"],
            "time": ["2020-01-01", "2020-05-01", "2020-02-01"],
        }
    )
    made = import_tables(courses, log)
    assert made.split_at is None
    assert made.bundle().future.at == pd.Timestamp("2020-02-01")
    assert made.bundle().future.hidden.tolist() == [False, True, False]
    timeless = import_tables(courses, log.drop(columns="time"))
    assert "first_taken" not in timeless.courses
    assert not timeless.bundle().future.hidden.any()


@pytest.mark.parametrize("kind", ["time", "last", "share", "random", "none"])
def test_only_a_cut_at_one_moment_leaves_courses_out(kind):
    """u and v took their courses in different years, so that no other kind has one moment for
    both; t is dropped by every kind but "none", and yet shows that "e" was there early."""
    courses = pd.DataFrame({"id": list("abcdefgh"), "price": 1.0})
    log = pd.DataFrame(
        [
            *(("u", course, f"2020-0{month}-01") for month, course in enumerate("abcd", 1)),
            *(("v", course, f"2021-0{month}-01") for month, course in enumerate("abef", 1)),
            ("t", "e", "2020-01-01"),
            ("w", "a", "2020-01-01"),
            ("w", "b", "2020-02-01"),
            ("w", "g", "2021-05-01"),
        ],
        columns=["user_id", "course_id", "time"],
    )
    made = import_tables(courses, log, cut=Cut("2021-02-01", 2, 1, 0, kind))
    assert made.provenance["split"] == kind
    first = made.courses.set_index("course_id")["first_taken"]
    assert first["e"] == pd.Timestamp("2020-01-01")  # written before anybody is dropped
    bundle = made.bundle()
    hidden = bundle.course_ids[bundle.future.hidden].tolist()
    if kind == "time":
        assert made.split_at == bundle.future.at == pd.Timestamp("2021-02-01")
        assert hidden == ["f", "g"]
    else:
        assert made.split_at is None
        assert bundle.future.at is None
        assert bundle.future.why == (NO_LATER if kind == "none" else OVERLAP)
        assert hidden == []
