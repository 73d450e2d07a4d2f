"""The policy: its checks, frozen and equal by content, to JSON and back."""

import copy
import dataclasses
import json
import math
import pickle

import numpy as np
import pandas as pd
import pytest

from equity_core.policy import Policy
from equity_core.principles import SEVEN, Principle

PER_LEARNER = pd.DataFrame(
    {"quality": [0.5, 0.7], "variety": [1.0, 0.0]}, index=pd.Index([3, 1], name="learner_id")
)

POLICIES = [
    Policy(),
    Policy(lam=0.25, k=7, strategy="pers", relevance_scale="rank", pool="catalogue"),
    Policy(floor=0.65, targets={"quality": 0.8, "variety": 0.5}),
    Policy(strategy="custom", weights={"quality": 2, "variety": 0}),
    Policy(targets=PER_LEARNER),
    Policy(targets=PER_LEARNER.rename(index={3: "drei", 1: "eins"})),
    Policy(strategy="custom", targets={"quality": 0.1}, weights=PER_LEARNER * 7),
    Policy(principles=SEVEN[:2]),
    Policy(principles=[Principle("zeit: kurz", "mean", "hours", "low", "log", 0, 40.5), SEVEN[2]]),
]


def test_defaults():
    policy = Policy()
    assert (policy.lam, policy.k, policy.strategy, policy.targets, policy.weights) == (
        0.5,
        10,
        "glob",
        None,
        None,
    )
    assert (policy.floor, policy.relevance_scale, policy.pool) == (None, "minmax", "stored")


@pytest.mark.parametrize(
    "fields",
    [
        *({"lam": value} for value in (-0.01, 1.01, math.nan, math.inf, "much", None, True)),
        *({"k": value} for value in (0, -1, 1001, 2.5, math.nan, "ten", None, True)),
        *({"floor": value} for value in (-0.1, 1.1, math.nan, math.inf, "high")),
        *({"strategy": value} for value in ("", "GLOB", "best", None)),
        *({"relevance_scale": value} for value in ("max", None)),
        *({"pool": value} for value in ("all", None)),
        *(
            {"targets": {"quality": value}}
            for value in (-0.1, 1.1, math.nan, math.inf, "high", None)
        ),
        *(
            {"weights": {"quality": value}, "strategy": "custom"}
            for value in (-0.1, math.nan, math.inf, "high", None)
        ),
        {"targets": 0.5},
        {"targets": [0.5, 0.5]},
    ],
    ids=str,
)
def test_out_of_range_is_a_value_error(fields):
    with pytest.raises(ValueError, match=r"\w"):
        Policy(**fields)


@pytest.mark.parametrize("value", [-0.1, 1.1, math.inf, math.nan, "high"])
def test_learner_specific_targets_out_of_range(value):
    frame = pd.DataFrame({"quality": [0.5, value]}, index=pd.Index([1, 2], name="learner_id"))
    with pytest.raises(ValueError, match="target"):
        Policy(targets=frame)


@pytest.mark.parametrize("value", [-0.1, math.inf, math.nan, "high"])
def test_learner_specific_weights_out_of_range(value):
    with pytest.raises(ValueError, match="weight"):
        Policy(
            strategy="custom", weights=pd.DataFrame({"learner_id": [1, 2], "quality": [0.5, value]})
        )


def test_a_learner_given_twice():
    with pytest.raises(ValueError, match="twice"):
        Policy(targets=pd.DataFrame({"learner_id": [1, 1], "quality": [0.5, 0.6]}))


def test_a_principle_given_twice():
    with pytest.raises(ValueError, match="quality"):
        Policy(targets=pd.DataFrame([[0.5, 0.6]], columns=["quality", "quality"], index=[1]))


@pytest.mark.parametrize("ids", [["u1", None], ["u1", 5]], ids=str)
def test_learner_ids_are_all_text_or_all_whole_numbers(ids):
    with pytest.raises(ValueError, match="learner"):
        Policy(targets=pd.DataFrame({"learner_id": ids, "quality": [0.5, 0.6]}))


@pytest.mark.parametrize("strategy", ["glob", "user", "pers"])
def test_weights_need_the_custom_strategy(strategy):
    with pytest.raises(ValueError, match="custom"):
        Policy(strategy=strategy, weights={"quality": 2.0})
    assert Policy(strategy="custom").weights is None


def test_the_ends_are_allowed():
    assert Policy(lam=0, k=1, floor=0, targets={"quality": 0}).k == 1
    assert Policy(lam=1, k=1000, floor=1, targets={"quality": 1}).k == 1000
    assert Policy(strategy="custom", weights={"quality": 1e6}).weights == {"quality": 1e6}


def test_numpy_numbers_are_numbers():
    assert Policy(lam=np.float32(0.5), k=np.int64(10), floor=np.float64(0.5)) == Policy(
        lam=0.5, k=10, floor=0.5
    )


