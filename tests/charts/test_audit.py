"""What the charts of Data and Audit carry is what equity_core measured."""

import numpy as np
import pandas as pd
import pytest

import equity_core as eq
from equity_core.analysis.audit import groups, past, principles, recommenders, spread, worst_off
from equity_core.analysis.data import catalogue, provenance
from equity_core.charts.audit.groups import gap_bars, group_consistency_dots, group_worst_off_dots
from equity_core.charts.audit.past import pair_correlation_dots, pairs_scatter, past_tenths_dots
from equity_core.charts.audit.principles import (
    STEP,
    correlation_heatmap,
    equality_heatmap,
    principle_grid,
)
from equity_core.charts.audit.spread import (
    equality_consistency_scatter,
    error_bars,
    lorenz_gap_lines,
    lorenz_lines,
    sorted_curves,
)
from equity_core.charts.base import marks
from equity_core.charts.data import coverage_bars, split_timeline, statistic_bars
from tests.helpers.audited import own
from tests.helpers.awkward import BUNDLES
from tests.helpers.drawn import axis_domain, drawn, layers


def test_every_statistic_is_drawn_as_counted(bundle):
    for one in catalogue.statistics(bundle):
        rows = drawn(statistic_bars(one.frame, kind=one.kind, counted=one.counted), "bar")
        assert rows["label"].tolist() == one.frame["label"].tolist()
        assert rows["count"].tolist() == one.frame["count"].tolist()


def test_coverage_and_splits(bundle):
    rows = drawn(coverage_bars(provenance.coverage(bundle)), "bar")
    np.testing.assert_allclose(rows["share_known"], 1 - bundle.coverage["share_filled"])
    rows = drawn(split_timeline(provenance.splits(bundle)), "bar")
    assert rows["interactions"].sum() == len(bundle.interactions)


def test_the_scatter_has_the_intervals_within_its_axes(found):
    frame = recommenders.table(found)
    chart = equality_consistency_scatter(frame, "userknn").to_dict()
    lines = [layer["encoding"] for layer in chart["layer"] if layer["mark"]["type"] == "rule"]
    assert [(line["x"]["field"], line["y"]["field"]) for line in lines] == [
        ("consistency_low", "equality"),
        ("consistency", "equality_low"),
    ]
    assert [line.get("x2", line.get("y2"))["field"] for line in lines] == [
        "consistency_high",
        "equality_high",
    ]
    for line, name in zip(lines, ("x", "y"), strict=True):
        low, high = line[name]["scale"]["domain"]
        measure = "consistency" if name == "x" else "equality"
        assert low <= frame[f"{measure}_low"].min()
        assert high >= frame[f"{measure}_high"].max()


def test_table_one_in_the_error_bars_and_the_scatter(found):
    frame = recommenders.table(found)
    for chart in (
        error_bars(frame, "userknn"),
        equality_consistency_scatter(frame, "userknn"),
    ):
        rows = drawn(chart, "point").set_index("algorithm")
        for name, evaluation in found.items():
            assert rows.loc[name, "consistency"] == pytest.approx(evaluation.consistency)
            assert rows.loc[name, "equality"] == pytest.approx(evaluation.equality)
    rows = drawn(error_bars(frame, "userknn"), "point").set_index("algorithm")
    np.testing.assert_allclose(rows["below"], frame["consistency"] - frame["sd"])
    np.testing.assert_allclose(rows["above"], frame["consistency"] + frame["sd"])


def test_the_sorted_curve_holds_every_learner(found):
    chart = sorted_curves(spread.sorted_consistency(found), "userknn")
    rows = drawn(chart, "line")
    for name, evaluation in found.items():
        got = evaluation.per_learner_consistency
        np.testing.assert_allclose(
            rows.loc[rows["algorithm"] == name, "consistency"], np.sort(got[~np.isnan(got)])
        )
    thick = [layer for layer in layers(chart) if layer["mark"]["type"] == "line"][1]
    assert set(thick["rows"]["algorithm"]) == {"userknn"}
    low, high = axis_domain(chart, "line", "y")
    assert low <= rows["consistency"].min()
    assert high >= rows["consistency"].max()
    title = next(layer for layer in layers(chart) if layer["mark"]["type"] == "line")["encoding"][
        "y"
    ]["title"]
    assert f"axis {low:g} to {high:g}" in title


