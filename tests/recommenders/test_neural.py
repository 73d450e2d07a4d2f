"""The three neural recommenders on small worlds: they learn what is there to learn, keep their
promises, and bear awkward data."""

from __future__ import annotations

import dataclasses
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from equity_core.progress import Cancelled
from equity_core.recommenders.base import Dense, Training
from equity_core.recommenders.coupledcf import CoupledCF, categories
from equity_core.recommenders.gmf import GMF
from equity_core.recommenders.neumf import NeuMF
from equity_core.recommenders.precompute import precompute
from equity_core.recommenders.registry import create

THREE = ("gmf", "neumf", "coupledcf")
CLASSES = (GMF, NeuMF, CoupledCF)
LEARNERS, COURSES, BLOCKS = 240, 48, 4


def training(
    pasts: list[list[int]], courses: int, category: list[str | None] | None = None, seed: int = 0
) -> Training:
    indptr = np.cumsum([0, *map(len, pasts)]).astype(np.int32)
    indices = np.array([course for past in pasts for course in sorted(past)], np.int32)
    matrix = sparse.csr_matrix(
        (np.ones(len(indices), np.float32), indices, indptr), shape=(len(pasts), courses)
    )
    frame = pd.DataFrame({"course_id": range(courses)})
    return Training(matrix, frame if category is None else frame.assign(category=category), seed)


def planted(seed: int = 0) -> tuple[Training, list[int]]:
    """Learners of four kinds, each kind with a quarter of the courses; and a further course of each
    learner's own quarter."""
    rng = np.random.default_rng(seed)
    size = COURSES // BLOCKS
    pasts, wanted = [], []
    for learner in range(LEARNERS):
        taken = size * (learner % BLOCKS) + rng.permutation(size)[:7]
        pasts.append([*taken[:6].tolist(), int(rng.integers(COURSES))])
        wanted.append(int(taken[6]))
    category = [f"quarter {course // size}" for course in range(COURSES)]
    pasts = [sorted(set(past) - {want}) for past, want in zip(pasts, wanted, strict=True)]
    return training(pasts, COURSES, category), wanted


def ndcg(fitted: Dense, wanted: list[int]) -> float:
    positions, _ = fitted.top(slice(0, len(wanted)), 10)
    hit = positions == np.array(wanted)[:, None]
    return float((hit / np.log2(np.arange(10) + 2)).sum(axis=1).mean())


@pytest.fixture(scope="module")
def world() -> tuple[Training, list[int]]:
    return planted()


@pytest.fixture(scope="module", params=THREE)
def fitted(request: pytest.FixtureRequest, world: tuple[Training, list[int]]) -> tuple[str, Dense]:
    return request.param, create(request.param).fit(world[0])


def test_what_is_planted_is_learned(
    fitted: tuple[str, Dense], world: tuple[Training, list[int]]
) -> None:
    popular = ndcg(create("toppopular").fit(world[0]), world[1])
    assert popular < 0.2
    assert ndcg(fitted[1], world[1]) > 2 * popular


def test_the_same_seed_gives_the_same_bits_and_another_seed_does_not(
    fitted: tuple[str, Dense], world: tuple[Training, list[int]]
) -> None:
    name, first = fitted
    everyone = slice(0, LEARNERS)
    again = create(name).fit(world[0]).top(everyone, 20)
    other = create(name).fit(dataclasses.replace(world[0], seed=1)).top(everyone, 20)
    for mine, theirs in zip(first.top(everyone, 20), again, strict=True):
        np.testing.assert_array_equal(mine, theirs)
    assert not np.array_equal(first.top(everyone, 20)[1], other[1])


def test_a_learners_answer_depends_on_nobody_else_asked_for(fitted: tuple[str, Dense]) -> None:
    whole = fitted[1].top(slice(0, LEARNERS), 20)
    for rows in (slice(0, 1), slice(7, 101), slice(239, 240)):
        for all_of, part in zip(whole, fitted[1].top(rows, 20), strict=True):
            np.testing.assert_array_equal(all_of[rows], part)


def test_never_a_past_course_and_sorted_by_score(
    fitted: tuple[str, Dense], world: tuple[Training, list[int]]
) -> None:
    positions, scores = fitted[1].top(slice(0, LEARNERS), COURSES)
    taken = world[0].matrix.toarray() > 0
    for row in range(LEARNERS):
        real = positions[row] >= 0
        assert sorted(positions[row, real]) == np.flatnonzero(~taken[row]).tolist()
        assert (np.diff(scores[row, real]) <= 0).all()
        assert np.isfinite(scores[row]).all()


@pytest.mark.parametrize("name", THREE)
def test_progress_rises_to_its_total_and_counts_epochs(
    name: str, world: tuple[Training, list[int]]
) -> None:
    seen: list[tuple[int, int]] = []
    create(name, most_epochs=5).fit(world[0], lambda done, total: seen.append((done, total)))
    done = [one for one, _ in seen]
    assert {total for _, total in seen} == {10}
    assert done == sorted(set(done))
    assert done[:5] == [0, 1, 2, 3, 4]
    assert done[-1] == 10


