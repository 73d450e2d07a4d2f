"""Which data sets there are, and the one in use: the demo, bundles below data/, those named by
EQUITY_DATA, and this browser session's uploads."""

from __future__ import annotations

import itertools
import os
import time
import tomllib
from collections.abc import Container
from dataclasses import dataclass, replace
from pathlib import Path

import streamlit as st

import equity_core as eq
from equity_core import resources
from pages.shared import logs

PICK = "_pick"
"""Where a data set to switch to waits until the select box is drawn again."""
_UPLOADS = "_uploads"


@dataclass(frozen=True, eq=False)
class Dataset:
    """A bundle as the screens use it. ``key`` names its content in every cache; ``private``:
    uploaded, for this browser session only."""

    name: str
    bundle: eq.Bundle
    key: str
    private: bool = False


def folders() -> dict[str, Path]:
    """Bundles on disk by short name: the demo first, then data/ by name (of the current folder, and
    the one that comes with the dashboard), then EQUITY_DATA (bundles, or folders of bundles,
    separated as in PATH). The one whose path EQUITY_FIRST gives comes before all of them."""
    found: dict[str, Path] = {}
    for data in (Path("data"), resources.home() / "data"):
        for manifest in data.glob("*/manifest.toml"):
            found.setdefault(manifest.parent.name, manifest.parent.absolute())
    out = {
        name: found[name] for name in sorted(found, key=lambda name: (name != resources.DEMO, name))
    }
    for text in os.environ.get("EQUITY_DATA", "").split(os.pathsep):
        named = Path(text).expanduser().absolute()
        # What is no bundle is listed too, so that the screen says what is missing in it.
        for path in resources.bundles_at(named) or [named]:
            if text and path.exists() and path not in out.values():
                out[_unused(path.stem if path.is_file() else path.name, out)] = path
    first = Path(os.environ.get("EQUITY_FIRST", ""))
    return dict(sorted(out.items(), key=lambda item: first not in (item[1], item[1].parent)))


def _unused(name: str, taken: Container[str]) -> str:
    """The name itself, or with a number where another bundle has it already."""
    names = (name if count == 1 else f"{name}-{count}" for count in itertools.count(1))
    return next(name for name in names if name not in taken)


def uploads() -> dict[str, Dataset]:
    """The data sets that this browser session has loaded, by name."""
    kept: dict[str, Dataset] = st.session_state.setdefault(_UPLOADS, {})
    return kept


def names() -> list[str]:
    """The names to choose from."""
    return [*folders(), *uploads()]


@st.cache_data(max_entries=64, show_spinner=False)
def _title(path: str, changed: float) -> str:
    try:
        return str(
            tomllib.loads(Path(path).read_text(encoding="utf-8")).get("name")
            or Path(path).parent.name
        )
    except (OSError, ValueError):
        return Path(path).parent.name


def title(name: str) -> str:
    """The title of a data set on screen, from its manifest."""
    if name in uploads():
        return uploads()[name].bundle.name
    path = folders().get(name)
    manifest = None if path is None else path / "manifest.toml"
    if path is None or manifest is None or not manifest.exists():
        return name
    return _title(str(manifest), manifest.stat().st_mtime)


@st.cache_resource(max_entries=4, show_spinner="Reading and checking the data set …")
def _load(path: str, changed: float) -> Dataset:
    began = time.perf_counter()
    bundle = eq.load_bundle(path)
    size = {"learners": len(bundle.learner_ids), "courses": len(bundle.course_ids)}
    took = round(time.perf_counter() - began, 3)
    logs.event("data set read", name=Path(path).name, **size, seconds=took)
    return Dataset(Path(path).name, bundle, bundle.fingerprint)


def load(name: str) -> Dataset:
    """The data set with a short name. BundleError if it has faults, KeyError if there is none of
    that name."""
    if name in uploads():
        return uploads()[name]
    path = folders()[name]
    manifest = path / "manifest.toml" if path.is_dir() else path
    return _load(str(path), manifest.stat().st_mtime)


def judged(data: Dataset, policy: eq.Policy) -> Dataset:
    """The data set judged by a policy's principles. ValueError if they do not fit it."""
    if policy.principles is None:
        return data
    bundle = data.bundle.with_principles(policy.principles)
    return replace(data, bundle=bundle, key=f"{data.key}|{tuple(policy.principles)}")


def keep_upload(bundle: eq.Bundle) -> str:
    """Keep an uploaded bundle for this browser session, and return its short name."""
    name = f"upload-{len(uploads()) + 1}"
    logs.event("upload read", learners=len(bundle.learner_ids), courses=len(bundle.course_ids))
    uploads()[name] = Dataset(name, bundle, f"{name}-{bundle.fingerprint}", private=True)
    return name
