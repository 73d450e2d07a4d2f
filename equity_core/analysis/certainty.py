"""What has to be said beside intervals."""

from __future__ import annotations

ENOUGH = 200
"""Learners from which on percentile bootstrap intervals hold what they promise (docs/methods.md, by
simulation)."""


def note(learners: int) -> str:
    """A sentence where learners are so few that intervals are too narrow; else nothing. Starts with
    a space, to be put behind another."""
    return (
        f" With fewer than {ENOUGH} learners, such intervals are somewhat too narrow."
        if learners < ENOUGH
        else ""
    )
