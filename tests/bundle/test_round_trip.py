"""from_frames → save → load_bundle keeps everything, as a folder, as a zip, and as CSV."""

from __future__ import annotations

import stat
import tempfile
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from equity_core.bundle import Bundle, BundleError, load_bundle
from equity_core.principles import Principle
from tests.helpers.bundles import assert_same, write_csv
from tests.helpers.worlds import tiny_frames


def tiny(**changes: Any) -> Bundle:
    courses, interactions, relevance = tiny_frames()
    return Bundle.from_frames(
        **{"courses": courses, "interactions": interactions, "relevance": relevance, **changes}
    )


def full() -> Bundle:
    """A bundle that uses every part of the format."""
    courses, interactions, relevance = tiny_frames()
    courses = courses.assign(
        hours=np.arange(12) / 3,
        teacher=["Ann", None] * 6,
        live=[True, False] * 6,
        seen=pd.Timestamp("2017-01-02 03:04:05"),
    )
    return Bundle.from_frames(
        courses,
        interactions,
        relevance,
        principles=[
            Principle("duration", "mean", "hours", better="low", scale="log", low=0.5, high=2),
            Principle("topic", "match", "category"),
        ],
        now="2018-01-01T10:00:00",
        opened="2010-05-05",
        rating_scale=(0, 5),
        learners=pd.DataFrame(
            {"learner_id": ["u1", "u2"], "country": ["IT", None], "age": [31, 32]}
        ),
        targets=pd.DataFrame({"learner_id": ["u1"], "topic": [0.1 + 0.2]}),
        name='A "small" world\n2',
        description="Tab\tand \\ and \x7f and ünïcode",
        synthetic=True,
        provenance={
            "made by": "a test",
            "when": pd.Timestamp("2020-02-02"),
            "seeds": [1, 2],
            "nested": {"a": 1.5, "b": None, "c": [{"d": True}]},
        },
    )


@pytest.mark.parametrize("where", ["bundle", "bundle.zip", "deep/down/bundle.ZIP"])
@pytest.mark.parametrize("make", [tiny, full])
def test_saving_and_loading_keeps_everything(make: Any, where: str, tmp_path: Path) -> None:
    made = make()
    made.save(tmp_path / where)
    loaded = load_bundle(str(tmp_path / where))
    assert_same(loaded, made)
    assert [path.name for path in (tmp_path / where).parent.iterdir()] == [
        Path(where).name
    ]  # nothing else is left behind


def test_the_same_bundle_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a.zip", "b.zip"):
        full().save(tmp_path / name)
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()


def test_a_loaded_bundle_can_be_saved_again(tmp_path: Path) -> None:
    full().save(tmp_path / "a.zip")
    load_bundle(tmp_path / "a.zip").save(tmp_path / "b")
    assert_same(load_bundle(tmp_path / "b"), full())


def test_csv_is_accepted_for_every_table(tmp_path: Path) -> None:
    made = tiny(
        learners=pd.DataFrame({"learner_id": ["u1", "u2"], "country": ["IT", "FR"]}),
        targets=pd.DataFrame({"learner_id": ["u1"], "quality": [0.3]}),
    )
    made.save(tmp_path / "parquet")
    write_csv(made, tmp_path / "csv")
    assert_same(load_bundle(tmp_path / "csv"), load_bundle(tmp_path / "parquet"))


def test_csv_and_parquet_may_be_mixed_where_ids_are_text(tmp_path: Path) -> None:
    made = tiny()
    made.save(tmp_path / "bundle")
    write_csv(made, tmp_path / "csv")
    (tmp_path / "bundle" / "interactions.parquet").unlink()
    (tmp_path / "csv" / "interactions.csv").rename(tmp_path / "bundle" / "interactions.csv")
    assert_same(load_bundle(tmp_path / "bundle"), made)


def test_csv_ids_are_text_so_that_leading_zeros_stay(tmp_path: Path) -> None:
    courses, interactions, relevance = tiny_frames()
    renamed = {f"u{i}": f"00{i}" for i in range(1, 7)}
    made = Bundle.from_frames(
        courses,
        interactions.assign(learner_id=interactions["learner_id"].map(renamed)),
        {"userknn": relevance["userknn"].assign(learner_id=lambda f: f["learner_id"].map(renamed))},
    )
    write_csv(made, tmp_path / "csv")
    assert load_bundle(tmp_path / "csv").learner_ids.tolist() == [
        "001",
        "002",
        "003",
        "004",
        "005",
        "006",
    ]


