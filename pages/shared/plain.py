"""Names from the data in Markdown: whatever they contain is shown as it is."""

from __future__ import annotations

import re

_MEANT = re.compile(r"([\\`*_{}\[\]<>#|~$:])")


def plain(text: str) -> str:
    """A text with every character that Markdown (or Streamlit's own additions to it) could take as
    markup escaped."""
    return _MEANT.sub(r"\\\1", text.replace("\n", " "))
