"""Three files as a German platform exports them are read without any help: every column recognised,
every value right."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from equity_core import importers
from tests.helpers import platform


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    return platform.write(tmp_path_factory.mktemp("platform"))


@pytest.fixture(scope="module")
def made(files: tuple[Path, Path, Path]) -> importers.Imported:
    return importers.import_tables(files[0], files[1])


def test_every_column_is_recognised(files: tuple[Path, Path, Path]) -> None:
    expected = {
        "courses": {
            "course_id": "Kurs-Nr.",
            "title": "Kurstitel",
            "category": "Fachbereich",
            "level": "Schwierigkeitsgrad",
            "last_update": "zuletzt geändert am",
            "price": "Preis (brutto)",
            "enrolled": "Anzahl Teilnehmer",
            "rating": "Ø Bewertung",
            "assets": "Lernmaterial",
        },
        "interactions": {
            "learner_id": "Matrikel-Nr.",
            "course_id": "Kurs-Nr.",
            "timestamp": "gebucht am",
            "rating": "Sterne",
        },
        "scores": {"learner_id": "Matrikel-Nr.", "course_id": "Kurs-Nr.", "score": "Punktwert"},
    }
    for file, (table, columns) in zip(files, expected.items(), strict=True):
        assert (
            dict(importers.guess_columns(importers.read_table(file), table).map().columns)
            == columns
        )  # type: ignore[arg-type]


def test_prices_dates_counts_and_gaps_are_read(
    files: tuple[Path, Path, Path], made: importers.Imported
) -> None:
    raw = pd.read_csv(files[0], sep=";", encoding="cp1252", dtype=str, keep_default_na=False)
    courses = made.courses
    fees = [
        0.0 if text == "kostenlos" else float(text.removesuffix(" €").replace(",", "."))
        for text in raw["Preis (brutto)"]
    ]
    np.testing.assert_allclose(courses["price"], fees)
    assert [f"{day:%d.%m.%Y}" for day in courses["last_update"]] == raw[
        "zuletzt geändert am"
    ].tolist()
    assert courses["enrolled"].tolist() == [
        int(text.replace(".", "")) for text in raw["Anzahl Teilnehmer"]
    ]
    assert courses["rating"].isna().tolist() == (raw["Ø Bewertung"] == "k. A.").tolist()
    assert courses["rating"].isna().any()
    assert courses["level"].isna().tolist() == (raw["Schwierigkeitsgrad"] == "").tolist()
    assert made.principles is None  # all seven can be used


def test_the_scores_fit(files: tuple[Path, Path, Path], made: importers.Imported) -> None:
    scores = importers.read_table(files[2])
    found = importers.apply_map(scores, importers.guess_columns(scores, "scores").map())
    assert found["score"].iloc[0] == pytest.approx(
        float(scores["Punktwert"].iloc[0].replace(",", "."))
    )
    bundle = made.bundle({"ours": found})
    assert bundle.relevance("ours").scores.size > 10_000


@pytest.mark.parametrize(
    "word", ["k. A.", "k.A.", "keine Angabe", "unbekannt", "n/d", "sin datos", "нет данных", "未知"]
)
def test_words_for_nothing_in_several_languages(word: str) -> None:
    frame = pd.DataFrame({"id": ["a", "b"], "rating": ["4,5", word], "level": ["easy", word]})
    columns = importers.ColumnMap(
        "courses", {"course_id": "id", "rating": "rating", "level": "level"}
    )
    read = importers.apply_map(frame, columns)
    assert read["rating"].tolist()[0] == 4.5
    assert read["rating"].isna().tolist() == [False, True]
    assert read["level"].isna().tolist() == [False, True]
