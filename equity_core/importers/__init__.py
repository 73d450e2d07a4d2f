"""Other systems' files, turned into what a bundle is made of.

Sources: COCO with Udemy metadata (``coco``), any pair of course and interaction tables
(``tables``), and relevance files of other toolkits (``relevance``). Each says what it changed in a
:class:`Report`, and raises one BundleError for all it cannot read.
"""

from equity_core.importers.adding import add_relevance
from equity_core.importers.coco import import_coco
from equity_core.importers.columns import ColumnMap, apply_map
from equity_core.importers.guess import Guess, Guesses, guess_columns
from equity_core.importers.imported import Imported
from equity_core.importers.reading import read_table
from equity_core.importers.relevance import read_ids, read_relevance, sniff
from equity_core.importers.report import Note, Report
from equity_core.importers.splits import Cut
from equity_core.importers.tables import import_tables, split_table

__all__ = [
    "ColumnMap",
    "Cut",
    "Guess",
    "Guesses",
    "Imported",
    "Note",
    "Report",
    "add_relevance",
    "apply_map",
    "guess_columns",
    "import_coco",
    "import_tables",
    "read_ids",
    "read_relevance",
    "read_table",
    "sniff",
    "split_table",
]
