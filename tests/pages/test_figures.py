"""Data and Audit on the demo: what every chart draws is what equity_core measures, computed here
and not by the screens' own frames."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

import equity_core as eq
from equity_core.algorithms import label
from equity_core.analysis.audit.recommenders import PAPER
from equity_core.charts.audit.principles import STEP
from equity_core.principles import UNKNOWN, numeric
from pages.parts.audit.tabs import TABS
from tests.helpers.figures import ROOT, Demo, Figure, Screen, complete

OWN = eq.Policy(lam=0.0)
CHOSEN = "userknn"
METHODS = ("Principles", "Limits")
"""The sections of Methods that have tables of the data set."""
CURVES, WAYS = ("Sorted", "Lorenz", "Zoomed in"), ("algorithm", "principle")


@cache
def demo() -> eq.Bundle:
    return eq.load_bundle(ROOT / "data" / "demo")


@cache
def measured() -> dict[str, eq.Evaluation]:
    return {
        name: eq.evaluate(demo(), eq.rerank(demo(), name, OWN), OWN) for name in demo().algorithms
    }


def consistency(name: str = CHOSEN) -> np.ndarray:
    return measured()[name].per_learner_consistency


@cache
def past() -> np.ndarray:
    """How far each past meets the targets: the past courses, judged as a list."""
    rows = [demo().past.row(at) for at in range(len(demo().learner_ids))]
    lists = np.full((len(rows), max(map(len, rows))), -1, dtype=np.int32)
    for at, row in enumerate(rows):
        lists[at, : len(row)] = row
    return eq.evaluate(demo(), lists, eq.Policy(k=lists.shape[1])).per_learner_consistency


def lowest(values: np.ndarray) -> np.ndarray:
    chosen = np.zeros(len(values), dtype=bool)
    chosen[np.argsort(values, kind="stable")[: -(-len(values) // 10)]] = True
    return chosen


@cache
def screens() -> dict[str, Screen]:
    """Data, Audit with every tab, every curve and both arrangements, and the tables of Methods;
    every table open."""
    app = Demo(algo=CHOSEN)
    found = {"data": app.open("data")}
    for at, tab in enumerate(TABS):
        state = {"audit_tab": tab, "curve": CURVES[at % 3], "grid": WAYS[at % 2], "paper": at == 1}
        found[tab] = app.open("audit", **state)
    return found | {section: app.open("methods", section=section) for section in METHODS}


def figure(name: str, at: int | None = None) -> Figure:
    """The figure of that name: on Data, or on Audit in the run with the tab of that number."""
    runs = list(screens().values())
    places = runs if at is None else [runs[at + 1]]
    return next(screen.figures[name] for screen in places if name in screen.figures)


def edge(text: str) -> float:
    number, unit = re.fullmatch(r"([\d.]+)([kMG]?)", text).groups()  # type: ignore[union-attr]
    return float(number) * {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9}[unit]


def counted(values: np.ndarray, labels: list[str], last: float = np.inf) -> list[int]:
    """How many values are in each bin, from the bins' lower ends as they are written."""
    return np.histogram(values, [*map(edge, labels), last])[0].tolist()


# Fig. 2
# ------------------------------------------------------------------------------------------


def check_labels(column: str) -> None:
    rows, table = (
        part.set_index("label")["count"]
        for part in (figure(f"data_{column}").rows("bar", "count"), _table(f"data_{column}"))
    )
    counts = demo().courses[column].astype(str).value_counts()
    assert dict(table) == dict(counts)
    shown = [name for name in rows.index if not name.endswith(" others")]
    assert dict(rows[shown]) == dict(counts[shown])
    assert rows.sum() == len(demo().courses)
    known = counts.drop(UNKNOWN, errors="ignore")
    assert rows.index[0] == known.idxmax()


def _table(name: str) -> pd.DataFrame:
    table = figure(name).table
    assert table is not None
    return table


def check_assets() -> None:
    cells = [cell for cell in demo().courses["assets"] if cell is not None]
    rows = figure("data_assets").rows("bar", "count").set_index("label")["count"]
    assert dict(rows) == {kind: sum(kind in cell for cell in cells) for kind in set().union(*cells)}


