"""A policy's targets and given weights, resolved against a bundle: names checked, one row for all
learners or one per learner."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from equity_core.policy import LearnerValues, Policy, Values

if TYPE_CHECKING:
    from equity_core.bundle import Bundle

Rows = npt.NDArray[np.float64]
"""(1, principles) where all learners share, else (learners, principles); principles in the bundle's
order."""


def _resolve(bundle: Bundle, given: Values, what: str) -> Rows:
    names = [principle.name for principle in bundle.principles]
    if given is None:
        return np.ones((1, len(names)))
    asked = given.names if isinstance(given, LearnerValues) else tuple(given)
    if unknown := [name for name in asked if name not in names]:
        raise ValueError(
            f"the policy has a {what} for {', '.join(unknown)}, but this data set's principles are"
            f" {', '.join(names)}"
        )
    if isinstance(given, Mapping):
        return np.array([[given.get(name, 1.0) for name in names]], dtype=np.float64)
    rows = np.ones((len(bundle.learner_ids), len(names)))
    at = pd.Index(bundle.learner_ids).get_indexer(pd.Index(list(given.ids)))
    if (at < 0).any():
        strangers = [repr(given.ids[j]) for j in np.flatnonzero(at < 0)[:5]]
        raise ValueError(
            f"the policy has {what}s for learners that this data set does not have:"
            f" {', '.join(strangers)}"
        )
    columns = [names.index(name) for name in given.names]
    rows[np.ix_(at, columns)] = given.values
    return rows


def targets_of(bundle: Bundle, policy: Policy) -> Rows:
    """The targets p: the policy's, else the bundle's own, else 1."""
    given = policy.targets
    if given is None and bundle.targets is not None:
        # The bundle left out learners without a past: their targets go with them. An empty cell is
        # a target not given.
        own = bundle.targets
        given = LearnerValues(own.loc[own.index.isin(pd.Index(bundle.learner_ids))].fillna(1.0))
    return _resolve(bundle, given, "target")  # type: ignore[arg-type]


def given_weights_of(bundle: Bundle, policy: Policy) -> Rows:
    """The weights as given by strategy "custom"; 1 where none is given."""
    return _resolve(bundle, policy.weights, "weight")  # type: ignore[arg-type]