@pytest.mark.parametrize("stop", [0, 2, 7])
def test_cancelling_ends_the_training_at_once(stop: int, world: tuple[Training, list[int]]) -> None:
    seen: list[int] = []

    def progress(done: int, total: int) -> bool:
        seen.append(done)
        return done < stop

    with pytest.raises(Cancelled):
        create("gmf", most_epochs=5).fit(world[0], progress)
    assert seen[-1] >= stop
    assert all(done < stop for done in seen[:-1])


def test_the_search_ends_when_patience_does(
    world: tuple[Training, list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    from equity_core.recommenders import neural_fit

    curve = iter([0.1, 0.3, 0.2, 0.3, 0.2, 0.9])  # the last is never asked for
    monkeypatch.setattr(neural_fit.Run, "ndcg", lambda run, validation: next(curve))
    seen: list[int] = []
    create("gmf", patience=3, least_epochs=1, most_epochs=20).fit(
        world[0], lambda done, total: seen.append(done)
    )
    assert seen == [
        0,
        1,
        2,
        3,
        4,
        38,
        39,
        40,
    ]  # five epochs of search, the second was best; two on all of train


def test_the_search_bears_a_curve_that_is_flat_at_first(
    world: tuple[Training, list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    from equity_core.recommenders import neural_fit

    curve = iter([0.2, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1])
    monkeypatch.setattr(neural_fit.Run, "ndcg", lambda run, validation: next(curve))
    seen: list[int] = []
    create("gmf", patience=2, least_epochs=6, most_epochs=20).fit(
        world[0], lambda done, total: seen.append(done)
    )
    assert seen == [0, 1, 2, 3, 4, 5, 39, 40]


def test_large_data_get_fewer_epochs(
    world: tuple[Training, list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    from equity_core.recommenders import neural_fit

    monkeypatch.setattr(neural_fit, "STEPS", 0)
    seen: list[tuple[int, int]] = []
    create("gmf", patience=3).fit(world[0], lambda done, total: seen.append((done, total)))
    assert seen[-1] == (6, 6)


def test_an_epoch_is_compiled_once_for_search_training_seeds_and_rates(
    world: tuple[Training, list[int]],
) -> None:
    traced: list[int] = []

    class Counting(GMF):
        @staticmethod
        def logits(*args):  # type: ignore[no-untyped-def]
            traced.append(1)
            return GMF.logits(*args)

    after: list[int] = []
    settings = Counting(most_epochs=3)
    settings.fit(world[0], lambda done, total: after.append(len(traced)))
    assert after[0] == 0
    assert after[1] > 0
    assert set(after[1:]) == {after[1]}
    dataclasses.replace(settings, learning_rate=1e-3, decay=0.1, l2=0.5).fit(
        dataclasses.replace(world[0], seed=5)
    )
    assert len(traced) == after[1]


@pytest.mark.parametrize("kind", CLASSES)
def test_scores_of_the_catalogue_say_what_logits_of_pairs_say(
    kind: type, world: tuple[Training, list[int]]
) -> None:
    import jax.numpy as jnp

    rng = np.random.default_rng(0)
    algorithm, whole = kind(start=0.5), world[0]
    params = {
        name: jnp.asarray(value, jnp.float32)
        for name, value in algorithm.begin(whole, whole.matrix, rng).items()
    }
    params = {
        name: value + jnp.asarray(rng.normal(0, 0.3, value.shape), jnp.float32)
        for name, value in params.items()
    }
    learner, positive = 5, int(whole.matrix[5].indices[0])
    courses = np.array([[positive, *rng.permutation(COURSES)[:12]]])

    # What the net may know in training is the past without the positive course: score a world in
    # which it was never taken.
    without = whole.matrix.tolil()
    without[learner, positive] = 0
    without = without.tocsr()
    side, less = (
        {name: jnp.asarray(value) for name, value in algorithm.side(whole, taken).items()}
        for taken in (whole.matrix, without)
    )
    logits, rows = kind.logits(params, side, jnp.array([learner]), jnp.asarray(courses))
    scores = kind.scores(params, less, kind.course_part(params, less), jnp.int32(learner))
    np.testing.assert_allclose(
        np.asarray(logits)[0], np.asarray(scores)[courses[0]], rtol=1e-4, atol=1e-5
    )
    assert all(row.shape[:-1] in {(1,), (1, 13)} for row in rows)
    if kind is CoupledCF:
        full = kind.scores(params, side, kind.course_part(params, side), jnp.int32(learner))
        assert not np.allclose(np.asarray(full), np.asarray(scores))


@pytest.mark.parametrize("name", THREE)
def test_fewer_than_four_interactions_everywhere_and_a_course_that_nobody_took(name: str) -> None:
    pasts = [[learner % 8, (learner + 1 + learner % 2) % 8] for learner in range(40)]
    seen: list[int] = []
    fitted = create(name, epochs=3).fit(
        training(pasts, 9, list("aaabbbccc")), lambda done, total: seen.append(total - done)
    )
    positions, scores = fitted.top(slice(0, 40), 7)
    assert (positions >= 0).all()
    assert np.isfinite(scores).all()
    assert seen == [3, 2, 1, 0]


@pytest.mark.parametrize("name", THREE)
def test_the_whole_catalogue_as_past_no_past_and_one_course(name: str) -> None:
    pasts = [list(range(9)), [], [3], *([0, 1, 2, 3, 5], [0, 2, 4, 6]) * 20]
    positions, scores = (
        create(name, most_epochs=4).fit(training(pasts, 9, list("aaabbbccc"))).top(slice(0, 43), 9)
    )
    assert (positions[0] == -1).all()
    assert sorted(positions[1]) == list(range(9))
    assert sorted(positions[2]) == [-1, 0, 1, 2, 4, 5, 6, 7, 8]
    assert np.isfinite(scores).all()


@pytest.mark.parametrize("name", THREE)
def test_nothing_to_learn_from_says_so(name: str) -> None:
    with pytest.raises(ValueError, match="no training interaction"):
        create(name).fit(training([[], []], 3, ["a", "b", "c"]))


@pytest.mark.parametrize("category", [["one"] * 12, [None] * 12, None])
def test_coupledcf_with_one_category_or_none(category: list[str | None] | None) -> None:
    pasts = [[(learner + step) % 12 for step in (0, 1, 3, 5)] for learner in range(40)]
    positions, scores = (
        create("coupledcf", most_epochs=2).fit(training(pasts, 12, category)).top(slice(0, 40), 8)
    )
    assert (positions >= 0).all()
    assert np.isfinite(scores).all()


def test_the_rarest_of_very_many_categories_share_a_place() -> None:
    names = [f"c{number // 2:03d}" for number in range(200)]  # a hundred categories of two courses
    codes = categories(training([[0]], 201, [*names, "c099"]))
    assert codes.max() == 63
    assert codes[-1] == codes[-2] == 0  # the most frequent one
    assert (codes == 63).sum() == 2 * 37


def test_categories_sort_a_platforms_own_types() -> None:
    frame = pd.DataFrame({"category": pd.Categorical(["b", None, "a", "b"])})
    assert categories(Training(sparse.csr_matrix((1, 4), dtype=np.float32), frame)).tolist() == [
        0,
        2,
        1,
        0,
    ]


def test_no_interaction_but_training_reaches_a_fit(
    fitted: tuple[str, Dense], world: tuple[Training, list[int]]
) -> None:
    rows, columns = (index.astype(np.int64) for index in world[0].matrix.nonzero())
    train = pd.DataFrame({"learner_id": rows, "course_id": columns, "split": "train"})
    test = pd.DataFrame({"learner_id": np.arange(LEARNERS), "course_id": world[1], "split": "test"})
    valid = test.assign(course_id=(test["course_id"] + 5) % COURSES, split="valid")
    frame = precompute(world[0].courses, pd.concat([valid, train, test]), [fitted[0]], 10)[
        fitted[0]
    ]
    positions, scores = fitted[1].top(slice(0, LEARNERS), 10)  # of a fit that never had them
    np.testing.assert_array_equal(frame["course_id"], positions.ravel())
    np.testing.assert_array_equal(frame["score"], scores.ravel())


@pytest.mark.parametrize("kind", CLASSES)
def test_the_papers_settings(kind: type) -> None:
    assert (kind().factors, kind().negatives) == (10, 4)


def test_the_batch_grows_with_learners_and_courses() -> None:
    assert GMF(batch=64).positives_a_step(3200, 3200) == 64
    assert GMF(batch=64).positives_a_step(32_000, 3200 * 10) == 640
    assert GMF(batch=64).positives_a_step(6400, 1600) == 64
    assert GMF(batch=64).positives_a_step(5, 2) == 8


@pytest.mark.parametrize(
    "wrong",
    [
        {"factors": 0},
        {"negatives": 1.5},
        {"learning_rate": -1.0},
        {"decay": float("nan")},
        {"patience": 0},
    ],
)
def test_settings_that_make_no_sense_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=rf"NeuMF: {next(iter(wrong))} is .*; give a"):
        NeuMF(**wrong)  # type: ignore[arg-type]


def test_a_training_that_goes_astray_says_so(world: tuple[Training, list[int]]) -> None:
    with pytest.raises(FloatingPointError, match=r"GMF.*learning_rate"):
        create("gmf", learning_rate=1e30, most_epochs=3).fit(world[0])


@pytest.mark.parametrize("module", ["jax", "optax"])
def test_without_the_library_an_import_error_names_the_requirements(
    module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=rf"{module}.*requirements-train\.txt"):
        create("neumf").fit(training([[0, 1]], 3))


def test_the_settings_load_no_jax() -> None:
    code = (
        "import sys; from equity_core.recommenders.registry import info; [info(n) for n in"
        f" {THREE!r}]; print('jax' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
