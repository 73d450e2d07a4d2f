"""How the choice moves: every row against its own paths, and the sentence on frames made by
hand."""

from __future__ import annotations

import math
from dataclasses import replace

import pandas as pd
import pytest

import equity_core as eq
from equity_core.analysis.choosing import sensitivity
from equity_core.analysis.tradeoff import paths
from equity_core.reranker import sampling
from tests.helpers.audited import make
from tests.helpers.awkward import BUNDLES

POLICY = eq.Policy(k=5)


@pytest.fixture(scope="module")
def world():
    return make(learners=60)


@pytest.fixture(scope="module")
def frame(world):
    return sensitivity.sensitivity(world, "userknn", POLICY, limit=0.2)


def chosen(bundle, policy, limit=0.2):
    lam, floor = (
        paths.lam_path(bundle, "userknn", policy),
        paths.floor_path(bundle, "userknn", policy),
    )
    own = float(lam["ndcg"].iloc[0])
    return own, paths.best_within(floor, limit, own), paths.best_within(lam, limit, own)


def test_every_setting_has_its_rows_and_one_is_in_use(frame):
    assert frame.groupby("setting", sort=False)["value"].agg(list).to_dict() == {
        "k": ["5", "10", "20"],
        "strategy": ["glob", "user", "pers"],
        "relevance scale": ["minmax", "rank", "none"],
        "manageability": ["linear", "log"],
    }
    assert (frame.groupby("setting")["in_use"].sum() == 1).all()
    assert frame[frame["in_use"]]["value"].tolist() == ["5", "glob", "minmax", "linear"]
    now = frame[frame["in_use"]]
    assert now["floor"].nunique() == now["lam"].nunique() == 1
    assert (now[["floor_change", "lam_change", "floor_equality_change"]] == 0).all().all()


@pytest.mark.parametrize(
    ("setting", "value", "change"),
    [
        ("k", "10", {"k": 10}),
        ("strategy", "pers", {"strategy": "pers"}),
        ("relevance scale", "rank", {"relevance_scale": "rank"}),
    ],
)
def test_a_row_is_the_choice_on_its_own_paths(world, frame, setting, value, change):
    own, floor, lam = chosen(world, POLICY.but(**change))
    row = frame[(frame["setting"] == setting) & (frame["value"] == value)].iloc[0]
    assert (row["floor"], row["floor_equality"]) == (
        floor["value"],
        pytest.approx(floor["equality"]),
    )
    assert (row["lam"], row["lam_equality"]) == (lam["value"], pytest.approx(lam["equality"]))
    assert row["floor_loss"] == pytest.approx(1 - floor["ndcg"] / own)
    now = frame[frame["in_use"]].iloc[0]
    assert row["floor_change"] == pytest.approx(row["floor"] - now["floor"])


def test_manageability_on_a_log_scale(world, frame):
    log = [
        replace(one, scale="log") if one.name == "manageability" else one
        for one in world.principles
    ]
    _, floor, lam = chosen(world.with_principles(log), POLICY)
    row = frame[frame["value"] == "log"].iloc[0]
    assert (row["floor"], row["lam"]) == (floor["value"], lam["value"])


def test_what_is_in_use_beyond_the_list_is_a_row_too(world):
    policy = eq.Policy(k=7, strategy="custom", weights={"quality": 2.0}, floor=0.6)
    found = sensitivity.sensitivity(world, "userknn", policy, limit=0.2)
    assert found[found["in_use"]]["value"].tolist() == ["7", "custom", "minmax", "linear"]
    assert found["setting"].value_counts()["strategy"] == 4


def test_without_manageability_there_is_no_such_row(world):
    fewer = world.with_principles([one for one in world.principles if one.name != "manageability"])
    assert "manageability" not in set(sensitivity.sensitivity(fewer, "userknn", POLICY)["setting"])


