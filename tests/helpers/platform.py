"""Three CSV files as a German platform would export them: odd column names, semicolons, decimal
commas, prices and dates as text."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

LEARNERS, COURSES, CANDIDATES = 300, 120, 50
TOPICS = ("Informatik", "Sprachen", "Wirtschaft", "Gesundheit", "Kunst & Musik", "Recht")
LEVELS = ("Anfänger", "Fortgeschrittene", "Experten", "alle Stufen")
MATERIAL = ("Video", "Video, Skript", "Video, Quiz, Skript", "Audio, Skript", "")


def _comma(value: float, digits: int = 2) -> str:
    return f"{value:.{digits}f}".replace(".", ",")


def courses(rng: np.random.Generator) -> pd.DataFrame:
    """The catalogue: a few prices, ratings and levels are missing."""
    topics = rng.choice(TOPICS, COURSES, p=[0.35, 0.2, 0.15, 0.12, 0.1, 0.08])
    fees = np.where(rng.random(COURSES) < 0.15, 0.0, rng.integers(2, 40, COURSES) * 10 - 0.01)
    when = pd.Timestamp("2019-01-01") + pd.to_timedelta(rng.integers(0, 1800, COURSES), unit="D")
    people = np.round(10 ** rng.uniform(1, 4.3, COURSES)).astype(int)
    return pd.DataFrame(
        {
            "Kurs-Nr.": [f"K-{at:04d}" for at in range(COURSES)],
            "Kurstitel": [f"{topic}: Kurs {at}" for at, topic in enumerate(topics)],
            "Fachbereich": topics,
            "Schwierigkeitsgrad": np.where(
                rng.random(COURSES) < 0.04,
                "",
                rng.choice(LEVELS, COURSES, p=[0.45, 0.3, 0.1, 0.15]),
            ),
            "zuletzt geändert am": [f"{day:%d.%m.%Y}" for day in when],
            "Preis (brutto)": ["kostenlos" if fee == 0 else f"{_comma(fee)} €" for fee in fees],
            "Anzahl Teilnehmer": [f"{number:,}".replace(",", ".") for number in people],
            "Ø Bewertung": np.where(
                rng.random(COURSES) < 0.06,
                "k. A.",
                [_comma(x, 1) for x in rng.uniform(2.8, 5.0, COURSES)],
            ),
            "Lernmaterial": rng.choice(MATERIAL, COURSES, p=[0.3, 0.3, 0.2, 0.15, 0.05]),
            "Dozent": [f"D{at % 17:02d}" for at in range(COURSES)],
        }
    )


def bookings(rng: np.random.Generator, catalogue: pd.DataFrame) -> pd.DataFrame:
    """Who booked what and when: 6 to 14 courses a learner, mostly of two topics."""
    rows = []
    topics = catalogue["Fachbereich"].to_numpy()
    for learner in range(LEARNERS):
        liked = rng.choice(TOPICS, 2, replace=False)
        weight = np.where(np.isin(topics, liked), 6.0, 1.0)
        chosen = rng.choice(
            COURSES, int(rng.integers(6, 15)), replace=False, p=weight / weight.sum()
        )
        days = np.sort(rng.integers(0, 1500, len(chosen)))
        for course, day in zip(chosen, days, strict=True):
            moment = pd.Timestamp("2019-06-01 08:00") + pd.Timedelta(
                days=int(day), minutes=int(rng.integers(0, 600))
            )
            stars = rng.choice(["", "3", "4", "5"])
            rows.append(
                (
                    f"M{10000 + learner}",
                    catalogue["Kurs-Nr."][course],
                    f"{moment:%d.%m.%Y %H:%M}",
                    stars,
                )
            )
    return pd.DataFrame(rows, columns=["Matrikel-Nr.", "Kurs-Nr.", "gebucht am", "Sterne"])


def recommendations(
    rng: np.random.Generator, catalogue: pd.DataFrame, log: pd.DataFrame
) -> pd.DataFrame:
    """The recommender's scores, decimal commas: 50 courses for each learner."""
    popular = log["Kurs-Nr."].value_counts().reindex(catalogue["Kurs-Nr."], fill_value=0).to_numpy()
    topics = catalogue["Fachbereich"].to_numpy()
    taken = {name: part["Kurs-Nr."].tolist() for name, part in log.groupby("Matrikel-Nr.")}
    topic_of = dict(zip(catalogue["Kurs-Nr."], topics, strict=True))
    rows = []
    for learner, past in taken.items():
        counts = pd.Series([topic_of[course] for course in past]).value_counts(normalize=True)
        scores = (
            popular / popular.max()
            + 1.5 * np.array([counts.get(topic, 0.0) for topic in topics])
            + 0.3 * rng.random(COURSES)
        )
        for course in np.argsort(-scores)[:CANDIDATES]:
            rows.append((learner, catalogue["Kurs-Nr."][course], _comma(scores[course], 4)))
    return pd.DataFrame(rows, columns=["Matrikel-Nr.", "Kurs-Nr.", "Punktwert"])


def write(folder: Path, seed: int = 0) -> tuple[Path, Path, Path]:
    """The three files, as a spreadsheet program on a German machine saves them: semicolons, the
    western code page."""
    rng = np.random.default_rng(seed)
    catalogue = courses(rng)
    log = bookings(rng, catalogue)
    out = []
    names = ("Kurskatalog.csv", "Buchungen 2019-2023.csv", "Empfehlungen März.csv")
    for name, frame in zip(
        names, (catalogue, log, recommendations(rng, catalogue, log)), strict=True
    ):
        out.append(folder / name)
        frame.to_csv(out[-1], sep=";", index=False, encoding="cp1252")
    return out[0], out[1], out[2]
