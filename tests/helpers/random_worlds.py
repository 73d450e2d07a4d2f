"""Hypothesis strategies for small worlds, awkward ones above all: frames for a bundle, and policies
that fit them.

The shape of a world is drawn by hypothesis, so that it shrinks; the many numbers in it come from a
seeded generator, so that drawing stays fast.
"""

from __future__ import annotations

import os
from types import SimpleNamespace
from typing import Any

import hypothesis
import numpy as np
import pandas as pd
from hypothesis import strategies as st

from tests.reference import World, settings

ALGORITHM = "some"
TYPES = ("article", "audio", "exercise", "quiz", "video")

SEVEN: tuple[dict[str, Any], ...] = (
    {"name": "familiarity", "kind": "match", "column": "category"},
    {"name": "validity", "kind": "mean", "column": "last_update"},
    {"name": "learnability", "kind": "balance", "column": "level"},
    {"name": "variety", "kind": "mean", "column": "assets"},
    {"name": "quality", "kind": "mean", "column": "rating"},
    {"name": "manageability", "kind": "mean", "column": "enrolled", "better": "low"},
    {"name": "affordability", "kind": "mean", "column": "price", "better": "low"},
)
"""The paper's seven, written down here once more so that the tests do not take them from what they
test."""


KNOWN: dict[str, Any] = {
    "category": "c0",
    "level": "l0",
    "last_update": pd.Timestamp("2018-05-05"),
    "price": 5.0,
    "enrolled": 7.0,
    "rating": 3.0,
    "assets": "video",
    "hours": 1.0,
    "language": "lang0",
    "format": "f0",
}
"""A column without any known value is a fault of the data, so one that came out so is filled with
this."""


def as_principle(fields: dict[str, Any]) -> SimpleNamespace:
    return SimpleNamespace(
        **{"better": "high", "scale": "linear", "low": None, "high": None, **fields}
    )


def with_missing(rng: np.random.Generator, values: np.ndarray, share: float) -> np.ndarray:
    return np.where(
        rng.random(len(values)) < share, None if values.dtype == object else np.nan, values
    )