def check_updates() -> None:
    rows = figure("data_last_update").rows("bar", "count")
    when = demo().courses["last_update"].dropna()
    found = (
        (when.dt.year.astype(str) + " Q" + when.dt.quarter.astype(str))
        if "Q" in rows["label"].iloc[0]
        else when.dt.year.astype(str)
    )
    counts = found.value_counts()
    assert rows["count"].tolist() == [int(counts.get(name, 0)) for name in rows["label"]]
    assert rows["count"].sum() == len(when)


def check_rating_values() -> None:
    rows = figure("data_ratings").rows("bar", "count")
    known = demo().interactions["rating"].dropna().to_numpy()
    assert rows["count"].tolist() == [int((known == float(name)).sum()) for name in rows["label"]]
    assert rows["count"].sum() == len(known)


def check_mean_ratings() -> None:
    rows = figure("data_rating").rows("bar", "count")
    known = demo().courses["rating"].dropna().to_numpy()
    assert rows["count"].tolist() == counted(known, rows["label"].tolist(), demo().rating_scale[1])


def check_popularity() -> None:
    rows = figure("data_popularity").rows("bar", "count")
    taken = (
        demo()
        .interactions.groupby("course")
        .size()
        .reindex(range(len(demo().courses)), fill_value=0)
    )
    assert rows["count"].tolist() == counted(taken.to_numpy(), rows["label"].tolist())


def check_enrolled() -> None:
    rows = figure("data_enrolled").rows("bar", "count")
    assert rows["count"].tolist() == counted(
        demo().courses["enrolled"].dropna().to_numpy(), rows["label"].tolist()
    )


def check_prices() -> None:
    rows = figure("data_price").rows("bar", "count")
    known = demo().courses["price"].dropna().to_numpy()
    assert rows["label"].iloc[0] == "free"
    assert rows["count"].iloc[0] == (known == 0).sum()
    assert rows["count"].tolist()[1:] == counted(known[known > 0], rows["label"].tolist()[1:])


def check_splits() -> None:
    rows = figure("splits").rows("bar", "first").set_index("split")
    for split, part in demo().interactions.groupby("split", observed=True):
        row = rows.loc[split]
        assert (row["interactions"], row["learners"], row["courses"]) == (
            len(part),
            part["learner"].nunique(),
            part["course"].nunique(),
        )
        assert pd.Timestamp(row["first"]) == part["timestamp"].min()
        assert pd.Timestamp(row["last"]) == part["timestamp"].max()
    assert set(rows.index) == set(demo().splits)


def check_coverage() -> None:
    rows = figure("coverage").rows("bar", "share_known").set_index("principle")
    for principle in demo().principles:
        column = demo().courses[principle.column]
        known = (
            ~np.isnan(numeric(demo().courses, principle.column))
            if principle.kind == "mean"
            else (column.astype(str) != UNKNOWN)
        )
        assert rows.loc[principle.name, "share_known"] == pytest.approx(np.mean(known))


# Audit
# ------------------------------------------------------------------------------------------


def check_table_1() -> None:
    screen = list(screens().values())[2]  # with the paper's values
    shown = screen.panel("table1")
    rows = {
        name: part
        for part in shown.split("<tr data-algorithm=")[1:]
        for name in [part.split('"')[1]]
    }
    assert list(rows) == list(demo().algorithms)
    for name, found in measured().items():
        for measure in ("ndcg", "consistency", "equality"):
            assert f"<b>{getattr(found, measure):.3f}</b>" in rows[name], (name, measure)
            assert f"paper {PAPER.loc[name, measure]:.3f}" in rows[name]
        assert f">{np.std(consistency(name)):.3f}</td>" in rows[name]
        ends = [consistency(name)[lowest(sign * consistency(name))].mean() for sign in (1, -1)]
        assert f"{ends[0]:.2f} – {ends[1]:.2f}" in rows[name]
    table = screen.figures["recommenders"].table
    assert table is not None
    assert_allclose(
        table.loc[list(measured()), "equality"], [found.equality for found in measured().values()]
    )


def check_sorted() -> None:
    rows = figure("curves", CURVES.index("Sorted")).rows("line", "consistency")
    for name in demo().algorithms:
        part, known = rows[rows["algorithm"] == name], np.sort(consistency(name))
        assert_allclose(part["consistency"], known[part["rank"].to_numpy() - 1])
        assert (part["rank"].iloc[0], part["rank"].iloc[-1]) == (1, len(known))
        assert_allclose(part["share"], part["rank"] / len(known))


