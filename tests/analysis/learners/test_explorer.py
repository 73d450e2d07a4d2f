"""Every learner as a point: groups, sentences, and the picture's data."""

from __future__ import annotations

import math

import pandas as pd
import pytest

import equity_core as eq
from equity_core.analysis.learners import explorer
from equity_core.analysis.learners import population as gains
from equity_core.charts.learners import explorer as charts
from tests.helpers import awkward

POLICY = eq.Policy(lam=0.9, k=5)


def people(bundle: eq.Bundle, policy: eq.Policy = POLICY) -> pd.DataFrame:
    algorithm = bundle.algorithms[0]
    own, run = (eq.rerank(bundle, algorithm, p) for p in (policy.but(lam=0.0), policy))
    return gains.learners(
        bundle, own, run, eq.evaluate(bundle, own, policy), eq.evaluate(bundle, run, policy)
    )


def test_groups_say_what_happens(bundle: eq.Bundle) -> None:
    frame = people(bundle)
    shown = explorer.points(frame)
    assert list(shown.index) == list(frame.index[frame["consistency"].notna()])
    for at, row in shown.iterrows():
        learner = frame.loc[at]
        if not learner["changed"]:
            assert row["group"] == "keeps the list"
        elif math.isnan(learner["price"]):
            assert row["group"] == "NDCG unknown"
        elif abs(learner["price"]) <= 1e-9:
            assert row["group"] == "NDCG as before"
        else:
            assert row["group"] == ("NDCG rises" if learner["price"] > 0 else "NDCG falls")
    assert shown["group"].nunique() >= 2


def test_every_point_is_drawn_where_its_learner_is(bundle: eq.Bundle) -> None:
    shown = explorer.points(people(bundle))
    figure = charts.cloud(shown, here=int(shown.index[3]), dark=True)
    drawn = {
        int(custom[0]): (x, y)
        for trace in figure.data
        if trace.customdata is not None
        for custom, x, y in zip(trace.customdata, trace.x, trace.y, strict=True)
    }
    assert drawn == {
        at: (row["consistency_before"], row["consistency"]) for at, row in shown.iterrows()
    }
    ring = figure.data[-1]
    assert (ring.x[0], ring.y[0]) == drawn[int(shown.index[3])]


def test_many_points_are_drawn_by_the_graphics_card(
    bundle: eq.Bundle, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = explorer.points(people(bundle))
    assert {trace.type for trace in charts.cloud(shown).data} == {"scatter"}
    monkeypatch.setattr(charts, "MANY", len(shown) - 1)
    assert {trace.type for trace in charts.cloud(shown).data} == {"scattergl"}


def test_those_picked_out(bundle: eq.Bundle) -> None:
    shown = explorer.points(people(bundle))
    some = [int(at) for at in shown.index[:4]]
    reported = {
        "selection": {
            "points": [{"customdata": [at, "x", 0.0]} for at in (*some, some[0])] + [{"x": 1}]
        }
    }
    assert charts.picked(reported) == some
    assert charts.picked(None) == charts.picked({}) == []
    said = explorer.picked_sentence(shown, some)
    assert said.startswith("4 learners picked out")
    assert (
        f"{shown.loc[some, 'consistency_before'].mean():.3f} →"
        f" {shown.loc[some, 'consistency'].mean():.3f}" in said
    )
    # A selection made under another policy may name learners that are not shown any more.
    assert explorer.picked_sentence(shown, [10**9]) == "Nobody is picked out."


@pytest.mark.parametrize("name", ["no_test", "three_learners", "one_category"])
def test_awkward_data(name: str) -> None:
    frame = people(getattr(awkward, name)(), POLICY.but(k=3))
    shown = explorer.points(frame)
    assert len(charts.cloud(shown).data) >= 1
    assert explorer.sentence(shown)
    nobody = shown.iloc[:0]
    assert explorer.sentence(nobody) == "No learner has a list."
    assert len(charts.cloud(nobody).data) == 0
