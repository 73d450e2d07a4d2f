"""Where the files that come with the package are: the dashboard, the demo, the documents it shows.

In the repository they lie beside ``equity_core``. An installed package has them in its own folder
``dashboard``, arranged in the same way (``pyproject.toml`` says what goes there).
"""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).parent
DEMO = "demo"
"""The short name of the demo: of its folder below ``data``, on the command line, in links."""


def home() -> Path:
    """The folder that holds ``app.py``, ``pages``, ``data`` and ``docs``."""
    installed = PACKAGE / "dashboard"
    return installed if (installed / "app.py").is_file() else PACKAGE.parent


def app_file() -> Path:
    """The script that Streamlit runs. Its settings lie in ``.streamlit`` beside it."""
    return home() / "app.py"


def demo() -> Path:
    """The synthetic demo bundle."""
    return home() / "data" / DEMO


def document(name: str) -> Path:
    """A document that the dashboard shows, by its file name, for example ``methods.md``."""
    return home() / "docs" / name


def bundles_at(path: Path) -> list[Path]:
    """The bundles that a path names: a bundle itself (a folder with a manifest, or a zip), or those
    in a folder of bundles, by name; none if it is neither."""
    if path.is_file() or (path / "manifest.toml").is_file():
        return [path]
    return sorted(manifest.parent for manifest in path.glob("*/manifest.toml"))