def test_csv_beside_parquet_with_integer_ids_is_a_fault_that_explains(tmp_path: Path) -> None:
    courses, interactions, relevance = tiny_frames()
    number = {f"u{i}": i for i in range(1, 7)}
    made = Bundle.from_frames(
        courses,
        interactions.assign(learner_id=interactions["learner_id"].map(number)),
        {"userknn": relevance["userknn"].assign(learner_id=lambda f: f["learner_id"].map(number))},
        learners=pd.DataFrame({"learner_id": [1, 2], "country": ["IT", "FR"]}),
    )
    made.save(tmp_path / "bundle")
    (tmp_path / "bundle" / "learners.parquet").unlink()
    (tmp_path / "bundle" / "learners.csv").write_text("learner_id,country\n1,IT\n2,FR\n")
    with pytest.raises(BundleError) as caught:
        load_bundle(tmp_path / "bundle")
    (fault,) = caught.value.faults
    assert (fault.file, fault.column) == ("learners.csv", "learner_id")
    assert "texts here but whole numbers in interactions.parquet" in fault.message
    assert "always read as text" in fault.message
    assert "both tables as CSV" in fault.fix


def test_csv_with_a_byte_order_mark_quotes_and_line_breaks_in_cells(tmp_path: Path) -> None:
    made = tiny(courses=tiny_frames()[0].assign(description='Two\nlines, a "quote", and a comma'))
    write_csv(made, tmp_path / "csv")
    courses = tmp_path / "csv" / "courses.csv"
    courses.write_bytes(
        b"\xef\xbb\xbf" + courses.read_bytes().replace(b"\n", b"\r\n").replace(b"Two\r\n", b"Two\n")
    )
    assert load_bundle(tmp_path / "csv").fingerprint == made.fingerprint


def test_semicolons_in_csv_are_recognised(tmp_path: Path) -> None:
    made = tiny()
    write_csv(made, tmp_path / "csv")
    courses = tmp_path / "csv" / "courses.csv"
    courses.write_text(courses.read_text().replace(",", ";"))
    with pytest.raises(BundleError, match="with commas, not with semicolons"):
        load_bundle(tmp_path / "csv")


def test_extra_columns_of_csv_keep_codes_as_text(tmp_path: Path) -> None:
    made = tiny(
        courses=tiny_frames()[0].assign(
            code=[f"0{i}" for i in range(12)],
            pages=range(12),
            part=[0.5, None] * 6,
            live=[True, False] * 6,
        )
    )
    write_csv(made, tmp_path / "csv")
    loaded = load_bundle(tmp_path / "csv")
    assert loaded.courses["code"].iloc[3] == "03"
    assert loaded.courses["pages"].dtype == np.int64
    assert loaded.courses["live"].dtype == np.bool_
    assert loaded.fingerprint == made.fingerprint


def test_rows_that_ordinary_tools_wrote_in_any_order_are_sorted(tmp_path: Path) -> None:
    made = tiny()
    made.save(tmp_path / "bundle")
    path = tmp_path / "bundle" / "relevance" / "userknn.parquet"
    rows = pd.read_parquet(path).sample(frac=1, random_state=3)
    rows.to_parquet(path, index=False, row_group_size=7)
    (tmp_path / "bundle" / "manifest.toml").write_text('name = "unnamed"\n')
    assert_same(load_bundle(tmp_path / "bundle"), made)


def test_a_bundle_needs_only_an_empty_manifest(tmp_path: Path) -> None:
    tiny().save(tmp_path / "bundle")
    (tmp_path / "bundle" / "manifest.toml").write_text("")
    loaded = load_bundle(tmp_path / "bundle")
    assert (loaded.name, loaded.synthetic, loaded.rating_scale) == ("unnamed", False, (1.0, 5.0))
    assert loaded.fingerprint == tiny().fingerprint


def test_a_read_only_folder_is_enough(tmp_path: Path) -> None:
    made = tiny()
    made.save(tmp_path / "bundle")
    folders = [tmp_path / "bundle", tmp_path / "bundle" / "relevance"]
    for folder in folders:
        folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        loaded = load_bundle(tmp_path / "bundle")
        assert_same(loaded, made)
    finally:
        for folder in folders:
            folder.chmod(stat.S_IRWXU)


def test_relevance_with_scores_beyond_float32_keeps_them(tmp_path: Path) -> None:
    courses, interactions, relevance = tiny_frames()
    relevance["userknn"]["score"] = relevance["userknn"]["score"] + 1e-12
    made = Bundle.from_frames(courses, interactions, relevance)
    made.save(tmp_path / "bundle")
    types = {
        name: pq.read_schema(tmp_path / "bundle" / "relevance" / f"{name}.parquet")
        .field("score")
        .type
        for name in made.algorithms
    }
    assert types == {"userknn": pa.float64(), "toppopular": pa.float32()}
    assert (
        load_bundle(tmp_path / "bundle").relevance("userknn").scores.tolist()
        == made.relevance("userknn").scores.tolist()
    )


