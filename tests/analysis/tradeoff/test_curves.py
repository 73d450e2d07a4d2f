"""Strategies over λ, what a loss buys, principles and relevance density: frames and sentences."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

import equity_core as eq
from equity_core.analysis.tradeoff import curves, density, paths, principles

POLICY = eq.Policy(k=5)


def test_by_strategy_and_at_lam(bundle: eq.Bundle) -> None:
    found = {
        ("userknn", s): paths.lam_path(bundle, "userknn", POLICY.but(strategy=s))
        for s in ("glob", "pers")
    }
    frame = curves.by_strategy(found)
    assert len(frame) == 2 * 3 * len(paths.LAMS)
    lines = curves.strategy_lines(frame)
    at = curves.lines_at_lam(lines, 0.9)
    expected = eq.sweep(bundle, "userknn", POLICY.but(strategy="pers"), lams=[0.9])
    assert at["userknn", "pers", "equality"] == pytest.approx(expected["equality"].iloc[0])
    ends = found["userknn", "glob"].set_index("value")["consistency"]
    assert curves.lines_at_lam(lines, 0.05)["userknn", "glob", "consistency"] == pytest.approx(
        (ends[0.0] + ends[0.1]) / 2
    )
    # What was measured at a λ goes before what is read off the lines, and the sentence says what is
    # read off.
    line = "userknn", "glob", "consistency"
    assert curves.lines_at_lam(
        lines, 0.05, {line: 0.123, ("userknn", "custom", "ndcg"): 0.5}
    ) == curves.lines_at_lam(lines, 0.05) | {line: 0.123}
    assert curves.is_between_points(lines, 0.05)
    assert not curves.is_between_points(lines, 0.9)
    said = curves.strategies_sentence(lines, 0.05, "userknn", {line: 0.123})
    assert "(other strategies: read off the lines)" in said
    assert "**Same for all (glob)** 0.123" in said
    assert "read off" not in curves.strategies_sentence(lines, 0.9, "userknn")


def test_bought_is_against_the_own_lists(bundle: eq.Bundle) -> None:
    found = {
        ("userknn", "glob"): paths.lam_path(bundle, "userknn", POLICY),
        ("userknn", "floor"): paths.floor_path(bundle, "userknn", POLICY),
    }
    frame = curves.gains_for_loss(found)
    for name in ("loss", "gain_consistency", "gain_equality"):
        known = frame.dropna(subset=[name])
        assert (known[f"{name}_low"] <= known[name] + 1e-12).all()
        assert (known[f"{name}_high"] >= known[name] - 1e-12).all()
    assert (frame["loss_high"] > frame["loss_low"]).any()
    own = eq.evaluate(bundle, eq.rerank(bundle, "userknn", POLICY.but(lam=0.0)), POLICY)
    first = frame[frame["line"] == "glob"].iloc[0]
    assert (first["loss"], first["gain_equality"]) == (0.0, 0.0)
    last = frame[frame["line"] == "floor"].iloc[-1]
    row = found["userknn", "floor"].iloc[-1]
    assert last["loss"] == pytest.approx(1 - row["ndcg"] / own.ndcg)
    assert last["gain_consistency"] == pytest.approx(row["consistency"] - own.consistency)


def test_density_counts_every_candidate_once(bundle: eq.Bundle) -> None:
    frame = density.density(bundle, bundle.algorithms)
    np.testing.assert_allclose(frame.groupby("algorithm")["share"].sum(), 1.0)
    relevance = bundle.relevance("userknn")
    scaled = density.scaled(relevance)
    one = relevance.scores[relevance.indptr[0] : relevance.indptr[1]]
    np.testing.assert_allclose(scaled[: len(one)], (one - one.min()) / (one.max() - one.min()))
    assert list(density.concentration(frame).index) == ["random", "userknn", "mine"]


@pytest.mark.parametrize(
    ("share", "fall", "words"),
    [
        (0.8, (0.0, math.nan), "80 % of its scores lie within a tenth of the scale. Move it"),
        (0.3, (0.2, 0.9), "where it matters: between λ = 0.9 and 0.95, NDCG loses 20 % of"),
        (0.3, (0.05, 0.9), ""),
    ],
)
def test_dense_scores_and_steep_falls_are_warned_of(
    share: float, fall: tuple[float, float], words: str
) -> None:
    shares = pd.Series({"userknn": share, "random": 0.9})
    warning = density.sensitivity_warning(shares, "userknn", fall)
    assert words in warning
    assert bool(warning) == bool(words)
    assert "the 2nd densest of 2 recommenders" in density.density_sentence(shares, "userknn")
    assert density.sensitivity_warning(shares, "mine", fall) == ""


def test_the_gains_name_the_line_that_gains_most() -> None:
    frame = pd.DataFrame(
        {
            "algorithm": "userknn",
            "line": ["glob", "floor"],
            "loss": [0.05, 0.5],
            "gain_equality": [0.01, 0.9],
            "gain_consistency": [math.nan, math.nan],
        }
    )
    words = curves.gains_sentences(frame)
    assert "“Same for all (glob)” gains the most equality: +0.010." in words["gain_equality"]
    assert words["gain_consistency"].startswith("NDCG is unknown here")


def test_principles_rise_or_fall() -> None:
    def sentence(**changes: float) -> str:
        frame = pd.DataFrame({"change": pd.Series(changes)})
        return principles.before_and_after_sentence(frame)

    assert sentence(quality=0.1, variety=-0.2) == "Quality rises most; variety falls."
    assert sentence(quality=0.1, variety=0.2) == "Variety and quality rise most; none falls."
    assert sentence(quality=0.001) == "No principle moves by as much as 0.005."
