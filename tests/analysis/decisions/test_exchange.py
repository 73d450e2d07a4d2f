"""Policies and scenarios through files: what is written comes back; what cannot be used is
explained."""

import json

import pandas as pd
import pytest

import equity_core as eq
from equity_core.analysis.decisions import exchange
from equity_core.analysis.decisions.exchange import NamedPolicy

POLICIES = [
    eq.Policy(floor=0.7, targets={"quality": 0.5}),
    eq.Policy(
        lam=0.9,
        strategy="custom",
        weights={"variety": 2.0},
        k=5,
        pool="catalogue",
        relevance_scale="rank",
    ),
    eq.Policy(
        targets=pd.DataFrame({"quality": [0.5]}, index=pd.Index(["u001"], name="learner_id"))
    ),
]


def test_scenarios_come_back(bundle):
    rows = [
        NamedPolicy(f"No. {at} <b>“ä”</b>", "userknn", policy) for at, policy in enumerate(POLICIES)
    ]
    found, notes = exchange.read_scenarios(exchange.write_scenarios(rows, bundle), bundle)
    assert found == rows
    assert notes == []


@pytest.mark.parametrize("policy", POLICIES)
def test_a_plain_policy_comes_back(bundle, policy):
    found, notes = exchange.read_scenarios(policy.to_json(), bundle, "mine")
    assert found == [NamedPolicy("mine", None, policy)]
    assert notes == []


def test_the_file_says_what_it_was_made_on(bundle):
    given = json.loads(
        exchange.write_scenarios([NamedPolicy("one", "userknn", eq.Policy())], bundle)
    )
    assert given["data"] == {
        "name": bundle.name,
        "synthetic": True,
        "fingerprint": bundle.fingerprint,
    }
    assert given["software"].startswith("equity_core ")
    assert given["made"][:2] == "20"


def test_other_data_and_recommenders_are_noted(bundle):
    given = json.loads(
        exchange.write_scenarios([NamedPolicy("one", "coupledcf", eq.Policy())], bundle)
    )
    given["data"] = {"name": "elsewhere", "fingerprint": "other"}
    found, notes = exchange.read_scenarios(json.dumps(given), bundle)
    assert found[0].algorithm is None
    assert any("elsewhere" in note for note in notes)
    assert any("coupledcf" in note for note in notes)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "not a JSON file"),
        ("[]", "must be an object"),
        ("7", "must be an object"),
        ('{"lam": 2}', "λ must be between 0 and 1"),
        ('{"lamda": 0.5}', "unknown policy field lamda"),
        ('{"targets": {"beauty": 1}}', "beauty"),
        ('{"strategy": "custom", "weights": {"beauty": 1}}', "beauty"),
        ('{"scenarios": []}', "list of objects"),
        ('{"scenarios": [{"name": "x"}]}', "list of objects"),
        ('{"scenarios": [{"policy": {}}, {"policy": {"k": 0}}]}', "scenario 2: k must be"),
        ("[" * 100_000, "not a JSON file"),
    ],
)
def test_faults_are_explained(bundle, text, words):
    with pytest.raises(ValueError, match=words):
        exchange.read_scenarios(text, bundle)


def test_a_huge_file_is_refused(bundle, monkeypatch):
    monkeypatch.setattr(exchange, "MOST_CHARACTERS", 10)
    with pytest.raises(ValueError, match="right one"):
        exchange.read_scenarios('{"lam": 0.5000000}', bundle)