def test_an_algorithm_without_any_candidate_survives(tmp_path: Path) -> None:
    courses, interactions, _ = tiny_frames()
    made = Bundle.from_frames(
        courses,
        interactions,
        {"own": pd.DataFrame({"learner_id": ["u1"], "course_id": ["c01"], "score": [1.0]})},
    )
    made.save(tmp_path / "bundle")
    assert_same(load_bundle(tmp_path / "bundle"), made)


def test_an_id_with_spaces_in_place_of_a_title_survives(tmp_path: Path) -> None:
    """Found by a random world: titles are trimmed when they are read, an id in place of one was
    not."""
    courses, interactions, relevance = tiny_frames()
    more = courses.iloc[:2].assign(course_id=["\n wide ", " "], title=None)
    made = Bundle.from_frames(
        pd.concat([courses, more], ignore_index=True), interactions, relevance
    )
    assert list(made.courses["title"][-2:]) == ["wide", " "]
    made.save(tmp_path / "bundle")
    assert_same(load_bundle(tmp_path / "bundle"), made)


letters = st.characters(exclude_categories=["Cs"])
texts = st.text(letters, max_size=5)
ids = st.one_of(
    st.lists(st.integers(-(2**63), 2**63 - 1), min_size=2, max_size=4, unique=True),
    st.lists(st.text(letters, min_size=1, max_size=5), min_size=2, max_size=4, unique=True),
)
amounts = st.one_of(st.none(), st.floats(0, 1e9, allow_nan=False))


@st.composite
def worlds(draw: st.DrawFn) -> dict[str, Any]:
    """Small worlds of all shapes: any ids, missing cells, repeats, learners without a past, any
    scores."""
    courses, learners = draw(ids), draw(ids)
    number = len(courses)
    column = lambda values: draw(st.lists(values, min_size=number, max_size=number))  # noqa: E731
    frame = pd.DataFrame(
        {
            "course_id": courses,
            "title": ["A title", *column(texts)[1:]],
            "category": [
                "one",
                *column(st.one_of(st.none(), st.sampled_from(["one", "two", " three "])))[1:],
            ],
            "level": ["one", *column(st.one_of(st.none(), texts))[1:]],
            "last_update": [
                "2017-01-01",
                *column(
                    st.one_of(st.none(), st.dates(date(1700, 1, 1), date(2200, 1, 1)).map(str))
                )[1:],
            ],
            "price": [1.0, *column(amounts)[1:]],
            "enrolled": [1.0, *column(amounts)[1:]],
            "rating": [3.0, *column(st.one_of(st.none(), st.floats(1, 5)))[1:]],
            "assets": [["video"], *column(st.one_of(st.none(), st.lists(texts, max_size=3)))[1:]],
        }
    )
    pair = st.tuples(st.sampled_from(learners), st.sampled_from(courses))
    rows = draw(
        st.lists(
            st.tuples(pair, st.sampled_from(["train", "valid", "test"]), st.integers(0, 2**31)),
            max_size=10,
        )
    )
    rows.append(((learners[0], courses[0]), "train", 0))
    log = pd.DataFrame(
        [(*who, split, when) for who, split, when in rows],
        columns=["learner_id", "course_id", "split", "timestamp"],
    )
    scores = draw(
        st.dictionaries(
            pair, st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=8
        )
    )
    relevance = pd.DataFrame(
        [(*who, score) for who, score in scores.items()],
        columns=["learner_id", "course_id", "score"],
    )
    for table in (log, relevance):
        for name, kind in (("learner_id", learners), ("course_id", courses)):
            table[name] = pd.Series(
                table[name].tolist(), dtype="int64" if isinstance(kind[0], int) else object
            )
    return {"courses": frame, "interactions": log, "relevance": {"own": relevance}}


@settings(  # the worlds are small already: shrinking them takes minutes
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    phases=[Phase.reuse, Phase.generate],
)
@given(worlds(), st.randoms(use_true_random=False))
def test_any_world_survives_saving_and_the_order_of_its_rows(
    world: dict[str, Any], random: Any
) -> None:
    made = Bundle.from_frames(**world)
    with tempfile.TemporaryDirectory() as folder:
        for name in ("bundle", "bundle.zip"):
            made.save(Path(folder) / name)
            assert_same(load_bundle(Path(folder) / name), made)
    mixed = {
        name: frame.sample(frac=1, random_state=random.randrange(2**31))
        for name, frame in world.items()
        if name != "relevance"
    }
    scores = world["relevance"]["own"].sample(frac=1, random_state=random.randrange(2**31))
    other = Bundle.from_frames(**mixed, relevance={"own": scores})
    assert other.fingerprint == made.fingerprint
    assert other.counts == made.counts
    for learner in range(len(made.learner_ids)):
        assert sorted(other.course_ids[other.past.row(learner)]) == sorted(
            made.course_ids[made.past.row(learner)]
        )
