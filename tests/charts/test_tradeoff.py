"""The charts of Overview and Trade-off: their data are the frames' figures; every text in a panel
is escaped."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

import equity_core as eq
from equity_core.analysis.overview import worst_off_principles
from equity_core.analysis.tradeoff import curves, density, paths, principles, published
from equity_core.analysis.tradeoff.front import current_point
from equity_core.charts.base import panels, templates
from equity_core.charts.base.theme import palette
from equity_core.charts.overview import worst_off_chart, worst_off_template
from equity_core.charts.tradeoff.curves import (
    gains_chart,
    strategies_template,
    strategy_grid,
    strategy_marks,
)
from equity_core.charts.tradeoff.density import density_chart
from equity_core.charts.tradeoff.front import front_chart, front_template
from equity_core.charts.tradeoff.principles import (
    dumbbells_chart,
    dumbbells_template,
    over_path_marks,
    over_path_template,
)
from tests.helpers import awkward

POLICY = eq.Policy(k=5)


def data(spec: dict[str, Any], name: str) -> pd.DataFrame:
    """A data set of a specification: rows, or Arrow where it was put in later."""
    rows = spec["datasets"][name]
    return (
        pa.ipc.open_stream(rows).read_all().to_pandas()
        if isinstance(rows, bytes)
        else pd.DataFrame(rows)
    )


def rows_of(spec: dict[str, Any], mark: str) -> list[pd.DataFrame]:
    """The data of every layer with a mark of this type."""
    out = []
    for layer in spec["layer"]:
        if layer["mark"]["type"] == mark:
            out.append(data(spec, layer["data"]["name"]))
    return out


@pytest.fixture(scope="module")
def both(bundle: eq.Bundle) -> dict[str, pd.DataFrame]:
    return {
        "lam": paths.lam_path(bundle, "userknn", POLICY),
        "floor": paths.floor_path(bundle, "userknn", POLICY),
    }


def test_front_draws_both_paths_and_the_point(
    bundle: eq.Bundle, both: dict[str, pd.DataFrame]
) -> None:
    rows = paths.both_in_one(both["lam"], both["floor"])
    own = both["lam"].iloc[0]
    spec = front_template(rows, {"ndcg": own["ndcg"], "equality": own["equality"]}, limit=0.1, k=5)
    line = rows_of(spec, "line")[0]
    expected = eq.sweep(bundle, "userknn", POLICY, lams=paths.LAMS)
    got = line[line["kind"] == "lam"]
    assert list(got["ndcg"]) == pytest.approx(list(expected["ndcg"]))
    assert list(got["equality"]) == pytest.approx(list(expected["equality"]))
    region = rows_of(spec, "rect")[0].iloc[0]
    assert region["ndcg"] == pytest.approx(own["ndcg"] * 0.9)
    now = eq.evaluate(bundle, eq.rerank(bundle, "userknn", POLICY.but(lam=0.9)), POLICY)
    at = front_chart(
        spec,
        current_point(POLICY.but(lam=0.9), now),
        {"ndcg": 0.1, "low": 0.8, "high": 0.9, "text": "x"},
        rows.iloc[:2],
    )
    assert data(at, "now").iloc[0]["equality"] == now.equality
    assert data(at, "now").iloc[0]["text"] == "λ = 0.9: chosen"
    assert data(at, "gap").iloc[0]["middle"] == pytest.approx(0.85)
    assert "now" not in spec["datasets"]  # the template is not changed
    picks = [param["name"] for param in spec["params"]]
    assert picks == ["pick"]


def test_front_says_when_ndcg_is_unknown() -> None:
    bundle = awkward.no_test()
    rows = paths.lam_path(bundle, "userknn", eq.Policy(k=3))
    spec = front_chart(
        front_template(rows, {"ndcg": float("nan"), "equality": 0.9}, limit=0.1),
        {"ndcg": float("nan"), "equality": 0.9, "text": "x"},
    )
    assert "no test part" in str(spec["datasets"])
    assert data(spec, "now").empty


def segments(points: pd.DataFrame) -> list[pd.DataFrame]:
    """The lines of one that breaks between them."""
    ends = points["x_at"].isna()
    return [
        part[part["x_at"].notna()]
        for _, part in points.groupby(ends.shift(fill_value=False).cumsum())
    ]


def test_strategies_keep_the_true_values(bundle: eq.Bundle, both: dict[str, pd.DataFrame]) -> None:
    frame = curves.by_strategy({("userknn", "glob"): both["lam"], ("userknn", "pers"): both["lam"]})
    at = curves.lines_at_lam(curves.strategy_lines(frame), 0.9)
    spec = templates.with_data(
        strategies_template(frame), now=strategy_marks(strategy_grid(frame), at, 0.9)
    )
    curve = segments(rows_of(spec, "line")[-1])
    assert len(curve) == 6  # two strategies, three measures
    one, grid = curve[0], strategy_grid(frame)
    assert list(one["x_at"]) == list(both["lam"]["value"])
    assert list(one["y_at"]) == [grid.y("ndcg", value) for value in both["lam"]["ndcg"]]
    # The band lies around its line, in the same cell, and is not cut off.
    band = segments(rows_of(spec, "area")[0])[0]
    assert list(band["low_at"]) == [grid.y("ndcg", value) for value in both["lam"]["ndcg_low"]]
    assert (band["low_at"] <= one["y_at"] + 1e-9).all()
    assert (band["high_at"] >= one["y_at"] - 1e-9).all()
    assert (band["high_at"] - band["low_at"]).min() > 0
    # Strips tell the true values; they lie side by side, and fill their cell.
    strips = rows_of(spec, "rect")[0]
    glob = strips[strips["strategy"] == "glob"]
    assert [text.split(",")[0] for text in glob["ndcg"]] == [
        f"{value:.4f}" for value in both["lam"]["ndcg"]
    ]
    assert glob["x_at"].iloc[0] == 0 and glob["x2"].iloc[-1] == 1  # noqa: PT018
    assert list(glob["x2"].iloc[:-1]) == list(glob["x_at"].iloc[1:])
    bare = strategies_template(frame.assign(low=float("nan"), high=float("nan")))
    assert list(rows_of(bare, "rect")[0]["ndcg"]) == [
        text.split(",")[0] for text in strips["ndcg"]
    ]  # no interval: the value alone
    assert len(data(spec, "now")) == 6
    assert list(data(spec, "now")["value"].round(6)) == [round(value, 6) for value in at.values()]


def test_bought_and_density(bundle: eq.Bundle, both: dict[str, pd.DataFrame]) -> None:
    frame = curves.gains_for_loss(
        {("userknn", "glob"): both["lam"], ("userknn", "floor"): both["floor"]}
    )
    drawn = rows_of(gains_chart(frame, "gain_equality").to_dict(), "line")[0]
    assert list(drawn["loss"]) == pytest.approx(list(frame["loss"]))
    whiskers = [
        layer["encoding"]
        for layer in gains_chart(frame, "gain_equality").to_dict()["layer"]
        if layer["mark"]["type"] == "rule"
    ]
    assert [
        ("loss_low" in str(e["x"]), "gain_equality_low" in str(e.get("y"))) for e in whiskers[1:]
    ] == [(True, False), (False, True)]
    spread = density.density(bundle, bundle.algorithms)
    bars = rows_of(density_chart(spread, "userknn").to_dict(), "rect")[0]
    assert list(bars["share"]) == pytest.approx(list(spread["share"]))


def test_principles_over_lam_and_dumbbells(
    bundle: eq.Bundle, both: dict[str, pd.DataFrame]
) -> None:
    names = [p.name for p in bundle.principles]
    frame = principles.over_path(both["lam"], names)
    spec = over_path_template(frame, names)
    drawn = rows_of(spec, "line")[0]
    assert list(drawn[drawn["principle"] == "quality"]["mean"]) == list(both["lam"]["quality"])
    band = rows_of(spec, "area")[0]
    assert list(band[band["principle"] == "quality"]["high"]) == list(both["lam"]["quality_high"])
    own, now = (
        eq.evaluate(bundle, eq.rerank(bundle, "userknn", p), p)
        for p in (POLICY.but(lam=0.0), POLICY.but(lam=0.9))
    )
    assert len(over_path_marks(frame, names, now.principles["mean"], 0.9)) == len(names)
    assert over_path_marks(frame, names, now.principles["mean"], None).empty
    table = principles.before_and_after(own, now)
    filled = dumbbells_chart(dumbbells_template(names), table)
    points = data(filled, "points")
    assert list(points[points["when"] == "policy"]["mean"]) == list(now.principles["mean"])
    assert list(data(filled, "rows")["principle"]) == names
    worst = worst_off_chart(worst_off_template(names), worst_off_principles(own, now))
    assert len(data(worst, "points")) == 2 * len(names)


@pytest.mark.parametrize("dark", [False, True])
def test_colours_reach_a_contrast_of_three(dark: bool) -> None:
    colours = palette(dark)

    def light(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        return sum(
            w * (p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4)
            for w, p in zip((0.2126, 0.7152, 0.0722), parts, strict=True)
        )

    page = light(colours.background)
    shown = (
        [colours.algorithm(name) for name in eq.ALGORITHMS]
        + colours.principles(["x"] * 10)
        + [colours.before, colours.lam, colours.floor]
    )
    for colour in shown:
        one, two = sorted((page, light(colour)))
        assert (two + 0.05) / (one + 0.05) >= 3.0, colour
    for text in (colours.text, colours.muted, colours.good, colours.bad):
        one, two = sorted((page, light(text)))
        assert (two + 0.05) / (one + 0.05) >= 4.5, text


def test_panels_escape_every_text() -> None:
    bad = '<script>"x"</script>'
    made = panels.card(bad, bad, means=bad, change=bad, detail=bad)
    made += panels.slider_panel(0.5, bad, bad, (bad, bad), "lam")
    assert "<script" not in made
    assert made.count("&lt;script&gt;") == 11


def test_curve_and_strip_stand_on_missing_values() -> None:
    nan = float("nan")
    assert panels.strip(nan, nan) == ""
    assert panels.curve([0, 1], [nan, nan], [0.9, 0.9], hue="lam").startswith("<img")


def test_packed_data_are_arrow(both: dict[str, pd.DataFrame]) -> None:
    own = both["lam"].iloc[0]
    spec = templates.compact(
        front_template(both["lam"], {"ndcg": own["ndcg"], "equality": own["equality"]}, limit=0.1)
    )
    for data in spec["datasets"].values():
        assert pa.ipc.open_stream(data).read_all().num_rows >= 0


def test_published_methods_stand_beside_the_paths(
    bundle: eq.Bundle, both: dict[str, pd.DataFrame]
) -> None:
    rows = paths.both_in_one(both["lam"], both["floor"])
    own = {name: float(both["lam"][name].iloc[0]) for name in ("ndcg", "equality")}
    theirs = published.published_paths(bundle, "userknn", POLICY)
    spec = front_template(rows, own, limit=0.1, k=5, published=theirs)
    now = {"ndcg": own["ndcg"], "equality": own["equality"], "text": "Own lists: chosen"}
    made = front_chart(spec, now)
    drawn = [part for part in rows_of(spec, "line") if "name" in part]
    assert len(drawn) == 1
    assert len(drawn[0]) == len(theirs)
    assert set(drawn[0]["name"]) == set(theirs["name"])
    words = data(made, "labels")["text"].tolist()
    assert set(theirs["name"]) <= set(words), "every method is labelled directly"
    view = spec["usermeta"].view
    assert theirs["ndcg"].between(*view.x).all()
    assert theirs["equality"].between(*view.y).all()
    plain = front_template(rows, own, limit=0.1, k=5)
    assert [part for part in rows_of(plain, "line") if "name" in part] == []
