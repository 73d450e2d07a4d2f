"""Asking: the calls that screens use, and what they show while somebody waits."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from functools import partial
from typing import Any, Protocol

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pages.shared import logs
from pages.shared.compute.memory import MISSING, Memory, budget, size_of
from pages.shared.compute.uploads import Uploads
from pages.shared.compute.work import FairQueue, Job, Store

PATIENCE = 0.3
"""Seconds before progress is drawn: quicker work needs none."""
WORTH_A_LINE = 0.5
"""Seconds from which a computation is written to the log."""
SHARED_LIMIT = budget("EQUITY_MEMORY_MB", 1024)
"""Results of the data sets on disk, for all sessions of this server."""
PRIVATE_LIMIT = budget("EQUITY_UPLOAD_MEMORY_MB", 256)
"""Results of the uploads of one browser session."""

_QUEUE = FairQueue()
_SHARED = Store(Memory(SHARED_LIMIT), _QUEUE)
_UPLOADS = Uploads()
_PRIVATE = "_private_store"


class DataSet(Protocol):
    """What a question is about: a data set as a screen has it (Current, Dataset)."""

    @property
    def bundle(self) -> Any: ...
    @property
    def key(self) -> str: ...
    @property
    def private(self) -> bool: ...


Question = tuple[str, str, tuple[Any, ...]]


def store_of(data: DataSet) -> Store:
    """Where the results of the current data set are: shared by all sessions, or, for an upload, in
    the session that brought it, and gone with it."""
    if not data.private:
        return _SHARED
    if _PRIVATE not in st.session_state:
        st.session_state[_PRIVATE] = Store(Memory(PRIVATE_LIMIT), _QUEUE)
    store: Store = st.session_state[_PRIVATE]
    _UPLOADS.watch(_session(), store)
    return store


def _session() -> str:
    context = get_script_run_ctx(suppress_warning=True)
    return context.session_id if context is not None else ""


def name_of(function: Callable[..., Any]) -> str:
    """The name of a function's question: where it lives, and what it is called."""
    return f"{function.__module__}.{function.__qualname__}"


def compute(
    data: DataSet,
    function: Callable[..., Any],
    *settings: Hashable,
    title: str = "",
    slow: bool = False,
) -> Any:
    """``function(data.bundle, *settings)``, computed once for each data set and settings.

    With a ``title`` it takes longer than a click should: it is then computed in the background, as
    ``function(data.bundle, *settings, progress=…)``, while the page shows the title and how much is
    done. ``slow``: so long that the quick work of others goes first.
    """
    question = name_of(function), data.key, settings
    if title:
        return _waited_for(data, question, partial(function, data.bundle, *settings), title, slow)
    return _here(data, question, partial(function, data.bundle, *settings))


def remember(
    data: DataSet,
    name: str,
    make: Callable[..., Any],
    *settings: Hashable,
    title: str = "",
    slow: bool = False,
) -> Any:
    """``make()``, called once for each data set, ``name`` and settings: for what is made of other
    results. The settings must say all that it depends on beside the data set.

    With a ``title``, ``make(progress=…)`` is called in the background, as in :func:`compute`.
    """
    question = name, data.key, settings
    if title:
        return _waited_for(data, question, make, title, slow)
    return _here(data, question, make)


def known(data: DataSet, function: Callable[..., Any], *settings: Hashable) -> Any | None:
    """The answer if it is there; else None, and nothing begins."""
    answer = store_of(data).memory.get((name_of(function), data.key, settings))
    return None if answer is MISSING else answer


def ready(data: DataSet, function: Callable[..., Any], *settings: Hashable) -> Any | None:
    """The answer if it is there; else None, and the work begins in the background."""
    question = name_of(function), data.key, settings
    store = store_of(data)
    answer = store.memory.get(question)
    if answer is not MISSING:
        return answer
    work = partial(function, data.bundle, *settings)
    store.begin(question, partial(_job, store, question, work, data.bundle, slow=False))
    return None


def _job(
    store: Store,
    question: Question,
    work: Callable[..., Any],
    bundle: Any,
    *,
    slow: bool,
    background: bool = True,
) -> Job:
    """The job of a question: it computes, keeps the answer, and says so in the log."""

    def run(job: Job) -> Any:
        began = time.perf_counter()
        answer = work(progress=job.progress) if background else work()
        took = time.perf_counter() - began
        size = size_of(answer, (bundle,))
        gone = store.memory.put(question, answer, size)
        if took >= WORTH_A_LINE or gone:
            kept = {"entries": len(store.memory), "memory": store.memory.bytes, "dropped": gone}
            logs.event("computed", what=question[0], seconds=round(took, 3), bytes=size, **kept)
        return answer

    return Job(run, _session(), slow)


def _here(data: DataSet, question: Question, make: Callable[[], Any]) -> Any:
    store = store_of(data)
    answer = store.memory.get(question)
    if answer is not MISSING:
        return answer
    new = partial(_job, store, question, make, data.bundle, slow=False, background=False)
    return store.here(question, new)


def _waited_for(
    data: DataSet, question: Question, work: Callable[..., Any], title: str, slow: bool
) -> Any:
    store = store_of(data)
    answer = store.memory.get(question)
    if answer is not MISSING:
        return answer
    new = partial(_job, store, question, work, data.bundle, slow=slow)
    with store.joined(question, new) as job:
        _show_progress(job, title)
        return job.future.result()


def _show_progress(job: Job, title: str) -> None:
    """Wait for a job. Drawing lets a newer input interrupt this run of the page."""
    began, bar = time.monotonic(), None
    while not job.future.done():
        time.sleep(0.02)
        if bar is not None or time.monotonic() - began > PATIENCE:
            bar = bar or st.empty()
            bar.progress(job.share, f"{title} … {job.share:.0%}".replace("%", " %"))
            time.sleep(0.05)
    if bar is not None:
        bar.empty()