@st.composite
def catalogues(draw: st.DrawFn, size: int) -> pd.DataFrame:
    """The table of courses: few or many labels, constant or spread numbers, any part missing,
    repeated courses."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    missing = st.sampled_from([0.0, 0.0, 0.3, 0.9])

    def labels(prefix: str, most: int) -> np.ndarray:
        values = np.array(
            [f"{prefix}{at}" for at in range(draw(st.integers(1, most)))], dtype=object
        )
        return with_missing(rng, rng.choice(values, size), draw(missing))

    def numbers(*makers: Any) -> np.ndarray:
        return with_missing(
            rng,
            np.asarray(makers[draw(st.integers(0, len(makers) - 1))](), dtype=float),
            draw(missing),
        )

    days = pd.Timestamp("2015-01-01") + pd.to_timedelta(rng.integers(0, 3000, size), unit="D")
    days = pd.Series(days).where(rng.random(size) >= draw(missing))
    assets = np.empty(size, dtype=object)
    for at in range(size):
        assets[at] = [str(kind) for kind in rng.choice(TYPES, rng.integers(1, 6), replace=False)]
    frame = pd.DataFrame(
        {
            "title": [f"Course {at}" for at in range(size)],
            "category": labels("c", 5),
            "level": labels("l", 4),
            "last_update": days,
            "price": numbers(
                lambda: np.zeros(size),
                lambda: rng.choice([0, 9.99, 19.99, 199.99], size),
                lambda: rng.random(size) * 200,
            ),
            "enrolled": numbers(
                lambda: rng.integers(0, 10**6, size),
                lambda: np.full(size, 12),
                lambda: rng.integers(0, 5, size),
            ),
            "rating": numbers(
                lambda: rng.choice([1, 3, 4.5, 5], size), lambda: 3 + 2 * rng.random(size)
            ),
            "assets": with_missing(rng, assets, draw(missing)),
            "hours": numbers(lambda: rng.exponential(10, size), lambda: np.full(size, 2.5)),
            "language": labels("lang", 3),
            "format": labels("f", 9),
        }
    )
    if draw(st.booleans()):  # repeated courses make exact ties
        frame = frame.iloc[rng.integers(0, max(1, size // 3), size)].reset_index(drop=True)
    for column, value in KNOWN.items():
        if frame[column].isna().all():
            frame[column] = [value] * size
    ids = (
        [f"k{at:03d}" for at in rng.permutation(size)]
        if draw(st.booleans())
        else [int(at) * 3 + 1 for at in rng.permutation(size)]
    )
    frame.insert(0, "course_id", ids)
    return frame


@st.composite
def own_principles(draw: st.DrawFn) -> tuple[dict[str, Any], ...]:
    """One to six principles of any kind, several of one kind and none of another included."""
    fields: list[dict[str, Any]] = []
    for at in range(draw(st.integers(1, 6))):
        kind = draw(st.sampled_from(["mean", "balance", "match"]))
        one: dict[str, Any] = {"name": f"p{at}", "kind": kind}
        if kind == "mean":
            one["column"] = draw(
                st.sampled_from(["hours", "price", "enrolled", "rating", "last_update", "assets"])
            )
            one["better"] = draw(st.sampled_from(["high", "low"]))
            if one["column"] in ("hours", "price", "enrolled"):
                one["scale"] = draw(st.sampled_from(["linear", "log"]))
                if draw(st.booleans()):
                    one.update(
                        low=draw(st.sampled_from([0.0, 1.5])),
                        high=draw(st.sampled_from([1.5, 40.0, 1e6])),
                    )
        else:
            one["column"] = draw(st.sampled_from(["category", "level", "language", "format"]))
        fields.append(one)
    return tuple(fields)


def scores(rng: np.random.Generator, how: str, size: int) -> np.ndarray:
    if how == "constant":
        return np.full(size, 0.7)
    if how == "ties":
        return rng.integers(-1, 3, size) / 2
    return rng.normal(size=size) * (1 if how == "negative" else 5) + (
        0 if how == "negative" else 20
    )


@st.composite
def worlds(draw: st.DrawFn, most_learners: int = 12, most_courses: int = 60) -> World:
    """A whole world. Its principles are the seven or its own."""
    size = draw(st.integers(2, most_courses))
    courses = draw(catalogues(size))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    ids: Any = courses["course_id"].to_numpy()
    texts = draw(st.booleans())
    learners = [
        f"u{at:02d}" if texts else int(at) + 5
        for at in rng.permutation(draw(st.integers(1, most_learners)))
    ]
    how = draw(st.sampled_from(["spread", "spread", "negative", "constant", "ties"]))
    many = draw(st.sampled_from(["all", "some", "few", "awkward"]))
    taken: list[tuple[Any, Any, str, float]] = []
    rows: list[tuple[Any, Any, float]] = []
    for at, learner in enumerate(learners):
        past = rng.choice(size, min(size - 1, int(rng.integers(1, 6))), replace=False)
        if many == "awkward" and at % 3 == 0:
            past = np.arange(size)  # has taken everything: nothing left to recommend
        taken += [(learner, ids[course], "train", float(rng.integers(1, 6))) for course in past]
        for split in ("test", "valid"):
            later = rng.choice(
                size, int(rng.integers(0, min(size, 6) + 1)), replace=False
            )  # some in train too; some learners have none
            taken += [(learner, ids[course], split, 4.0) for course in later]
            taken += [(learner, ids[course], split, 4.0) for course in later[:1]]  # a repeated row
        count = {
            "all": size,
            "some": int(rng.integers(1, size + 1)),
            "few": int(rng.integers(0, min(size, 4) + 1)),
            "awkward": at % 3,
        }[many]
        stored = rng.choice(size, count, replace=False)  # past courses among them
        rows += zip([learner] * count, ids[stored], scores(rng, how, count), strict=True)
    if draw(st.booleans()):  # no training course: no past, so left out
        stranger = "zz" if texts else 999
        taken.append((stranger, ids[0], "test", 3.0))
        rows.append((stranger, ids[0], 1.0))
    if not rows:
        rows.append((learners[0], ids[0], 1.0))  # a relevance table without any row is a fault
    taken += [(learners[0], ids[0], "test", 2.0), (learners[0], ids[0], "valid", 2.0)]
    interactions = pd.DataFrame(taken, columns=["learner_id", "course_id", "split", "rating"])
    if draw(st.booleans()):
        interactions = interactions.drop(columns="rating")
    interactions = interactions.iloc[rng.permutation(len(interactions))].reset_index(drop=True)
    relevance = pd.DataFrame(rows, columns=["learner_id", "course_id", "score"]).astype(
        {"score": float}
    )
    relevance = relevance.iloc[rng.permutation(len(relevance))].reset_index(drop=True)
    fields = SEVEN if draw(st.booleans()) else draw(own_principles())
    dates: dict[str, Any] = (
        {"opened": "2014-01-01", "now": "2024-06-01"} if draw(st.booleans()) else {}
    )
    own_targets = draw(st.booleans())
    world = World(
        courses,
        interactions,
        {ALGORITHM: relevance},
        [as_principle(one) for one in fields],
        rating_scale=draw(st.sampled_from([(1, 5), (0, 10)])),
        **dates,
    )
    if own_targets:
        world.targets = frame_of(draw, world, 0.0, 1.0)
    return world


def frame_of(draw: st.DrawFn, world: World, low: float, high: float) -> pd.DataFrame:
    """Values of some learners for some principles."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    names = [principle.name for principle in world.principles]
    names = names[: draw(st.integers(1, len(names)))]
    learners = world.learners[: draw(st.integers(1, len(world.learners)))]
    values = rng.integers(0, 21, (len(learners), len(names))) / 20 * (high - low) + low
    return pd.DataFrame(
        {"learner_id": learners, **{name: values[:, at] for at, name in enumerate(names)}}
    )


