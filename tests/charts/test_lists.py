"""The panels of a learner: every figure of the frames, every text escaped."""

import re
from html import unescape

import numpy as np
import pytest

import equity_core as eq
from equity_core.analysis.learners import lists, population
from equity_core.analysis.learners.reasons import reasons
from equity_core.charts.learners.lists import lists_panel, parts_bar, parts_scale, short_count
from equity_core.charts.learners.population import gains_by_tenth
from equity_core.charts.learners.principles import principles_panel
from tests.helpers.awkward import BUNDLES, MARKUP, RIGHT_TO_LEFT


def made(bundle, learner=0, **fields):
    policy = eq.Policy(**{"k": 6, "lam": 0.9, **fields})
    own, run = (
        eq.rerank(bundle, bundle.algorithms[0], policy.but(lam=0.0, floor=None)),
        eq.rerank(bundle, bundle.algorithms[0], policy),
    )
    before, after = eq.evaluate(bundle, own, policy), eq.evaluate(bundle, run, policy)
    found = reasons(bundle, own, run, learner)
    return (
        lists.before_after(bundle, own, run, learner, "test"),
        found,
        lists.learner_principles(before, after, learner),
        (own, run, before, after),
    )


def drawn_panel(bundle, learner=0, **fields):
    (old, new), found, *_ = made(bundle, learner, **fields)
    return (
        lists_panel(old, new, found, lists.course_columns(bundle), "λ <b>", dark=False),
        old,
        new,
        found,
    )


def test_every_course_move_and_reason_is_written(bundle):
    html, old, new, found = drawn_panel(bundle, 3)
    text = unescape(html)
    assert html.count('role="row"') == len(old) + len(new) + 2
    for row in new.to_dict("records"):
        assert row["title"] in text
        if row["state"] == "up":
            assert f"▲ {row['move']}" in text
            assert f"up {row['move']} place" in text
    assert html.count("<b>new</b>") == (new["state"] == "new").sum()
    assert html.count(' leaves"') == (old["state"] == "leaves").sum()
    assert html.count("leaves the list: ") == (old["state"] == "leaves").sum()
    assert html.count("taken later: ") == old["taken_later"].sum() + new["taken_later"].sum()
    for why in [*found.picked["why"], *found.left["why"]]:
        assert why in text


def test_bars_have_the_parts_as_widths():
    parts, names, colours = (
        [0.3, -0.1, 0.2, 0.0],
        ["relevance", "a", "<b>", "d"],
        ["#111", "#222", "#333", "#444"],
    )
    html = parts_bar(parts, names, colours, -0.1, 0.5)
    rects = re.findall(r'<rect x="([\d.]+)" y="0" width="([\d.]+)" height="10" fill="(#\d+)"', html)
    assert [(colour, round(float(width), 1)) for _, width, colour in rects] == [
        ("#111", 50.0),
        ("#222", 16.7),
        ("#333", 33.3),
    ]
    assert [round(float(x), 1) for x, *_ in rects] == [16.7, 0.0, 66.7]
    assert "relevance +0.300, a −0.100, &lt;b&gt; +0.200, d 0.000" in html
    assert "<b>" not in html


def test_bars_share_a_scale():
    parts = np.array([[0.5, 0.4], [0.2, -0.1], [0.1, 0.15]])
    assert parts_scale(parts) == (-0.1, 0.9)
    assert parts_scale(parts[1:]) == (-0.1, 0.25)
    assert parts_scale(parts[:0]) == (0.0, 1.0)


PAPER = {"order": "greedy", "floor_method": "first-lambda", "method": "greedy"}


@pytest.mark.parametrize(
    ("fields", "head", "bars"),
    [
        (PAPER, "What it added when picked, and why", 1),
        ({}, "What the list would lose without it, and why it is there", 1),
        ({"floor": 0.7}, "Relevance, part in consistency, and why it is there", 2),
    ],
    ids=["steps", "objective", "floor"],
)
def test_bars_and_their_words_follow_how_the_list_was_made(bundle, fields, head, bars):
    html, _, new, found = drawn_panel(bundle, 3, **fields)
    assert head in html
    assert found.note in unescape(html)
    drawn = re.findall(r'class="bar" role="img" aria-label="([^"]+)"', html)
    assert len(drawn) == bars * len(new)
    # Only a step-by-step list begins with a bar of another scale; elsewhere no bar is too long.
    assert html.count("first pick: bar on its own scale") == (fields == PAPER)
    for at, words in enumerate(drawn):
        assert words.startswith("relevance") == (at % bars == 0)
    widths = [
        (float(x) >= -0.01, float(x) + float(width) <= 100.01)
        for x, width in re.findall(r'<rect x="([-\d.]+)" y="0" width="([\d.]+)"', html)
    ]
    assert widths
    assert all(left and right for left, right in widths)


def test_unknown_is_called_unknown():
    from tests.helpers.worlds import tiny_frames

    courses, log, scores = tiny_frames()
    keep = courses["course_id"].isin(["c01", "c02"])
    courses = courses.assign(
        **{
            column: courses[column].where(keep)
            for column in ("price", "assets", "level", "last_update")
        }
    )
    bundle = eq.Bundle.from_frames(courses, log, relevance=scores)
    html, *_ = drawn_panel(bundle, 2)
    for words in ("fee unknown", "material unknown", "update unknown", ">unknown<"):
        assert words in html


def test_markup_is_shown_as_text():
    bundle = BUNDLES["markup"]()
    for learner in range(len(bundle.learner_ids)):
        html, *_ = drawn_panel(bundle, learner)
        assert "<script" not in html
        assert "<b>video" not in html
        assert "λ <b>" not in html
        assert MARKUP in unescape(html)
        assert RIGHT_TO_LEFT in html
        assert 'dir="auto"' in html


@pytest.mark.parametrize("name", BUNDLES)
@pytest.mark.parametrize("dark", [False, True])
def test_awkward_data(name, dark):
    bundle = BUNDLES[name]()
    for learner in range(len(bundle.learner_ids)):
        (old, new), found, changes, (own, run, before, after) = made(bundle, learner, floor=0.7)
        html = lists_panel(old, new, found, lists.course_columns(bundle), "floor", dark)
        assert html.count("<div") == html.count("</div>")
        assert "nan" not in re.sub("[Ff]inan", "", html)
        bells = principles_panel(changes, {}, dark)
        assert bells.count("<tr>") == len(bundle.principles)
        assert "nan" not in bells
    tenths = population.changes_by_tenth(
        population.learner_changes(bundle, own, run, before, after)
    )
    gains_by_tenth(tenths, 1, dark).to_dict()


def test_dumbbells_have_both_values_and_the_direction(bundle):
    *_, changes, _ = made(bundle, 5)
    html = principles_panel(changes, {"quality": "<i>note</i>"})
    assert "&lt;i&gt;note" in html
    for row in changes.itertuples():
        assert f"{row.before:.2f} → <b>{row.after:.2f}</b>" in html
    assert (
        html.count("closer to")
        == ((changes["closer"] > 0) & (changes["change"].abs() >= 5e-4)).sum()
    )
    moved = changes.assign(before=0.2, after=0.4, target=0.3, closer=0.0, change=0.2)
    assert "▲ 0.200" in principles_panel(moved, {})


def test_counts_are_short():
    assert [
        short_count(value) for value in (7, 999, 1000, 9949, 9960, 34769, 999_600, 1_250_000)
    ] == [
        "7",
        "999",
        "1.0k",
        "9.9k",
        "10k",
        "35k",
        "1.0M",
        "1.2M",
    ]