def test_frozen():
    policy = Policy(targets={"quality": 0.8})
    with pytest.raises(dataclasses.FrozenInstanceError):
        policy.lam = 0.9
    with pytest.raises(TypeError):
        policy.targets["quality"] = 0.1


def test_what_was_given_may_change_afterwards():
    targets, frame = {"quality": 0.8}, PER_LEARNER.copy()
    one, other = Policy(targets=targets), Policy(targets=frame)
    targets["quality"] = 0.1
    frame.loc[3, "quality"] = 0.0
    assert one == Policy(targets={"quality": 0.8})
    assert other == Policy(targets=PER_LEARNER)


@pytest.mark.parametrize("policy", POLICIES, ids=range(len(POLICIES)))
def test_json_there_and_back(policy):
    text = policy.to_json()
    again = Policy.from_json(text)
    assert again == policy
    assert hash(again) == hash(policy)
    assert again.to_json() == text
    json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))


@pytest.mark.parametrize("policy", POLICIES, ids=range(len(POLICIES)))
def test_copies_and_pickles_are_equal(policy):
    assert pickle.loads(pickle.dumps(policy)) == policy  # noqa: S301
    assert copy.deepcopy(policy) == policy


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        "null",
        '{"lam": 2}',
        '{"lamda": 0.5}',
        '{"lam": NaN}',
        '{"targets": {"learner_id": [1], "principles": ["a"], "values": [[1], [2]]}}',
    ],
)
def test_json_that_is_no_policy(text):
    with pytest.raises(ValueError, match=r"\w"):
        Policy.from_json(text)


def test_json_fields_left_out_take_their_defaults():
    now = '"order": "relevance", "floor_method": "least-loss", "method": "greedy+swaps"'
    assert Policy.from_json(f'{{"lam": 0.75, {now}}}') == Policy(lam=0.75)


def test_a_file_from_before_order_and_swaps_means_the_paper_s_procedure():
    old = Policy.from_json('{"lam": 0.75, "floor": 0.6}')
    assert old == Policy(
        lam=0.75, floor=0.6, order="greedy", floor_method="first-lambda", method="greedy"
    )


def test_all_different_policies_differ():
    assert len(set(POLICIES)) == len(POLICIES)


@pytest.mark.parametrize(
    "other",
    [
        {"lam": 0.4},
        {"k": 11},
        {"strategy": "user"},
        {"targets": {"quality": 0.5}},
        {"floor": 0.5},
        {"relevance_scale": "none"},
        {"pool": "catalogue"},
        {"strategy": "custom"},
    ],
    ids=str,
)
def test_each_field_counts(other):
    assert Policy(**other) != Policy()
    assert Policy(**other) == Policy(**other)
    assert Policy() != "policy"


def test_equal_by_content_whatever_the_order_and_form():
    assert Policy(targets={"a": 0.1, "b": 0.2}) == Policy(targets={"b": 0.2, "a": 0.1})
    same = [
        PER_LEARNER,
        PER_LEARNER.iloc[::-1],
        PER_LEARNER.reset_index(),
        PER_LEARNER[["variety", "quality"]],
    ]
    assert len({Policy(targets=frame) for frame in same}) == 1
    assert Policy(targets=PER_LEARNER) != Policy(targets=PER_LEARNER.assign(quality=0.5))
    assert Policy(targets=PER_LEARNER) != Policy(targets=PER_LEARNER.rename(index={3: 4}))


def test_a_policy_knows_its_principles():
    short = Principle("short", "mean", "hours", better="low", high=40)
    policy = Policy(principles=[short, SEVEN[0]])
    assert policy.principles == (short, SEVEN[0])
    assert policy != Policy()
    assert policy != policy.but(principles=[dataclasses.replace(short, scale="log"), SEVEN[0]])
    rows = json.loads(policy.to_json())["principles"]
    assert rows[0] == {
        "name": "short",
        "kind": "mean",
        "column": "hours",
        "better": "low",
        "high": 40.0,
    }


def test_a_file_without_principles_is_about_the_data_sets_own():
    text = json.dumps({"lam": 0.5, "k": 3})
    assert Policy.from_json(text).principles is None


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([], "at least one principle"),
        ("quality", "list of principles"),
        (["quality"], "class Principle"),
        ([SEVEN[0], SEVEN[0]], "called 'familiarity'"),
    ],
)
def test_principles_that_make_no_sense_are_refused(given, message):
    with pytest.raises(ValueError, match=message):
        Policy(principles=given)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ({"name": "x"}, "list of objects"),
        (["x"], "list of objects"),
        ([{"name": "x", "kind": "mean"}], "no column"),
        ([{"name": "x", "kind": "mean", "column": "y", "colour": 1}], "unknown field colour"),
        ([{"name": "x", "kind": "median", "column": "y"}], "kind is 'median'"),
        ([{"name": "x", "kind": "mean", "column": "y", "low": "0"}], "finite number"),
    ],
)
def test_principles_of_a_file_are_checked(rows, message):
    with pytest.raises(ValueError, match=message):
        Policy.from_json(json.dumps({"principles": rows}))
