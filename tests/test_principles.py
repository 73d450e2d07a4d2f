"""What a principle is, and the course columns scaled to [0, 1]."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from equity_core.principles import SEVEN, Principle, encode
from tests.helpers.random_worlds import SEVEN as SEVEN_FIELDS
from tests.helpers.random_worlds import as_bundle, examples, worlds

COURSES = pd.DataFrame(
    {
        "category": ["arts", "code", "unknown", "arts"],
        "level": ["top", "unknown", "low", "top"],
        "last_update": pd.to_datetime(["2020-01-01", None, "2020-01-11", "2020-01-06"]),
        "assets": [("video",), ("article", "quiz", "video"), None, ()],
        "rating": [5.0, 3.0, math.nan, 1.0],
        "enrolled": [0.0, 9.0, 99.0, math.nan],
        "price": [0.0, 20.0, 5.0, math.nan],
        "hours": [2.0, 2.0, 2.0, math.nan],
    }
)


def column(principle, courses=COURSES, **more):
    return encode(
        courses, [principle], **{"now": None, "opened": None, "rating_scale": (1.0, 5.0), **more}
    ).means[:, 0]


@pytest.mark.parametrize(
    "fields",
    [
        {"kind": "median"},
        {"better": "more"},
        {"scale": "root"},
        {"name": ""},
        {"name": " "},
        {"column": ""},
        {"low": math.nan},
        {"high": math.inf},
        {"low": 2.0, "high": 1.0},
        {"kind": "balance", "better": "low"},
        {"kind": "match", "scale": "log"},
        {"kind": "balance", "low": 0.0},
        {"scale": "log", "low": -1.0},
    ],
    ids=str,
)
def test_a_principle_checks_itself(fields):
    with pytest.raises(ValueError, match=r"\w"):
        Principle(**{"name": "some", "kind": "mean", "column": "hours", **fields})


def test_the_seven():
    assert [(p.name, p.kind, p.column, p.better) for p in SEVEN] == [
        (one["name"], one["kind"], one["column"], one.get("better", "high")) for one in SEVEN_FIELDS
    ]
    assert all(p.scale == "linear" and p.low is None and p.high is None for p in SEVEN)


def test_validity_runs_from_opened_to_now():
    validity = SEVEN[1]
    np.testing.assert_allclose(column(validity), [0, 0.5, 1, 0.5])
    # opened ten days before, now ten days after: 10/30, 20/30, 15/30, and their mean for the
    # missing one
    np.testing.assert_allclose(
        column(validity, opened="2019-12-22", now="2020-01-21"), [1 / 3, 0.5, 2 / 3, 0.5]
    )
    # an update after now is as fresh as can be, one before opened as stale
    np.testing.assert_allclose(
        column(validity, opened="2020-01-03", now="2020-01-09"), [0, 0.5, 1, 0.5]
    )


def test_variety_counts_from_zero_to_the_types_of_the_catalogue():
    np.testing.assert_allclose(column(SEVEN[3]), [1 / 3, 1, (1 / 3 + 1 + 0) / 3, 0])


def test_quality_uses_the_rating_scale():
    np.testing.assert_allclose(column(SEVEN[4]), [1, 0.5, 0.5, 0])
    np.testing.assert_allclose(column(SEVEN[4], rating_scale=(0, 10)), [0.5, 0.3, 0.3, 0.1])


def test_small_classes_and_free_courses_are_best():
    np.testing.assert_allclose(column(SEVEN[5]), [1, 1 - 9 / 99, 0, (2 - 9 / 99) / 3])
    np.testing.assert_allclose(column(SEVEN[6]), [1, 0, 0.75, 1.75 / 3])


def test_log_scale():
    log = Principle("small", "mean", "enrolled", better="low", scale="log")
    np.testing.assert_allclose(column(log), [1, 0.5, 0, 0.5])


def test_given_ends_clip():
    np.testing.assert_allclose(
        column(Principle("cheap", "mean", "price", better="low", low=5.0, high=15.0)),
        [1, 0, 1, 2 / 3],
    )


def test_constant_column_is_one_for_all_courses():
    np.testing.assert_array_equal(
        column(Principle("short", "mean", "hours", better="low")), np.ones(4)
    )


def test_filling_keeps_the_mean():
    known = COURSES["price"].notna().to_numpy()
    scaled = column(SEVEN[6])
    assert scaled.mean() == pytest.approx(scaled[known].mean())


def test_labels_and_the_number_filled_in():
    encoded = encode(COURSES, SEVEN, now=None, opened=None, rating_scale=(1.0, 5.0))
    assert encoded.sizes.tolist() == [3, 2]  # unknown is a value of a match, not of a balance
    assert encoded.is_match.tolist() == [True, False]
    assert [encoded.values[0][code] for code in encoded.labels[:, 0]] == [
        "arts",
        "code",
        "unknown",
        "arts",
    ]
    assert encoded.labels[1, 1] == -1
    assert encoded.filled.tolist() == [1, 1, 1, 1, 1, 1, 1]
    assert encoded.mean_of.tolist() == [1, 3, 4, 5, 6]
    assert encoded.cat_of.tolist() == [0, 2]


@pytest.mark.parametrize("kind", ["mean", "balance", "match"])
def test_an_empty_column_is_refused(kind):
    with pytest.raises(ValueError, match="void"):
        encode(
            COURSES.assign(void=np.nan),
            [Principle("p", kind, "void")],
            now=None,
            opened=None,
            rating_scale=(1.0, 5.0),
        )


@examples(60)
@given(worlds())
def test_columns_against_the_reference(world):
    encoded = as_bundle(world).encoded
    for at, position in enumerate(encoded.mean_of):
        np.testing.assert_allclose(
            encoded.means[:, at], world.columns[position], rtol=0, atol=1e-12
        )
    for at, position in enumerate(encoded.cat_of):
        known = dict(enumerate(encoded.values[at]))
        assert [known.get(code, "unknown") for code in encoded.labels[:, at]] == list(
            world.columns[position]
        )
