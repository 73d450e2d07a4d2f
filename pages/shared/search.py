"""Every λ and every floor of the current recommender and policy: one job, for the chooser and for the presets."""

from __future__ import annotations

from equity_core.audit import chooser_paths
from pages.shared import jobs
from pages.shared.current import Current


def searched(cur: Current) -> chooser_paths.Searched:
    """The search, kept; else waited for with progress. The policy's own λ or floor does not matter."""

    def wait() -> chooser_paths.Searched:
        arguments = cur.algorithm, cur.policy.but(lam=0.0, floor=None), cur.split, cur.choosing_split
        found: chooser_paths.Searched = jobs.result(cur, "Searching every λ and every floor, per cent", chooser_paths.search, *arguments)
        return found

    found: chooser_paths.Searched = cur.once("searched", wait)
    return found
