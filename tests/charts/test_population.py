"""Every learner in pictures: bars by tenth and the cloud of points carry their frames."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import equity_core as eq
from equity_core.analysis.learners import population
from equity_core.charts.learners.population import (
    gains_by_tenth,
    learner_cloud,
    selected_learners,
)
from tests.helpers import awkward
from tests.helpers.drawn import drawn, layers

POLICY = eq.Policy(lam=0.9, k=5)


def people(bundle: eq.Bundle, policy: eq.Policy = POLICY) -> pd.DataFrame:
    algorithm = bundle.algorithms[0]
    own, run = (eq.rerank(bundle, algorithm, p) for p in (policy.but(lam=0.0), policy))
    return population.learner_changes(
        bundle, own, run, eq.evaluate(bundle, own, policy), eq.evaluate(bundle, run, policy)
    )


def test_gains_carry_the_frame(bundle: eq.Bundle) -> None:
    frame = population.changes_by_tenth(people(bundle))
    rows = drawn(gains_by_tenth(frame, 3), "bar")
    np.testing.assert_allclose(rows["gain"], frame["gain"])
    np.testing.assert_allclose(rows["price"].astype(float), frame["price"])
    top = np.abs(frame["gain"]).max()
    np.testing.assert_allclose(rows["gain_at"], frame["gain"] / top)
    texts = [layer for layer in layers(gains_by_tenth(frame, 3)) if layer["mark"]["type"] == "text"]
    assert len(texts) >= 5


def test_every_point_is_drawn_where_its_learner_is(bundle: eq.Bundle) -> None:
    shown = population.learner_points(people(bundle))
    figure = learner_cloud(shown, here=int(shown.index[3]), dark=True)
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
    shown = population.learner_points(people(bundle))
    assert {trace.type for trace in learner_cloud(shown).data} == {"scatter"}
    monkeypatch.setattr("equity_core.charts.learners.population.MANY_POINTS", len(shown) - 1)
    assert {trace.type for trace in learner_cloud(shown).data} == {"scattergl"}


def test_a_selection_is_read(bundle: eq.Bundle) -> None:
    some = [int(at) for at in population.learner_points(people(bundle)).index[:4]]
    reported = {
        "selection": {
            "points": [{"customdata": [at, "x", 0.0]} for at in (*some, some[0])] + [{"x": 1}]
        }
    }
    assert selected_learners(reported) == some
    assert selected_learners(None) == selected_learners({}) == []


@pytest.mark.parametrize("name", ["no_test", "three_learners", "one_category"])
def test_awkward_data(name: str) -> None:
    frame = people(getattr(awkward, name)(), POLICY.but(k=3))
    shown = population.learner_points(frame)
    assert len(learner_cloud(shown).data) >= 1
    assert population.points_sentence(shown)
    nobody = shown.iloc[:0]
    assert len(learner_cloud(nobody).data) == 0
