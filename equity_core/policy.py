"""The policy: how lists are re-ranked.

A policy is frozen, checked when it is made, equal by content, and can be written to and read from
JSON.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, Literal, cast, get_args

import numpy as np
import numpy.typing as npt
import pandas as pd

from equity_core.principles import Principle, fields_of

Strategy = Literal["glob", "user", "pers", "custom"]
RelevanceScale = Literal["minmax", "rank", "none"]
Pool = Literal["stored", "catalogue"]
Order = Literal["relevance", "greedy"]
FloorMethod = Literal["least-loss", "first-lambda"]
Method = Literal["greedy+swaps", "greedy"]

LONGEST_LIST = 1000
FIRST_EDITION = {"order": "greedy", "floor_method": "first-lambda", "method": "greedy"}
"""What files mean that were written before these fields existed: the paper's procedure, exactly."""


class LearnerValues:
    """Values per learner and principle: targets or weights.

    Frozen, and equal by content whatever the order of rows and columns.

    Parameters
    ----------
    frame : pandas.DataFrame
        One row per learner, with learner_id as index or as a column, and one column per principle.

    Raises
    ------
    ValueError
        If a learner or a principle is there twice, an id is missing, ids mix text and numbers, or a
        value is not a number.
    """

    def __init__(self, frame: pd.DataFrame) -> None:
        if "learner_id" in frame.columns:
            frame = frame.set_index("learner_id")
        if frame.index.has_duplicates:
            raise ValueError(
                f"learner {frame.index[frame.index.duplicated()][0]!r} occurs twice in the"
                " learner-specific values; keep one row per learner"
            )
        if frame.columns.has_duplicates:
            raise ValueError(
                f"principle {frame.columns[frame.columns.duplicated()][0]!r} has two columns in the"
                " learner-specific values; keep one"
            )
        if frame.index.hasnans:
            raise ValueError(
                "a row of the learner-specific values has no learner_id; give every row one"
            )
        try:
            frame = frame.sort_index().sort_index(axis=1)
        except TypeError as error:
            raise ValueError(
                "learner ids in learner-specific values must be all text or all whole numbers"
            ) from error
        self.names: tuple[str, ...] = tuple(str(name) for name in frame.columns)
        self.ids: tuple[Any, ...] = tuple(frame.index.tolist())
        try:
            values = frame.to_numpy(dtype=np.float64, na_value=np.nan)
        except (TypeError, ValueError) as error:
            raise ValueError("learner-specific targets and weights must be numbers") from error
        # Adding 0 turns −0 into 0, which is equal but has other bytes.
        self.values: npt.NDArray[np.float64] = np.array(values, dtype=np.float64, order="C") + 0.0
        self.values.flags.writeable = False
        self._key = (self.names, self.ids, self.values.tobytes())
        self._hash = hash(self._key)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LearnerValues) and self._key == other._key

    def __repr__(self) -> str:
        return f"LearnerValues({len(self.ids)} learners × {len(self.names)} principles)"

    def frame(self) -> pd.DataFrame:
        """Return the values as a frame indexed by learner_id."""
        return pd.DataFrame(
            self.values.copy(),
            index=pd.Index(list(self.ids), name="learner_id"),
            columns=list(self.names),
        )


Values = Mapping[str, float] | LearnerValues | None


def _number(value: object, what: str, low: float, high: float) -> float:
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float | np.integer | np.floating)
        or not math.isfinite(value)
    ):
        raise ValueError(f"{what} must be a finite number, not {value!r}")
    if not low <= value <= high:
        span = f"between {low:g} and {high:g}" if math.isfinite(high) else f"{low:g} or more"
        raise ValueError(f"{what} must be {span}, not {value:g}")
    return float(value)


def _values(given: object, what: str, high: float) -> Values:
    """Check and freeze targets or weights."""
    if given is None:
        return None
    if isinstance(given, pd.DataFrame):
        given = LearnerValues(given)
    if isinstance(given, LearnerValues):
        if (
            not np.isfinite(given.values).all()
            or (given.values < 0).any()
            or (given.values > high).any()
        ):
            span = f"between 0 and {high:g}" if math.isfinite(high) else "finite and 0 or more"
            raise ValueError(f"learner-specific {what}s must be {span}")
        return given
    if isinstance(given, Mapping):
        return MappingProxyType(
            {
                str(name): _number(value, f"the {what} of {name}", 0.0, high)
                for name, value in sorted(given.items())
            }
        )
    raise ValueError(
        f"{what}s must be None, a mapping from principle to number, or a frame with learner_id, not"
        f" {type(given).__name__}"
    )


