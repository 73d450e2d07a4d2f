"""The server's log: one line for each event, as ``key=value`` pairs, on standard error.

Lines are written by a thread of their own: no run of a page waits for them. ``EQUITY_LOG`` sets the
level (``warning`` is quiet, ``debug`` says more; default ``info``).
"""

from __future__ import annotations

import atexit
import json
import logging
import os
import queue
from logging.handlers import QueueHandler, QueueListener
from typing import Any

_LOGGER = logging.getLogger("learning_equity")


class _Pairs(logging.Formatter):
    """``2026-11-18T01:00:00Z INFO computed what=… seconds=1.2``; texts with blanks are quoted."""

    def format(self, record: logging.LogRecord) -> str:
        fields: dict[str, Any] = getattr(record, "fields", {})
        pairs = (f"{name}={_written(value)}" for name, value in fields.items())
        when = self.formatTime(record, "%Y-%m-%dT%H:%M:%S")
        line = " ".join([when, record.levelname, record.getMessage(), *pairs])
        if record.exc_info:
            line += (
                f" error={json.dumps(self.formatException(record.exc_info), ensure_ascii=False)}"
            )
        return line


class _Handed(QueueHandler):
    """Hands a record to the thread that writes, as it is: it never leaves this process."""

    def prepare(self, record: logging.LogRecord) -> logging.LogRecord:
        return record


def _written(value: Any) -> str:
    text = str(value)
    plain = text and not any(letter in text for letter in ' ="\n\r\t')
    return text if plain else json.dumps(text, ensure_ascii=False)


def start() -> None:
    """Begin to write; once per process."""
    if _LOGGER.handlers:
        return
    level = logging.getLevelName(os.environ.get("EQUITY_LOG", "info").upper())
    _LOGGER.setLevel(level if isinstance(level, int) else logging.INFO)
    _LOGGER.propagate = False
    waiting: queue.SimpleQueue[Any] = queue.SimpleQueue()
    out = logging.StreamHandler()
    out.setFormatter(_Pairs())
    listener = QueueListener(waiting, out)
    _LOGGER.addHandler(_Handed(waiting))
    listener.start()
    atexit.register(listener.stop)


def event(name: str, /, level: int = logging.INFO, **fields: Any) -> None:
    """One line: what happened, and its figures."""
    _LOGGER.log(level, name, extra={"fields": fields})


def failure(name: str, /, **fields: Any) -> None:
    """One line for an error that was caught and shown to the user, with its traceback."""
    _LOGGER.error(name, exc_info=True, extra={"fields": fields})
