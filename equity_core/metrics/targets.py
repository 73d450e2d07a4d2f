"""A policy's principles, targets and given weights, resolved against a bundle: names checked, one
row for all learners or one per learner."""

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


def judged(bundle: Bundle, policy: Policy) -> Bundle:
    """The bundle with the policy's principles: itself, if the policy has none.

    Every public call that takes a bundle and a policy goes through here first.

    Raises
    ------
    ValueError
        If the policy has principles that do not fit the bundle; it names them.
    """
    if policy.principles is None:
        return bundle
    try:
        return bundle.with_principles(policy.principles)
    except ValueError as error:
        raise ValueError(f"the policy's principles do not fit this data set: {error}") from None


def _resolve(bundle: Bundle, given: Values, what: str, below: Rows | None = None) -> Rows:
    """``given`` where it says something, else ``below``, else 1."""
    names = [principle.name for principle in bundle.principles]
    rows = np.ones((1, len(names))) if below is None else below
    if given is None:
        return rows
    asked = given.names if isinstance(given, LearnerValues) else tuple(given)
    if unknown := [name for name in asked if name not in names]:
        raise ValueError(
            f"the policy has a {what} for {', '.join(unknown)}, but this data set's principles are"
            f" {', '.join(names)}"
        )
    columns = [names.index(name) for name in asked]
    if isinstance(given, Mapping):
        rows = rows.copy()
        rows[:, columns] = [given[name] for name in asked]
        # Where nothing is left of what learners have of their own, one row is enough for all.
        return rows[:1] if len(columns) == len(names) else rows
    rows = np.array(np.broadcast_to(rows, (len(bundle.learner_ids), len(names))))
    at = pd.Index(bundle.learner_ids).get_indexer(pd.Index(list(given.ids)))
    if (at < 0).any():
        strangers = [repr(given.ids[j]) for j in np.flatnonzero(at < 0)[:5]]
        raise ValueError(
            f"the policy has {what}s for learners that this data set does not have:"
            f" {', '.join(strangers)}"
        )
    rows[np.ix_(at, columns)] = given.values
    return rows


def learner_targets(bundle: Bundle) -> dict[str, int]:
    """The principles for which the bundle has targets of single learners, in its order, and how
    many of these are below 1."""
    if bundle.targets is None:
        return {}
    below = (bundle.targets < 1.0).sum()
    names = [principle.name for principle in bundle.principles]
    return {name: int(below[name]) for name in names if name in below.index}


def targets_of(bundle: Bundle, policy: Policy) -> Rows:
    """The targets p, one row for all learners or one per learner.

    For each learner and principle: the policy's, if it gives one (a mapping for all learners, a
    frame for those in it), else the bundle's own of that learner, else 1. So a value for all
    replaces the learners' own targets of that principle, and of no other.
    """
    bundle, own = judged(bundle, policy), None
    if bundle.targets is not None:
        # The bundle left out learners without a past: their targets go with them. An empty cell is
        # a target not given.
        kept = bundle.targets.loc[bundle.targets.index.isin(pd.Index(bundle.learner_ids))]
        own = _resolve(bundle, LearnerValues(kept.fillna(1.0)), "target")
    return _resolve(bundle, policy.targets, "target", own)  # type: ignore[arg-type]


def given_weights_of(bundle: Bundle, policy: Policy) -> Rows:
    """The weights as given by strategy "custom"; 1 where none is given."""
    return _resolve(judged(bundle, policy), policy.weights, "weight")  # type: ignore[arg-type]
