# The public calls and where they live. equity_core/__init__.py reads this file to load each of them
# when it is first used; type checkers and editors read it too.
from .algorithms import ALGORITHMS
from .analysis.choosing.choose import Choice, choose
from .bundle import Bundle, BundleError, load_bundle
from .metrics import Evaluation, evaluate
from .policy import Policy
from .principles import SEVEN, Principle
from .progress import Cancelled
from .published import PUBLISHED_METHODS, published_sweep
from .recommenders import precompute
from .reranker import Run, Session, floor_sweep, rerank, sweep
from .reranker.warm import warm, warm_in_background

__version__: str

__all__ = [
    "ALGORITHMS",
    "PUBLISHED_METHODS",
    "SEVEN",
    "Bundle",
    "BundleError",
    "Cancelled",
    "Choice",
    "Evaluation",
    "Policy",
    "Principle",
    "Run",
    "Session",
    "choose",
    "evaluate",
    "floor_sweep",
    "load_bundle",
    "precompute",
    "published_sweep",
    "rerank",
    "sweep",
    "warm",
    "warm_in_background",
]
