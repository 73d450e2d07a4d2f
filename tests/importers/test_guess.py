"""Which column is which, and why."""

import numpy as np
import pandas as pd
import pytest

from equity_core.importers import guess_columns

N = 40
rng = np.random.default_rng(0)
TITLES = [f"Learn the subject number {at} well" for at in range(N)]
LEVELS = rng.choice(["Beginner", "Intermediate", "Expert"], N)
DATES = [f"2017-0{1 + at % 9}-11" for at in range(N)]


def found(frame, table):
    return {guess.target: guess.source for guess in guess_columns(frame, table).guesses}


@pytest.mark.parametrize(
    "names",
    [
        (
            "course_id",
            "title",
            "category",
            "level",
            "last_update",
            "price",
            "enrolled",
            "rating",
            "description",
        ),
        (
            "id",
            "Course Title",
            "Subject",
            "Instructional Level",
            "published_timestamp",
            "Price",
            "num_subscribers",
            "avgRating",
            "headline",
        ),
        (
            "ID_Curso",
            "Título",
            "Categoría",
            "Nivel",
            "Última actualización",
            "Precio",
            "Inscritos",
            "Valoración",
            "Descripción",
        ),
        (
            "Kurs-ID",
            "Titel",
            "Kategorie",
            "Schwierigkeitsgrad",
            "aktualisiert_am",
            "Preis",
            "Teilnehmerzahl",
            "Bewertung",
            "Beschreibung",
        ),
        (
            "id_cours",
            "Titre",
            "Catégorie",
            "Niveau",
            "Dernière mise à jour",
            "Prix",
            "inscrits",
            "note",
            "résumé",
        ),
        (
            "corso_id",
            "Titolo",
            "categoria",
            "Livello",
            "ultimo aggiornamento",
            "Prezzo",
            "Iscritti",
            "valutazione",
            "descrizione",
        ),
        ("课程id", "课程名称", "类别", "难度", "更新时间", "价格", "学生人数", "评分", "描述"),
    ],
)
def test_names_in_several_languages(names):
    contents = (
        range(N),
        TITLES,
        rng.choice(["it", "music"], N),
        LEVELS,
        DATES,
        rng.choice([9.99, 19.99], N),
        rng.integers(1, 999, N),
        rng.uniform(1, 5, N),
        TITLES,
    )
    frame = pd.DataFrame(dict(zip(names, map(list, contents), strict=True)))
    frame = frame[list(rng.permutation(frame.columns))]
    targets = (
        "course_id",
        "title",
        "category",
        "level",
        "last_update",
        "price",
        "enrolled",
        "rating",
        "description",
    )
    # A day of publication stands in for the last update, and stays what it is.
    published = {"published": names[4]} if names[4] == "published_timestamp" else {}
    assert found(frame, "courses") == dict(zip(targets, names, strict=True)) | published


def test_text_cells_of_a_csv_are_understood():
    frame = pd.DataFrame(
        {
            "id": [str(at) for at in range(N)],
            "cost": ["$9.99"] * N,
            "n_students": ["1,234"] * N,
            "stars": ["4.5"] * N,
        },
        dtype=object,
    )
    assert found(frame, "courses") == {
        "course_id": "id",
        "price": "cost",
        "enrolled": "n_students",
        "rating": "stars",
    }


def test_contents_that_contradict_a_name_are_not_proposed():
    frame = pd.DataFrame({"course_id": range(N), "price": TITLES, "level": TITLES})
    guesses = guess_columns(frame, "courses")
    assert {guess.target for guess in guesses.guesses} == {"course_id"}
    assert set(guesses.unused) == {"price", "level"}
    assert "price" in guesses.missing


def test_contents_without_a_telling_name_are_proposed_with_less_confidence():
    frame = pd.DataFrame(
        {"course_id": range(N), "aa": LEVELS, "bb": ["19,99 €"] * N, "cc": DATES, "dd": TITLES}
    )
    guesses = {guess.target: guess for guess in guess_columns(frame, "courses").guesses}
    assert {target: guess.source for target, guess in guesses.items()} == {
        "course_id": "course_id",
        "level": "aa",
        "price": "bb",
        "last_update": "cc",
    }
    assert guesses["level"].confidence == 0.5
    assert guesses["course_id"].confidence > 0.9
    assert "says little" in guesses["level"].why


def test_the_id_of_a_course_is_the_column_that_no_two_courses_share():
    frame = pd.DataFrame({"course": rng.choice(["a", "b"], N), "id": range(N)})
    assert found(frame, "courses")["course_id"] == "id"


