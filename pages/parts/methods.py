"""The texts of the Methods screen (the sections of docs/methods.md), and what it computes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st

from equity_core import resources
from equity_core.analysis.methods import bounds_frame
from pages.shared import results
from pages.shared.current import Current

METHODS = resources.document("methods.md")
TABLE_1 = "The paper's Table 1"
"""The section with the bounds on equality."""

STYLE = """<style>
.st-key-methods :is(p, li) {max-width: 90ch;}
@media (max-width: 640px) {
  .st-key-methods thead {display: none;}
  .st-key-methods :is(table, tbody, tr, td) {display: block; width: 100%; border: 0;}
  .st-key-methods tr {padding: 0.4rem 0; border-top: 1px solid var(--st-border-color, #8886);}
  .st-key-methods td {padding: 0.1rem 0; overflow-wrap: anywhere;}
  .st-key-methods td:first-child {font-weight: 600;}
  .st-key-methods .katex {white-space: normal;}
}
</style>"""


@st.cache_data(max_entries=2, show_spinner=False)
def _sections(path: str, changed: float) -> dict[str, str]:
    first, *rest = Path(path).read_text(encoding="utf-8").split("\n## ")
    parts = {"": first.partition("\n")[2].strip()}
    for text in rest:
        title, _, body = text.partition("\n")
        parts[title.strip()] = body.strip()
    return parts


def sections() -> dict[str, str]:
    """The text of every section by its title, in order; under "" what comes before the first."""
    found: dict[str, str] = _sections(str(METHODS), METHODS.stat().st_mtime)
    return found


def bounds(cur: Current) -> Any:
    """The bounds on the equality of every recommender's own lists."""
    own = {algorithm: results.own(cur, algorithm) for algorithm in cur.bundle.algorithms}
    return results.frame(
        cur,
        bounds_frame,
        cur.bundle,
        {algorithm: result.run.courses for algorithm, result in own.items()},
        {algorithm: result.evaluation for algorithm, result in own.items()},
    )
