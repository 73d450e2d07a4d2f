"""Ten recommenders, one per file, and the calls that turn interactions into relevance. They run
offline: the dashboard only reads what they wrote.

Importing this package is light: an algorithm's module, and the libraries behind it, are loaded when
it is used.
"""

from equity_core.algorithms import ALGORITHMS
from equity_core.recommenders.precompute import precompute, precompute_to

__all__ = ["ALGORITHMS", "precompute", "precompute_to"]
