"""The slow reference: every formula written down once more, in plain float64 NumPy, sharing no
computing code with equity_core.

It starts from the same frames as a bundle, goes learner by learner, and prefers the obvious
expression to the fast one. Lists are tuples of course positions; a policy is anything with the
fields of eq.Policy as the user gave them (targets and weights None, a dict or a frame).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd

TIE = 1e-6
"""Objectives nearer than this count as equal when lists are compared."""
ROUNDING = 1e-10
"""Generous to two ways of adding up the same float64 numbers."""


def settings(**fields: Any) -> SimpleNamespace:
    """A policy for the reference: the defaults of the public call, but for the procedure."""
    defaults: dict[str, Any] = {
        "lam": 0.5,
        "k": 10,
        "strategy": "glob",
        "targets": None,
        "weights": None,
        "floor": None,
        "relevance_scale": "minmax",
        "pool": "stored",
        # The paper's procedure; what the second edition adds is in tests/reference_swaps.py.
        "order": "greedy",
        "floor_method": "first-lambda",
        "method": "greedy",
    }
    return SimpleNamespace(**{**defaults, **fields})


# ------------------------------------------------------------------------------------------
# formulas on plain numbers


def scaled(
    values: np.ndarray, low: float, high: float, *, better: str = "high", scale: str = "linear"
) -> np.ndarray:
    """A mean principle's column in [0, 1], higher better, clipped; missing values get the mean of
    the scaled; low = high: all 1."""
    if low == high:
        return np.ones(len(values))
    values = np.clip(values, low, high)
    if scale == "log":
        values, low, high = np.log1p(values), math.log1p(low), math.log1p(high)
    result = (values - low) / (high - low)
    if better == "low":
        result = 1.0 - result
    return np.where(np.isnan(result), np.nanmean(result), result)


def gini(values: Iterable[float]) -> float:
    """Mean absolute difference over all ordered pairs / (2 · mean); all-zero gives 0."""
    x = np.array(list(values), dtype=float)
    if x.sum() == 0:
        return 0.0
    return float(np.abs(x[:, None] - x[None, :]).mean() / (2 * x.mean()))


def balance(counts: np.ndarray) -> np.ndarray:
    """1 − Gini · n/(n − 1) of the shares in each row of counts, n = number of columns; one column:
    1; nothing counted: 0."""
    n = counts.shape[1]
    if n == 1:
        return np.ones(len(counts))
    total = counts.sum(axis=1)
    shares = counts / np.maximum(total, 1)[:, None]
    mean_difference = np.abs(shares[:, :, None] - shares[:, None, :]).mean(axis=(1, 2))
    plain = mean_difference / (2 * (1 / n))  # shares sum to 1, so their mean is 1/n
    return np.where(total == 0, 0.0, 1.0 - plain * n / (n - 1))


def match(past: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """1 − Hellinger distance between the past's counts and each row of counts."""
    x = past / past.sum()
    length = counts.sum(axis=1, keepdims=True)
    overlap = np.sqrt(x[None, :] * (counts / length)).sum(axis=1)
    # Equal shares, seen without rounding: the root below would turn an overlap of 1 − 1e-16 into a
    # distance of 1e-8.
    equal = (past[None, :] * length == counts * past.sum()).all(axis=1)
    return np.where(equal, 1.0, 1.0 - np.sqrt(np.maximum(0.0, 1.0 - overlap)))


def discounted_match(past: np.ndarray, shares: np.ndarray) -> float:
    """1 − Hellinger distance of two rows of shares; the same up to rounding is the same."""
    if np.abs(past - shares).max() < 1e-12:
        return 1.0
    return 1.0 - math.sqrt(max(0.0, 1.0 - float(np.sqrt(past * shares).sum())))


def consistency(
    targets: np.ndarray, values: np.ndarray, weights: np.ndarray | None = None
) -> np.ndarray:
    """1 − (1/|C|) Σ w |p − q| along the last axis."""
    w = np.ones(np.shape(targets)[-1]) if weights is None else weights
    return 1.0 - (w * np.abs(targets - values)).sum(axis=-1) / np.shape(targets)[-1]


