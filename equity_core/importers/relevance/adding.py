"""More relevance for a bundle that is there."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from equity_core.bundle import sources
from equity_core.bundle.assemble import Assembled
from equity_core.bundle.faults import Faults
from equity_core.bundle.manifest import Kept
from equity_core.bundle.model import Bundle
from equity_core.bundle.sources import Source, Stored
from equity_core.bundle.tables import from_frame


def add_relevance(bundle: Bundle, relevance: Mapping[str, pd.DataFrame | Path]) -> Bundle:
    """A bundle of the same tables with more algorithms: frames, checked at once, or Parquet files,
    checked at first use (so when saved).

    An algorithm of the same name is replaced. ``save`` writes it, over the old one if so asked.
    BundleError: names or rows at fault.
    """
    faults = Faults()
    content = bundle._content
    held: dict[str, Source] = {
        name: source for name, source in bundle._sources.items() if name not in relevance
    }
    sources.check_names([*held, *relevance], faults)
    for name, given in relevance.items():
        if isinstance(given, Path):
            held[name] = Stored.at(given, given.name, Kept())
            continue
        table = from_frame(given, f"relevance {name!r}", faults)
        found = (
            None
            if table is None
            else sources.from_table(table, Assembled(content, content.known), faults)
        )
        if found is not None:
            held[name] = found
    faults.stop()
    return Bundle(content, held)
