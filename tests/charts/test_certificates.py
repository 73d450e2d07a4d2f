"""The picture of proven shares shows the bars and the shares that were found."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from equity_core.analysis.learners import certificates
from equity_core.charts.learners.certificates import proven_shares
from tests.analysis.learners.test_certificates import floors, frame


def spec_of(found: pd.DataFrame, dark: bool = False) -> dict:
    bars, summary = certificates.share_histogram(found), certificates.sample_summary(found)
    return proven_shares(bars, summary, certificates.share_title(found), dark).to_dict()


def drawn_in(spec: dict) -> list[pd.DataFrame]:
    return [pd.DataFrame(spec["datasets"][layer["data"]["name"]]) for layer in spec["layer"]]


@pytest.mark.parametrize("dark", [False, True])
def test_bars_and_shares(dark: bool) -> None:
    spec = spec_of(frame(0.95, 0.99, 0.995, swapped=0.9995), dark)
    marks = [layer["mark"]["type"] for layer in spec["layer"]]
    assert marks == ["rect", "rect", "rule", "point", "text", "text"]
    drawn = drawn_in(spec)
    assert drawn[0]["learners"].sum() == drawn[1]["learners"].sum() == 3
    assert (drawn[0]["learners"] > 0).all()
    # What is proven is not rounded up.
    assert drawn[4]["text"].tolist() == [
        "as they are: 97.8 % of the gain of all together",
        "after swaps: 99.9 % of the gain of all together",
    ]
    x = spec["layer"][0]["encoding"]["x"]
    assert x["scale"]["domain"][0] < 0.95
    assert x["scale"]["domain"][1] > 1.0
    assert x["title"].endswith("axis cut")


def test_lists_worse_than_the_own_ones_are_drawn_left_of_nothing() -> None:
    spec = spec_of(frame(-386.0, 0.5, swapped=0.9))
    bars, means = drawn_in(spec)[0], drawn_in(spec)[2]
    assert bars.loc[bars["low"] < 0, "learners"].tolist() == [1]
    left, right = spec["layer"][0]["encoding"]["x"]["scale"]["domain"]
    assert left < means["mean"].min() < right
    assert "−19275.0 %" in means["text"].iloc[0]
    assert "axis cut" not in spec["layer"][0]["encoding"]["x"]["title"]


def test_a_floor_has_one_kind_of_bars() -> None:
    spec = spec_of(floors(0.9, 0.95))
    assert [layer["mark"]["type"] for layer in spec["layer"]][:2] == ["rect", "rule"]
    assert drawn_in(spec)[1]["text"].tolist() == ["those that had to change: 92.5 % on average"]


def test_nothing_proven() -> None:
    assert "no share can be proven" in str(spec_of(frame(math.nan, swapped=math.nan)))
    assert "no share can be proven" in str(spec_of(floors(1.0, state="out of reach")))
