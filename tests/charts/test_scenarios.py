"""Scenarios side by side and on the plane carry the frame's figures; names are escaped."""

from html import unescape

import numpy as np
import pytest

import equity_core as eq
from equity_core.analysis.decisions import scenarios
from equity_core.charts.decisions import scenarios_panel, scenarios_plane
from tests.helpers.awkward import BUNDLES, MARKUP
from tests.helpers.drawn import drawn


def table(bundle, names=("own", "floor", MARKUP), k=5):
    policies = (eq.Policy(lam=0.0, k=k), eq.Policy(floor=0.7, k=k), eq.Policy(lam=0.9, k=k))
    found = []
    for name, policy in zip(names, policies, strict=True):
        run, own = (
            eq.rerank(bundle, bundle.algorithms[0], one)
            for one in (policy, policy.but(lam=0.0, floor=None))
        )
        found.append(
            scenarios.MeasuredScenario(
                name, run, eq.evaluate(bundle, run, policy), own, eq.evaluate(bundle, own, policy)
            )
        )
    return scenarios.comparison_table(found)


def test_the_panel_has_every_figure_and_no_markup(bundle):
    frame = table(bundle)
    names = [principle.name for principle in bundle.principles]
    html = scenarios_panel(frame, names)
    assert "<script" not in html
    assert MARKUP in unescape(html)
    for row in frame.to_dict("records"):
        assert f"<b>{row['ndcg']:.4f}</b>" in html
        assert f"<b>{row['equality']:.3f}</b>" in html
        for name in names:
            assert f"{row[name]:.3f}<i" in html
    assert html.count('scope="col"') == 4
    assert html.count("no floor") == 2
    best = frame["equality"].max()
    assert f"<td class=best><b>{best:.3f}</b>" in html


def test_the_plane_has_every_scenario(bundle):
    frame = table(bundle)
    rows = drawn(scenarios_plane(frame), "point").set_index("scenario")
    for name, row in frame.iterrows():
        for column in ("ndcg", "equality", "ndcg_own", "equality_own"):
            assert rows.loc[name, column] == pytest.approx(row[column])
    labels = np.sort(rows["label_at"].to_numpy())
    assert (np.diff(labels) > 0).all()


@pytest.mark.parametrize("name", BUNDLES)
def test_awkward_data(name):
    bundle = BUNDLES[name]()
    frame = table(bundle)
    html = scenarios_panel(frame, [principle.name for principle in bundle.principles], dark=True)
    assert "nan" not in html
    scenarios_plane(frame, dark=True).to_dict()