@pytest.mark.parametrize("name", BUNDLES)
def test_awkward_data(name):
    bundle = BUNDLES[name]()
    found = sensitivity.sensitivity(bundle, bundle.algorithms[0], eq.Policy(k=3))
    said = f"{sensitivity.sensitivity_sentence(found, 0.1)} {sensitivity.missing_sentence(found)}"
    assert "nan" not in said.split()
    if name == "no_test":
        assert found[["floor", "lam", "floor_loss"]].isna().all().all()
        assert "NDCG is unknown here" in said


def test_many_learners_are_sampled(world, monkeypatch):
    monkeypatch.setattr(sampling, "LARGE", 30)
    monkeypatch.setattr(sampling.SampledSession.__init__, "__defaults__", (30,))
    lam = paths.lam_path(world, "userknn", POLICY)
    assert lam.attrs["learners"] < 60
    best = paths.best_within(lam, 0.2, float(lam["ndcg"].iloc[0]))
    now = sensitivity.sensitivity(world, "userknn", POLICY, limit=0.2).iloc[0]
    assert (now["lam"], now["lam_equality"]) == (best["value"], pytest.approx(best["equality"]))


def test_progress_counts_and_cancels(world):
    seen = []
    sensitivity.sensitivity(
        world, "userknn", POLICY, progress=lambda done, total: seen.append((done, total))
    )
    assert seen[0] == (0, 8)
    assert seen[-1] == (8, 8)
    with pytest.raises(eq.Cancelled):
        sensitivity.sensitivity(world, "userknn", POLICY, progress=lambda done, total: done < 2)


def table(**choices: tuple[float, ...]) -> pd.DataFrame:
    rows = [
        (setting.replace("_", " "), str(at), value)
        for setting, values in choices.items()
        for at, value in enumerate(values)
    ]
    return pd.DataFrame(rows, columns=["setting", "value", "floor"]).assign(lam=math.nan)


def test_the_sentence_names_what_moves_the_choice():
    said = sensitivity.sensitivity_sentence(
        table(k=(0.58, 0.62, 0.66), strategy=(0.62, 0.62, 0.64), manageability=(0.62, 0.55)), 0.1
    )
    assert said.startswith(
        "The best floor moves most with k (0.58–0.66); it hardly moves with strategy (0.62–0.64)."
    )
    assert "The best λ: too few settings have one to compare." in said
    assert said.endswith(
        "Choices at a loss of at most 10 % of NDCG, one setting changed at a time."
    )
    still = sensitivity.sensitivity_sentence(table(k=(0.62, 0.63), strategy=(0.62, 0.62)), 0.1)
    assert still.startswith("The best floor hardly moves with any of these settings (0.62–0.63).")
    all_move = sensitivity.sensitivity_sentence(table(k=(0.5, 0.63), strategy=(0.62, 0.7)), 0.1)
    assert all_move.startswith(
        "The best floor moves most with k (0.5–0.63), and with each of the others, too."
    )


def test_rows_without_a_choice_are_named():
    found = table(k=(0.58, math.nan), strategy=(0.6, 0.6))
    assert (
        sensitivity.missing_sentence(found.assign(lam=0.5)) == "No floor keeps the limit with k 1."
    )
    assert sensitivity.missing_sentence(found.assign(floor=0.5, lam=0.5)) == ""


def test_how_to_read_it():
    assert "chosen on the valid part, NDCG lost on the test part" in sensitivity.reading_note(
        "test", "valid"
    )
    assert "chosen and shown on the test part" in sensitivity.reading_note("test", "test")
    shown = sensitivity.sensitivity_table(
        pd.DataFrame(
            {"value": ["glob", "5"], "floor_loss": [0.1, 0.0], "lam_loss": [math.nan, math.nan]}
        )
    )
    assert shown["floor_loss"].tolist() == [10.0, 0.0]
    assert shown["value"].tolist() == ["Same for all (glob)", "5"]