def _principles(given: object) -> tuple[Principle, ...]:
    """Check and freeze principles."""
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise ValueError(
            f"principles must be None or a list of principles, not {type(given).__name__}"
        )
    out = tuple(given)
    if wrong := [one for one in out if not isinstance(one, Principle)]:
        raise ValueError(f"principles must be of class Principle, not {type(wrong[0]).__name__}")
    if not out:
        raise ValueError("a policy needs at least one principle; None takes the data set's own")
    names = [one.name for one in out]
    if twice := [name for name in names if names.count(name) > 1]:
        raise ValueError(
            f"two principles of the policy are called {twice[0]!r}; give each its own name"
        )
    return out


def _read_principles(rows: object) -> list[Principle]:
    """Make the principles of a policy's JSON."""
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ValueError("the policy's principles must be a list of objects")
    known = [field.name for field in fields(Principle)]
    for row in rows:
        if unknown := sorted(set(row) - set(known)):
            raise ValueError(
                f"unknown field {', '.join(unknown)} of a principle; the fields are"
                f" {', '.join(known)}"
            )
        if missing := [name for name in known[:3] if name not in row]:
            raise ValueError(f"a principle of the policy has no {missing[0]}")
        for end in ("low", "high"):
            if row.get(end) is not None:
                _number(row[end], f"the {end} end of a principle", -math.inf, math.inf)
    return [Principle(**row) for row in rows]