def test_the_lorenz_curve_and_its_zoomed_view(found):
    frame = spread.lorenz_curves(found)
    for chart, field in (
        (lorenz_lines(frame, "userknn"), "held"),
        (lorenz_gap_lines(frame, "userknn"), "missing"),
    ):
        rows = pd.concat(
            [
                layer["rows"]
                for layer in layers(chart)
                if layer["mark"]["type"] == "line" and "algorithm" in layer["rows"]
            ]
        )
        np.testing.assert_allclose(
            rows.loc[rows["algorithm"] == "mine", field],
            frame.loc[frame["algorithm"] == "mine", field],
        )


@pytest.mark.parametrize("panels", ["algorithm", "principle"])
def test_the_grid_places_every_mark_in_its_panel(found, panels):
    frame = principles.principles_by_algorithm(found)
    rows = drawn(principle_grid(frame, "userknn", panels), "point")
    heads = list(dict.fromkeys(frame["label" if panels == "algorithm" else "principle"]))
    for row in rows.itertuples():
        start = heads.index(row.label if panels == "algorithm" else row.principle) * STEP
        measured = found[row.algorithm].principles.loc[row.principle]
        assert row.x - start == pytest.approx(measured["mean"])
        assert row.low - start == pytest.approx(measured["min"])
        assert row.high - start == pytest.approx(measured["max"])
        assert row.above - start == pytest.approx(min(1.0, measured["mean"] + measured["sd"]))
    assert len(rows) == len(found) * 7


def test_every_layer_of_the_grid_has_the_same_axis(found):
    """Where layers differ, Vega-Lite merges their axes and drops every other label."""
    chart = principle_grid(principles.principles_by_algorithm(found), "userknn")
    axes = [
        layer["encoding"]["x"]["axis"]
        for layer in layers(chart)
        if "field" in layer["encoding"].get("x", {})
    ]
    assert len(axes) > 3
    assert all(axis == axes[0] for axis in axes)


def test_correlations(found):
    frame = principles.correlations_with_consistency(found)
    rows = drawn(correlation_heatmap(frame), "rect")
    np.testing.assert_allclose(rows["rho"].astype(float), frame["rho"])
    assert rows["text"].iloc[0] == f"{frame['rho'].iloc[0]:.2f}".replace("-", "−")


def test_equality_by_principle(found):
    frame = principles.equality_by_principle(found)
    rows = drawn(equality_heatmap(frame), "rect")
    np.testing.assert_allclose(rows["equality"].astype(float), frame["equality"])
    assert rows["text"].tolist() == [f"{value:.3f}" for value in frame["equality"]]


def test_pairs_and_pasts(bundle, found):
    before = past.past_consistency(bundle, eq.Policy())
    sampled = past.pair_differences(before, found["userknn"])
    rows = drawn(pairs_scatter(sampled, past.pair_trend(sampled)), "point")
    np.testing.assert_allclose(rows[["past", "lists"]], sampled[["past", "lists"]])
    by_algorithm = past.pair_correlations(before, found)
    np.testing.assert_allclose(
        drawn(pair_correlation_dots(by_algorithm, "mine"), "point")["rho"], by_algorithm["rho"]
    )
    tenths = past.past_tenths(before, found)
    np.testing.assert_allclose(
        drawn(past_tenths_dots(tenths), "point")["consistency"], tenths["consistency"]
    )


def test_groups_and_the_gap(bundle, lists, found):
    frame = groups.groups_by_column(bundle, found["userknn"], "region")
    np.testing.assert_allclose(
        drawn(group_consistency_dots(frame), "point")["consistency"], frame["consistency"]
    )
    np.testing.assert_allclose(
        drawn(group_worst_off_dots(frame), "point")["share_of_worst_off"],
        frame["share_of_worst_off"],
    )
    gap = worst_off.gap_by_principle(bundle, lists["userknn"].courses, found["userknn"])
    np.testing.assert_allclose(drawn(gap_bars(gap), "bar")["part"], gap["part"])


