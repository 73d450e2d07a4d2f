"""The picture of proven shares shows the steps and the means that were found."""

from __future__ import annotations

import pandas as pd
import pytest

from equity_core.analysis.learners import certificates
from equity_core.charts.learners.certificates import proven_shares


@pytest.mark.parametrize("dark", [False, True])
def test_bars_and_means(dark: bool) -> None:
    found = pd.DataFrame(
        {"ratio": [0.95, 0.99, 0.995], "swapped_ratio": [0.9995] * 3, "solved": True}
    )
    steps, means = certificates.share_histogram(found), certificates.sample_summary(found)
    spec = proven_shares(steps, means, dark).to_dict()
    marks = [layer["mark"]["type"] for layer in spec["layer"]]
    assert marks == ["rect", "rect", "rule", "point", "text"]
    drawn = [pd.DataFrame(spec["datasets"][layer["data"]["name"]]) for layer in spec["layer"]]
    assert drawn[0]["learners"].sum() == drawn[1]["learners"].sum() == 3
    assert (drawn[0]["learners"] > 0).all()
    # What is proven is not rounded up.
    assert drawn[4]["text"].tolist() == ["as they are: mean 97.8 %", "after swaps: mean 99.9 %"]
    low, high = spec["layer"][0]["encoding"]["x"]["scale"]["domain"]
    assert low < 0.95
    assert high > 1.0


def test_nothing_proven() -> None:
    found = pd.DataFrame({"ratio": [float("nan")], "swapped_ratio": [float("nan")], "solved": True})
    spec = proven_shares(
        certificates.share_histogram(found), certificates.sample_summary(found)
    ).to_dict()
    assert "no share can be proven" in str(spec)
