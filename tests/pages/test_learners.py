"""The Learners screen as a script: it opens the right learner and says what equity_core found."""

from __future__ import annotations

import numpy as np
import pytest

import equity_core as eq
from equity_core.analysis.audit import rank_discount
from equity_core.analysis.learners import certificates, lists, population
from equity_core.analysis.learners.reasons import reasons
from pages.shared.panels import plain
from tests.helpers.audited import make
from tests.helpers.awkward import BUNDLES
from tests.helpers.screens import screen, texts

POLICY = {"algo": "userknn", "k": 5, "by": "lam", "lam": 0.9}


@pytest.fixture(scope="module")
def bundle() -> eq.Bundle:
    return make(learners=120)


@pytest.fixture(scope="module")
def measured(bundle):
    policy = eq.Policy(lam=0.9, k=5)
    own, run = (
        eq.rerank(bundle, "userknn", policy.but(lam=0.0)),
        eq.rerank(bundle, "userknn", policy),
    )
    return own, run, eq.evaluate(bundle, own, policy), eq.evaluate(bundle, run, policy)


def answer(bundle, measured, learner):
    head, rest = lists.learner_sentence(bundle, measured[0], measured[1], measured[2:], learner)
    return f"**{plain(head)}** {plain(rest)}"


def panel(at, key):
    """The HTML that a panel was given."""
    import json

    found = [element for element in at.get("bidi_component") if key in element.proto.id]
    assert len(found) == 1, key
    return json.loads(found[0].proto.json)["html"]


def test_the_worst_off_learner_comes_first(bundle, folder, measured, monkeypatch):
    at = screen("learners", folder, monkeypatch, **POLICY)
    worst = int(np.argmin(measured[2].per_learner_consistency))
    assert at.title[0].value == "What changes for a person?"
    assert answer(bundle, measured, worst) in texts(at)
    assert f"**Past:** {plain(lists.past_summary(bundle, worst))}" in texts(at)


def test_other_orders_and_steps(bundle, folder, measured, monkeypatch):
    people = population.learner_changes(bundle, *measured)
    for by in population.ORDERS:
        line = population.learner_order(people, by)
        at = screen("learners", folder, monkeypatch, **POLICY, order=by)
        assert answer(bundle, measured, line[0]) in texts(at)
        at.button(key="step1").click().run()
        assert answer(bundle, measured, line[1]) in texts(at)
        at.button(key="step-1").click().run()
        assert answer(bundle, measured, line[0]) in texts(at)
        assert at.button(key="step-1").disabled


def test_find_by_id(bundle, folder, measured, monkeypatch):
    at = screen("learners", folder, monkeypatch, **POLICY, learner="u042")
    assert answer(bundle, measured, 42) in texts(at)
    at.text_input(key="learner").set_value("u01").run()
    assert answer(bundle, measured, 10) in texts(at)
    assert any("10 ids contain" in text for text in texts(at))
    at.text_input(key="learner").set_value("<b>nobody</b>").run()
    assert any("<b>nobody" in warning.value for warning in at.warning)
    assert not at.exception


def test_the_picked_learner_is_shown(bundle, folder, measured, monkeypatch):
    at = screen("learners", folder, monkeypatch, **POLICY)
    at.selectbox(key="pick").set_value(17).run()
    assert answer(bundle, measured, 17) in texts(at)
    assert at.text_input(key="learner").value == "u017"


def test_every_reason_is_on_the_screen(bundle, folder, measured, monkeypatch):
    from html import unescape

    at = screen("learners", folder, monkeypatch, **POLICY, learner="u042")
    found, html = reasons(bundle, measured[0], measured[1], 42), unescape(panel(at, "lists"))
    for why in [*found.picked["why"], *found.left["why"]]:
        assert why in html


def test_gains_and_payments_are_told(bundle, folder, measured, monkeypatch):
    at = screen("learners", folder, monkeypatch, **POLICY)
    people = population.learner_changes(bundle, *measured)
    assert (
        f"{population.gains_sentence(people)} {population.hits_sentence(people, 'test')}"
        in texts(at)
    )


