"""Matrices without ids: whose row is whose, and what is said when nobody can tell."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import equity_core as eq
from equity_core.importers import Report, read_relevance, relevance_for
from equity_core.importers.relevance.alignment import LEAST, alignment
from equity_core.importers.relevance.into import natural_order
from tests.helpers.commands import run
from tests.helpers.numbered import Numbered, numbered

POLICY = eq.Policy(lam=0.0, k=10)


@pytest.fixture(scope="module")
def world() -> Numbered:
    return numbered()


def ndcg(bundle: eq.Bundle, scores: pd.DataFrame) -> float:
    made = bundle.with_relevance({"ours": scores})
    return eq.evaluate(made, eq.rerank(made, "ours", POLICY).courses, POLICY).ndcg


def saved(folder: Path, scores: np.ndarray, kind: str = "npz") -> Path:
    path = folder / f"ours.{kind}"
    if kind == "npy":
        np.save(path, scores)
    else:
        row, column = np.nonzero(np.isfinite(scores))
        sparse.save_npz(
            path, sparse.csr_matrix((scores[row, column], (row, column)), shape=scores.shape)
        )
    return path


def by_text(count: int) -> np.ndarray:
    return np.argsort([str(at + 1) for at in range(count)], kind="stable")


def test_natural_order_counts_as_people_do():
    ids = np.array(["10", "9", "1", "k10", "k2", "k02", "2"], dtype=object)
    assert ids[natural_order(ids)].tolist() == ["1", "2", "9", "10", "k02", "k2", "k10"]
    assert natural_order(np.array([10, 9, -1])).tolist() == [2, 1, 0]


@pytest.mark.parametrize("kind", ["npy", "npz"])
def test_rows_in_the_order_of_their_numbers_give_the_right_figures(world, tmp_path, kind):
    bundle = world.bundle()
    assert bundle.learner_ids[:3].tolist() == ["1", "10", "100"]
    report = Report()
    found = relevance_for(bundle, saved(tmp_path, world.scores, kind), report=report)
    right = ndcg(bundle, world.frame())
    assert ndcg(bundle, found) == right
    assert not report.warnings
    assert "in the order of their numbers" in " ".join(map(str, report.notes))
    # Read in the order of the texts, as it once was, the figure is another one.
    wrong = read_relevance(tmp_path / f"ours.{kind}", None, bundle.learner_ids, bundle.course_ids)
    assert ndcg(bundle, wrong) < 0.7 * right


def test_rows_in_the_order_of_texts_are_recognised_and_said(world, tmp_path):
    bundle, report = world.bundle(), Report()
    path = saved(tmp_path, world.scores[by_text(world.learners)])
    found = relevance_for(bundle, path, report=report)
    assert ndcg(bundle, found) == ndcg(bundle, world.frame())
    (warning,) = report.warnings
    assert "rows are the data set's learners, in the order of their ids as text" in str(warning)


def test_columns_by_number_where_the_table_has_another_order(world, tmp_path):
    shuffled = Numbered(
        world.courses.sample(frac=1, random_state=3), world.interactions, world.scores, 150
    )
    bundle, report = shuffled.bundle(), Report()
    found = relevance_for(bundle, saved(tmp_path, world.scores), report=report)
    assert ndcg(bundle, found) == ndcg(bundle, world.frame())
    assert "courses, in the order of their numbers" in str(report.warnings[0])


def test_without_ids_a_shuffled_matrix_is_refused_and_with_ids_it_is_read_with_a_warning(
    world, tmp_path
):
    bundle = world.bundle()
    order = np.random.default_rng(1).permutation(world.learners)
    path = saved(tmp_path, world.scores[order])
    with pytest.raises(eq.BundleError, match="the scores do not tell which"):
        relevance_for(bundle, path)
    right, wrong = Report(), Report()
    names = [str(at + 1) for at in order]
    found = relevance_for(bundle, path, learner_ids=names, report=right)
    assert ndcg(bundle, found) == ndcg(bundle, world.frame())
    assert not right.warnings
    numbers = np.arange(1, world.learners + 1)  # whole numbers, for a data set of texts
    relevance_for(bundle, path, learner_ids=numbers, course_ids=np.arange(1, 61), report=wrong)
    assert "no sign of belonging to these learners" in str(wrong.warnings[0])


def test_one_possible_order_is_taken_with_a_warning_if_nothing_fits(world, tmp_path):
    padded = Numbered(
        world.courses.assign(course_id=[f"{int(one):03d}" for one in world.courses["course_id"]]),
        world.interactions.assign(
            learner_id=[f"{int(one):03d}" for one in world.interactions["learner_id"]],
            course_id=[f"{int(one):03d}" for one in world.interactions["course_id"]],
        ),
        world.scores,
        150,
    )
    report = Report()
    noise = np.random.default_rng(2).random(world.scores.shape)
    found = relevance_for(padded.bundle(), saved(tmp_path, noise, "npy"), report=report)
    assert len(found) == noise.size
    assert "no sign of belonging" in str(report.warnings[0])


def test_lists_with_ids_of_somebody_else_are_noticed(world, tmp_path):
    """A toolkit's inner numbers (0, 1, …) instead of the platform's ids (1, 2, …)."""
    bundle, report = world.bundle(), Report()
    inner = world.frame().assign(
        learner_id=lambda frame: (frame["learner_id"].astype(int) % world.learners + 1).astype(str)
    )
    inner.to_csv(tmp_path / "lists.csv", index=False)
    relevance_for(bundle, tmp_path / "lists.csv", report=report)
    assert len(report.warnings) == 1
    world.frame().to_csv(tmp_path / "lists.csv", index=False)
    fine = Report()
    relevance_for(bundle, tmp_path / "lists.csv", report=fine)
    assert not fine.warnings


def test_few_learners_and_equal_scores_are_not_judged(world):
    few = numbered(learners=LEAST - 1)
    assert alignment(few.bundle(), few.frame()).strength is None
    popular = world.frame().assign(score=1.0)
    every = pd.DataFrame(
        [(str(u + 1), str(c + 1), float(c)) for u in range(150) for c in range(60)],
        columns=["learner_id", "course_id", "score"],
    )
    bundle = world.bundle()
    assert alignment(bundle, every).learners is None  # whose row it is does not matter
    assert alignment(bundle, popular).strength is not None  # what they took is missing


@pytest.mark.parametrize("seed", range(8))
def test_right_orders_are_far_from_shuffled_ones(seed):
    world = numbered(learners=80, seed=seed)
    bundle, rng = world.bundle(), np.random.default_rng(seed)
    frame = world.frame()
    assert not alignment(bundle, frame).shuffled
    other = dict(zip(bundle.learner_ids, rng.permutation(bundle.learner_ids), strict=True))
    assert alignment(bundle, frame.assign(learner_id=frame["learner_id"].map(other))).shuffled


def test_the_command_line_says_it(world, tmp_path):
    bundle = world.bundle()
    bundle.save(tmp_path / "mine")
    path = saved(tmp_path, world.scores[by_text(world.learners)])
    result = run("import", "relevance", path, tmp_path / "mine")
    assert "warning: ours.npz: no ids given" in result.stderr
    found = eq.load_bundle(tmp_path / "mine")
    assert ndcg(bundle, world.frame()) == pytest.approx(
        eq.evaluate(found, eq.rerank(found, "ours", POLICY).courses, POLICY).ndcg
    )