def equality(consistencies: Iterable[float]) -> float:
    """1 − Gini over the learners that have a consistency."""
    known = [c for c in consistencies if not math.isnan(c)]
    return 1.0 - gini(known) if known else math.nan


def ndcg(courses: Sequence[int], wanted: set[int], k: int) -> float:
    """Binary gains, discount log2(rank + 1), ideal cut at k; NaN with nothing to find."""
    if not wanted:
        return math.nan
    gain = sum(
        1 / math.log2(rank + 1)
        for rank, course in enumerate(courses[:k], start=1)
        if course in wanted
    )
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(k, len(wanted)) + 1))
    return gain / ideal


def relevance_scaled(scores: np.ndarray, how: str) -> np.ndarray:
    """Raw scores, highest first, on the policy's scale."""
    if how == "none" or len(scores) == 0:
        return scores
    if how == "rank":
        return np.ones(1) if len(scores) == 1 else 1.0 - np.arange(len(scores)) / (len(scores) - 1)
    low, high = scores.min(), scores.max()
    return np.zeros(len(scores)) if low == high else (scores - low) / (high - low)


# ------------------------------------------------------------------------------------------
# the world


@dataclass
class Candidates:
    """A learner's candidates in the recommender's own order, and their relevance."""

    positions: np.ndarray
    relevance: np.ndarray
    scored: np.ndarray
    """False for a course of the catalogue without a stored score."""


