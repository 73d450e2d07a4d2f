"""The computation service: one computation for a question, nobody gets another's cancelling, quick
work does not wait for slow, memory is bounded, and what belongs to an upload goes with it."""

from __future__ import annotations

import gc
import threading
import time
import weakref
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import equity_core as eq
from pages.shared.compute import work
from pages.shared.compute.memory import LEAST, MISSING, Memory, budget, size_of
from pages.shared.compute.uploads import KEPT_BY_STREAMLIT, Uploads
from pages.shared.compute.work import FairQueue, Job, Store
from tests.helpers import awkward
from tests.pages.conftest import Opened, wrong

LONG = 20.0
"""Seconds after which something that should have happened has not."""


def store(limit: int = 1 << 20) -> Store:
    return Store(Memory(limit), FairQueue())


def keeping(where: Store, question: str, make: Callable[[Job], Any], **how: Any) -> Job:
    """A job as the service makes it: it keeps its answer before it is over."""

    def run(job: Job) -> Any:
        answer = make(job)
        where.memory.put(question, answer, size_of(answer))
        return answer

    return Job(run, how.get("owner", "somebody"), how.get("slow", False))


def until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + LONG
    while not true():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.005)


class Held:
    """Work that goes on until it is let go, or stopped by those who asked for it."""

    def __init__(self, answer: Any = 42) -> None:
        self.calls, self.let_go, self.answer = 0, threading.Event(), answer

    def __call__(self, job: Job) -> Any:
        self.calls += 1
        while not self.let_go.wait(0.005):
            if not job.progress(1, 2):
                raise eq.Cancelled
        return self.answer


def asked(
    where: Store, question: str, held: Held, **how: Any
) -> tuple[threading.Thread, list[Any]]:
    """Somebody who asks and waits, in a thread; what they got."""
    got: list[Any] = []

    def ask() -> None:
        with where.joined(question, lambda: keeping(where, question, held, **how)) as job:
            try:
                got.append(job.future.result(LONG))
            except BaseException as error:  # noqa: BLE001 - looked at below
                got.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    return thread, got


def test_two_who_ask_the_same_share_one_computation() -> None:
    where, held = store(), Held()
    one, two = (asked(where, "q", held) for _ in range(2))
    until(lambda: held.calls == 1)
    held.let_go.set()
    for thread, got in (one, two):
        thread.join(LONG)
        assert got == [42]
    assert (held.calls, where.under_way, where.memory.get("q")) == (1, 0, 42)


def test_one_leaves_and_the_other_still_gets_the_answer() -> None:
    where, held = store(), Held()
    thread, got = asked(where, "q", held)
    until(lambda: held.calls == 1)
    with where.joined("q", lambda: keeping(where, "q", held)):
        pass  # a rerun: this one leaves at once
    held.let_go.set()
    thread.join(LONG)
    assert got == [42]
    assert held.calls == 1


def test_who_asks_while_the_last_one_leaves_never_gets_their_cancelling() -> None:
    """The interleaving of the old race, forced: the second asker has the job in hand at the moment
    when the first leaves it. Counted under the lock, the job is theirs, or it is a new one."""
    where, held = store(), Held()
    entered, leave = threading.Event(), threading.Event()
    thread_got: list[Any] = []

    class Slowly:
        """A lock that pauses its holder after the job was handed out, before it is released."""

        def __init__(self) -> None:
            self.lock, self.pause = threading.Lock(), False

        def __enter__(self) -> None:
            self.lock.acquire()

        def __exit__(self, *_: object) -> None:
            if self.pause and threading.current_thread().name == "second":
                entered.set()
                leave.wait(0.3)  # the first one tries to leave now
            self.lock.release()

    where._lock = lock = Slowly()  # type: ignore[assignment]

    def second() -> None:
        with where.joined("q", lambda: keeping(where, "q", held)) as job:
            try:
                thread_got.append(job.future.result(LONG))
            except BaseException as error:  # noqa: BLE001 - looked at below
                thread_got.append(error)

    with where.joined("q", lambda: keeping(where, "q", held)):
        until(lambda: held.calls == 1)
        lock.pause = True
        other = threading.Thread(target=second, name="second")
        other.start()
        assert entered.wait(LONG)
        lock.pause = False
    leave.set()
    held.let_go.set()
    other.join(LONG)
    assert thread_got == [42]


