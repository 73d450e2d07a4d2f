"""The rows of the eight observations: verdict by sign and word, the whisker where the figures are,
everything escaped."""

from __future__ import annotations

import base64
import math
import re
from dataclasses import replace

import pandas as pd
import pytest

from equity_core.analysis.observations import VERDICTS, Figure, Observation, Part
from equity_core.charts.base.theme import palette
from equity_core.charts.observations import (
    SIGNS,
    interval_whisker,
    observation_parts,
    observation_row,
    verdict_html,
)
from tests.helpers.awkward import MARKUP


def drawing(made: str) -> str:
    return base64.b64decode(re.search(r"base64,([^\"]+)\"", made)[1]).decode()


def one(*parts: Part, verdict="holds", reason="") -> Observation:
    return Observation(
        6, MARKUP, verdict, reason, parts, "", pd.DataFrame(), Figure("audit", "", "")
    )


def test_every_verdict_has_a_sign_and_its_word():
    signs = [SIGNS[verdict][0] for verdict in VERDICTS]
    assert len(set(signs)) == len(VERDICTS)
    for verdict in VERDICTS:
        assert verdict in verdict_html(verdict)
        assert SIGNS[verdict][0] in verdict_html(verdict)


@pytest.mark.parametrize("side", ["above", "below"])
def test_the_whisker_is_where_the_figures_are(side):
    part = Part("name", "what", 0.2, 0.1, 0.4, line=0.0, side=side)
    made = drawing(interval_whisker(part))
    start, end = -0.4 * 0.14, 0.4 + 0.4 * 0.14

    def at(value: float) -> str:
        return f"{1 + 98 * (value - start) / (end - start):.2f}"

    assert f"M{at(0.1)} 10H{at(0.4)}" in made
    assert f"M{at(0.2)} 10h0" in made
    assert f"M{at(0.0)} 0V20" in made
    left = at(0.0) if side == "above" else "1.00"
    assert f'<rect x="{left}"' in made
    assert palette().good in made if side == "above" else palette().bad in made


def test_the_words_say_what_is_drawn():
    made = interval_whisker(
        Part("name", "a statistic", 0.71, 0.7, 0.72, line=0.8, form="level"), dark=True
    )
    assert (
        'role="img" aria-label="a statistic: 0.710 (95 % interval 0.700 to 0.720); claimed: above'
        ' 0.8"' in made
    )
    assert ">0.710 (0.700 to 0.720)<" in made
    assert palette(True).bad in drawing(made)
    share = interval_whisker(
        Part("name", "loss", 0.01, 0.0, 0.02, line=0.05, side="below", form="share")
    )
    assert "claimed: below +5.0 %" in share


def test_a_row_shows_the_part_that_decides_and_escapes_all():
    good, bad = Part("good", "all well", 0.2, 0.1, 0.3), Part("bad", "not well", -0.2, -0.3, -0.1)
    made = observation_row(one(good, bad, verdict="does not hold"))
    assert "Deciding part: not well." in made
    assert "all well" not in made
    assert "<script>" not in made
    assert "does not hold" in made
    both = observation_parts(one(good, bad))
    assert both.count('role="img"') == 2
    assert "All well" not in both
    assert "Good" in both


def test_a_part_says_why_it_is_not_comparable_and_where_it_holds():
    other = Part(
        "a", "mean variety", 0.2, 0.1, 0.3, incomparable="filled in for 60 % of the courses"
    )
    made = observation_parts(one(other))
    assert "mean variety (not comparable: filled in for 60 % of the courses)" in made
    some = Part("b", "the change", -0.2, -0.3, -0.1, at=(0.25, 0.5))
    made = observation_row(one(some, other, verdict="holds in part"))
    assert "Deciding part: mean variety (not comparable: filled in" in made
    assert "the change (holds at λ = 0.25 and 0.5)" in observation_parts(one(some))


def test_a_note_stands_beside_the_statistic():
    made = observation_row(
        replace(one(Part("a", "what", 0.2, 0.1, 0.3)), note=f"Without {MARKUP}.")
    )
    assert "What. Without &lt;script&gt;" in made


def test_what_cannot_be_checked_has_the_reason_and_no_drawing():
    made = observation_row(one(verdict="cannot be checked", reason=f"it needs {MARKUP}"))
    assert "It needs &lt;script&gt;" in made
    assert "<img" not in made
    assert "unknown here" in interval_whisker(Part("a", "b", math.nan, math.nan, math.nan))
