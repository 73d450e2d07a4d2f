"""Each algorithm against its formula, written out with dense matrices."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer

from equity_core.recommenders.base import Training
from equity_core.recommenders.itemknncb import texts
from equity_core.recommenders.registry import create
from equity_core.recommenders.sparse_products import Product, neighbours, power, scaled, transposed
from equity_core.recommenders.topn import dense_top
from tests.recommenders.worlds import SEVEN, platform, training

SEEDS = range(3)


def scores_of(name: str, world: Training, **settings: object) -> np.ndarray:
    """All scores that the algorithm gives, NaN where it gives none."""
    positions, scores = (
        create(name, **settings).fit(world).top(slice(0, world.learners), world.catalogue)
    )
    out = np.full((world.learners, world.catalogue), np.nan)
    rows, places = np.nonzero(positions >= 0)
    out[rows, positions[rows, places]] = scores[rows, places]
    return out


def assert_same(found: np.ndarray, expected: np.ndarray, world: Training) -> None:
    """Equal but for the past, which has no score, and where the formula gives 0, which is none."""
    expected = np.where((world.matrix.toarray() > 0) | (expected <= 0), np.nan, expected)
    np.testing.assert_allclose(found, expected, rtol=2e-5)


def cosine(rows: np.ndarray) -> np.ndarray:
    length = np.sqrt((rows**2).sum(axis=1, keepdims=True))
    unit = np.divide(rows, length, out=np.zeros_like(rows), where=length > 0)
    return unit @ unit.T


def without_self(similarity: np.ndarray) -> np.ndarray:
    return np.where(np.eye(len(similarity), dtype=bool), 0, similarity)


def best(rows: np.ndarray, n: int) -> np.ndarray:
    """The n largest of each row, the others 0."""
    cut = np.sort(rows, axis=1)[:, [-n]]
    return np.where(rows >= cut, rows, 0)


@pytest.mark.parametrize("seed", SEEDS)
def test_userknn(seed: int) -> None:
    world = training(seed)
    taken = world.matrix.toarray().astype(float)
    assert_same(scores_of("userknn", world), without_self(cosine(taken)) @ taken, world)


@pytest.mark.parametrize("seed", SEEDS)
def test_itemknn(seed: int) -> None:
    world = training(seed)
    taken = world.matrix.toarray().astype(float)
    assert_same(scores_of("itemknn", world), taken @ without_self(cosine(taken.T)), world)


@pytest.mark.parametrize(
    ("name", "settings"),
    [("p3alpha", {}), ("p3alpha", {"alpha": 1.7}), ("rp3beta", {}), ("rp3beta", {"beta": 0.9})],
)
def test_the_walks(name: str, settings: dict[str, float]) -> None:
    world = training(1)
    taken = world.matrix.toarray().astype(float)
    algorithm = create(name, **settings)
    alpha, beta = algorithm.alpha, getattr(algorithm, "beta", 0.0)  # type: ignore[attr-defined]
    popularity = np.maximum(taken.sum(axis=0), 1)
    to_learner, to_course = (
        (taken / popularity).T ** alpha,
        (taken / taken.sum(axis=1, keepdims=True)) ** alpha,
    )
    walk = without_self(to_learner @ to_course / popularity**beta)
    assert_same(scores_of(name, world, **settings), taken @ walk, world)


@pytest.mark.parametrize("name", ["p3alpha", "rp3beta"])
def test_the_walks_keep_the_largest_of_each_row_and_do_not_normalise(name: str) -> None:
    world = training(2, learners=200, courses=60)
    fitted = create(name, neighbours=7).fit(world)
    whole = create(name, neighbours=60).fit(world)
    kept, all_of = fitted.right.toarray(), whole.right.toarray()  # type: ignore[attr-defined]
    assert (np.count_nonzero(kept, axis=1) <= 7).all()
    assert set(np.unique(kept)) <= set(np.unique(all_of))
    np.testing.assert_allclose(
        np.sort(kept, axis=1)[:, -7:], np.sort(best(all_of, 7), axis=1)[:, -7:]
    )


@pytest.mark.parametrize("n", [1, 5, 39, 100])
def test_neighbours_are_the_nearest_and_never_oneself(n: int) -> None:
    matrix = training(3).matrix
    unit = scaled(matrix, rows=power(np.diff(matrix.indptr), -0.5))
    found = neighbours(unit, transposed(unit), n).toarray()
    similarity = without_self(cosine(matrix.toarray().astype(float)))
    assert not found.diagonal().any()
    np.testing.assert_allclose(
        np.sort(found, axis=1)[:, ::-1][:, :n],
        np.sort(similarity, axis=1)[:, ::-1][:, :n],
        atol=1e-6,
    )


def test_learners_with_the_same_past_do_not_push_each_other_out() -> None:
    """Many cosines of exactly 1 beside one's own: still n others."""
    world = training(0)
    matrix = world.matrix[np.zeros(30, int)]
    unit = scaled(matrix, rows=power(np.diff(matrix.indptr), -0.5))
    found = neighbours(unit, transposed(unit), 5)
    assert (np.diff(found.indptr) == 5).all()
    assert not found.diagonal().any()


