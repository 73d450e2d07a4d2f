"""The same data set with other principles."""

from __future__ import annotations

from pathlib import Path

import pytest

import equity_core as eq
from tests.helpers.audited import make
from tests.helpers.worlds import tiny_frames


@pytest.fixture(scope="module")
def bundle() -> eq.Bundle:
    return make()


def test_other_principles_share_the_data(bundle: eq.Bundle) -> None:
    cheap = eq.Principle("cheap", "mean", "price", better="low")
    other = bundle.with_principles([cheap, bundle.principles[2]])
    policy = eq.Policy(k=5, lam=0.9)
    lists = eq.rerank(other, "userknn", policy)
    again = eq.Bundle.from_frames(
        *tiny_frames()[:2], relevance=tiny_frames()[2], principles=[cheap]
    )
    assert again.principles == (cheap,)
    found = eq.evaluate(other, lists, policy)
    assert list(found.principles.index) == ["cheap", "learnability"]
    assert found.learners["cheap"].mean() > 0.5
    assert bundle.principles[0].name == "familiarity"


def test_other_principles_are_saved_with_the_bundle(bundle: eq.Bundle, tmp_path: Path) -> None:
    cheap = eq.Principle("cheap", "mean", "price", better="low")
    other = bundle.with_principles([cheap, bundle.principles[2]])
    other.save(tmp_path / "other")
    again = eq.load_bundle(tmp_path / "other")
    assert again.principles == other.principles
    assert again.fingerprint == other.fingerprint != bundle.fingerprint


@pytest.mark.parametrize(
    ("principles_given", "message"),
    [
        ([], "at least one"),
        (
            [eq.Principle("x", "mean", "price"), eq.Principle("x", "mean", "rating")],
            "two principles are called 'x'",
        ),
        ([eq.Principle("x", "mean", "hours")], "no column 'hours'"),
        ([eq.Principle("x", "mean", "category")], "category|parse|numeric"),
    ],
)
def test_principles_that_cannot_be_used_are_explained(
    bundle: eq.Bundle, principles_given: list[eq.Principle], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        bundle.with_principles(principles_given)


def test_columns_that_a_principle_can_be_made_of(bundle: eq.Bundle) -> None:
    found = bundle.principle_columns()
    assert found["price"] == "mean"
    assert found["last_update"] == "mean"
    assert found["assets"] == "mean"
    assert found["category"] == "balance"
    assert not {"course_id", "title", "description"} & set(found)
