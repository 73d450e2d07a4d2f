"""Whether one part of the data is later than another."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import equity_core as eq
from equity_core.analysis.choosing import words
from equity_core.analysis.choosing.timing import later_part
from tests.helpers.audited import make

DEMO = Path(__file__).parents[3] / "data" / "demo"


class Log:
    """All of a bundle that is looked at."""

    def __init__(self, rows: list[tuple[int, str, float]]) -> None:
        frame = pd.DataFrame(rows, columns=["learner", "split", "timestamp"])
        self.interactions = frame.assign(timestamp=pd.to_datetime(frame["timestamp"], unit="D"))


CASES = {
    "later for all": ([(0, "valid", 1), (0, "test", 2), (1, "valid", 5), (1, "test", 6)], "test"),
    "earlier for all": ([(0, "valid", 2), (0, "test", 1), (1, "valid", 6)], "valid"),
    "mixed": ([(0, "valid", 1), (0, "test", 2), (1, "valid", 6), (1, "test", 5)], ""),
    "overlapping": ([(0, "valid", 1), (0, "valid", 3), (0, "test", 2)], ""),
    "nobody in both, later": ([(0, "valid", 1), (1, "test", 2)], "test"),
    "nobody in both, earlier": ([(0, "valid", 3), (1, "test", 2)], "valid"),
    "nobody in both, overlapping": ([(0, "valid", 1), (0, "valid", 3), (1, "test", 2)], ""),
    "undated": ([(0, "valid", np.nan), (0, "test", 2)], ""),
    "one part only": ([(0, "test", 2)], ""),
}


@pytest.mark.parametrize("name", CASES)
def test_the_later_part(name: str) -> None:
    rows, expected = CASES[name]
    assert later_part(Log(rows), "valid", "test") == expected
    assert later_part(Log(rows), "test", "test") == ""


def test_what_is_said_about_it() -> None:
    assert later_part(eq.load_bundle(DEMO), "valid", "test") == "test"
    assert later_part(make(seed=1), "valid", "test") == ""
    assert words.time_sentence("", "valid", "test") == ""
    assert words.time_sentence("test", "valid", "test").startswith(
        "The test part is later than the validation part"
    )
    assert words.time_sentence("valid", "valid", "test").startswith(
        "The validation part is later than the test part"
    )
