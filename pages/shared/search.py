"""Every λ and every floor of a recommender and policy: one job, for the chooser, for the presets,
and for the slider."""

from __future__ import annotations

from typing import Any

import equity_core as eq
from equity_core.analysis.choosing import search as chooser_paths
from pages.shared import jobs
from pages.shared.current import Current


def _job(cur: Current, algorithm: str, policy: eq.Policy) -> tuple[Any, ...]:
    """Function and arguments. The policy's own λ or floor does not matter."""
    return (
        chooser_paths.search,
        algorithm,
        policy.but(lam=0.0, floor=None),
        cur.split,
        cur.choosing_split,
    )


def searched(cur: Current) -> chooser_paths.Searched:
    """The search of the current policy, kept; else waited for with progress."""

    def wait() -> chooser_paths.Searched:
        title = "Searching every λ and every floor, per cent"
        found: chooser_paths.Searched = jobs.result(
            cur, title, *_job(cur, cur.algorithm, cur.without)
        )
        return found

    found: chooser_paths.Searched = cur.still("searched", wait)
    return found


def session(cur: Current, algorithm: str, policy: eq.Policy) -> eq.Session | None:
    """The session of a search that was made: it looks lists up that others re-rank."""
    found: chooser_paths.Searched | None = jobs.known(cur, *_job(cur, algorithm, policy))
    return None if found is None else found.session
