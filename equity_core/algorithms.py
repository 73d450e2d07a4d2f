"""The ten recommenders by name: their labels on screens, their kinds and their order.

How they are trained is in :mod:`equity_core.recommenders`.
"""

from __future__ import annotations

FAMILIES = (
    "non-personalised",
    "neighbourhood",
    "graph",
    "matrix factorisation",
    "content",
    "hybrid",
)
"""The kinds of recommender, in the order of the paper's tables."""

OWN = "own"
"""The family of an algorithm that a platform brings itself."""

_KNOWN = {
    "random": ("Random", "non-personalised"),
    "toppopular": ("TopPopular", "non-personalised"),
    "userknn": ("UserKNN", "neighbourhood"),
    "itemknn": ("ItemKNN", "neighbourhood"),
    "p3alpha": ("P3Alpha", "graph"),
    "rp3beta": ("RP3Beta", "graph"),
    "gmf": ("GMF", "matrix factorisation"),
    "neumf": ("NeuMF", "matrix factorisation"),
    "itemknncb": ("ItemKNN-CB", "content"),
    "coupledcf": ("CoupledCF", "hybrid"),
}

ALGORITHMS = tuple(_KNOWN)
"""The names of the ten recommenders, in the order of every table."""


def label(name: str) -> str:
    """Return an algorithm's name as it is written on screens.

    One that the project does not know keeps the name it has in the data set: files and commands use
    that name, and it differs from all others.
    """
    return _KNOWN[name][0] if name in _KNOWN else name


def family(name: str) -> str:
    """Return the kind of recommender; OWN for one that the project does not know."""
    return _KNOWN[name][1] if name in _KNOWN else OWN