@st.composite
def policies(
    draw: st.DrawFn, world: World, most_k: int = 100, lam: float | None = None
) -> SimpleNamespace:
    """Any policy without a floor that fits the world."""
    names = [principle.name for principle in world.principles]
    unit = st.sampled_from([0.0, 0.25, 0.8, 1.0]) | st.floats(0, 1, width=32)

    def given(values: st.SearchStrategy[float], high: float) -> Any:
        kind = draw(st.sampled_from(["none", "all", "some", "frame", "index"]))
        if kind == "none":
            return None
        if kind in ("all", "some"):
            return {name: draw(values) for name in (names if kind == "all" else names[:1])}
        frame = frame_of(draw, world, 0.0, high)
        return frame.set_index("learner_id") if kind == "index" else frame

    def near() -> dict[str, float]:
        """Targets at and just inside the ends of what the courses offer, where the kernel changes
        its ways."""
        result = {}
        for principle, column in zip(world.principles, world.columns, strict=True):
            if principle.kind == "mean":
                inside = draw(st.floats(0, 0.1))
                low, high = column.min(), column.max()
                result[principle.name] = float(
                    draw(
                        st.sampled_from(
                            [low + inside * (high - low), high - inside * (high - low), low, high]
                        )
                    )
                )
        return result

    strategy = draw(st.sampled_from(["glob", "user", "pers", "custom"]))
    weights = given(st.sampled_from([0.0, 1.0, 2.5]), 3.0) if strategy == "custom" else None
    return settings(
        lam=draw(st.sampled_from([0.0, 1.0]) | st.floats(0, 1)) if lam is None else lam,
        k=draw(st.integers(1, min(12, most_k)) | st.integers(1, most_k)),
        strategy=strategy,
        targets=near() if draw(st.integers(0, 3)) == 0 else given(unit, 1.0),
        weights={names[0]: 2.0} if strategy == "custom" and weights is None else weights,
        relevance_scale=draw(st.sampled_from(["minmax", "minmax", "rank", "none"])),
        pool=draw(st.sampled_from(["stored", "catalogue"])),
    )


def wide_world() -> World:
    """Enough learners (900) that work over them is cut into ranges; 120 courses, 40 candidates
    each, many equal scores."""
    rng = np.random.default_rng(5)
    size, count = 120, 900
    courses = pd.DataFrame(
        {
            "course_id": np.arange(size),
            "title": [f"Course {at}" for at in range(size)],
            "category": rng.choice(["arts", "code", "food", "yoga"], size),
            "level": rng.choice(["low", "middle", "top"], size),
            "last_update": (
                pd.Timestamp("2016-01-01") + pd.to_timedelta(rng.integers(0, 2000, size), unit="D")
            ),
            "price": rng.choice([0, 9.99, 49.99], size),
            "enrolled": rng.integers(1, 5000, size),
            "rating": rng.uniform(3, 5, size),
            "assets": rng.choice(["video", "video|quiz", "article|quiz|video"], size),
        }
    )
    picks = rng.permuted(np.tile(np.arange(size), (count, 1)), axis=1)
    learner = np.arange(count)
    splits = np.repeat(["train", "train", "test", "valid"], count)
    interactions = pd.DataFrame(
        {"learner_id": np.tile(learner, 4), "course_id": picks[:, :4].T.ravel(), "split": splits}
    )
    scores = rng.random(count * 40).round(2)
    stored = pd.DataFrame(
        {"learner_id": np.repeat(learner, 40), "course_id": picks[:, 2:42].ravel(), "score": scores}
    )
    return World(courses, interactions, {"userknn": stored}, [as_principle(one) for one in SEVEN])


# ------------------------------------------------------------------------------------------
# as equity_core sees them


def as_bundle(world: World, **more: Any) -> Any:
    """The world as a bundle, from the same frames; ``more`` arguments go along."""
    import equity_core as eq

    return eq.Bundle.from_frames(
        world.courses,
        world.interactions,
        relevance=world.relevance,
        principles=[eq.Principle(**vars(principle)) for principle in world.principles],
        now=world.now,
        opened=world.opened,
        rating_scale=world.rating_scale,
        targets=world.targets,
        **more,
    )


def as_policy(policy: SimpleNamespace) -> Any:
    import equity_core as eq

    return eq.Policy(**vars(policy))


def examples(count: int) -> Any:
    """Settings of a property test: ``count`` worlds, the same in every run. EQUITY_EXPLORE=n tries
    n times as many, new ones each time, and shrinks what fails (which takes minutes)."""
    explore = int(os.environ.get("EQUITY_EXPLORE", "0"))
    return hypothesis.settings(
        max_examples=count * max(1, explore),
        derandomize=not explore,
        database=None,
        phases=[
            phase
            for phase in hypothesis.Phase
            if explore or phase not in (hypothesis.Phase.shrink, hypothesis.Phase.explain)
        ],
        deadline=None,  # the first call compiles the kernels
        suppress_health_check=[
            hypothesis.HealthCheck.too_slow,
            hypothesis.HealthCheck.data_too_large,
            hypothesis.HealthCheck.large_base_example,
        ],
    )
