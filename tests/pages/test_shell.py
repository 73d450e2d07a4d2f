"""The shell: links, notes, controls, own principles, scenarios; wherever a choice makes no sense it
is explained in place."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import equity_core as eq
from tests.helpers import awkward
from tests.helpers.screens import go_to
from tests.helpers.worlds import tiny_frames
from tests.pages.conftest import ROOT, Opened, wrong


def texts(app: AppTest) -> str:
    """Everything that is written on the page."""
    kinds = (app.markdown, app.caption, app.warning, app.error, app.info, app.title)
    return "\n".join(str(element.value) for kind in kinds for element in kind)


def current(app: AppTest) -> eq.Policy:
    return app.session_state["_current"].policy


def test_starts_on_the_demo_with_a_floor_at_todays_mean(opened: Opened) -> None:
    app = opened()
    cur = app.session_state["_current"]
    assert cur.bundle.name.startswith("Demo")
    assert cur.algorithm == "userknn"
    own = eq.evaluate(cur.bundle, eq.rerank(cur.bundle, "userknn", cur.own), cur.own)
    assert cur.policy.floor == pytest.approx(round(own.consistency, 2))
    assert app.title[0].value == "Is it worth changing, and to what?"


@pytest.mark.parametrize("strategy", ["pers", "Learner's gaps (pers)"])
def test_a_link_restores_the_scenario(opened: Opened, strategy: str) -> None:
    app = opened(
        by="lam",
        lam="0.9",
        algo="itemknn",
        strategy=strategy,
        k="5",
        targets="quality=0.8, variety=0.5",
    )
    cur = app.session_state["_current"]
    assert (cur.algorithm, cur.policy) == (
        "itemknn",
        eq.Policy(lam=0.9, strategy="pers", k=5, targets={"quality": 0.8, "variety": 0.5}),
    )
    assert "not possible here" not in texts(app)


def test_bad_values_in_a_link_fall_back_with_a_note(opened: Opened) -> None:
    app = opened(
        by="nonsense",
        algo="oracle",
        k="0",
        strategy="best",
        data="nowhere",
        targets="beauty=1, quality=7, x",
    )
    assert current(app).k == 10
    assert current(app).targets is None
    said = texts(app)
    for words in (
        "data set “nowhere”",
        "recommender “oracle”",
        "policy “nonsense”",
        "list length k “0”",
        "strategy “best”",
    ):
        assert words in said, words
    assert "“beauty” is not a principle of this data set" in said
    assert "quality must be from 0 to 1, not 7" in said
    assert "“x” is not of the form principle=number" in said


def test_switching_pages_keeps_the_policy(opened: Opened) -> None:
    app = opened(by="lam", lam="0.7")
    go_to(app, "tradeoff")
    assert app.title[0].value == "Which λ, or which floor?"
    assert wrong(app) == []
    assert current(app).lam == 0.7
    assert current(app).floor is None


def test_every_page_but_the_first_comes_through_the_router(opened: Opened) -> None:
    app = opened(page="tradeoff")
    assert app.title[0].value == "Which λ, or which floor?"
    assert [box.label for box in app.sidebar.selectbox][:2] == ["Data set", "Recommender"]


def test_all_zero_weights_are_explained(opened: Opened) -> None:
    names = [principle.name for principle in eq.SEVEN]
    app = opened(strategy="custom", weights=", ".join(f"{name}=0" for name in names))
    assert "all weights are 0" in texts(app)
    assert current(app).weights is None


def test_weights_count_with_custom_only(opened: Opened) -> None:
    assert current(opened(strategy="custom", weights="quality=2")).weights == {"quality": 2.0}
    assert current(opened(strategy="glob", weights="quality=2")).weights is None


def test_a_principle_of_ones_own_in_a_link(opened: Opened) -> None:
    app = opened(principles="cheap:mean:price:low:linear")
    cur = app.session_state["_current"]
    assert cur.names == ("cheap",)
    assert cur.bundle.principles[0] == eq.Principle("cheap", "mean", "price", better="low")


def test_an_impossible_principle_is_explained_and_the_seven_stay(opened: Opened) -> None:
    app = opened(principles="x:mean:moons")
    assert "no column 'moons'" in texts(app)
    assert len(app.session_state["_current"].names) == 7


def test_presets_pins_and_scenarios(opened: Opened) -> None:
    app = opened()
    app.session_state["_preset"] = current(app).but(lam=0.95, floor=None, strategy="pers")
    app.run()
    assert (current(app).lam, current(app).strategy) == (0.95, "pers")
    app.button(key="pin").click().run()
    assert app.session_state["_current"].baseline == current(app)
    app.selectbox(key="strategy").set_value("glob").run()
    assert wrong(app) == []
    assert "Compared with the pinned" in texts(app)
    app.button(key="save").click().run()
    app.button(key="save_scenario").click().run()
    kept = app.session_state["_scenarios"]
    assert [scenario.policy for scenario in kept] == [current(app)]
    app.button(key="save").click().run()
    app.button(key="save_scenario").click().run()
    assert len({scenario.name for scenario in app.session_state["_scenarios"]}) == 2
    app.button(key="reset_all").click().run()
    assert current(app).floor is not None
    assert app.session_state["_current"].baseline is None


def test_a_data_set_without_scores_is_explained(opened: Opened) -> None:
    courses, log, _ = tiny_frames()
    app = opened(eq.Bundle.from_frames(courses, log))
    assert "no relevance scores" in texts(app)


def test_a_broken_bundle_is_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opened: Opened
) -> None:
    awkward.three_learners().save(tmp_path / "broken")
    (tmp_path / "broken" / "courses.parquet").unlink()
    monkeypatch.setenv("EQUITY_DATA", str(tmp_path / "broken"))
    app = opened()
    app.selectbox(key="data").set_value("broken").run()
    assert wrong(app) == []
    assert "cannot be used" in texts(app)
    assert "courses" in app.code[0].value
    assert "stays in use" in texts(app)
    assert app.title[0].value == "Is it worth changing, and to what?"


def test_results_of_uploads_stay_out_of_the_shared_memory(opened: Opened) -> None:
    from pages.shared.compute import store_of

    app = opened()
    app.session_state["_uploads"] = {}
    made = awkward.one_category()
    from pages.shared.datasets import Dataset

    app.session_state["_uploads"] = {
        "upload-1": Dataset("upload-1", made, "upload-1-x", private=True)
    }
    app.session_state["_pick"] = "upload-1"
    app.run()
    assert wrong(app) == []
    cur = app.session_state["_current"]
    assert cur.private
    assert cur.bundle is made
    private = app.session_state["_private_store"]
    assert len(private.memory) > 0
    assert {question[1] for question in private.memory.questions()} == {"upload-1-x"}
    shared = store_of(Dataset("other", made, "other", private=False)).memory
    assert not [question for question in shared.questions() if "upload" in question[1]]


def test_figures_of_another_data_set_fade_until_the_new_ones_are_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opened: Opened
) -> None:
    awkward.three_learners().save(tmp_path / "other")
    monkeypatch.setenv("EQUITY_DATA", str(tmp_path / "other"))

    def rules() -> list[str]:
        styles = [
            str(element.proto.body)
            for element in app.get("html")
            if "data-stale" in str(element.proto.body)
        ]
        return [rule for style in styles[1:] for rule in style.split() if rule in ("0.25", "1")]

    app = opened()
    assert rules() == []
    app.selectbox(key="data").set_value("other").run()
    assert wrong(app) == []
    assert rules() == ["0.25", "1"]  # faded from the beginning of the run to its end
    app.run()
    assert rules() == []


def test_a_link_restores_several_principles_and_ones_own(opened: Opened) -> None:
    codes = [
        "quality",
        "variety",
        "cheap%3A 1, 2:mean:price:low:log:0:90.5",
        "topical:match:category",
    ]
    app = opened(principles=codes, targets="quality=0.9 cheap: 1, 2=0.5")
    cheap = eq.Principle("cheap: 1, 2", "mean", "price", "low", "log", 0.0, 90.5)
    assert app.session_state["_current"].bundle.principles == (
        eq.SEVEN[4],
        eq.SEVEN[3],
        cheap,
        eq.Principle("topical", "match", "category"),
    )
    assert current(app).principles[2] == cheap
    assert current(app).targets == {"quality": 0.9, "cheap: 1, 2": 0.5}
    assert "A principle was left out" not in texts(app)


def test_without_affordability_the_policys_file_gives_the_figures_of_the_screen(
    opened: Opened,
) -> None:
    left = [principle.name for principle in eq.SEVEN if principle.name != "affordability"]
    app = opened(principles=left)
    cur = app.session_state["_current"]
    policy = eq.Policy.from_json(cur.exported(cur.policy).to_json())
    demo = eq.load_bundle(ROOT / "data" / "demo")
    found = eq.evaluate(demo, eq.rerank(demo, "userknn", policy), policy)
    (cards,) = (
        element.proto.body
        for element in app.get("html")
        if element.proto.body.startswith('<div class="eq-cards">')
    )
    assert f">{found.ndcg:.4f}<" in cards
    assert f">{found.equality:.3f}<" in cards
    assert found.names == tuple(left)


def test_each_data_set_has_its_own_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opened: Opened
) -> None:
    other = awkward.three_learners().with_principles(eq.SEVEN[3:5])
    other.save(tmp_path / "other")
    monkeypatch.setenv("EQUITY_DATA", str(tmp_path / "other"))
    app = opened(principles=["quality", "validity"], tau="0.7", targets="quality=0.8", k="5")
    before = current(app)
    app.selectbox(key="data").set_value("other").run()
    assert wrong(app) == []
    cur = app.session_state["_current"]
    own = eq.evaluate(other, eq.rerank(other, cur.algorithm, cur.own), cur.own)
    assert cur.names == ("variety", "quality")
    assert cur.policy == eq.Policy(lam=0.85, floor=round(own.consistency, 2))
    assert app.session_state["targets"] == ""
    app.selectbox(key="data").set_value("demo").run()
    assert current(app) == before


def test_learners_own_targets_are_said_and_replaced_one_by_one(opened: Opened) -> None:
    courses, log, scores = tiny_frames()
    ids = sorted(set(log["learner_id"]))
    targets = pd.DataFrame({"learner_id": ids, "quality": 0.5, "variety": 0.25})
    app = opened(eq.Bundle.from_frames(courses, log, scores, targets=targets))
    assert "own targets for variety and quality are in force" in texts(app)
    app.session_state["aims"] = True
    app.run()
    field = app.number_input(key="draft_targets_quality")
    assert field.value is None
    field.set_value(1.0).run()
    app.button(key="aims_apply").click().run()
    assert wrong(app) == []
    assert current(app).targets == {"quality": 1.0}
    assert "own targets for variety are in force" in texts(app)
    assert app.session_state["targets"] == "quality=1"
    app.button(key="reset_quality").click().run()
    app.button(key="aims_apply").click().run()
    assert current(app).targets is None