def test_the_certificate_of_the_list_is_told(bundle, folder, measured, monkeypatch):
    at = screen("learners", folder, monkeypatch, **POLICY, learner="u042")
    head, rest = certificates.certificate_sentences(
        certificates.learner_certificate(bundle, measured[1], 42)
    )
    assert f"**{plain(head)}** {plain(rest)}" in texts(at)
    assert any("A sample takes about" in text for text in texts(at))


def test_under_a_floor_the_relevance_kept_is_told(bundle, folder, monkeypatch):
    asked = {**POLICY, "by": "floor", "tau": 0.65}
    at = screen("learners", folder, monkeypatch, **asked, learner="u042")
    run = eq.rerank(bundle, "userknn", eq.Policy(floor=0.65, k=5))
    head, rest = certificates.certificate_sentences(
        certificates.learner_certificate(bundle, run, 42)
    )
    assert f"**{plain(head)}** {plain(rest)}" in texts(at)
    at.button(key="certify").click().run()
    assert not at.exception
    sample = certificates.sample_certificates(bundle, run, 20)
    assert certificates.sample_sentence(sample, len(bundle.learner_ids)) in texts(at)


def test_under_a_floor_no_lam_is_said_to_be_used(bundle, folder, monkeypatch):
    from html import unescape

    policy = eq.Policy(floor=0.65, k=5)
    own, run = (
        eq.rerank(bundle, "userknn", one) for one in (policy.but(floor=None, lam=0.0), policy)
    )
    learner = int(np.flatnonzero((own.courses != run.courses).any(axis=1))[0])
    asked = {**POLICY, "by": "floor", "tau": 0.65}
    at = screen("learners", folder, monkeypatch, **asked, learner=f"u{learner:03d}")
    found, html = reasons(bundle, own, run, learner), unescape(panel(at, "lists"))
    assert "with λ =" not in html
    assert "No λ is used" in found.note
    assert found.note in html
    for why in [*found.picked["why"], *found.left["why"]]:
        assert why in html


def test_a_sample_is_proven_on_demand_and_goes_with_its_policy(
    bundle, folder, measured, monkeypatch
):
    at = screen("learners", folder, monkeypatch, **POLICY)
    said = certificates.sample_sentence(
        certificates.sample_certificates(bundle, measured[1], 20), len(bundle.learner_ids)
    )
    assert said not in texts(at)
    at.button(key="certify").click().run()
    assert not at.exception
    assert said in texts(at)
    # Another learner: the sample stays. Another size, or another policy: it is asked for anew.
    at.button(key="step1").click().run()
    assert said in texts(at)
    assert at.button(key="certify").disabled
    at.segmented_control(key="certify_sample").set_value(50).run()
    assert not at.button(key="certify").disabled
    other = screen(
        "learners",
        folder,
        monkeypatch,
        **{**POLICY, "lam": 0.8},
        _certificates_asked=at.session_state["_certificates_asked"],
    )
    assert not any("drawn from" in text for text in texts(other))


def test_higher_places_may_count_more(bundle, folder, measured, monkeypatch):
    own, run, before, after = measured
    ranked = [rank_discount.evaluate_discounted(bundle, one, "test") for one in (own, run)]
    at = screen("learners", folder, monkeypatch, **POLICY, learner="u042")
    said = rank_discount.learner_discount_sentence((before, ranked[0]), (after, ranked[1]), 42)
    assert said not in texts(at)
    at.toggle(key="by_rank").set_value(True).run()
    assert said in texts(at)
    assert plain(lists.principles_sentence(lists.learner_principles(*ranked, 42))) in texts(at)


@pytest.mark.parametrize("name", BUNDLES)
def test_awkward_data(name, tmp_path, monkeypatch):
    bundle = BUNDLES[name]()
    bundle.save(tmp_path / name)
    for learner in bundle.learner_ids:
        at = screen(
            "learners", tmp_path / name, monkeypatch, k=3, learner=str(learner), by_rank=True
        )
        assert not any("nan" in text.split() for text in texts(at))
        assert "<script" not in panel(at, "lists")
    at.button(key="certify").click().run()
    assert not at.exception
    assert not any("nan" in text.split() for text in texts(at))
