"""The re-ranker: kernels, and the public calls over them."""

from equity_core.reranker.api import Run, Session, rerank
from equity_core.reranker.sweep import floor_sweep, sweep

__all__ = ["Run", "Session", "floor_sweep", "rerank", "sweep"]
