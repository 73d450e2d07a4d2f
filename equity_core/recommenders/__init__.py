"""Ten recommenders, one a file, and the calls that turn interactions into relevance. Offline: the
dashboard only reads what they wrote.

Importing this package is light: an algorithm's module, and the libraries behind it, load when it is
used.
"""

from equity_core.recommenders.precompute import precompute, precompute_to
from equity_core.recommenders.registry import ALGORITHMS, FAMILIES

__all__ = ["ALGORITHMS", "FAMILIES", "precompute", "precompute_to"]
