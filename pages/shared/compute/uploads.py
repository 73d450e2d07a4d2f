"""What belongs to an upload is released when its browser session has ended.

Streamlit keeps a session for two minutes after its page was closed, drops it when it next looks,
and leaves the rest to Python's collector, which may take hours to come by. So a thread looks every
half minute: the results of a session that is gone are forgotten at once (if it comes back, they are
computed again), and once Streamlit has dropped it, garbage is collected.
"""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable
from weakref import WeakValueDictionary

from streamlit import runtime

from pages.shared import logs
from pages.shared.compute.work import Store

EVERY = 30.0
"""Seconds between two looks."""
KEPT_BY_STREAMLIT = 150.0
"""Seconds after which Streamlit has dropped a session that does not come back."""


def _is_active(session: str) -> bool:
    return not runtime.exists() or runtime.get_instance().is_active_session(session)


class Uploads:
    """The stores of uploads by session, watched from the first one on."""

    def __init__(self, is_active: Callable[[str], bool] = _is_active) -> None:
        self._is_active = is_active
        self._lock = threading.Lock()
        self._stores: WeakValueDictionary[str, Store] = WeakValueDictionary()
        self._watching = False
        self._collect_at: float | None = None

    def watch(self, session: str, store: Store) -> None:
        """Release the store's results once this session has ended."""
        if self._stores.get(session) is store:
            return
        with self._lock:
            self._stores[session] = store
            if not self._watching:
                self._watching = True
                threading.Thread(target=self._look, name="equity-uploads", daemon=True).start()

    def release(self, now: float) -> None:
        """One look: forget the results of sessions that have ended; collect what they leave."""
        for session, store in list(self._stores.items()):
            if self._is_active(session):
                continue
            del self._stores[session]
            entries, size = store.memory.clear()
            logs.event("upload results released", entries=entries, bytes=size)
            self._collect_at = now + KEPT_BY_STREAMLIT
        if self._collect_at is not None and now >= self._collect_at:
            self._collect_at = None
            logs.event("garbage collected", objects=gc.collect())

    def _look(self) -> None:
        while True:
            time.sleep(EVERY)
            self.release(time.monotonic())
