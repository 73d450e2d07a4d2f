"""The chooser as one call: the same answers as the screens', on any data."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import equity_core as eq
from equity_core.analysis.choosing import limits
from equity_core.reranker import search as lam_search
from tests.helpers import awkward
from tests.helpers.audited import make

DEMO = Path(__file__).parents[3] / "data" / "demo"
COLUMNS = [
    "kind",
    "value",
    "equality",
    "consistency",
    "lowest",
    "chosen_ndcg",
    "chosen_loss",
    "ndcg",
    "loss",
    "loss_low",
    "loss_high",
]


def test_a_loss_limit_on_the_demo() -> None:
    bundle, policy = eq.load_bundle(DEMO), eq.Policy(k=5, lam=0.3)
    choice = eq.choose(bundle, "userknn", policy, loss=0.05)
    found = limits.maximum_loss(lam_search.search(bundle, "userknn", policy, "test", "valid"), 0.05)
    assert (choice.safe, choice.bold) == (found.safe.policy, found.bold.policy)
    assert list(choice.table.index) == ["own", "safe", "bold"]
    assert list(choice.table.columns) == COLUMNS
    for name, one in (("own", policy.but(lam=0.0)), ("safe", choice.safe), ("bold", choice.bold)):
        row, run = choice.table.loc[name], eq.rerank(bundle, "userknn", one)
        test, valid = (eq.evaluate(bundle, run, one, split=part) for part in ("test", "valid"))
        assert row["ndcg"] == test.ndcg
        assert row["equality"] == test.equality
        assert row["chosen_ndcg"] == pytest.approx(valid.ndcg, rel=1e-12)
        assert row["loss"] == pytest.approx(1 - test.ndcg / choice.table.loc["own", "ndcg"])
        assert row["loss_low"] <= row["loss"] <= row["loss_high"]
    assert "with 95 % confidence for learners like these" in choice.sentence
    assert "The test part is later than the validation part" in choice.sentence
    assert "Chosen on the validation part, reported on the test part." in choice.sentence
    assert "**" not in choice.sentence
    sure = eq.choose(bundle, "userknn", policy, loss=0.05, confidence=0.999)
    assert "with 99.9 % confidence" in sure.sentence
    assert sure.table.loc["safe", "equality"] <= choice.table.loc["safe", "equality"]


def test_the_part_that_is_named_is_the_part_that_is_used() -> None:
    bundle = eq.load_bundle(DEMO)
    choice = eq.choose(bundle, "userknn", eq.Policy(k=3), loss=0.1, chosen_on="test")
    assert choice.sentence.endswith(
        "Chosen and reported on the test part, which flatters the choice."
    )
    assert choice.table["chosen_loss"].tolist() == pytest.approx(choice.table["loss"].tolist())
    without = eq.choose(make(seed=2), "userknn", eq.Policy(k=3), loss=0.1)
    assert "There is no validation part: chosen and reported on the test" in without.sentence


def test_minimums_have_no_limit_to_be_sure_of() -> None:
    bundle, policy = make(seed=3), eq.Policy(k=5)
    floor = eq.choose(bundle, "userknn", policy, none_below=0.6)
    assert floor.safe == floor.bold == policy.but(lam=0.0, floor=0.6)
    assert "the loss of NDCG is not limited" in floor.sentence
    cheap = eq.choose(bundle, "userknn", policy, at_least={"affordability": 0.85})
    assert cheap.safe == cheap.bold
    run = eq.rerank(bundle, "userknn", cheap.safe)
    reached = eq.evaluate(bundle, run, cheap.safe).principles.loc["affordability", "mean"]
    assert reached >= 0.85 - 1e-9
    assert "the loss of NDCG is not limited" in cheap.sentence
    none = eq.choose(bundle, "userknn", policy, at_least={"affordability": 0.999, "quality": 0.99})
    assert (none.safe, none.bold) == (None, None)
    assert "reaches at most" in none.sentence
    assert "not limited" not in none.sentence
    assert none.table.loc["safe"].drop("kind").isna().all()


@pytest.mark.parametrize("name", list(awkward.BUNDLES))
def test_awkward_data(name: str) -> None:
    bundle = awkward.BUNDLES[name]()
    for question in ({"loss": 0.1}, {"none_below": 0.5}):
        choice = eq.choose(bundle, "userknn", eq.Policy(k=3), **question)
        assert choice.safe is not None
        assert "nan" not in choice.sentence.lower().replace("finance", "")
        assert list(choice.table.columns) == COLUMNS
    if name == "no_test":
        choice = eq.choose(bundle, "userknn", eq.Policy(k=3), loss=0.1)
        assert choice.safe == eq.Policy(k=3, lam=0.0)
        assert choice.bold is None
        assert choice.sentence.startswith("NDCG is unknown here")
        assert "hosen" not in choice.sentence
        assert math.isnan(choice.table.loc["own", "chosen_ndcg"])


def test_what_cannot_be_asked() -> None:
    bundle = make(seed=1)
    for wrong in (
        {},
        {"loss": 0.1, "none_below": 0.5},
        {"loss": 1.5},
        {"loss": math.nan},
        {"none_below": -0.1},
        {"at_least": {}},
        {"at_least": {"luck": 0.5}},
        {"loss": 0.1, "confidence": 1.0},
        {"loss": 0.1, "confidence": 0.1},
        {"loss": 0.1, "chosen_on": "validation"},
    ):
        with pytest.raises(ValueError, match=r"\w"):
            eq.choose(bundle, "userknn", eq.Policy(k=3), **wrong)
    with pytest.raises(KeyError, match="userknn"):
        eq.choose(bundle, "nobody", eq.Policy(k=3), loss=0.1)
    with pytest.raises(eq.Cancelled):
        eq.choose(bundle, "userknn", loss=0.1, progress=lambda done, total: done < 50)
