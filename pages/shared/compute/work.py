"""Work under way: one job for each question, however many ask it, and a queue that is fair.

A job knows who waits for it. When the last one leaves, it is told to stop and nobody can be handed
it any more: both happen under one lock, so that no one ever gets the ``Cancelled`` of a job that
somebody else gave up.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any

from pages.shared.compute.memory import MISSING, Memory


class Job:
    """One computation that is waiting, under way or done. ``owner``: the session that asked first.
    ``slow``: it may take many seconds, and does not go before quick work."""

    def __init__(self, work: Callable[[Job], Any], owner: Hashable, slow: bool) -> None:
        self.work, self.owner, self.slow = work, owner, slow
        self.done, self.total = 0, 1
        self.waiting = 0
        self.needed = False
        """Begun ahead of need: it goes on though nobody waits for it."""
        self.stopped = False
        self.future: Future[Any] = Future()
        self.ended: Callable[[], None] = lambda: None
        """Called when it is over, before anybody hears of it."""

    def progress(self, done: int, total: int) -> bool:
        """For the work: how far it is. False: stop."""
        self.done, self.total = done, max(total, 1)
        return not self.stopped

    @property
    def share(self) -> float:
        """How much of it is done, from 0 to 1."""
        return min(self.done / self.total, 1.0)

    def run(self) -> None:
        """Do the work; the result, or what went wrong, is for whoever waits."""
        try:
            answer = self.work(self)
        except BaseException as error:  # noqa: BLE001 - handed on, as an executor does
            self.ended()
            self.future.set_exception(error)
        else:
            self.ended()
            self.future.set_result(answer)


class FairQueue:
    """Two workers. The first takes quick work only, the second any; quick goes before slow, and
    among equals the session that was served longest ago comes first.

    So a curve never waits for another reader's certificates, and nobody who asks for much keeps the
    others waiting. Two are enough: the kernels use all cores themselves.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._jobs: list[Job] = []
        self._served: dict[Hashable, int] = {}
        self._turn = itertools.count(1)
        self._workers: list[threading.Thread] = []

    def put(self, job: Job) -> None:
        """Queue a job; the workers start with the first one."""
        with self._changed:
            self._jobs.append(job)
            if not self._workers:
                self._workers = [
                    threading.Thread(target=self._serve, args=(quick,), name=name, daemon=True)
                    for quick, name in ((True, "equity-quick"), (False, "equity-any"))
                ]
                for worker in self._workers:
                    worker.start()
            self._changed.notify_all()

    def __len__(self) -> int:
        return len(self._jobs)

    def _next(self, quick_only: bool) -> Job | None:
        """The job whose turn it is; None if there is none for this worker."""
        self._jobs = [job for job in self._jobs if not job.stopped]
        mine = [job for job in self._jobs if not (quick_only and job.slow)]
        if not mine:
            return None
        job = min(mine, key=lambda job: (job.slow, self._served.get(job.owner, 0)))
        self._jobs.remove(job)
        self._served.pop(job.owner, None)
        self._served[job.owner] = next(self._turn)
        while len(self._served) > 1000:  # sessions that left long ago
            self._served.pop(next(iter(self._served)))
        return job

    def _serve(self, quick_only: bool) -> None:
        while True:
            with self._changed:
                while (job := self._next(quick_only)) is None:
                    self._changed.wait()
            job.run()
            del job  # a worker that waits holds on to nothing: a job knows its data set


class Store:
    """Answers that are there, and jobs under way for those that are not.

    A job keeps its answer before it leaves, and whoever finds no job looks for the answer once more
    under the same lock: a question that many ask at once is computed once.
    """

    def __init__(self, memory: Memory, queue: FairQueue) -> None:
        self.memory = memory
        self._queue = queue
        self._lock = threading.Lock()
        self._under_way: dict[Hashable, Job] = {}

    @property
    def under_way(self) -> int:
        """How many jobs wait or run."""
        return len(self._under_way)

    def begin(self, question: Hashable, new: Callable[[], Job]) -> None:
        """Have a job under way for this question, whether anybody waits for it or not."""
        with self._lock:
            self._join(question, new).needed = True

    @contextmanager
    def joined(self, question: Hashable, new: Callable[[], Job]) -> Iterator[Job]:
        """The job of a question: the one under way, or a new one in the queue. The caller waits for
        it inside ``with``; who leaves last before it is done stops it."""
        with self._lock:
            job = self._join(question, new)
            job.waiting += 1
        try:
            yield job
        finally:
            with self._lock:
                job.waiting -= 1
                if not (job.waiting or job.needed or job.future.done()):
                    job.stopped = True
                    if self._under_way.get(question) is job:
                        del self._under_way[question]

    def here(self, question: Hashable, new: Callable[[], Job]) -> Any:
        """The answer, computed in this thread, or waited for where another one is at it. What goes
        wrong elsewhere is tried once more here, so that everybody sees their own error."""
        while True:
            with self._lock:
                job = self._under_way.get(question)
                if job is None:
                    answer = self.memory.get(question)
                    if answer is not MISSING:
                        return answer
                    job = self._under_way[question] = new()
                    break
            try:
                return job.future.result()
            except BaseException:  # noqa: BLE001 - theirs: a rerun of their page, or an error
                continue
        try:
            job.run()
        finally:
            self._leave(question, job)
        return job.future.result()

    def _join(self, question: Hashable, new: Callable[[], Job]) -> Job:
        job = self._under_way.get(question)
        if job is not None:
            return job
        job = new()
        answer = self.memory.get(question)
        if answer is not MISSING:
            job.future.set_result(answer)
            return job
        self._under_way[question] = job
        job.ended = lambda: self._leave(question, job)
        self._queue.put(job)
        return job

    def _leave(self, question: Hashable, job: Job) -> None:
        with self._lock:
            if self._under_way.get(question) is job:
                del self._under_way[question]