def test_many_who_come_and_go_always_get_an_answer() -> None:
    """The same without a forced order: hundreds of short stays beside people who wait."""
    where, held = store(), Held()
    stop = threading.Event()

    def passing_by() -> None:
        while not stop.is_set():
            with where.joined("q", lambda: keeping(where, "q", held)):
                time.sleep(0.0005)

    crowd = [threading.Thread(target=passing_by) for _ in range(6)]
    for thread in crowd:
        thread.start()
    waiting = [asked(where, "q", held) for _ in range(20)]
    time.sleep(0.2)
    held.let_go.set()
    for thread, got in waiting:
        thread.join(LONG)
        assert got == [42]
    stop.set()
    for thread in crowd:
        thread.join(LONG)


def test_work_that_nobody_waits_for_stops_unless_it_was_begun_ahead() -> None:
    where, held, ahead = store(), Held(), Held()
    with where.joined("q", lambda: keeping(where, "q", held)) as job:
        until(lambda: held.calls == 1)
    assert job.stopped
    assert isinstance(job.future.exception(LONG), eq.Cancelled)
    assert where.under_way == 0
    where.begin("ahead", lambda: keeping(where, "ahead", ahead))
    with where.joined("ahead", lambda: keeping(where, "ahead", ahead)) as job:
        pass
    ahead.let_go.set()
    assert job.future.result(LONG) == 42
    assert where.memory.get("ahead") == 42


def test_an_error_reaches_those_who_wait_and_the_next_one_computes_again() -> None:
    where = store()

    def bad(_: Job) -> Any:
        raise ValueError("no such principle")

    with (
        where.joined("q", lambda: keeping(where, "q", bad)) as job,
        pytest.raises(ValueError, match="no such principle"),
    ):
        job.future.result(LONG)
    assert where.memory.get("q") is MISSING
    assert where.here("q", lambda: keeping(where, "q", lambda _: 7)) == 7


def test_quick_questions_are_computed_once_too() -> None:
    where, began, go_on, calls = store(), threading.Event(), threading.Event(), []

    def make(_: Job) -> int:
        calls.append(1)
        began.set()
        go_on.wait(LONG)
        return 5

    got: list[int] = []
    first, second = (
        threading.Thread(
            target=lambda: got.append(where.here("q", lambda: keeping(where, "q", make)))
        )
        for _ in range(2)
    )
    first.start()
    assert began.wait(LONG)
    second.start()
    go_on.set()
    first.join(LONG)
    second.join(LONG)
    assert (got, calls) == ([5, 5], [1])


def test_what_goes_wrong_in_one_thread_is_tried_again_in_the_other() -> None:
    """A page that is run again leaves its computation by an exception: not the other one's."""
    where, began, go_on, calls = store(), threading.Event(), threading.Event(), []

    class Rerun(BaseException):
        pass

    def make(_: Job) -> int:
        calls.append(1)
        if len(calls) == 1:
            began.set()
            go_on.wait(LONG)
            raise Rerun
        return 5

    def first() -> None:
        with pytest.raises(Rerun):
            where.here("q", lambda: keeping(where, "q", make))

    one = threading.Thread(target=first)
    one.start()
    assert began.wait(LONG)
    got: list[int] = []
    two = threading.Thread(
        target=lambda: got.append(where.here("q", lambda: keeping(where, "q", make)))
    )
    two.start()
    go_on.set()
    one.join(LONG)
    two.join(LONG)
    assert (got, len(calls)) == ([5], 2)


def test_quick_work_does_not_wait_behind_slow_work_of_another_session() -> None:
    where, slow = store(), [Held(), Held(), Held()]
    for at, held in enumerate(slow):
        question = f"certificates {at}"
        new = lambda held=held, question=question: keeping(  # noqa: E731
            where, question, held, owner="one", slow=True
        )
        where.begin(question, new)
    until(lambda: slow[0].calls == 1)
    for at in range(3):
        thread, got = asked(where, f"curve {at}", held := Held(), owner="other")
        held.let_go.set()
        thread.join(LONG)
        assert got == [42]
    assert [held.calls for held in slow] == [1, 0, 0]
    for held in slow:
        held.let_go.set()
    until(lambda: where.under_way == 0)


