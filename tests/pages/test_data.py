"""The Data screen as a script."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import equity_core as eq
from equity_core.analysis.data import catalogue, provenance
from pages.shared.panels import plain
from tests.helpers.audited import make
from tests.helpers.awkward import BUNDLES
from tests.helpers.screens import screen, texts


def test_it_says_what_it_is_built_on(tmp_path, monkeypatch):
    bundle = make()
    bundle.save(tmp_path / "world")
    at = screen("data", tmp_path / "world", monkeypatch)
    assert at.title[0].value == "What is this built on?"
    said = texts(at)
    head, rest = provenance.data_answer(bundle)
    assert f"**{head}** {plain(rest)}" in said
    for one in catalogue.statistics(bundle):
        assert any(text.endswith(f"# {one.title}") for text in said)
        assert plain(one.sentence) in said


@pytest.mark.parametrize("name", BUNDLES)
def test_awkward_data(name, tmp_path, monkeypatch):
    bundle = BUNDLES[name]()
    bundle.save(tmp_path / name)
    at = screen("data", tmp_path / name, monkeypatch)
    assert sum(plain(one.sentence) in texts(at) for one in catalogue.statistics(bundle)) == 9


def test_courses_from_the_future_are_counted(tmp_path, monkeypatch):
    made = make()
    log = made.interactions.assign(
        learner_id=made.learner_ids[made.interactions["learner"]],
        course_id=made.course_ids[made.interactions["course"]],
    ).drop(columns=["learner", "course"])
    bundle = eq.Bundle.from_frames(
        made.courses,
        log,
        {name: rows_of(made, name) for name in made.algorithms},
        future_courses="mask",
        split_at="2016-01-20",
    )
    bundle.save(tmp_path / "world")
    assert 1 < bundle.future.hidden.sum() < len(bundle.courses)
    said = provenance.future_sentence(bundle)
    assert said in texts(screen("data", tmp_path / "world", monkeypatch))


def rows_of(bundle, name):
    """An algorithm's relevance as a frame."""
    stored = bundle.relevance(name)
    return pd.DataFrame(
        {
            "learner_id": bundle.learner_ids.repeat(np.diff(stored.indptr)),
            "course_id": bundle.course_ids[stored.courses],
            "score": stored.scores,
        }
    )
