"""Overview, Trade-off, Learners and Decisions on the demo: what is drawn is what equity_core's
public calls give, computed here anew."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

import equity_core as eq
from equity_core.analysis.tradeoff import paths
from equity_core.analysis.words import signed
from equity_core.charts.base import grid
from equity_core.metrics.intervals import intervals
from pages.parts.tradeoff.tabs import NAMES as TABS
from pages.shared.scenarios import Scenario
from tests.helpers.figures import ROOT, Demo, Figure, Screen, complete

ALGORITHM = "userknn"
NOW, OWN, SAVED = eq.Policy(lam=0.9), eq.Policy(lam=0.0), eq.Policy(floor=0.66)
MEASURES = ["ndcg", "consistency", "equality"]


@cache
def demo() -> eq.Bundle:
    return eq.load_bundle(ROOT / "data" / "demo")


@cache
def run(policy: eq.Policy) -> eq.Run:
    return eq.rerank(demo(), ALGORITHM, policy)


@cache
def measured(policy: eq.Policy) -> eq.Evaluation:
    return eq.evaluate(demo(), run(policy), policy)


def three(policy: eq.Policy) -> list[float]:
    return [getattr(measured(policy), name) for name in MEASURES]


@cache
def swept(strategy: str) -> pd.DataFrame:
    return eq.sweep(demo(), ALGORITHM, eq.Policy(strategy=strategy), lams=paths.LAMS).set_index(
        "lam"
    )  # type: ignore[arg-type]


@cache
def screens() -> dict[str, Screen]:
    """Every screen that follows the policy, Trade-off with every tab; every table open."""
    app = Demo(algo=ALGORITHM, by="lam", lam="0.9")
    found = {"overview": app.open("overview")}
    found |= {tab: app.open("tradeoff", tradeoff_tabs=tab) for tab in TABS}
    found["learners"] = app.open("learners")
    saved = [Scenario("saved", ALGORITHM, SAVED, demo().fingerprint)]
    found["decisions"] = app.open("decisions", _scenarios=saved)
    return found


def figure(name: str) -> Figure:
    return next(screen.figures[name] for screen in screens().values() if name in screen.figures)


def worst(policy: eq.Policy = OWN) -> np.ndarray:
    values = measured(policy).per_learner_consistency
    chosen = np.zeros(len(values), dtype=bool)
    chosen[np.argsort(values, kind="stable")[: -(-len(values) // 10)]] = True
    return chosen


def check_cards(screen: str) -> None:
    shown, expected = screens()[screen].html, intervals(measured(NOW), measured(OWN))
    for name, digits in (("ndcg", 4), ("consistency", 3), ("equality", 3)):
        now, before = (getattr(measured(policy), name) for policy in (NOW, OWN))
        change = (
            signed(100 * (now / before - 1), 1) + " %"
            if name == "ndcg"
            else signed(now - before, 3)
        )
        assert f"{now:.{digits}f}" in shown
        assert f"{change} from {before:.{digits}f}" in shown
        low, high = expected.loc[
            name,
            ["relative_low", "relative_high"] if name == "ndcg" else ["change_low", "change_high"],
        ]
        ends = (
            [signed(100 * end, 1) for end in (low, high)]
            if name == "ndcg"
            else [signed(end, 3) for end in (low, high)]
        )
        for end in ends:
            assert end in shown, (name, end)


def check_worst_off() -> None:
    rows = figure("worst_off").rows("point", "value").groupby("principle")["value"].apply(sorted)
    tick = figure("worst_off").rows("tick", "others").set_index("principle")["others"]
    for at, name in enumerate(measured(OWN).names):
        before, after = (measured(policy).values[worst(), at].mean() for policy in (OWN, NOW))
        assert rows[name] == pytest.approx(sorted([before, after]))
        assert tick[name] == pytest.approx(measured(OWN).values[~worst(), at].mean())
    sentence = figure("worst_off").sentence
    for policy in (OWN, NOW):
        assert f"{measured(policy).per_learner_consistency[worst()].mean():.3f}" in sentence


def check_front(name: str) -> None:
    drawn = figure(name)
    rows = drawn.rows("line", "ndcg")
    lam = rows[rows["kind"] == "lam"].set_index("value")
    assert_allclose(lam[MEASURES], swept("glob").loc[lam.index, MEASURES])
    assert {0.0, 0.5, 0.99, 1.0} <= set(lam.index)
    floors = rows[rows["kind"] == "floor"].iloc[::5]
    expected = eq.floor_sweep(demo(), ALGORITHM, eq.Policy(), floors=floors["value"])
    assert_allclose(floors[MEASURES], expected[MEASURES])
    now = drawn.sets["now"].iloc[0]
    assert_allclose([now["ndcg"], now["equality"]], [measured(NOW).ndcg, measured(NOW).equality])
    beaten = (rows["ndcg"] >= measured(NOW).ndcg) & (rows["equality"] >= measured(NOW).equality)
    strictly = (rows["ndcg"] > measured(NOW).ndcg + 1e-12) | (
        rows["equality"] > measured(NOW).equality + 1e-12
    )
    expected_ring = rows[beaten & strictly][["ndcg", "equality"]]
    ring = drawn.sets["better"]
    assert_allclose(np.sort(ring["ndcg"]), np.sort(expected_ring["ndcg"]))
    start = next(
        part
        for mark, part, _ in drawn.layers()
        if mark == "point" and part.get("text", pd.Series([""])).iloc[0] == "own lists"
    )
    assert_allclose(
        start[["ndcg", "equality"]].iloc[0].astype(float),
        [measured(OWN).ndcg, measured(OWN).equality],
    )


def cell(drawn: Figure, measure: str) -> tuple[float, float]:
    """The ends of a row's scale, as they are written beside it."""
    words = [
        part
        for mark, part, _ in drawn.layers()
        if mark == "text" and {"x_at", "y_at", "text"} == set(part)
    ]
    spots = next(part for part in words if len(part) == 2 * len(MEASURES))
    low, high = (float(text) for text in spots["text"].iloc[2 * MEASURES.index(measure) :][:2])
    return low, high