def test_slow_work_takes_turns_between_sessions() -> None:
    where, first, order = store(), Held(), []

    def new(question: str, owner: str) -> Job:
        return keeping(where, question, lambda _: order.append(question), owner=owner, slow=True)

    where.begin("first", lambda: keeping(where, "first", first, owner="much", slow=True))
    until(lambda: first.calls == 1)
    for question, owner in (("much 1", "much"), ("much 2", "much"), ("little", "little")):
        where.begin(question, lambda question=question, owner=owner: new(question, owner))
    first.let_go.set()
    until(lambda: len(order) == 3)
    assert order == ["little", "much 1", "much 2"]


def test_memory_is_bounded_in_bytes_and_the_longest_unasked_goes_first() -> None:
    memory = Memory(10 * LEAST)
    for name in "abc":
        assert memory.put(name, name, 3 * LEAST) == 0
    memory.get("a")
    assert memory.put("d", "d", 3 * LEAST) == 1
    assert memory.questions() == ["c", "a", "d"]
    assert memory.bytes == 9 * LEAST
    assert memory.put("huge", "huge", 1000 * LEAST) == 3
    assert memory.get("huge") == "huge"
    assert memory.put("e", "e", 1) == 1
    assert (memory.questions(), memory.bytes) == (["e"], LEAST)


def test_the_bounds_can_be_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EQUITY_MEMORY_MB", "0.5")
    assert budget("EQUITY_MEMORY_MB", 7) == 1 << 19
    monkeypatch.setenv("EQUITY_MEMORY_MB", "much")
    assert budget("EQUITY_MEMORY_MB", 7) == 7 << 20


def test_sizes_are_those_of_the_arrays_inside_each_counted_once() -> None:
    array = np.zeros((1000, 10))
    frame = pd.DataFrame({"a": np.zeros(1000), "b": np.zeros(1000)})
    made = SimpleNamespace(run=array, again=[array, array[:10]], frame=frame)
    assert 96_000 <= size_of(made) <= 98_000
    assert size_of(made, shared=(array,)) <= 18_000
    assert size_of(None) == 0


def test_a_result_does_not_count_what_it_borrows_from_its_data_set() -> None:
    bundle = awkward.one_category()
    session = eq.Session(bundle, bundle.algorithms[0], eq.Policy())
    assert size_of(session, (bundle,)) < size_of(session) / 2


def test_results_of_an_upload_are_gone_once_its_session_is(opened: Opened) -> None:
    from pages.shared.datasets import Dataset

    app = opened()
    app.session_state["_uploads"] = {
        "upload-1": Dataset("upload-1", awkward.one_category(), "upload-1-x", private=True)
    }
    app.session_state["_pick"] = "upload-1"
    app.run()
    assert wrong(app) == []
    private = app.session_state["_private_store"]
    entries, held = len(private.memory), private.memory.bytes
    assert entries > 5
    assert held > 10_000
    gone, data = weakref.ref(private), weakref.ref(app.session_state["_current"].bundle)
    del private, app
    gc.collect()
    assert (gone(), data()) == (None, None)


def test_results_of_a_session_that_ended_are_forgotten_by_the_next_look() -> None:
    active = {"stays": True, "leaves": True}
    uploads = Uploads(active.__getitem__)
    stores = {session: store() for session in active}
    for session, one in stores.items():
        one.memory.put("question", np.zeros(1000), 8000)
        uploads.watch(session, one)
    uploads.release(0.0)
    assert [len(one.memory) for one in stores.values()] == [1, 1]
    active["leaves"] = False
    uploads.release(1.0)
    assert (len(stores["stays"].memory), len(stores["leaves"].memory)) == (1, 0)
    assert stores["leaves"].memory.bytes == 0


def test_what_a_session_leaves_in_a_cycle_is_collected_once_streamlit_has_dropped_it() -> None:
    class Left:
        pass

    left = Left()
    left.itself = left  # type: ignore[attr-defined]
    gone, where = weakref.ref(left), store()
    uploads = Uploads(lambda _: False)
    uploads.watch("ended", where)
    gc.disable()
    try:
        del left
        uploads.release(0.0)
        assert gone() is not None
        uploads.release(KEPT_BY_STREAMLIT + 1)
        assert gone() is None
    finally:
        gc.enable()


def test_nothing_of_the_engine_knows_streamlit() -> None:
    assert "streamlit" not in vars(work)