@pytest.mark.parametrize("seed", SEEDS)
def test_itemknncb(seed: int) -> None:
    world = training(seed)
    courses = platform(seed)[0].fillna("")
    vectors = (
        TfidfVectorizer().fit_transform(courses["title"] + " " + courses["description"]).toarray()
    )
    taken = world.matrix.toarray()
    profiles = taken @ vectors / taken.sum(axis=1, keepdims=True)
    expected = profiles @ vectors.T / np.linalg.norm(profiles, axis=1, keepdims=True)
    assert_same(scores_of("itemknncb", world), expected, world)


def test_itemknncb_reads_title_and_description_whichever_there_are() -> None:
    courses = pd.DataFrame(
        {"title": ["Piano", None, "Yoga"], "description": [None, "for all", "at home"]}
    )
    assert [text.split() for text in texts(courses)] == [
        ["Piano"],
        ["for", "all"],
        ["Yoga", "at", "home"],
    ]
    assert texts(courses[["title"]]) == ["Piano", "", "Yoga"]
    with pytest.raises(ValueError, match="title or description"):
        texts(courses[[]])


def test_itemknncb_without_any_word_scores_nothing() -> None:
    world = training(0)
    silent = dataclasses.replace(world, courses=world.courses.assign(title="? a", description=None))
    assert np.isnan(scores_of("itemknncb", silent)).all()


def test_toppopular_counts_learners() -> None:
    world = training(1)
    expected = np.broadcast_to(world.popularity, world.matrix.shape)
    past = world.matrix.toarray() > 0
    np.testing.assert_array_equal(scores_of("toppopular", world), np.where(past, np.nan, expected))


def test_random_scores_are_even_and_differ_between_learners_and_seeds() -> None:
    world = training(0, learners=60, courses=50)
    scores = scores_of("random", world)
    drawn = scores[~np.isnan(scores)]
    assert drawn.min() > 0
    assert drawn.max() <= 1
    np.testing.assert_allclose(np.quantile(drawn, [0.25, 0.5, 0.75]), [0.25, 0.5, 0.75], atol=0.05)
    assert len(np.unique(drawn)) > 0.99 * len(drawn)
    assert not np.array_equal(
        scores, scores_of("random", dataclasses.replace(world, seed=1)), equal_nan=True
    )


@pytest.mark.parametrize("name", SEVEN)
def test_an_answer_depends_on_neither_the_slice_nor_the_number_of_threads(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = training(4, learners=300)
    monkeypatch.setenv("EQUITY_THREADS", "1")
    whole = create(name).fit(world).top(slice(0, 300), 12)
    monkeypatch.setenv("EQUITY_THREADS", "3")
    fitted = create(name).fit(world)
    parts = [fitted.top(slice(start, min(start + 37, 300)), 12) for start in range(0, 300, 37)]
    for one, many in zip(whole, zip(*parts, strict=True), strict=True):
        np.testing.assert_array_equal(one, np.concatenate(many))


@pytest.mark.parametrize("name", SEVEN)
def test_fewer_asked_for_are_the_first_of_more(name: str) -> None:
    """Ties at the end of the list included: the first of the catalogue stays."""
    fitted = create(name).fit(training(5, learners=120))
    many, few = fitted.top(slice(0, 120), 30), fitted.top(slice(0, 120), 6)
    np.testing.assert_array_equal(few[0], many[0][:, :6])
    np.testing.assert_array_equal(few[1], many[1][:, :6])


def test_of_equal_scores_the_first_of_the_catalogue_are_kept() -> None:
    """Two values only, so that ties run across the end of the list, whatever order the product
    finds them in."""
    world = training(6, learners=50)
    rng = np.random.default_rng(0)
    scores = rng.choice([0.5, 1.0], world.matrix.shape).astype(np.float32)
    shuffled = rng.permutation(
        world.learners
    )  # of the rows in between: the answer is the same, found in another order
    left, right = (
        sparse.csr_matrix(np.eye(world.learners, dtype=np.float32)[:, shuffled]),
        sparse.csr_matrix(scores[shuffled]),
    )
    positions, _ = Product(world, left, right).top(slice(0, world.learners), 9)
    np.testing.assert_array_equal(positions, dense_top(scores, world.matrix, 9)[0])


@pytest.mark.parametrize("name", SEVEN)
def test_no_learners_no_rows(name: str) -> None:
    positions, scores = create(name).fit(training(0)).top(slice(7, 7), 5)
    assert positions.shape == scores.shape == (0, 5)