def check_strategies() -> None:
    drawn = figure("strategies")
    lines = [part for mark, part, _ in drawn.layers() if mark == "line"][-1]
    told = next(part for mark, part, _ in drawn.layers() if mark == "rect")
    width, column = len(paths.LAMS) + 1, 1 + grid.GAP_X  # a line, and the break behind it
    now = drawn.sets["now"].set_index(["strategy", "measure"])
    for at, strategy in enumerate(("glob", "user", "pers")):
        for row, measure in enumerate(MEASURES):
            part = lines.iloc[(3 * at + row) * width :][:width]
            assert part.iloc[-1].isna().all()
            lams = part["x_at"].iloc[:-1] - at * column
            assert_allclose(lams, paths.LAMS)
            values = swept(strategy).loc[list(paths.LAMS), measure]
            # A cell's values are drawn in its own scale: what is linear in the true values is what
            # they are.
            low, high = cell(drawn, measure)
            foot = (2 - row) * (1 + grid.GAP_Y)
            assert_allclose(
                part["y_at"].iloc[:-1],
                foot + (values - low) / (high - low),
                err_msg=f"{strategy} {measure}",
            )
            mark = now.loc[(strategy, measure)]
            assert_allclose(
                [mark["x_at"] - at * column, mark["y_at"]],
                [NOW.lam, foot + (mark["value"] - low) / (high - low)],
            )
            spread = (
                intervals(measured(NOW.but(strategy=strategy)))
                .loc[measure, ["low", "high"]]
                .to_numpy(dtype=float)
            )
            band = part.iloc[paths.LAMS.index(NOW.lam)][["low_at", "high_at"]].to_numpy(dtype=float)
            assert_allclose(
                band, foot + (spread - low) / (high - low), err_msg=f"{strategy} {measure}"
            )
            texts = told[told["strategy"] == strategy].set_index("lam")[measure]
            assert [text.split(",")[0] for text in texts.loc[list(paths.LAMS)]] == [
                f"{value:.4f}" for value in values
            ]
    assert_allclose(now.loc["glob"].loc[MEASURES, "value"], three(NOW))


