"""Ranges of learners on all cores: every one once, errors not lost."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from equity_core import threads


@pytest.mark.parametrize("workers", ["1", "2", "5"])
@pytest.mark.parametrize("total", [0, 1, 256, 257, 5_003])
def test_every_learner_is_covered_once(
    monkeypatch: pytest.MonkeyPatch, workers: str, total: int
) -> None:
    monkeypatch.setenv("EQUITY_THREADS", workers)
    seen, lock = np.zeros(total, dtype=int), threading.Lock()

    def kernel(lo: int, hi: int) -> None:
        with lock:
            seen[lo:hi] += 1

    threads.over_ranges(kernel, total)
    assert (seen == 1).all()


def test_an_error_in_a_worker_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EQUITY_THREADS", "3")

    def kernel(lo: int, hi: int) -> None:
        if lo <= 2_000 < hi:
            raise RuntimeError("learner 2,000")

    with pytest.raises(RuntimeError, match="2,000"):
        threads.over_ranges(kernel, 10_000)


def test_a_senseless_number_of_threads_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EQUITY_THREADS", "many")
    assert threads.count() >= 1
