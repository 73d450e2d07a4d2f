"""The worst-off tenth before and after a policy: frames and sentence of the Overview."""

from __future__ import annotations

import math

import pandas as pd
import pytest

import equity_core as eq
from equity_core.analysis import overview

POLICY = eq.Policy(k=5)


def test_worst_off_tenth_is_chosen_today(bundle: eq.Bundle) -> None:
    before, after = (
        eq.evaluate(bundle, eq.rerank(bundle, "userknn", policy), policy)
        for policy in (POLICY.but(lam=0.0), POLICY.but(floor=0.7))
    )
    groups = overview.worst_off_groups(before, after)
    order = before.learners["consistency"].sort_values().index[:6]
    assert groups.loc["worst-off tenth", "learners"] == 6
    assert groups.loc["worst-off tenth", "consistency_after"] == pytest.approx(
        after.learners.loc[order, "consistency"].mean()
    )
    frame = overview.worst_off_principles(before, after)
    assert frame.loc["quality", "before"] == pytest.approx(
        before.learners.loc[order, "quality"].mean()
    )


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (0.5, 0.6, "worst off today rises from 0.500 to 0.600; the others have 0.700."),
        (0.6, 0.5, "worst off today falls from 0.600 to 0.500; the others have 0.700."),
        (0.5, 0.5, "worst off today stays at 0.500; the others have 0.700."),
        (math.nan, math.nan, "No learner has a list."),
    ],
)
def test_the_sentence_says_what_happens_to_them(before: float, after: float, words: str) -> None:
    groups = pd.DataFrame(
        {"consistency_before": [before, 0.7], "consistency_after": [after, 0.7]},
        index=["worst-off tenth", "others"],
    )
    assert overview.worst_off_sentence(groups).endswith(words)