def test_labels_are_kept_apart_in_order_and_moved_as_little_as_needed():
    values = [0.5, 0.51, 0.1, 0.515]
    moved = marks.spread_apart(values, 0.05)
    assert moved[2] == 0.1
    assert sorted(range(4), key=lambda at: moved[at]) == sorted(range(4), key=lambda at: values[at])
    assert min(np.diff(sorted(moved))) >= 0.05 - 1e-9
    assert np.mean([moved[at] for at in (0, 1, 3)]) == pytest.approx(np.mean([0.5, 0.51, 0.515]))
    assert marks.spread_apart([0.0, 1.0], 0.5) == [0.0, 1.0]


@pytest.mark.parametrize(
    ("values", "ends"),
    [([0.42, 0.58], (0.4, 0.6)), ([0.4, 0.6], (0.4, 0.6)), ([0.5], (0.5, 0.6)), ([], (0.0, 1.0))],
)
def test_a_cut_axis_holds_all_values(values, ends):
    assert marks.axis_range(pd.Series(values, dtype=float)) == pytest.approx(ends)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "dark"), [*((name, False) for name in BUNDLES), ("markup", True)])
def test_awkward_data_are_drawn(name, dark):
    bundle = BUNDLES[name]()
    runs, found = own(bundle)
    chosen = bundle.algorithms[0]
    table, before = recommenders.table(found), past.past_consistency(bundle, eq.Policy())
    sampled = past.pair_differences(before, found[chosen])
    drawings = [
        sorted_curves(spread.sorted_consistency(found), chosen, dark),
        lorenz_lines(spread.lorenz_curves(found), chosen, dark),
        lorenz_gap_lines(spread.lorenz_curves(found), chosen, dark),
        error_bars(table, chosen, dark),
        equality_consistency_scatter(table, chosen, dark),
        principle_grid(principles.principles_by_algorithm(found), chosen, "algorithm", dark),
        principle_grid(principles.principles_by_algorithm(found), chosen, "principle", dark),
        correlation_heatmap(principles.correlations_with_consistency(found), dark),
        equality_heatmap(principles.equality_by_principle(found), dark),
        pairs_scatter(sampled, past.pair_trend(sampled), dark),
        pair_correlation_dots(past.pair_correlations(before, found), chosen, dark),
        past_tenths_dots(past.past_tenths(before, found), dark),
        gap_bars(worst_off.gap_by_principle(bundle, runs[chosen].courses, found[chosen]), dark),
        coverage_bars(provenance.coverage(bundle), dark),
        split_timeline(provenance.splits(bundle), dark),
    ]
    drawings += [
        statistic_bars(one.frame, kind=one.kind, counted=one.counted, dark=dark)
        for one in catalogue.statistics(bundle)
    ]
    for column in groups.group_columns(bundle):
        frame = groups.groups_by_column(bundle, found[chosen], column)
        drawings += [group_consistency_dots(frame, dark), group_worst_off_dots(frame, dark)]
    for chart in drawings:
        assert list(layers(chart))


def test_nobody_has_a_list(bundle):
    empty = np.full((60, 5), -1, dtype=np.int32)
    nobody = {"mine": eq.evaluate(bundle, empty, eq.Policy(lam=0.0, k=5))}
    table = recommenders.table(nobody)
    for chart in (
        sorted_curves(spread.sorted_consistency(nobody), "mine"),
        error_bars(table, "mine"),
        principle_grid(principles.principles_by_algorithm(nobody), "mine"),
        gap_bars(worst_off.gap_by_principle(bundle, empty, nobody["mine"])),
        correlation_heatmap(principles.correlations_with_consistency(nobody)),
    ):
        assert len(drawn(chart, "text")) == 1
