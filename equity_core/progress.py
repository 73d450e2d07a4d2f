"""How long work tells how far it is, and how it is told to stop."""

from collections.abc import Callable

Progress = Callable[[int, int], object]
"""Called as progress(done, total); returning False cancels. Anything else, None included, goes
on."""


class Cancelled(Exception):
    """The progress callback returned False."""


def report(progress: Progress | None, done: int, total: int) -> None:
    """Tell the callback, if there is one; raise Cancelled if it says stop."""
    if progress is not None and progress(done, total) is False:
        raise Cancelled(f"cancelled after {done} of {total}")
