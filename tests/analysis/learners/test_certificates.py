"""Certificates in words and steps: what is said is what was proven, and never more."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import equity_core as eq
from equity_core.analysis.learners import certificates, proofs
from equity_core.analysis.learners.proofs import ratio_interval, share_bars
from equity_core.certify.learner import Certificate, FloorCertificate, State
from equity_core.certify.sample import COLUMNS, FLOOR_COLUMNS
from tests.helpers.awkward import BUNDLES
from tests.helpers.worlds import tiny_frames


@pytest.fixture(scope="module")
def tiny() -> eq.Bundle:
    courses, log, scores = tiny_frames()
    return eq.Bundle.from_frames(courses, log, relevance=scores)


@pytest.fixture(scope="module")
def run(tiny: eq.Bundle) -> eq.Run:
    return eq.rerank(tiny, "userknn", eq.Policy(lam=0.9, k=3))


def frame(
    *gains: float, own: float = 0.9, bound: float = 1.0, swapped: float = 1.0, solved: bool = True
) -> pd.DataFrame:
    """Certificates of lists that reach these shares of the gain from ``own`` to ``bound``."""
    rows = []
    for gain in gains:
        values = (own + share * (bound - own) for share in (gain, swapped))
        rows.append(
            Certificate(0, 0.9, (1,), next(values), own, (1,), next(values), bound, solved, 0)
        )
    return pd.DataFrame([{name: getattr(row, name) for name in COLUMNS} for row in rows])


def floors(
    *kept: float, state: State = "met", solved: bool = True, own: float = 5.0
) -> pd.DataFrame:
    """Certificates of lists under a floor that keep these shares of an optimum of 4."""
    highest = math.nan if state in ("met", "own list meets it") else 0.8
    rows = [
        FloorCertificate(
            0, 0.7, (1,), (1,), 4 * share, own, 4.0, 0.72, 0.6, highest, state, solved, 0
        )
        for share in kept
    ]
    return pd.DataFrame([{name: getattr(row, name) for name in FLOOR_COLUMNS} for row in rows])


def test_a_share_is_rounded_down() -> None:
    assert proofs.proven_share(0.9919) == "99.1 %"
    assert proofs.proven_share(0.99999) == "99.9 %"
    assert proofs.proven_share(1.0) == "100.0 %"
    assert proofs.proven_share(0.99) == "99.0 %"
    assert proofs.proven_share(-0.0201) == "−2.1 %"
    assert proofs.proven_share(math.nan) == "an unknown share"


def said(found: Certificate | FloorCertificate, **changes: object) -> str:
    return " ".join(certificates.certificate_sentences(replace(found, **changes)))  # type: ignore[arg-type]


def test_one_list_in_words(tiny: eq.Bundle, run: eq.Run) -> None:
    seen: list[tuple[int, int]] = []
    found = certificates.learner_certificate(
        tiny, run, 0, progress=lambda done, total: seen.append((done, total))
    )
    assert isinstance(found, Certificate)
    assert seen == [(0, 1)]
    swapped = (7, *found.courses[1:])
    found = replace(
        found, objective=0.97, own=0.95, bound=1.0, swapped=0.98, swapped_courses=swapped
    )
    assert said(found) == (
        "This list reaches at least 40.0 % of what could be gained over the own list. Its objective"
        " is at least 97.0 % of the best possible one; the own list’s is 95.0 %. Swapping 1 course"
        " would reach at least 60.0 % of the gain."
    )
    assert said(found, objective=0.93, swapped=0.94) == (
        "This list is worse than the own one. Its objective is at least 93.0 % of the best possible"
        " one; the own list’s is 95.0 %. Swapping 1 course would raise its objective to at least"
        " 94.0 % of the best possible one."
    )
    assert said(found, objective=1.0, swapped_courses=found.courses, solved=False) == (
        "No list is better than this one. The own list reaches at least 95.0 % of it. Swapping any"
        " single course for another would not make it better. The search was stopped after 5"
        " seconds: the shares are proven, but the true ones may be higher."
    )
    nothing = "There is nothing to gain here: no list is better than the own one."
    same = said(found, objective=1.0, own=1.0, swapped_courses=found.courses)
    assert same.startswith(f"{nothing} This list is as good as the own one.")
    assert said(found, own=1.0).startswith(f"{nothing} Its objective is at least 97.0 %")
    assert "No share can be proven" in said(found, objective=-2.0, bound=-1.0)
    assert "no list" in said(found, courses=())


def test_one_list_under_a_floor_in_words(tiny: eq.Bundle) -> None:
    floor = eq.rerank(tiny, "userknn", eq.Policy(floor=0.7, k=3))
    found = certificates.learner_certificate(tiny, floor, 0)
    assert isinstance(found, FloorCertificate)
    found = replace(
        found, state="met", relevance=1.8, own_relevance=2.5, optimum=2.0, own_consistency=0.6124
    )
    assert said(found) == (
        "This list keeps at least 90.0 % of the most relevance that the floor allows. Its relevance"
        " adds up to 1.80, the own list’s to 2.50, that of the best list that meets the floor to"
        " 2.00. In consistency, the own list has 0.612 and misses the floor."
    )
    assert "to at most 2.00. In consistency" in said(found, solved=False)
    assert said(found, relevance=2.0).startswith("No list that meets the floor has more relevance")
    assert "less than the most relevance" in said(found, relevance=-3.0, optimum=-2.0)
    own = replace(found, state="own list meets it", optimum=2.5)
    assert said(own, relevance=2.5).startswith(
        "The own list meets the floor. This list has the same"
    )
    assert said(own).endswith("the own list’s to 2.50, the most that there is.")
    below = replace(found, state="out of reach", consistency=0.6, highest=0.625, optimum=math.nan)
    assert said(below) == (
        "No list reaches the floor. Its consistency is 0.600, at least 96.0 % of the highest"
        " possible; the own list’s is 0.612."
    )
    assert said(below, state="missed").startswith(
        "This list misses the floor, although other lists"
    )
    assert "is not settled" in said(below, state="not settled", solved=False)
    assert "nan" not in said(below, highest=math.nan)
    assert "no list" in said(found, courses=())


def test_under_a_floor_the_table_leads_to_the_best_list(tiny: eq.Bundle) -> None:
    floor = eq.rerank(tiny, "userknn", eq.Policy(floor=0.7, k=3))
    found = certificates.learner_certificate(tiny, floor, 0)
    assert isinstance(found, FloorCertificate)
    new = next(course for course in range(len(tiny.course_ids)) if course not in found.courses)
    # The best list has no order of its own.
    made = certificates.swap_table(tiny, replace(found, best_courses=(new, *found.courses[:2])))
    assert made["place"].tolist() == [3]
    assert made["enters"].tolist() == [tiny.course_ids[new]]
    assert certificates.swap_table(tiny, replace(found, best_courses=())).empty


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
    attainable = (made["bound"] - made["own"]).where(~made["nothing_to_gain"], 0.0)
    gained = (made["objective"] - made["own"]).sum()
    assert now["gain"] == pytest.approx(gained / attainable.sum())
    assert now["low"] <= now["gain"] <= now["high"]
    assert now["gain_mean"] == pytest.approx(made["gain_share"].mean())
    assert now["gain_worst"] == made["gain_share"].min()
    assert now["ratio"] == pytest.approx(made["ratio"].mean())
    assert now["ratio_worst"] == made["ratio"].min()
    assert now["learners"] == len(made)
    assert found.loc["own lists", "ratio"] == pytest.approx(made["own_ratio"].mean())
    assert found.loc["own lists", "gain"] == 0.0
    assert found.loc["after swaps", "gain_worst"] == made["swapped_gain_share"].min()


def test_the_interval_of_a_mean_is_that_of_a_mean() -> None:
    values = np.random.default_rng(0).normal(0.98, 0.01, 200)
    low, high = ratio_interval(values, np.ones(200))
    half = 1.96 * values.std() / math.sqrt(200)
    assert high - low == pytest.approx(2 * half, rel=0.1)
    assert low < values.mean() < high
    assert all(math.isnan(end) for end in ratio_interval(values, np.zeros(200)))


def test_a_sample_in_words() -> None:
    text = certificates.sample_sentence(frame(0.5, 0.7, swapped=0.9), 2000)
    assert text.startswith(
        "For 2 learners drawn from 2,000, the lists reach at least 60.0 % of what could be gained"
        " over the own lists (95 % interval 50.0 % to 70.0 %); half of the learners get at least"
        " 60.0 %, the worst 50.0 %. In the objective itself the lists reach on average at least"
        " 96.0 % of the best possible, the worst 95.0 %; the own lists 90.0 % and 90.0 %."
    )
    assert text.endswith("raises the gain to 90.0 %, that of the worst to 90.0 %.")
    assert "adds nothing" in certificates.sample_sentence(frame(0.5, swapped=0.5), 1)
    assert "For the only learner, the lists" in certificates.sample_sentence(frame(0.5), 1)
    assert "For all 2 learners, the lists" in certificates.sample_sentence(frame(0.5, 0.6), 2)
    assert "Swapping" not in certificates.sample_sentence(frame(0.5, swapped=math.nan), 5)
    assert "1 search ran out of time" in certificates.sample_sentence(frame(0.5, solved=False), 5)


def test_a_sample_does_not_hide_what_is_worse_than_doing_nothing() -> None:
    text = certificates.sample_sentence(frame(-1.0, 0.5), 5)
    assert "the worst −100.0 %. 1 list is worse than the own one." in text
    assert "reach at least −25.0 % of what could be gained" in text
    # Nothing to gain, and worse all the same: no share of its own, but counted.
    lost = pd.concat([frame(-1.0, 0.5), frame(0.0, own=1.0).assign(objective=0.9, below_own=True)])
    assert "2 lists are worse than the own one" in certificates.sample_sentence(lost, 5)
    assert "For 1 of them there is nothing to gain." in certificates.sample_sentence(lost, 5)


def test_where_nothing_can_be_gained_no_gain_is_claimed() -> None:
    made = frame(0.0, 0.0, own=1.0)
    text = certificates.sample_sentence(made, 5)
    assert "there is nothing to gain: no list is better than the own one" in text
    assert "Swapping" not in text
    assert math.isnan(certificates.sample_summary(made).loc["as they are", "gain"])
    meaningless = frame(-1.0, own=-2.0, bound=-1.0)
    assert "No share can be proven" in certificates.sample_sentence(meaningless, 5)


def test_a_sample_under_a_floor_in_words() -> None:
    made = pd.concat([floors(0.9, 1.0), floors(1.25, state="own list meets it").assign(kept=1.0)])
    assert certificates.sample_sentence(made, 2000) == (
        "For 3 learners drawn from 2,000: 2 lists had to change to meet the floor, and on average"
        " kept at least 95.0 % of the most relevance that it allows (95 % interval 90.0 % to"
        " 100.0 %; the worst 90.0 %). Against the own lists, which miss it, they lose 24 % of their"
        " relevance; at least 83.3 % of that loss could not be avoided. For 1 more the own list"
        " meets the floor and is the best there is; over all of these the mean is 96.6 %."
    )
    summary = certificates.sample_summary(made)
    assert summary["learners"].tolist() == [3, 2]
    assert summary["worst"].tolist() == [0.9, 0.9]
    below = pd.concat([made, floors(1.0, state="missed"), floors(1.0, 1.0, state="out of reach")])
    text = certificates.sample_sentence(below, 6)
    assert "1 list misses the floor, although other lists meet it." in text
    assert text.endswith(
        "For 2 learners, no list reaches the floor; the consistency of their lists is on average at"
        " least 90.0 % of the highest possible."
    )
    none = certificates.sample_sentence(floors(1.0, state="own list meets it"), 1)
    assert none.startswith("For the only learner: no list had to change to meet the floor;")
    assert "no list meets the floor." in certificates.sample_sentence(
        floors(1.0, state="not settled", solved=False), 3
    )
    unknown = floors(0.9).assign(kept=math.nan)
    assert "no share can be proven" in certificates.sample_sentence(unknown, 3)
    assert "No share can be proven" in certificates.sample_sentence(unknown.iloc[:0], 3)


@pytest.mark.parametrize(
    "shares", [(0.943, 0.99, 1.0), (1.0, 1.0), (0.9999, 1.0), (-0.5, 0.3), (-386.0,), (0.0, 1.0)]
)
def test_every_learner_is_in_a_bar(shares: tuple[float, ...]) -> None:
    made = share_bars({"now": np.array([*shares, math.nan])})
    assert made["learners"].sum() == len(shares)
    assert made["high"].max() == 1.0
    assert len(made) <= 20
    below = sum(share < 0 for share in shares)
    assert made.loc[made["low"] < 0.0, "learners"].sum() == below
    assert (made.loc[made["low"] < 0.0, "high"] == 0.0).all()
    for low, high, number in made[["low", "high", "learners"]].itertuples(index=False):
        inside = sum(low <= share < high or (share == high == 1.0) for share in shares)
        assert number == (below if low < 0.0 else inside)


def test_the_bars_of_a_floor_are_the_lists_that_had_to_change() -> None:
    made = pd.concat([floors(0.9, 0.95), floors(1.0, state="own list meets it")])
    bars = certificates.share_histogram(made)
    assert bars["stage"].unique().tolist() == ["those that had to change"]
    assert bars["learners"].sum() == 2
    assert "Relevance kept" in certificates.share_title(made)
    assert "attainable gain" in certificates.share_title(frame(0.5))


@pytest.mark.parametrize("name", BUNDLES)
@pytest.mark.parametrize(
    "fields",
    [
        {"floor": 0.7},
        {"floor": 0.95, "pool": "catalogue"},
        {"lam": 1.0, "pool": "catalogue"},
        {"lam": 0.0},
    ],
    ids=str,
)
def test_awkward_data(name: str, fields: dict[str, float]) -> None:
    bundle = BUNDLES[name]()
    run = eq.rerank(bundle, bundle.algorithms[0], eq.Policy(k=3, **fields))
    made = certificates.sample_certificates(bundle, run, 3)
    if "floor" not in fields:
        assert (made["ratio"] <= made["swapped_ratio"] + 1e-12).all()
    assert "nan" not in certificates.sample_sentence(made, len(bundle.learner_ids))
    for learner in range(len(bundle.learner_ids)):
        found = certificates.learner_certificate(bundle, run, learner)
        assert "nan" not in " ".join(certificates.certificate_sentences(found))
        assert len(certificates.swap_table(bundle, found)) <= 3
