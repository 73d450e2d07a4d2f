"""The policy: how lists are re-ranked. Frozen, checked when made, equal by content, to and from
JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, Literal, cast, get_args

import numpy as np
import numpy.typing as npt
import pandas as pd

Strategy = Literal["glob", "user", "pers", "custom"]
RelevanceScale = Literal["minmax", "rank", "none"]
Pool = Literal["stored", "catalogue"]

LONGEST_LIST = 1000


class LearnerValues:
    """Values per learner and principle (targets or weights), frozen and equal by content, whatever
    the order of rows and columns."""

    def __init__(self, frame: pd.DataFrame) -> None:
        if "learner_id" in frame.columns:
            frame = frame.set_index("learner_id")
        if frame.index.has_duplicates:
            raise ValueError(
                f"learner {frame.index[frame.index.duplicated()][0]!r} stands twice in the"
                " learner-specific values; keep one row a learner"
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
        """As a frame indexed by learner_id."""
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
    """Targets or weights as given, checked and frozen."""
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


@dataclass(frozen=True, eq=False)
class Policy:
    """How lists are re-ranked: one λ for all (``lam``), or a ``floor`` τ that every list's
    consistency has to meet, whatever ``lam``.

    ``targets`` and ``weights``: None, {principle: value}, or a frame with learner_id as index or
    column; what is not given is 1 (targets=None takes the bundle's own). ``weights`` belong to
    strategy "custom". Anything out of range is a ValueError.
    """

    lam: float = 0.5
    k: int = 10
    strategy: Strategy = "glob"
    targets: Values | pd.DataFrame = None
    weights: Values | pd.DataFrame = None
    floor: float | None = None
    relevance_scale: RelevanceScale = "minmax"
    pool: Pool = "stored"

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
        ):
            if getattr(self, name) not in get_args(allowed):
                raise ValueError(
                    f"{name} is {getattr(self, name)!r}; use one of {', '.join(get_args(allowed))}"
                )
        keep("targets", _values(self.targets, "target", 1.0))
        keep("weights", _values(self.weights, "weight", math.inf))
        if self.weights is not None and self.strategy != "custom":
            raise ValueError(
                f"weights go with strategy 'custom' only, not with {self.strategy!r}; use"
                " strategy='custom' or leave them out"
            )

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
        """The same policy with some fields changed."""
        return replace(self, **changes)

    def to_json(self) -> str:
        """All fields as JSON; :meth:`from_json` gives an equal policy back."""
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
            out[field.name] = value
        return json.dumps(out, ensure_ascii=False, indent=2)

    @classmethod
    def from_json(cls, text: str) -> Policy:
        """A policy from :meth:`to_json`'s text. Fields left out take their defaults; unknown ones
        are a ValueError."""
        try:
            given = json.loads(text)
        except (json.JSONDecodeError, UnicodeDecodeError, TypeError) as error:
            raise ValueError(f"this is not a policy: no valid JSON ({error})") from None
        if not isinstance(given, dict):
            raise ValueError(
                "this is not a policy: the JSON must be an object with fields such as lam, k and"
                " strategy"
            )
        known = {field.name for field in fields(cls)}
        if unknown := sorted(set(given) - known):
            raise ValueError(
                f"unknown policy field {', '.join(unknown)}; known are {', '.join(sorted(known))}"
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
        return cls(**cast(dict[str, Any], given))


def _from_json(text: str) -> Policy:
    return Policy.from_json(text)
