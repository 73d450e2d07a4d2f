"""The router: page configuration and navigation. ``streamlit run app.py`` starts here."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

import streamlit as st

from pages.shared import shell

# Module of the screen, its title, and what it answers. The first one is the start page.
SCREENS = (
    ("overview", "Overview", "Is it worth changing, and to what?"),
    ("data", "Data", "What is this built on?"),
    ("audit", "Audit", "How unequal is it today?"),
    ("tradeoff", "Trade-off", "Which λ, or which floor?"),
    ("learners", "Learners", "What changes for a person?"),
    ("decisions", "Decisions", "What did we choose, and why?"),
    ("methods", "Methods", "What do these numbers mean?"),
)


def _drawing(name: str) -> Callable[[], None]:
    """The function of a screen. Its module is imported when the screen is first opened: nobody
    waits for the charts of screens that are not looked at."""

    def draw() -> None:
        import_module(f"pages.{name}").screen()

    return draw


def main() -> None:
    """Configure the page, draw the shell, run the chosen screen."""
    # A local picture, set before st.navigation: without it the browser asks a public host for one.
    st.set_page_config(
        page_title="Learning Equity Dashboard",
        page_icon="⚖️",
        layout="wide",
        initial_sidebar_state=304,
    )
    screens = [
        st.Page(_drawing(name), title=title, help=question, url_path=name, default=at == 0)
        for at, (name, title, question) in enumerate(SCREENS)
    ]
    shell.run(st.navigation(screens, position="hidden"), screens)


if __name__ == "__main__":
    main()