def test_stand_ins_give_way_to_the_real_thing_and_are_called_so():
    frame = pd.DataFrame({"id": range(N), "published": DATES, "last_updated": DATES})
    assert found(frame, "courses")["last_update"] == "last_updated"
    guess = {
        guess.target: guess
        for guess in guess_columns(frame[["id", "published"]], "courses").guesses
    }["last_update"]
    assert guess.source == "published"
    assert "may stand in" in guess.why


def test_typing_errors_are_forgiven():
    assert (
        found(
            pd.DataFrame({"course_id": range(N), "catgory": rng.choice(["a", "b"], N)}), "courses"
        )["category"]
        == "catgory"
    )


def test_asset_types_from_flags_and_counts():
    frame = pd.DataFrame(
        {
            "id": range(N),
            "has_video": [True] * N,
            "n_articles": rng.integers(0, 4, N),
            "num_quizzes": ["0"] * N,
            "videos_url": TITLES,
        }
    )
    guesses = guess_columns(frame, "courses")
    columns = guesses.map().columns
    assert {
        "assets:video": "has_video",
        "assets:article": "n_articles",
        "assets:quiz": "num_quizzes",
    }.items() <= columns.items()
    assert "assets" not in guesses.missing


def test_an_asset_list_is_preferred_to_flags_and_a_count_is_no_list():
    frame = pd.DataFrame({"id": range(N), "assets": ["video|quiz"] * N, "has_video": [1] * N})
    assert guess_columns(frame, "courses").map().columns == {"course_id": "id", "assets": "assets"}
    assert (
        "assets"
        in guess_columns(pd.DataFrame({"id": range(N), "assets": [3] * N}), "courses").missing
    )


def test_interactions():
    frame = pd.DataFrame(
        {
            "UserID": range(N),
            "CourseID": range(N),
            "time": [1_496_880_000] * N,
            "stars": [4] * N,
            "phase": ["train", "test"] * (N // 2),
        }
    )
    assert found(frame, "interactions") == {
        "learner_id": "UserID",
        "course_id": "CourseID",
        "timestamp": "time",
        "rating": "stars",
        "split": "phase",
    }


@pytest.mark.parametrize(
    "names",
    [
        ("user_id", "item_id", "score", "rank"),
        ("user", "item", "prediction", "position"),
        ("student", "course", "relevance", "rang"),
    ],
)
def test_scores(names):
    frame = pd.DataFrame(
        dict(zip(names, (range(N), range(N), rng.random(N), range(N)), strict=True))
    )
    guesses = guess_columns(frame, "scores")
    assert guesses.map().columns == dict(
        zip(("learner_id", "course_id", "score", "rank"), names, strict=True)
    )
    assert guesses.enough


def test_what_a_table_cannot_do_without():
    assert not guess_columns(pd.DataFrame({"user_id": [1], "item_id": [2]}), "scores").enough
    assert guess_columns(pd.DataFrame({"user_id": [1], "item_id": [2]}), "interactions").enough
    assert not guess_columns(pd.DataFrame({"title": TITLES}), "courses").enough
    with pytest.raises(ValueError, match="use one of courses, interactions, scores"):
        guess_columns(pd.DataFrame(), "users")


def test_the_preview_is_a_table_with_reasons():
    frame = guess_columns(pd.DataFrame({"id": range(N), "price": [1.0] * N}), "courses").frame()
    assert list(frame.columns) == ["target", "source", "confidence", "why"]
    assert frame["why"].str.len().min() > 20
    assert frame["confidence"].between(0.35, 0.99).all()


def test_an_empty_column_is_never_proposed():
    assert "price" not in found(pd.DataFrame({"id": range(N), "price": [None] * N}), "courses")


def test_awkward_columns_are_looked_at_without_harm():
    frame = pd.DataFrame(
        {
            "id": [f"{at}" for at in range(N)],
            "price": [[1, 2]] * N,
            "rating": [{"a": 1}] * N,
            "level": [True] * N,
            "title": pd.to_timedelta(range(N), unit="s"),
            "last_update": [f"{1_500_000_000 + at}" for at in range(N)],
            "session": [f"{1_500_000_000 + at}" for at in range(N)],
            "category": pd.Categorical(["a", "b"] * (N // 2)),
        }
    )
    assert {
        "course_id": "id",
        "last_update": "last_update",
        "category": "category",
    }.items() <= found(frame, "courses").items()
    assert "price" not in found(frame, "courses")
    # Ten digits may be an id as well as a time: only a telling name makes them a date.
    assert "timestamp" not in found(frame[["id", "session"]], "interactions")
