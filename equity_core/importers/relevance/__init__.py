"""Relevance files of other systems: one module per family of file formats, and the choice between
them.

``formats`` recognises a file by its content and checks what was read; ``lists`` reads tables with a
header, ``plain`` text files without one, ``matrices`` NumPy and SciPy matrices; ``into`` reads a
file for one data set and, with ``alignment``, notices an order that was shuffled on the way.
:meth:`equity_core.Bundle.with_relevance` puts the result into a bundle.
"""

from equity_core.importers.relevance.formats import read_ids, read_relevance, sniff
from equity_core.importers.relevance.into import relevance_for, scores_for
from equity_core.importers.relevance.lists import read_scores_table

__all__ = [
    "read_ids",
    "read_relevance",
    "read_scores_table",
    "relevance_for",
    "scores_for",
    "sniff",
]
