"""Work that takes longer than a click should: done in the background, kept, with progress on the
page that waits for it.

A rerun (a newer input) interrupts the waiting; a job that nobody waits for any more is told to
stop, unless it was begun ahead of need. Results of an uploaded data set are kept in its own
session.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import streamlit as st

from pages.shared.current import Current

KEPT = 96
PATIENCE = 0.3
"""Seconds before progress is drawn: quicker work needs none."""


class Job:
    """One computation under way or done."""

    def __init__(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        self.done, self.total, self.waiting, self.ahead = 0, 1, 0, False
        self.stopped = False
        self.function, self.arguments = function, arguments
        self.future: Future[Any] = Future()

    def progress(self, done: int, total: int) -> bool:
        self.done, self.total = done, max(total, 1)
        return not self.stopped

    def run(self) -> None:
        try:
            self.future.set_result(self.function(*self.arguments, progress=self.progress))
        except BaseException as error:  # noqa: BLE001 - handed to whoever waits, as a Future does
            self.future.set_exception(error)


class Jobs:
    """Jobs by key, bounded; one worker thread, because the kernels use all cores themselves."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.kept: OrderedDict[Any, Job] = OrderedDict()
        self.pool = ThreadPoolExecutor(1, thread_name_prefix="equity-job")

    def get(
        self, key: Any, function: Callable[..., Any], arguments: tuple[Any, ...], *, ahead: bool
    ) -> Job:
        with self.lock:
            job = self.kept.get(key)
            if (
                job is None
                or job.stopped
                or (job.future.done() and job.future.exception() is not None)
            ):
                job = self.kept[key] = Job(function, arguments)
                self.pool.submit(job.run)
            self.kept.move_to_end(key)
            job.ahead |= ahead
            for old in [k for k, kept in self.kept.items() if kept.future.done()][
                : max(0, len(self.kept) - KEPT)
            ]:
                del self.kept[old]
            return job


_SHARED = Jobs()
"""Of all sessions of this server."""


def _place(
    cur: Current, function: Callable[..., Any], arguments: tuple[Any, ...]
) -> tuple[Jobs, Any]:
    """Where a job is kept, and its key."""
    jobs = st.session_state.setdefault("_jobs", Jobs()) if cur.private else _SHARED
    return jobs, (f"{function.__module__}.{function.__qualname__}", cur.key, arguments)


def _job(
    cur: Current, function: Callable[..., Any], arguments: tuple[Any, ...], *, ahead: bool
) -> Job:
    jobs, key = _place(cur, function, arguments)
    made: Job = jobs.get(key, function, (cur.bundle, *arguments), ahead=ahead)
    return made


def _done(job: Job | None) -> Any | None:
    return (
        job.future.result()
        if job is not None and job.future.done() and not job.future.exception()
        else None
    )


def known(cur: Current, function: Callable[..., Any], *arguments: Any) -> Any | None:
    """The result if it is there; else None, and nothing begins."""
    jobs, key = _place(cur, function, arguments)
    return _done(jobs.kept.get(key))


def ready(cur: Current, function: Callable[..., Any], *arguments: Any) -> Any | None:
    """The result if it is there; else None, and the work begins in the background."""
    return _done(_job(cur, function, arguments, ahead=True))


def result(cur: Current, title: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """``function(cur.bundle, *arguments, progress=…)``: kept, or waited for with progress on the
    page under ``title``."""
    job = _job(cur, function, arguments, ahead=False)
    if not job.future.done():
        with job_waiting(job):
            began, bar = time.monotonic(), None
            while not job.future.done():
                time.sleep(0.02)
                if bar is not None or time.monotonic() - began > PATIENCE:
                    # Drawing lets a newer input interrupt this run.
                    bar = bar or st.empty()
                    bar.progress(
                        min(job.done / job.total, 1.0), f"{title}: {job.done} of {job.total}"
                    )
                    time.sleep(0.05)
            if bar is not None:
                bar.empty()
    return job.future.result()


class job_waiting:  # noqa: N801 - reads as a verb in a with statement
    """Counts who waits for a job, and stops it when nobody does."""

    def __init__(self, job: Job) -> None:
        self.job = job

    def __enter__(self) -> None:
        self.job.waiting += 1

    def __exit__(self, *_: object) -> None:
        self.job.waiting -= 1
        if not self.job.waiting and not self.job.ahead and not self.job.future.done():
            self.job.stopped = True