def check_lorenz() -> None:
    held = figure("curves", CURVES.index("Lorenz"))
    close = figure("curves", CURVES.index("Zoomed in")).rows("line", "missing")
    rows = pd.concat(
        [part for mark, part, _ in held.layers() if mark == "line" and "algorithm" in part][:1]
    )
    for name in demo().algorithms:
        known = np.sort(consistency(name))
        steps = np.concatenate([[0.0], np.cumsum(known) / known.sum()])
        part = rows[rows["algorithm"] == name]
        assert_allclose(
            part["held"],
            np.interp(part["share"], np.arange(len(known) + 1) / len(known), steps),
            atol=1e-9,
        )
        near = close[close["algorithm"] == name]
        assert_allclose(
            near["missing"],
            near["share"] - np.interp(near["share"], part["share"], part["held"]),
            atol=1e-9,
        )
        area = np.trapezoid(part["held"], part["share"])
        assert 2 * area == pytest.approx(
            measured()[name].equality, abs=2e-4
        )  # equality is 1 − Gini: twice the area below


def check_error_bars() -> None:
    rows = figure("error_bars").rows("point", "consistency").set_index("algorithm")
    for name in demo().algorithms:
        values = consistency(name)
        mean, sd = values.mean(), values.std()
        assert_allclose(
            rows.loc[name, ["consistency", "below", "above"]].astype(float),
            [mean, mean - sd, mean + sd],
        )
        assert_allclose(rows.loc[name, ["min", "max"]].astype(float), [values.min(), values.max()])


def check_equality_consistency() -> None:
    rows = figure("equality_consistency").rows("point", "equality").set_index("algorithm")
    for name, found in measured().items():
        assert_allclose(
            rows.loc[name, ["consistency", "equality"]].astype(float),
            [found.consistency, found.equality],
        )


def check_principles(way: str) -> None:
    rows = figure("principles", WAYS.index(way)).rows("point", "x")
    names = [principle.name for principle in demo().principles]
    heads = [label(name) for name in demo().algorithms] if way == "algorithm" else names
    assert len(rows) == len(demo().algorithms) * len(names)
    for row in rows.itertuples():
        values = measured()[row.algorithm].values[:, names.index(row.principle)]
        start = heads.index(row.label if way == "algorithm" else row.principle) * STEP
        ends = [
            values.mean(),
            values.min(),
            values.max(),
            max(0.0, values.mean() - values.std()),
            min(1.0, values.mean() + values.std()),
        ]
        assert_allclose(
            np.array([row.x, row.low, row.high, row.below, row.above]) - start, ends, atol=1e-9
        )


def check_correlations() -> None:
    from scipy.stats import spearmanr

    rows = figure("correlations").rows("rect", "value")
    assert len(rows) == len(demo().algorithms) * len(demo().principles)
    for row in rows.itertuples():
        found = measured()[row.algorithm]
        values = found.values[:, found.names.index(row.principle)]
        expected = (
            spearmanr(values, found.per_learner_consistency).statistic if np.ptp(values) else np.nan
        )
        assert row.value == pytest.approx(expected, nan_ok=True)


def check_pairs() -> None:
    from scipy.stats import spearmanr

    place = {str(learner): at for at, learner in enumerate(demo().learner_ids)}

    def differences(rows: pd.DataFrame, values: np.ndarray) -> np.ndarray:
        a, b = (rows[name].astype(str).map(place).to_numpy() for name in ("a", "b"))
        assert (a != b).all()
        return np.abs(values[a] - values[b])

    drawn = figure("pairs")
    rows = drawn.rows("point", "past")
    assert len(rows) >= 1000
    assert_allclose(rows["past"], differences(rows, past()), atol=1e-9)
    assert_allclose(rows["lists"], differences(rows, consistency()), atol=1e-9)
    line = drawn.rows("line", "past")
    ordered = rows.sort_values("past", kind="stable")
    groups = [ordered.iloc[part] for part in np.array_split(np.arange(len(ordered)), len(line))]
    assert_allclose(line["lists"], [group["lists"].mean() for group in groups])
    each = figure("pairs_by_algorithm").rows("point", "rho").set_index("algorithm")["rho"]
    first, second = np.triu_indices(len(demo().learner_ids), 1)  # all pairs, not only those drawn
    apart = np.abs(past()[first] - past()[second])
    for name in demo().algorithms[:3]:  # two million pairs each
        values = consistency(name)
        found = spearmanr(apart, np.abs(values[first] - values[second])).statistic
        assert each[name] == pytest.approx(found, abs=1e-3), name