def check_bought(gain: str) -> None:
    rows = figure(f"bought_{gain}").rows("point", f"gain_{gain}")
    for line in ("glob", "user", "pers"):
        part = rows[rows["line"] == line].set_index("value")
        sweep = swept(line).loc[part.index]
        assert_allclose(part["loss"], 1 - sweep["ndcg"] / measured(OWN).ndcg, atol=1e-9)
        assert_allclose(part[f"gain_{gain}"], sweep[gain] - getattr(measured(OWN), gain), atol=1e-9)
    floors = rows[rows["line"] == "floor"].iloc[::6]
    found = eq.floor_sweep(demo(), ALGORITHM, eq.Policy(), floors=floors["value"])
    assert_allclose(floors["loss"], 1 - found["ndcg"] / measured(OWN).ndcg, atol=1e-9)
    assert_allclose(floors[f"gain_{gain}"], found[gain] - getattr(measured(OWN), gain), atol=1e-9)


def check_principles_over_lam() -> None:
    drawn = figure("principles_over_lam")
    rows = next(part for mark, part, _ in drawn.layers() if mark == "line")
    for name in measured(OWN).names:
        part = rows[rows["principle"] == name].set_index("value")["mean"]
        assert_allclose(part, swept("glob").loc[part.index, name])
    now = drawn.sets["now"].set_index("principle")["mean"]
    assert_allclose(now[list(measured(NOW).names)], measured(NOW).values.mean(axis=0))


def check_density() -> None:
    rows = next(part for mark, part, _ in figure("density").layers() if mark == "rect")
    for name in demo().algorithms:
        relevance = demo().relevance(name)
        scaled = []
        for at in range(len(demo().learner_ids)):
            scores = relevance.scores[relevance.indptr[at] : relevance.indptr[at + 1]]
            if len(scores):
                span = scores.max() - scores.min()
                scaled.append((scores - scores.min()) / span if span > 0 else np.zeros(len(scores)))
        part = rows[rows["algorithm"] == name]
        counts, _edges = np.histogram(np.concatenate(scaled), [*part["low"], 1.0])
        assert_allclose(part["share"], counts / counts.sum(), atol=1e-6, err_msg=name)


def check_moved() -> None:
    rows = figure("moved").rows("point", "mean").set_index(["principle", "when"])
    for at, name in enumerate(measured(OWN).names):
        for policy, when in ((OWN, "own lists"), (NOW, "policy")):
            values = measured(policy).values[:, at]
            assert_allclose(
                rows.loc[(name, when), ["mean", "sd"]].astype(float), [values.mean(), values.std()]
            )


def check_lists() -> None:
    shown = screens()["learners"].panel("lists")
    learner = int(np.argmin(measured(OWN).per_learner_consistency))
    columns = ["title", "category", "level"]
    for policy, half in ((OWN, shown.split("After")[0]), (NOW, shown.split("After", 1)[1])):
        at = 0
        for course in run(policy).courses[learner]:
            facts = demo().courses.iloc[course]
            for text in [str(facts[name]) for name in columns] + [f"{facts['last_update']:%Y}"]:
                assert text in half, text
            place = half.index(str(facts["title"]), at)
            assert place > at  # in the order of the list
            at = place
    own, now = (run(policy).courses[learner].tolist() for policy in (OWN, NOW))
    assert shown.count("<b>new</b>") == len(set(now) - set(own))
    for place, course in enumerate(now, 1):
        if course in own and own.index(course) + 1 != place:
            before = own.index(course) + 1
            moved = abs(before - place)
            assert (
                f"{'up' if before > place else 'down'} {moved} place{'s' if moved > 1 else ''},"
                f" from {before}" in shown
            )
    table = screens()["learners"].figures["list_after"].table
    assert table is not None
    assert table["title"].tolist() == demo().courses["title"].iloc[now].tolist()


