"""Other systems' files, turned into what a bundle is made of.

The sources are COCO with Udemy metadata (``coco``), any pair of course and interaction tables
(``tables``), and relevance files of other toolkits (``relevance``). Each records what it changed in
a :class:`Report`, and raises one BundleError for everything that it cannot read.

A new importer of courses and interactions is a module beside ``coco`` that returns an
:class:`Imported`; a new format for relevance is a module in ``relevance``, with a branch in
``relevance/formats.py`` that recognises it. Cells are converted in ``convert`` (numbers, dates,
labels); which column is which is decided by ``columns``, ``guess``, ``names`` and
``contents``; ``description`` is a whole import as a file.
"""

from equity_core.bundle.splitting import Cut
from equity_core.importers.coco import import_coco
from equity_core.importers.columns import ColumnMap, apply_map
from equity_core.importers.description import Description, TableDescription, scale_of
from equity_core.importers.guess import Guess, Guesses, guess_columns
from equity_core.importers.imported import Imported
from equity_core.importers.reading import read_table
from equity_core.importers.relevance import (
    read_ids,
    read_relevance,
    read_scores_table,
    relevance_for,
    scores_for,
    sniff,
)
from equity_core.importers.report import Note, Report
from equity_core.importers.splits import kind_in_words, kinds_frame
from equity_core.importers.tables import import_tables, read_pair, split_table

__all__ = [
    "ColumnMap",
    "Cut",
    "Description",
    "Guess",
    "Guesses",
    "Imported",
    "Note",
    "Report",
    "TableDescription",
    "apply_map",
    "guess_columns",
    "import_coco",
    "import_tables",
    "kind_in_words",
    "kinds_frame",
    "read_ids",
    "read_pair",
    "read_relevance",
    "read_scores_table",
    "read_table",
    "relevance_for",
    "scale_of",
    "scores_for",
    "sniff",
    "split_table",
]