def check_past_groups() -> None:
    rows = (
        figure("past_groups")
        .rows("point", "consistency")
        .set_index(["algorithm", "group"])["consistency"]
    )
    for name in demo().algorithms:
        for group, chosen in (
            ("least", lowest(past())),
            ("most", lowest(-past())),
            ("all", np.ones(len(past()), dtype=bool)),
        ):
            assert rows[name, group] == pytest.approx(consistency(name)[chosen].mean())


def check_slices() -> None:
    assert demo().learners is not None
    column = demo().learners.columns[0]
    values = pd.Series(consistency(), index=demo().learners.index).groupby(
        demo().learners[column].astype(str)
    )
    rows = figure("slices").rows("point", "consistency").set_index("group")
    assert set(rows.index) == set(values.groups)
    mean, error = values.mean(), values.std(ddof=0) / np.sqrt(values.size())
    assert_allclose(rows["consistency"], mean[rows.index])
    assert_allclose(rows["low"], (mean - 1.96 * error)[rows.index], atol=1e-5)
    worst = figure("slices_worst_off").rows("point", "share_of_worst_off").set_index("group")
    inside = demo().learners[column].astype(str)[lowest(consistency())].value_counts(normalize=True)
    assert_allclose(worst["share_of_worst_off"], inside.reindex(worst.index, fill_value=0.0))
    assert_allclose(
        worst["share"],
        demo().learners[column].astype(str).value_counts(normalize=True)[worst.index],
    )


def check_gap() -> None:
    rows = figure("gap").rows("bar", "part").set_index("principle")["part"]
    worst, found = lowest(consistency()), measured()[CHOSEN]
    assert rows.sum() == pytest.approx(consistency()[~worst].mean() - consistency()[worst].mean())
    for at, name in enumerate(found.names):
        missed = 1.0 - found.values[:, at]  # every target is 1
        assert rows[name] == pytest.approx(
            (missed[worst].mean() - missed[~worst].mean()) / len(found.names)
        )


FIGURES: dict[str, Callable[[], None]] = {
    "Fig. 2, categories": lambda: check_labels("category"),
    "Fig. 2, last update": check_updates,
    "Fig. 2, level": lambda: check_labels("level"),
    "Fig. 2, asset types": check_assets,
    "Fig. 2, rating values": check_rating_values,
    "Fig. 2, mean ratings": check_mean_ratings,
    "Fig. 2, popularity": check_popularity,
    "Fig. 2, enrolments": check_enrolled,
    "Fig. 2, prices": check_prices,
    "interactions and splits": check_splits,
    "filled in": check_coverage,
    "Table 1": check_table_1,
    "Fig. 3a": check_sorted,
    "Lorenz curve": check_lorenz,
    "Fig. 3b": check_error_bars,
    "Fig. 3c": check_equality_consistency,
    "Fig. 4": lambda: check_principles("algorithm"),
    "Fig. 5": lambda: check_principles("principle"),
    "Fig. 6": check_correlations,
    "Fig. 7": check_pairs,
    "Fig. 8": check_past_groups,
    "slices": check_slices,
    "the gap of the worst-off": check_gap,
}
"""Every figure and table of the two screens, by its name in the paper or in the plan."""


@pytest.mark.parametrize("name", FIGURES)
def test_it_draws_what_is_measured(name: str) -> None:
    FIGURES[name]()


@pytest.mark.parametrize("run", ["data", *TABS, *METHODS])
def test_every_chart_has_a_sentence_an_alternative_text_a_table_and_a_csv(run: str) -> None:
    complete(screens()[run], least={"data": 11, **dict.fromkeys(METHODS, 0)}.get(run, 2))
    assert screens()[run].figures
