"""ItemKNN-CB: courses whose text is similar to that of the learner's own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd
from scipy import sparse

from equity_core.progress import Progress
from equity_core.recommenders.base import Training, require
from equity_core.recommenders.sparse_products import Matrix, Product, power, scaled, transposed


@dataclass(frozen=True)
class ItemKNNCB:
    """Scores a course by the cosine between its text and the mean of the texts of the learner's
    courses.

    A text is a title and, where there is one, a description, as a TF-IDF vector of length 1
    (scikit-learn's weights); a learner's profile is the mean vector of the past courses. No common
    word: no score.
    """

    name: ClassVar[str] = "itemknncb"

    def fit(self, training: Training, progress: Progress | None = None) -> Product:
        """Weigh the words, average them per learner."""
        vectors = _vectors(texts(training.courses))
        profiles = (
            training.matrix @ vectors
        ).tocsr()  # the sum; the cosine is the same as the mean's
        squares = np.asarray(profiles.multiply(profiles).sum(axis=1), dtype=np.float64).ravel()
        return Product(training, scaled(profiles, rows=power(squares, -0.5)), transposed(vectors))


def texts(courses: pd.DataFrame) -> list[str]:
    """Title and description of each course, whichever there are; a ValueError if there is neither
    column."""
    columns = [name for name in ("title", "description") if name in courses]
    if not columns:
        raise ValueError(
            "itemknncb compares the texts of courses: the courses table needs a column title or"
            " description"
        )
    parts = [
        courses[name].astype("object").where(courses[name].notna(), "").astype(str)
        for name in columns
    ]
    return [" ".join(words) for words in zip(*parts, strict=True)]


def _vectors(documents: list[str]) -> Matrix:
    """TF-IDF with one row per course; an empty matrix if there are no words at all."""
    text = require("sklearn.feature_extraction.text")
    vectorizer = text.TfidfVectorizer(dtype=np.float32)
    analyse = vectorizer.build_analyzer()
    if not any(analyse(document) for document in documents):
        return sparse.csr_matrix(np.zeros((len(documents), 1), dtype=np.float32))
    vectors: Matrix = sparse.csr_matrix(vectorizer.fit_transform(documents))
    vectors.sort_indices()
    return vectors
