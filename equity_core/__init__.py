"""Everything that computes. Imports no Streamlit; usable from a notebook or a nightly job.

    import equity_core as eq
    bundle = eq.load_bundle("data/demo")
    run = eq.rerank(bundle, "userknn", eq.Policy(lam=0.9))
    eq.evaluate(bundle, run.courses, run.policy).equality

Names load what they need when first used, so that importing the package costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from equity_core.algorithms import ALGORITHMS
    from equity_core.bundle import Bundle, BundleError, load_bundle
    from equity_core.metrics import Evaluation, evaluate
    from equity_core.policy import Policy
    from equity_core.principles import SEVEN, Principle
    from equity_core.progress import Cancelled
    from equity_core.recommenders import precompute
    from equity_core.reranker import Run, Session, floor_sweep, rerank, sweep
    from equity_core.reranker.warm import warm, warm_in_background

__version__ = "0.1.0"

_HOMES = {
    "equity_core.algorithms": ("ALGORITHMS",),
    "equity_core.bundle": ("Bundle", "BundleError", "load_bundle"),
    "equity_core.metrics": ("Evaluation", "evaluate"),
    "equity_core.policy": ("Policy",),
    "equity_core.principles": ("SEVEN", "Principle"),
    "equity_core.progress": ("Cancelled",),
    "equity_core.recommenders": ("precompute",),
    "equity_core.reranker": ("Run", "Session", "floor_sweep", "rerank", "sweep"),
    "equity_core.reranker.warm": ("warm", "warm_in_background"),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "ALGORITHMS",
    "SEVEN",
    "Bundle",
    "BundleError",
    "Cancelled",
    "Evaluation",
    "Policy",
    "Principle",
    "Run",
    "Session",
    "evaluate",
    "floor_sweep",
    "load_bundle",
    "precompute",
    "rerank",
    "sweep",
    "warm",
    "warm_in_background",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'equity_core' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
