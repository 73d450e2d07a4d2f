"""Published re-rankers to compare with: one file per method, a registry, and the sweep."""

from equity_core.published.registry import PUBLISHED_METHODS
from equity_core.published.sweep import published_sweep

__all__ = ["PUBLISHED_METHODS", "published_sweep"]
