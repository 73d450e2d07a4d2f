"""What Overview and Trade-off say: cards, answers, choices, words; on ordinary and on awkward
data."""

from __future__ import annotations

import math

import pandas as pd
import pytest

import equity_core as eq
from equity_core.analysis.tradeoff import front, headline, paths, principles
from tests.helpers import awkward

POLICY = eq.Policy(k=5)


def run(
    bundle: eq.Bundle, policy: eq.Policy, algorithm: str = "userknn"
) -> tuple[eq.Run, eq.Evaluation]:
    made = eq.rerank(bundle, algorithm, policy)
    return made, eq.evaluate(bundle, made, policy)


def found_row(**values: float) -> pd.Series:
    base = {
        "value": 0.5,
        "before": 0.5,
        "change": 0.0,
        "change_low": 0.0,
        "change_high": 0.0,
        "relative": 0.0,
    }
    return pd.Series({**base, **values})


def compared(
    equality: tuple[float, float], ndcg: tuple[float, float], relative: float
) -> pd.DataFrame:
    rows = {
        "ndcg": found_row(
            change_low=ndcg[0], change_high=ndcg[1], relative=relative, change=sum(ndcg) / 2
        ),
        "consistency": found_row(),
        "equality": found_row(
            change_low=equality[0], change_high=equality[1], change=sum(equality) / 2
        ),
    }
    return pd.DataFrame(rows).T


@pytest.mark.parametrize(
    ("equality", "ndcg", "relative", "words"),
    [
        (
            (0.01, 0.02),
            (-0.004, -0.001),
            -0.05,
            "Floor 0.65 makes the lists more equal at a small price:",
        ),
        ((0.01, 0.02), (-0.04, -0.01), -0.2, "more equal at a moderate price:"),
        ((0.01, 0.02), (-0.04, -0.01), -0.5, "more equal at a large price:"),
        ((0.01, 0.02), (-0.01, 0.01), -0.01, "more equal at no clear cost in NDCG:"),
        ((0.01, 0.02), (0.001, 0.01), 0.1, "more equal and NDCG rises:"),
        ((-0.02, -0.01), (-0.004, -0.001), -0.05, "makes the lists less equal, at a small price:"),
        ((-0.01, 0.01), (-0.004, -0.001), -0.05, "makes no clear difference to equality:"),
        (
            (0.01, 0.02),
            (math.nan, math.nan),
            math.nan,
            "at an unknown cost in NDCG:",
        ),
    ],
)
def test_the_verdict_says_no_more_than_the_intervals(
    equality: tuple[float, float], ndcg: tuple[float, float], relative: float, words: str
) -> None:
    assert words in headline.verdict(compared(equality, ndcg, relative), "floor", 0.65)


def test_own_lists_change_nothing() -> None:
    assert "own lists: nothing changes" in headline.verdict(compared((0, 0), (0, 0), 0), "lam", 0.0)


def test_reach_says_when_a_floor_is_out_of_reach() -> None:
    assert "nobody reaches this floor" in headline.kept_sentence(0.99, 0, 60, 60)
    assert "everybody else reaches the floor" in headline.kept_sentence(0.5, 10, 0, 60)
    assert "3 (5 %) cannot reach it" in headline.kept_sentence(0.7, 10, 3, 60)


def test_cards_are_the_figures_of_evaluate(bundle: eq.Bundle) -> None:
    (_, before), (_, after) = run(bundle, POLICY.but(lam=0.0)), run(bundle, POLICY.but(floor=0.7))
    made = headline.cards(headline.compare(after, before), 5)
    assert [card["words"][0] for card in made] == ["NDCG@5", "Consistency", "Equality"]
    assert made[2]["words"][1] == f"{after.equality:.3f}"
    assert made[2]["strip"][:2] == (before.equality, after.equality)
    assert f"from {before.consistency:.3f}" in made[1]["words"][2]


def test_learners_whose_ndcg_changes_are_counted(bundle: eq.Bundle) -> None:
    name, policy = bundle.algorithms[0], eq.Policy(k=5)
    before, after = (
        eq.evaluate(bundle, eq.rerank(bundle, name, policy.but(lam=lam)), policy)
        for lam in (0.0, 1.0)
    )
    pairs = zip(before.per_learner_ndcg, after.per_learner_ndcg, strict=True)
    expected = sum(1 for a, b in pairs if not math.isnan(a) and a != b)
    assert headline.changed_ndcg(after, before) == expected > 0
    assert headline.changed_ndcg(before, before) == 0


def test_gap_is_the_distance_to_the_other_path(bundle: eq.Bundle) -> None:
    _, now = run(bundle, POLICY.but(floor=0.6))
    other = pd.DataFrame(
        {"ndcg": [now.ndcg - 1, now.ndcg + 1], "equality": [0.2, 0.4], "value": [0, 1]}
    )
    found = front.gap_to_other_path(now, other)
    assert found is not None
    assert (found["low"], found["high"]) == (pytest.approx(0.3), pytest.approx(now.equality))
    assert found["text"].startswith(f"+{now.equality - 0.3:.3f} equality")
    assert front.gap_to_other_path(now, other.assign(ndcg=5.0)) is None


@pytest.mark.parametrize("name", list(awkward.BUNDLES))
def test_every_sentence_stands_on_awkward_data(name: str) -> None:
    bundle = awkward.BUNDLES[name]()
    policy = eq.Policy(k=3, floor=0.7)
    (own_run, own), (now_run, now) = (
        run(bundle, policy.but(lam=0.0, floor=None)),
        run(bundle, policy),
    )
    found = headline.compare(now, own)
    texts = [
        headline.answer_sentence(found, policy, own_run, now_run),
        headline.differences_sentence(found),
    ]
    both = {
        "lam": paths.lam_path(bundle, "userknn", policy),
        "floor": paths.floor_path(bundle, "userknn", policy),
    }
    texts.append(front.alternative_text(both))
    texts.append(principles.before_and_after_sentence(principles.before_and_after(own, now)))
    for card in headline.cards(found, 3):
        texts += card["words"]
    assert all(isinstance(text, str) for text in texts)
    assert "nan" not in " ".join(texts).lower().replace("finance", "")
    assert texts[0].startswith("**")