@dataclass(frozen=True, eq=False)
class Policy:
    """How lists are re-ranked: one λ for all learners, or a floor that every list has to meet.

    A list is built position by position; each course chosen maximises
    (1 − λ) · relevance + λ · consistency of the list so far plus the course. Then courses are
    exchanged as long as that helps, and the list is shown in the recommender's order. With
    ``order="greedy"``, ``floor_method="first-lambda"`` and ``method="greedy"`` the lists are the
    paper's.

    Parameters
    ----------
    lam : float, default 0.5
        λ, from 0 (the recommender's own lists) to 1 (the principles alone). Ignored when `floor` is
        given.
    k : int, default 10
        Length of the lists, from 1 to 1000.
    strategy : {"glob", "user", "pers", "custom"}, default "glob"
        Where the weights of the principles come from. "glob": 1 for every principle. "user": the
        learners' mean gap to each target on the recommender's own lists. "pers": each learner's own
        gaps. "custom": `weights`.
    targets : mapping, pandas.DataFrame or None, default None
        The target of each principle, in [0, 1]: one mapping {principle: value} for all learners, or
        a frame with learner_id as index or column and one column per principle. A target not given
        is the bundle's own (of that learner), else 1; None takes all of them from the bundle.
    weights : mapping, pandas.DataFrame or None, default None
        The weight of each principle, 0 or more, in the same forms as `targets`; only with strategy
        "custom". What is not given is 1.
    floor : float or None, default None
        τ: the consistency that every list has to reach; how, says `floor_method`.
    relevance_scale : {"minmax", "rank", "none"}, default "minmax"
        How relevance is rescaled per learner: to [0, 1] over the candidates, by rank, or not at
        all.
    pool : {"stored", "catalogue"}, default "stored"
        Courses to choose from: the stored candidates, or the whole catalogue, where a course
        without a score has the lowest relevance.
    order : {"relevance", "greedy"}, default "relevance"
        The order that a list is shown in: by the recommender's score, or as picked. Consistency and
        equality are the same in both, NDCG is not.
    floor_method : {"least-loss", "first-lambda"}, default "least-loss"
        The list under a floor: the most relevant one found that reaches τ, or the one of the first
        λ found that reaches it.
    method : {"greedy+swaps", "greedy"}, default "greedy+swaps"
        The list under one λ: the better of the greedy's list and the own list, improved by swaps
        until none raises the objective, or the greedy's list as it is.
    principles : sequence of Principle or None, default None
        What lists are judged by: at least one principle, each with a name of its own; None takes
        the bundle's own.

    Raises
    ------
    ValueError
        If a value is out of range, unknown or of the wrong type, or weights are given with another
        strategy than "custom".

    Examples
    --------
    >>> import equity_core as eq
    >>> policy = eq.Policy(lam=0.9, targets={"quality": 0.8})
    >>> policy.but(k=5).k
    5
    >>> eq.Policy.from_json(policy.to_json()) == policy
    True
    """

    lam: float = 0.5
    k: int = 10
    strategy: Strategy = "glob"
    targets: Values | pd.DataFrame = None
    weights: Values | pd.DataFrame = None
    floor: float | None = None
    relevance_scale: RelevanceScale = "minmax"
    pool: Pool = "stored"
    order: Order = "relevance"
    floor_method: FloorMethod = "least-loss"
    method: Method = "greedy+swaps"
    principles: Sequence[Principle] | None = None

    def __post_init__(self) -> None:
        def keep(name: str, value: object) -> None:
            object.__setattr__(self, name, value)

        keep("lam", _number(self.lam, "λ", 0.0, 1.0))
        if (
            isinstance(self.k, bool)
            or not isinstance(self.k, int | np.integer)
            or not 1 <= self.k <= LONGEST_LIST
        ):
            raise ValueError(f"k must be a whole number from 1 to {LONGEST_LIST}, not {self.k!r}")
        keep("k", int(self.k))
        if self.floor is not None:
            keep("floor", _number(self.floor, "the floor", 0.0, 1.0))
        for name, allowed in (
            ("strategy", Strategy),
            ("relevance_scale", RelevanceScale),
            ("pool", Pool),
            ("order", Order),
            ("floor_method", FloorMethod),
            ("method", Method),
        ):
            if getattr(self, name) not in get_args(allowed):
                raise ValueError(
                    f"{name} is {getattr(self, name)!r}; use one of {', '.join(get_args(allowed))}"
                )
        keep("targets", _values(self.targets, "target", 1.0))
        keep("weights", _values(self.weights, "weight", math.inf))
        if self.weights is not None and self.strategy != "custom":
            raise ValueError(
                f"weights need strategy 'custom', not {self.strategy!r}; use strategy='custom' or"
                " leave them out"
            )
        if self.principles is not None:
            keep("principles", _principles(self.principles))

    @cached_property
    def _key(self) -> tuple[object, ...]:
        # Kept: screens look results up by policy, a hundred times at every move of a slider.
        return tuple(
            tuple(value.items()) if isinstance(value, Mapping) else value
            for value in (getattr(self, f.name) for f in fields(self))
        )

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Policy) and self._key == other._key

    def __reduce__(self) -> tuple[Any, ...]:
        # A mapping proxy cannot be pickled, and worker processes need policies.
        return _from_json, (self.to_json(),)

    def but(self, **changes: Any) -> Policy:
        """Return the same policy with some fields changed.

        Parameters
        ----------
        **changes
            The fields to change, by name.

        Returns
        -------
        Policy
            A new policy, checked like any other.

        Raises
        ------
        ValueError
            If a value is not allowed.
        TypeError
            If there is no such field.
        """
        return replace(self, **changes)

    def to_json(self) -> str:
        """Return all fields as JSON.

        Returns
        -------
        str
            Text from which :meth:`from_json` makes an equal policy.
        """
        out: dict[str, object] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, LearnerValues):
                value = {
                    "learner_id": list(value.ids),
                    "principles": list(value.names),
                    "values": value.values.tolist(),
                }
            elif isinstance(value, Mapping):
                value = dict(value)
            elif field.name == "principles" and value is not None:
                value = [fields_of(principle) for principle in value]
            out[field.name] = value
        return json.dumps(out, ensure_ascii=False, indent=2)

    @classmethod
    def from_json(cls, text: str) -> Policy:
        """Make a policy from the text that :meth:`to_json` writes.

        Parameters
        ----------
        text : str
            A JSON object. Fields left out take their defaults: a policy without principles is about
            those of the data set that it is used on. But a file without `order`, `floor_method` or
            `method` is older than they are and means the paper's procedure.

        Returns
        -------
        Policy
            The policy, checked.

        Raises
        ------
        ValueError
            If the text is not a JSON object, a field is unknown, or a value is not allowed.
        """
        try:
            given = json.loads(text)
        except (json.JSONDecodeError, UnicodeDecodeError, TypeError) as error:
            raise ValueError(f"this is not a policy: not valid JSON ({error})") from None
        if not isinstance(given, dict):
            raise ValueError(
                "this is not a policy: the JSON must be an object with fields such as lam, k and"
                " strategy"
            )
        known = {field.name for field in fields(cls)}
        if unknown := sorted(set(given) - known):
            raise ValueError(
                f"unknown policy field {', '.join(unknown)}; the fields are"
                f" {', '.join(sorted(known))}"
            )
        for name in ("targets", "weights"):
            value = given.get(name)
            if isinstance(value, dict) and set(value) == {"learner_id", "principles", "values"}:
                try:
                    given[name] = pd.DataFrame(
                        value["values"],
                        index=pd.Index(value["learner_id"], name="learner_id"),
                        columns=value["principles"],
                        dtype=float,
                    )
                except (ValueError, TypeError) as error:
                    raise ValueError(
                        f"the policy's {name} per learner do not form a table: {error}"
                    ) from None
        if given.get("principles") is not None:
            given["principles"] = _read_principles(given["principles"])
        return cls(**cast(dict[str, Any], {**FIRST_EDITION, **given}))


def _from_json(text: str) -> Policy:
    return Policy.from_json(text)
