"""The fingerprint follows the content, and nothing but the content."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from equity_core.bundle import Bundle, load_bundle
from equity_core.bundle import candidates as reading
from equity_core.principles import SEVEN, Principle
from tests.helpers.worlds import tiny_frames


def print_of(**changes: Any) -> str:
    courses, interactions, relevance = tiny_frames()
    return Bundle.from_frames(
        **{"courses": courses, "interactions": interactions, "relevance": relevance, **changes}
    ).fingerprint


def test_name_description_provenance_and_row_order_do_not_count() -> None:
    courses, interactions, relevance = tiny_frames()
    plain = print_of()
    assert plain == print_of()
    assert plain == print_of(
        name="other", description="words", provenance={"by": "me"}, synthetic=False
    )
    assert plain == print_of(courses=courses.iloc[::-1])
    assert plain == print_of(interactions=interactions.sample(frac=1, random_state=0))
    assert plain == print_of(
        relevance={name: rows.iloc[::-1] for name, rows in reversed(relevance.items())}
    )
    assert plain == print_of(courses=courses[courses.columns[::-1]])


def test_defaults_count_as_if_they_were_given() -> None:
    assert print_of() == print_of(
        now="2017-06-01", opened="2013-09-09", rating_scale=(1.0, 5.0), principles=SEVEN
    )


@pytest.mark.parametrize(
    "settings",
    [
        {"now": "2017-06-02"},
        {"opened": "2013-09-08"},
        {"rating_scale": (0, 5)},
        {"principles": SEVEN[:6]},
        {"principles": SEVEN[::-1]},
        {
            "principles": [
                *SEVEN[:6],
                Principle("affordability", "mean", "price", better="low", scale="log"),
            ]
        },
        {"relevance": {}},
        {"learners": pd.DataFrame({"learner_id": ["u1"], "country": ["IT"]})},
        {"targets": pd.DataFrame({"learner_id": ["u1"], "quality": [0.5]})},
    ],
)
def test_every_setting_counts(settings: dict[str, Any]) -> None:
    assert print_of(**settings) != print_of()


def test_every_cell_of_the_tables_counts() -> None:
    courses, interactions, relevance = tiny_frames()
    courses["extra"] = range(12)
    new = {
        "title": "Other",
        "category": "other",
        "level": "other",
        "last_update": "2014-05-06",
        "assets": "book",
        "description": "other",
        "split": "test",
    }
    prints = {Bundle.from_frames(courses, interactions, relevance).fingerprint}
    made = 0
    for at in (2, 9):
        for name in courses.columns.drop("course_id"):
            changed = courses.astype({name: object})
            changed.iat[at, changed.columns.get_loc(name)] = new.get(name, 3)
            prints.add(Bundle.from_frames(changed, interactions, relevance).fingerprint)
            made += 1
    for name, value in (
        ("learner_id", "u7"),
        ("course_id", "c11"),
        ("split", "test"),
        ("timestamp", "2011-01-01"),
        ("rating", 1.0),
    ):
        changed = interactions.astype({name: object})
        changed.iat[2, changed.columns.get_loc(name)] = value
        prints.add(Bundle.from_frames(courses, changed, relevance).fingerprint)
        made += 1
    assert len(prints) == made + 1


@pytest.mark.parametrize(
    ("column", "value"), [("score", 0.8750001), ("course_id", "c07"), ("learner_id", "u6")]
)
def test_every_cell_of_the_relevance_counts(column: str, value: Any) -> None:
    _, _, relevance = tiny_frames()
    relevance["userknn"].loc[1, column] = value
    assert print_of(relevance=relevance) != print_of()


def test_swapping_the_scores_or_the_names_of_two_algorithms_counts() -> None:
    _, _, relevance = tiny_frames()
    assert (
        print_of(relevance={"userknn": relevance["toppopular"], "toppopular": relevance["userknn"]})
        != print_of()
    )
    rows = relevance["userknn"].copy()
    rows.loc[[0, 1], "score"] = rows.loc[[1, 0], "score"].to_numpy()
    assert print_of(relevance={**relevance, "userknn": rows}) != print_of()


def test_text_ids_and_number_ids_differ() -> None:
    prints = set()
    for kind in (str, int):
        courses, interactions, relevance = tiny_frames()
        frames = [courses, interactions, relevance["userknn"]]
        for frame in frames:
            frame["course_id"] = frame["course_id"].str.slice(1).astype(int).astype(kind)
        prints.add(Bundle.from_frames(*frames[:2], {"userknn": frames[2]}).fingerprint)
    assert len(prints) == 2


def test_a_cell_moved_to_the_next_column_counts() -> None:
    courses, _, _ = tiny_frames()
    one = courses.assign(a=["x", *[None] * 11], b=[None, "x", *[None] * 10])
    other = courses.assign(a=["x", "x", *[None] * 10], b=[None] * 12)
    assert print_of(courses=one) != print_of(courses=other)


def test_minus_zero_is_zero() -> None:
    _, _, relevance = tiny_frames()
    zero, minus = relevance["userknn"].copy(), relevance["userknn"].copy()
    zero.loc[0, "score"], minus.loc[0, "score"] = 0.0, -0.0
    assert print_of(relevance={"userknn": zero}) == print_of(relevance={"userknn": minus})


def test_a_saved_bundle_knows_its_fingerprint_without_reading_relevance(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    courses, interactions, relevance = tiny_frames()
    made = Bundle.from_frames(courses, interactions, relevance)
    made.save(tmp_path / "bundle")
    loaded = load_bundle(tmp_path / "bundle")

    def never(*_: Any) -> None:
        raise AssertionError("the rows were read")

    monkeypatch.setattr(reading, "from_file", never)
    assert loaded.fingerprint == made.fingerprint
    with pytest.raises(AssertionError, match="were read"):
        loaded.relevance("userknn")


def test_kept_hashes_hold_only_for_the_tables_they_were_made_with(tmp_path: Path) -> None:
    courses, interactions, relevance = tiny_frames()
    Bundle.from_frames(courses, interactions, relevance).save(tmp_path / "bundle")
    # Without u1's training rows, u1 is gone, and with u1 some rows of relevance: their content hash
    # must be made anew.
    fewer = interactions.query("learner_id != 'u1'")
    fewer.to_parquet(tmp_path / "bundle" / "interactions.parquet", index=False)
    loaded = load_bundle(tmp_path / "bundle")
    assert loaded.fingerprint == Bundle.from_frames(courses, fewer, relevance).fingerprint
    assert loaded.counts["relevance_without_past[userknn]"] == 8


def test_computing_the_fingerprint_does_not_keep_the_relevance(tmp_path: Path) -> None:
    courses, interactions, relevance = tiny_frames()
    made = Bundle.from_frames(courses, interactions, relevance)
    made.save(tmp_path / "bundle")
    (tmp_path / "bundle" / "manifest.toml").write_text("")
    loaded = load_bundle(tmp_path / "bundle")
    assert loaded.fingerprint == made.fingerprint
    assert loaded._relevance == {}
    np.testing.assert_array_equal(
        loaded.relevance("userknn").courses, made.relevance("userknn").courses
    )
