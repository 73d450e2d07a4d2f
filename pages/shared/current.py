"""What the screens are looking at: data set, recommender and policy, as chosen in the shell."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import streamlit as st

import equity_core as eq
from pages.shared import datasets
from pages.shared.datasets import Dataset

_CURRENT = "_current"


@dataclass(frozen=True, eq=False)
class Current:
    """The choice of this moment. Everything a screen shows follows from it."""

    base: Dataset
    """The data set with its own principles."""
    bundle: eq.Bundle
    """The data set, judged by the policy's principles."""
    key: str
    """Names the bundle's content in the caches."""
    private: bool
    """Uploaded: nothing of it goes into caches that other sessions share."""
    algorithm: str
    policy: eq.Policy
    split: str
    """The part that NDCG is measured on: test, else valid."""
    dark: bool
    baseline: eq.Policy | None = None
    """The pinned policy to compare with, if any."""
    baseline_algorithm: str | None = None

    def judged_by(self, policy: eq.Policy) -> Current:
        """The same with the principles of another policy: a saved scenario or a pinned one may have
        others than the current one."""
        if policy.principles == self.policy.principles:
            return self
        data = datasets.judged(self.base, policy)
        return replace(self, bundle=data.bundle, key=data.key, policy=policy)

    def exported(self, policy: eq.Policy) -> eq.Policy:
        """A policy of this data set as it goes into a file: with its principles, so that it means
        the same wherever it is used."""
        return policy.but(principles=policy.principles or self.base.bundle.principles)

    @cached_property
    def without(self) -> eq.Policy:
        """The policy without its λ or floor: what all that does not follow the slider depends
        on."""
        return self.policy.but(lam=0.0, floor=None)

    @cached_property
    def measured(self) -> eq.Policy:
        """The policy as its results are kept: λ, which does not count under a floor, is 0 there."""
        return self.policy if self.policy.floor is None else self.policy.but(lam=0.0)

    @cached_property
    def own(self) -> eq.Policy:
        """The recommender's own lists: λ = 0, measured against the same targets and k."""
        return self.policy.but(lam=0.0, floor=None, strategy="glob", weights=None)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The principles' names, in their order."""
        return tuple(principle.name for principle in self.bundle.principles)

    @cached_property
    def choosing_split(self) -> str:
        """The part that a policy is chosen on: valid where there is one, else the part it is
        reported on."""
        return "valid" if "valid" in self.bundle.splits else self.split


def put(current: Current) -> None:
    """For the shell: what current() returns in this run."""
    st.session_state[_CURRENT] = current


def current() -> Current:
    """The current choice. Screens call it first."""
    value: Current = st.session_state[_CURRENT]
    return value


def split_of(bundle: eq.Bundle) -> str:
    """test where there is one, else valid; without either "test", and NDCG is unknown."""
    return next((split for split in ("test", "valid") if split in bundle.splits), "test")