def check_learner_principles() -> None:
    learner = int(np.argmin(measured(OWN).per_learner_consistency))
    shown, table = (
        screens()["learners"].panel("dumbbells"),
        screens()["learners"].figures["learner_principles"].table,
    )
    assert table is not None
    for at, name in enumerate(measured(OWN).names):
        before, after = (measured(policy).values[learner, at] for policy in (OWN, NOW))
        assert f"{before:.2f} → <b>{after:.2f}</b>" in shown, name
        assert_allclose(table.loc[name, ["before", "after"]].astype(float), [before, after])


def check_gains() -> None:
    rows = figure("gains_by_tenth").rows("bar", "gain_at").sort_values("tenth")
    order = np.argsort(measured(OWN).per_learner_consistency, kind="stable")
    for row, members in zip(rows.itertuples(), np.array_split(order, 10), strict=True):
        gain, price = (
            getattr(measured(NOW), name) - getattr(measured(OWN), name)
            for name in ("per_learner_consistency", "per_learner_ndcg")
        )
        assert row.learners == len(members)
        assert_allclose([row.gain, row.price], [gain[members].mean(), np.nanmean(price[members])])
        assert row.gain_text == signed(gain[members].mean(), 3)
    assert_allclose(rows["gain_at"] / rows["gain"], 1 / rows["gain"].abs().max())
    people = screens()["learners"].figures["every_learner"].table
    assert people is not None
    assert_allclose(people["consistency"], measured(NOW).per_learner_consistency)
    assert_allclose(people["ndcg"], measured(NOW).per_learner_ndcg)


def check_scenarios() -> None:
    rows = figure("scenarios_plane").rows("point", "equality").set_index("kind")
    shown = screens()["decisions"].panel("side_by_side")
    for kind, policy in (("own", OWN), ("lam", NOW), ("floor", SAVED)):
        found = measured(policy)
        assert_allclose(
            rows.loc[kind, ["ndcg", "consistency", "equality"]].astype(float), three(policy)
        )
        for text in (
            f"<b>{found.ndcg:.4f}</b>",
            f"<b>{found.consistency:.3f}</b>",
            f"<b>{found.equality:.3f}</b>",
        ):
            assert text in shown
        for value in found.values.mean(axis=0):
            assert f"{value:.3f}<i" in shown
    assert f"<td>{int((~run(SAVED).reached).sum()):,}</td>" in shown
    table = screens()["decisions"].figures["scenarios"].table
    assert table is not None
    assert_allclose(table.loc["saved", MEASURES].astype(float), three(SAVED))


FIGURES: dict[str, Callable[[], None]] = {
    "Overview: cards": lambda: check_cards("overview"),
    "Overview: the trade-off in small": lambda: check_front("front_small"),
    "Overview: the worst-off tenth": check_worst_off,
    "Trade-off: cards": lambda: check_cards(TABS[0]),
    "Trade-off: the front": lambda: check_front("front"),
    "Fig. 10": check_strategies,
    "Fig. 11, consistency": lambda: check_bought("consistency"),
    "Fig. 11, equality": lambda: check_bought("equality"),
    "Fig. 12": check_principles_over_lam,
    "Fig. 13": check_density,
    "Trade-off: which principles move": check_moved,
    "Table 2": check_lists,
    "Learners: the learner's principles": check_learner_principles,
    "Learners: who gains and who pays": check_gains,
    "Decisions: scenarios": check_scenarios,
}
"""Every figure and table of the four screens, by its name in the paper or in the plan."""


@pytest.mark.parametrize("name", FIGURES)
def test_it_draws_what_is_measured(name: str) -> None:
    FIGURES[name]()


@pytest.mark.parametrize("name", ["overview", *TABS, "learners", "decisions"])
def test_every_chart_has_a_sentence_an_alternative_text_a_table_and_a_csv(name: str) -> None:
    complete(screens()[name], least=1 if name in ("learners", "decisions") else 2)
