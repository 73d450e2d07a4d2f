"""Certificates in words and steps: what is said is what was proven, and never more."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import equity_core as eq
from equity_core.analysis.learners import certificates
from tests.helpers.awkward import BUNDLES
from tests.helpers.worlds import tiny_frames


@pytest.fixture(scope="module")
def tiny() -> eq.Bundle:
    courses, log, scores = tiny_frames()
    return eq.Bundle.from_frames(courses, log, relevance=scores)


@pytest.fixture(scope="module")
def run(tiny: eq.Bundle) -> eq.Run:
    return eq.rerank(tiny, "userknn", eq.Policy(lam=0.9, k=3))


def frame(*ratios: float, swapped: float = 1.0, solved: bool = True) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "ratio": ratios,
            "swapped_ratio": [swapped] * len(ratios),
            "solved": [solved] * len(ratios),
        }
    )


def test_a_share_is_rounded_down() -> None:
    assert certificates.proven_share(0.9919) == "99.1 %"
    assert certificates.proven_share(0.99999) == "99.9 %"
    assert certificates.proven_share(1.0) == "100.0 %"
    assert certificates.proven_share(0.99) == "99.0 %"
    assert certificates.proven_share(math.nan) == "an unknown share"


def test_one_list_in_words(tiny: eq.Bundle, run: eq.Run) -> None:
    seen: list[tuple[int, int]] = []
    found = certificates.learner_certificate(
        tiny, run, 0, lambda done, total: seen.append((done, total))
    )
    assert seen == [(0, 1)]
    head, rest = certificates.certificate_sentences(
        replace(
            found, objective=0.99, bound=1.0, swapped=0.995, swapped_courses=(7, *found.courses[1:])
        )
    )
    assert head == "This list reaches at least 99.0 % of the best possible one."
    assert rest == "Swapping 1 course would raise that to at least 99.5 %."
    head, rest = certificates.certificate_sentences(
        replace(found, objective=1.0, bound=1.0, swapped_courses=found.courses, solved=False)
    )
    assert head == "No list is better than this one."
    assert rest.startswith(
        "Swapping any single course for another would not make it better. The search was stopped"
    )
    assert (
        "No share can be proven"
        in certificates.certificate_sentences(replace(found, objective=-2.0, bound=-1.0))[0]
    )
    assert "no list" in certificates.certificate_sentences(replace(found, courses=()))[0]


def test_swaps_name_what_leaves_and_what_comes(tiny: eq.Bundle, run: eq.Run) -> None:
    found = certificates.learner_certificate(tiny, run, 0)
    new = next(course for course in range(len(tiny.course_ids)) if course not in found.courses)
    made = certificates.swap_table(
        tiny, replace(found, swapped_courses=(found.courses[0], new, *found.courses[2:]))
    )
    assert made.to_dict("records") == [
        {
            "place": 2,
            "leaves": tiny.course_ids[found.courses[1]],
            "leaves_title": tiny.courses["title"].iloc[found.courses[1]],
            "enters": tiny.course_ids[new],
            "enters_title": tiny.courses["title"].iloc[new],
        }
    ]
    assert certificates.swap_table(tiny, replace(found, swapped_courses=found.courses)).empty


def test_the_summary_is_that_of_the_sample(tiny: eq.Bundle, run: eq.Run) -> None:
    made = certificates.sample_certificates(tiny, run, 20)
    found = certificates.sample_summary(made)
    now = found.loc["as they are"]
    assert now["mean"] == pytest.approx(made["ratio"].mean())
    assert now["worst"] == made["ratio"].min()
    assert now["low"] <= now["mean"] <= now["high"]
    assert now["learners"] == len(made)
    assert found.loc["after swaps", "mean"] == pytest.approx(made["swapped_ratio"].mean())


def test_the_interval_of_the_mean_is_that_of_a_mean() -> None:
    values = np.random.default_rng(0).normal(0.98, 0.01, 200)
    row = certificates.sample_summary(frame(*values)).loc["as they are"]
    half = 1.96 * values.std() / math.sqrt(200)
    assert row["high"] - row["low"] == pytest.approx(2 * half, rel=0.1)


def test_a_sample_in_words() -> None:
    text = certificates.sample_sentence(frame(0.98, 0.99, swapped=0.9995), 2000)
    assert text.startswith(
        "For 2 learners drawn from 2,000, the lists reach on average at least 98.5 % of the best"
        " possible (95 % interval "
    )
    assert (
        "the worst at least 98.0 %. Swapping single courses afterwards raises the mean by 1.45"
        " percentage points and the worst to 99.9 %." in text
    )
    assert "closes none of the remaining gap" in certificates.sample_sentence(
        frame(0.98, swapped=0.98), 1
    )
    assert "For the only learner, the lists" in certificates.sample_sentence(frame(0.98), 1)
    assert "For all 2 learners, the lists" in certificates.sample_sentence(frame(0.98, 0.99), 2)
    assert "Swapping" not in certificates.sample_sentence(frame(0.98, swapped=math.nan), 5)
    assert "1 search ran out of time" in certificates.sample_sentence(frame(0.98, solved=False), 5)
    assert "No share can be proven" in certificates.sample_sentence(
        frame(math.nan, swapped=math.nan), 5
    )


@pytest.mark.parametrize("ratios", [(0.943, 0.99, 1.0), (1.0, 1.0), (0.9999, 1.0), (-0.5, 0.3)])
def test_every_learner_is_in_a_step(ratios: tuple[float, ...]) -> None:
    made = certificates.share_histogram(frame(*ratios))
    assert made.groupby("stage")["learners"].sum().eq(len(ratios)).all()
    assert made["high"].max() == 1.0
    now = made[made["stage"] == "as they are"]
    assert len(now) <= 20
    if min(ratios) > 0:
        assert now["low"].min() <= min(ratios) + 1e-12


@pytest.mark.parametrize("name", BUNDLES)
@pytest.mark.parametrize(
    "fields", [{"floor": 0.7}, {"lam": 1.0, "pool": "catalogue"}, {"lam": 0.0}], ids=str
)
def test_awkward_data(name: str, fields: dict[str, float]) -> None:
    bundle = BUNDLES[name]()
    run = eq.rerank(bundle, bundle.algorithms[0], eq.Policy(k=3, **fields))
    made = certificates.sample_certificates(bundle, run, 3)
    assert (made["ratio"] <= made["swapped_ratio"] + 1e-12).all()
    assert "nan" not in certificates.sample_sentence(made, len(bundle.learner_ids))
    for learner in range(len(bundle.learner_ids)):
        found = certificates.learner_certificate(bundle, run, learner)
        assert "nan" not in " ".join(certificates.certificate_sentences(found))
        assert len(certificates.swap_table(bundle, found)) <= 3
