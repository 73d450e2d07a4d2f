"""Compile the kernels before anybody waits for them."""

from __future__ import annotations

import threading

_lock = threading.Lock()
_warm: threading.Thread | None = None


def warm() -> None:
    """Load the kernels from the disk cache, and compile those that are not there.

    Takes a minute or so the first time and a moment afterwards. Every kernel runs once, on a data
    set of three courses; the types of the arrays are always the same, so once is enough.
    """
    import numpy as np
    import pandas as pd

    from equity_core.bundle import Bundle
    from equity_core.metrics.evaluate import evaluate
    from equity_core.metrics.intervals import intervals
    from equity_core.metrics.pairs import pair_correlation
    from equity_core.policy import Policy
    from equity_core.reranker.api import rerank
    from equity_core.reranker.search import search

    courses = pd.DataFrame(
        {
            "course_id": [1, 2, 3],
            "title": ["a", "b", "c"],
            "category": ["x", "y", "x"],
            "level": ["l", "m", "l"],
            "last_update": ["2020-01-01", "2021-01-01", "2022-01-01"],
            "price": [0.0, 1.0, 2.0],
            "enrolled": [1, 2, 3],
            "rating": [3.0, 4.0, 5.0],
            "assets": ["video", "video|article", "article"],
        }
    )
    interactions = pd.DataFrame(
        {"learner_id": [1, 1], "course_id": [1, 2], "split": ["train", "test"]}
    )
    scores = pd.DataFrame({"learner_id": [1, 1], "course_id": [2, 3], "score": [2.0, 1.0]})
    bundle = Bundle.from_frames(courses, interactions, relevance={"warm": scores})
    for policy in (Policy(k=2), Policy(k=2, floor=0.9)):
        run = rerank(bundle, "warm", policy)
        intervals(evaluate(bundle, run, policy), resamples=10)
        evaluate(bundle, run, policy, position=True)
    search(bundle, "warm", Policy(k=2))
    pair_correlation(np.arange(3.0), np.arange(3.0))


def warm_in_background() -> threading.Thread:
    """Start :func:`warm` in a daemon thread, once per process.

    Returns
    -------
    threading.Thread
        The thread, running or already finished.
    """
    global _warm
    with _lock:
        if _warm is None:
            _warm = threading.Thread(target=warm, name="equity-warm", daemon=True)
            _warm.start()
        return _warm
