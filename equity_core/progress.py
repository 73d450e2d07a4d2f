"""How long work reports how far it is, and how it is asked to stop."""

from collections.abc import Callable

Progress = Callable[[int, int], object]
"""Called as progress(done, total). Returning False cancels the work; anything else, None included,
lets it go on."""


class Cancelled(Exception):
    """The work stopped because its progress callback returned False."""


def report(progress: Progress | None, done: int, total: int) -> None:
    """Call the callback, if there is one; raise Cancelled if it returns False."""
    if progress is not None and progress(done, total) is False:
        raise Cancelled(f"cancelled after {done} of {total}")
