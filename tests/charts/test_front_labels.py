"""The words of the main picture: none on another at any width, whatever is asked and wherever the
slider stands."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import equity_core as eq
from equity_core.analysis.choosing import limits, words
from equity_core.analysis.tradeoff import paths
from equity_core.analysis.tradeoff.front import current_point, gap_to_other_path
from equity_core.charts.base import labels
from equity_core.charts.base.labels import Label, View
from equity_core.charts.choosing import answers_panel
from equity_core.charts.tradeoff.front import front_chart, front_template
from equity_core.reranker import search as lam_search

POLICY = eq.Policy(k=5)


@pytest.fixture(scope="module")
def searched(bundle: eq.Bundle) -> lam_search.SearchResult:
    return lam_search.search(bundle, "userknn", POLICY)


@pytest.fixture(scope="module")
def both(bundle: eq.Bundle) -> dict[str, pd.DataFrame]:
    return {
        "lam": paths.lam_path(bundle, "userknn", POLICY),
        "floor": paths.floor_path(bundle, "userknn", POLICY),
    }


def words_of(spec: dict[str, Any]) -> pd.DataFrame:
    return pa.ipc.open_stream(spec["datasets"]["labels"]).read_all().to_pandas()


def filled(
    spec: dict[str, Any],
    searched: lam_search.SearchResult,
    both: dict[str, pd.DataFrame],
    now: eq.Policy,
) -> pd.DataFrame:
    """The labels of a picture with a policy in it."""
    found = searched.measured(searched.run(now), "test")
    other = both["lam" if now.floor is not None else "floor"]
    better = paths.dominating(
        paths.both_in_one(both["lam"], both["floor"]), found.ndcg, found.equality
    )
    made = front_chart(spec, current_point(now, found), gap_to_other_path(found, other), better)
    assert "usermeta" not in made
    return words_of(made)


def boxes(rows: pd.DataFrame, view: View) -> list[tuple[str, np.ndarray]]:
    out = []
    for row in rows.to_dict("records"):
        label = Label(
            row["ndcg"],
            row["equality"],
            row["text"],
            row["colour"],
            row["size"],
            int(row["weight"]),
            bool(row["wide"]),
        )
        out.append((row["text"], label.box(view, (row["dx"], row["dy"], row["align"]))))
    return out


POLICIES = [POLICY.but(floor=value) for value in (0.3, 0.55, 0.6, 0.62, 0.65, 0.7, 0.9)] + [
    POLICY.but(lam=value) for value in (0.0, 0.3, 0.7, 0.85, 0.9, 0.95, 1.0)
]


@pytest.mark.parametrize("limit", [0.0, 0.01, 0.05, 0.1, 0.25, 0.5, 1.0])
def test_no_word_lies_on_another(
    searched: lam_search.SearchResult, both: dict[str, pd.DataFrame], limit: float
) -> None:
    found = limits.maximum_loss(searched, limit)
    start = {"ndcg": searched.own.ndcg, "equality": searched.own.equality}
    kinds = [words.answer_kind(found, answer) for answer in found.answers]
    answers = words.answer_marks(found.answers, POLICY, kinds)
    spec = front_template(
        paths.both_in_one(both["lam"], both["floor"]), start, limit=limit, answers=answers, k=5
    )
    view = spec["usermeta"].view
    for now in (*POLICIES, *(answer.policy for answer in found.answers)):
        rows = filled(spec, searched, both, now)
        for (first, a), (second, b) in combinations(boxes(rows, view), 2):
            assert not labels.overlap(a, b[None]).any(), (first, second, now)
        for text, box in boxes(rows, view):
            assert labels.is_inside(box, view), (text, now)
        texts = set(rows["text"])
        assert {answers[0]["text"], "own lists"} <= texts
        assert current_point(now, found.bold.evaluation)["text"] in texts


def test_an_answer_off_both_paths_widens_the_picture(
    searched: lam_search.SearchResult, both: dict[str, pd.DataFrame]
) -> None:
    far = limits.measure_answer(searched, POLICY.but(lam=1.0))
    rows = paths.both_in_one(both["lam"].iloc[:3], both["floor"].iloc[:0])
    start = {"ndcg": searched.own.ndcg, "equality": searched.own.equality}
    spec = front_template(rows, start, limit=None, answers=words.answer_marks([far], POLICY))
    view = spec["usermeta"].view
    assert view.x[0] < far.evaluation.ndcg < view.x[1]
    assert view.y[0] < far.equality < view.y[1]
    assert "rect" not in [layer["mark"]["type"] for layer in spec["layer"]]  # no limit is asked for


def test_the_small_picture_names_both_paths_and_no_more(
    searched: lam_search.SearchResult, both: dict[str, pd.DataFrame]
) -> None:
    rows, own = (
        paths.both_in_one(both["lam"], both["floor"]),
        {"ndcg": searched.own.ndcg, "equality": searched.own.equality},
    )
    spec = front_template(rows, own, limit=0.1, small=True)
    view = spec["usermeta"].view
    found = words_of(front_chart(spec, {**own, "text": "λ = 0.9: chosen"}))
    assert set(found["text"]) == {"own lists", "Floor τ", "One λ"}
    for (first, a), (second, b) in combinations(boxes(found, view), 2):
        assert not labels.overlap(a, b[None]).any(), (first, second)
    # The current point goes before a path's name.
    for name in ("Floor τ", "One λ"):
        row = found.set_index("text").loc[name]
        across = row["dx"] + {"left": 20, "center": 0, "right": -20}[row["align"]]
        middle = (
            row["ndcg"] + across / 500 * (view.x[1] - view.x[0]),
            row["equality"] - row["dy"] / view.height * (view.y[1] - view.y[0]),
        )
        now = {"ndcg": middle[0], "equality": middle[1], "text": "here"}
        assert name not in set(words_of(front_chart(spec, now))["text"])


def test_overlap_knows_widths_at_which_a_label_is_hidden() -> None:
    view = View((0.0, 1.0), (0.0, 1.0), 300)
    one, two = Label(0.5, 0.5, "one", "#000000"), Label(0.52, 0.5, "two", "#000000", wide=True)
    place = (0.0, 0.0, "center")
    assert labels.overlap(one.box(view, place), one.box(view, place)[None]).all()
    far = Label(0.9, 0.5, "two", "#000000")
    assert not labels.overlap(one.box(view, place), far.box(view, place)[None]).any()
    hidden = two.box(view, place)
    assert np.isnan(hidden[labels.WIDTHS < labels.NARROW]).all()
    assert not np.isnan(hidden[labels.WIDTHS >= labels.NARROW]).any()
    edge = Label(0.0, 0.5, "one", "#000000")
    assert not labels.is_inside(edge.box(view, place), view)
    assert labels.free_place(edge, view, labels.stack([]))[0] == (13, 0, "left")


def test_the_panel_escapes_every_text() -> None:
    html = answers_panel(
        [("<b>x</b>", "floor")], [("<i>n</i>", [("<u>1</u>", "<s>2</s>", "good")])]
    )
    for tag in ("<b>", "<i>", "<u>", "<s>"):
        assert tag not in html
    assert "&lt;b&gt;x&lt;/b&gt;" in html
    assert 'class="eq-good"' in html
