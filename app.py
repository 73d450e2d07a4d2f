"""The router: page configuration and navigation. `streamlit run app.py` starts here."""

from pathlib import Path

import streamlit as st

from pages.shared import shell

ROOT = Path(__file__).parent
# File, title, and what the screen answers. The first page is the start page.
PAGES = (
    ("overview", "Overview", "Is it worth changing, and to what?"),
    ("data", "Data", "What is this built on?"),
    ("audit", "Audit", "How unequal is it today?"),
    ("tradeoff", "Trade-off", "Which λ, or which floor?"),
    ("learners", "Learners", "What changes for a person?"),
    ("decisions", "Decisions", "What did we choose, and why?"),
    ("methods", "Methods", "What do these numbers mean?"),
)


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
        st.Page(ROOT / "pages" / f"{file}.py", title=title, help=question, default=at == 0)
        for at, (file, title, question) in enumerate(PAGES)
        if (ROOT / "pages" / f"{file}.py").exists()
    ]
    shell.run(st.navigation(screens, position="hidden"), screens)


if __name__ == "__main__":
    main()
