"""The one computation service: every result that a screen shows is asked for here, once.

``compute`` and ``remember`` answer; ``ready`` and ``known`` answer only what is there. How it
works, with a picture: ``docs/computation.md``. ``memory`` and ``work`` know no Streamlit.
"""

from pages.shared.compute.service import compute, known, name_of, ready, remember, store_of

__all__ = ["compute", "known", "name_of", "ready", "remember", "store_of"]