@dataclass
class World:
    """The frames of a bundle, and what follows from them."""

    courses: pd.DataFrame
    interactions: pd.DataFrame
    relevance: dict[str, pd.DataFrame]
    principles: Sequence[Any]
    now: Any = None
    opened: Any = None
    rating_scale: tuple[float, float] = (1.0, 5.0)
    targets: pd.DataFrame | None = None
    hidden: frozenset[int] = frozenset()
    """Positions of the courses from the future, which nobody may get."""

    @cached_property
    def position(self) -> dict[Any, int]:
        return {course: at for at, course in enumerate(self.courses["course_id"])}

    def taken(self, split: str) -> dict[Any, set[int]]:
        """Distinct course positions per learner of a split, just as the rows say."""
        result: dict[Any, set[int]] = {}
        for learner, course, part in zip(
            *(self.interactions[c] for c in ("learner_id", "course_id", "split")), strict=True
        ):
            if part == split:
                result.setdefault(learner, set()).add(self.position[course])
        return result

    @cached_property
    def past(self) -> dict[Any, set[int]]:
        return self.taken("train")

    @cached_property
    def learners(self) -> list[Any]:
        """Sorted; a learner without a training course is left out."""
        return sorted(self.past)

    def wanted(self, split: str) -> list[set[int]]:
        """Per learner the courses to find; a pair that is also in train stays in train only."""
        taken = self.taken(split)
        return [
            taken.get(learner, set()) - (self.past[learner] if split != "train" else set())
            for learner in self.learners
        ]

    # ---- principles

    def numbers(self, column: str) -> np.ndarray:
        """A column as floats: dates in seconds, assets as the number of distinct types, ratings
        completed from the training part."""
        raw = self.courses[column]
        if column == "assets":
            return np.array(
                [math.nan if types is None else float(len(types)) for types in self.asset_sets]
            )
        if column == "last_update":
            return np.array(
                [math.nan if pd.isna(day) else pd.Timestamp(day).timestamp() for day in raw]
            )
        values = np.array([math.nan if pd.isna(value) else float(value) for value in raw])
        if column == "rating" and "rating" in self.interactions:
            train = self.interactions[self.interactions["split"] == "train"]
            means = train.groupby("course_id")["rating"].mean()
            for at, course in enumerate(self.courses["course_id"]):
                if math.isnan(values[at]) and course in means.index:
                    values[at] = means[course]
        return values

    @cached_property
    def asset_sets(self) -> list[set[str] | None]:
        def types(cell: Any) -> set[str] | None:
            if isinstance(cell, str):
                return set(cell.split("|"))
            return set(cell) if isinstance(cell, list | tuple | np.ndarray) else None

        return [types(cell) for cell in self.courses["assets"]]

    def ends(self, principle: Any, values: np.ndarray) -> tuple[float, float]:
        low, high = np.nanmin(values), np.nanmax(values)
        if principle.column == "last_update":
            low = low if self.opened is None else pd.Timestamp(self.opened).timestamp()
            high = high if self.now is None else pd.Timestamp(self.now).timestamp()
        if principle.column == "rating":
            low, high = self.rating_scale
        if principle.column == "assets":
            low, high = 0, len(set().union(*(types for types in self.asset_sets if types)))
        return float(low if principle.low is None else principle.low), float(
            high if principle.high is None else principle.high
        )

    @cached_property
    def columns(self) -> list[np.ndarray]:
        """Per principle and course: the scaled number, or the label."""
        result = []
        for principle in self.principles:
            if principle.kind == "mean":
                values = self.numbers(principle.column)
                low, high = self.ends(principle, values)
                result.append(
                    scaled(values, low, high, better=principle.better, scale=principle.scale)
                )
            else:
                result.append(
                    np.array(
                        [
                            "unknown" if pd.isna(label) else label
                            for label in self.courses[principle.column]
                        ],
                        dtype=object,
                    )
                )
        return result

    def values(self, learner: Any, lists: np.ndarray) -> np.ndarray:
        """(lists, principles): the value in [0, 1] of each list (rows of course positions, all of
        one length ≥ 1) for each principle."""
        result = np.empty((len(lists), len(self.principles)))
        past = np.array(sorted(self.past[learner]))
        for at, (principle, column) in enumerate(zip(self.principles, self.columns, strict=True)):
            if principle.kind == "mean":
                result[:, at] = column[lists].mean(axis=1)
                continue
            known = sorted(set(column) - ({"unknown"} if principle.kind == "balance" else set()))
            counts = np.stack([(column[lists] == label).sum(axis=1) for label in known], axis=1)
            if principle.kind == "balance":
                result[:, at] = balance(counts)
            else:
                result[:, at] = match(
                    np.array([(column[past] == label).sum() for label in known]), counts
                )
        return result

    def list_values(self, learner: Any, courses: Sequence[int]) -> np.ndarray:
        """The values of one list; NaN for an empty one."""
        if len(courses) == 0:
            return np.full(len(self.principles), math.nan)
        return self.values(learner, np.array([courses]))[0]

    def discounted_values(self, learner: Any, courses: Sequence[int]) -> np.ndarray:
        """The values of one list whose places count 1 / log2(rank + 1), made to sum to 1; NaN for
        an empty one."""
        if len(courses) == 0:
            return np.full(len(self.principles), math.nan)
        places = np.array([1 / math.log2(rank + 1) for rank in range(1, len(courses) + 1)])
        places, listed, past, result = (
            places / places.sum(),
            list(courses),
            sorted(self.past[learner]),
            [],
        )
        for principle, column in zip(self.principles, self.columns, strict=True):
            if principle.kind == "mean":
                result.append(float((places * column[listed].astype(float)).sum()))
                continue
            known = sorted(set(column) - ({"unknown"} if principle.kind == "balance" else set()))
            mass = np.array([[places[column[listed] == label].sum() for label in known]])
            if principle.kind == "balance":
                total = mass.sum()
                result.append(float(balance(mass / total if total > 0 else mass)[0]))
            else:
                result.append(
                    float(
                        discounted_match(
                            np.array([(column[past] == label).mean() for label in known]), mass[0]
                        )
                    )
                )
        return np.array(result)

    # ---- candidates, targets, weights

    def candidates(self, learner: Any, algorithm: str, policy: Any) -> Candidates:
        """The learner's candidates without the past, raw score highest first, then position; the
        rest of the catalogue after them."""
        frame = self.relevance[algorithm]
        rows = frame[frame["learner_id"] == learner]
        stored = [
            (-score, self.position[course])
            for course, score in zip(rows["course_id"], rows["score"], strict=True)
        ]
        barred = self.past[learner] | self.hidden
        stored = sorted((low, at) for low, at in stored if at not in barred)
        positions = [at for _, at in stored]
        relevance = list(
            relevance_scaled(
                np.array([-low for low, _ in stored], dtype=float), policy.relevance_scale
            )
        )
        scored = [True] * len(positions)
        if policy.pool == "catalogue":
            rest = sorted(set(range(len(self.courses))) - set(positions) - barred)
            lowest = min(relevance, default=0.0) if policy.relevance_scale == "none" else 0.0
            positions, relevance, scored = (
                positions + rest,
                relevance + [lowest] * len(rest),
                scored + [False] * len(rest),
            )
        return Candidates(
            np.array(positions, dtype=int),
            np.array(relevance, dtype=float),
            np.array(scored, dtype=bool),
        )

    def per_learner(self, given: Any, otherwise: Any = None) -> np.ndarray:
        """(learners, principles) from None, {principle: value} or a frame with learner_id as index
        or column; what is not given is as in ``otherwise``, and 1 where that does not say."""
        names = [principle.name for principle in self.principles]
        result = np.ones((len(self.learners), len(names)))
        if otherwise is not None:
            result = self.per_learner(otherwise)
        if isinstance(given, pd.DataFrame):
            frame = given.set_index("learner_id") if "learner_id" in given else given
            for row, learner in enumerate(self.learners):
                for at, name in enumerate(names):
                    if name in frame and learner in frame.index:
                        result[row, at] = frame.loc[learner, name]
        elif given is not None:
            for at, name in enumerate(names):
                if name in given:
                    result[:, at] = given[name]
        return result

    def targets_of(self, policy: Any) -> np.ndarray:
        return self.per_learner(policy.targets, self.targets)

    def weights_of(self, algorithm: str, policy: Any) -> np.ndarray:
        """(learners, principles): the weights that steer the re-ranking."""
        ones = np.ones((len(self.learners), len(self.principles)))
        if policy.strategy == "glob":
            return ones
        if policy.strategy == "custom":
            return self.per_learner(policy.weights)
        first = [
            tuple(self.candidates(learner, algorithm, policy).positions[: policy.k])
            for learner in self.learners
        ]
        values = np.array(
            [
                self.list_values(learner, courses)
                for learner, courses in zip(self.learners, first, strict=True)
            ]
        )
        gaps = np.abs(self.targets_of(policy) - values)
        rows = ~np.isnan(gaps).any(axis=1)
        if policy.strategy == "user":
            gaps = np.tile(gaps[rows].mean(axis=0), (len(gaps), 1)) if rows.any() else ones
        for row in range(len(gaps)):
            total = gaps[row].sum()
            gaps[row] = (
                gaps[row] * (len(self.principles) / total) if total > 0 else 1.0
            )  # NaN (no list) is not above 0 either
        return gaps

    # ---- what one may ask of a kernel

    def objectives(
        self,
        learner: Any,
        prefix: Sequence[int],
        pool: Candidates,
        lam: float,
        p: np.ndarray,
        w: np.ndarray,
    ) -> np.ndarray:
        """(1 − λ) R + λ Consistency(p, q of prefix + candidate | w), for every candidate of the
        pool."""
        lists = np.array([[*prefix, course] for course in pool.positions])
        return (1 - lam) * pool.relevance + lam * consistency(p, self.values(learner, lists), w)

    def twins(self, pool: Candidates) -> np.ndarray:
        """A number per candidate; two with the same number have exactly the same course columns."""
        keys: dict[tuple[Any, ...], int] = {}
        return np.array(
            [
                keys.setdefault(tuple(column[at] for column in self.columns), len(keys))
                for at in pool.positions
            ],
            dtype=int,
        )
