"""``dashboard``: start the screens on the demo, or on your own data sets."""

from __future__ import annotations

import os
import runpy
import sys
from pathlib import Path
from typing import Annotated

import typer

from equity_core import resources
from equity_core.cli.shared import BUNDLE_HELP, bundle_path

LOOPBACK = "127.0.0.1"


def dashboard(
    data: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="DATA",
            help=f"{BUNDLE_HELP} The first one is shown at the start; the demo if left out.",
        ),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(min=1, max=65535, help="8501, or the next one that is free, if left out."),
    ] = None,
    address: Annotated[
        str,
        typer.Option(
            help="The address to listen on. 127.0.0.1: only this computer can open the dashboard."
            " 0.0.0.0: everybody on the network can, without a password."
        ),
    ] = LOOPBACK,
) -> None:
    """Start the dashboard; Ctrl+C stops it."""
    if data:
        os.environ["EQUITY_DATA"] = named_data(data, os.environ.get("EQUITY_DATA", ""))
        os.environ["EQUITY_FIRST"] = str(bundle_path(data[0]).absolute())
    sys.argv = ["streamlit", *streamlit_arguments(port, address)]
    # In this process, so that Ctrl+C and a supervisor's signals reach the server itself. By name:
    # nothing here may import Streamlit (the core works without it).
    runpy.run_module("streamlit", run_name="__main__")


def named_data(given: list[Path], before: str = "") -> str:
    """The bundles, or folders of them, as EQUITY_DATA names them, before those that it named
    already.

    ValueError: one is neither, or its path cannot be written in that list.
    """
    paths = [bundle_path(path).absolute() for path in given]
    for path in paths:
        if not path.exists():
            raise ValueError(f"{path}: no such folder or zip")
        if not resources.bundles_at(path):
            raise ValueError(
                f"{path} is not a bundle, nor a folder of bundles: there is no manifest.toml"
            )
        if os.pathsep in str(path):
            raise ValueError(f"{path}: rename it, a path here must not have {os.pathsep!r} in it")
    return os.pathsep.join([*map(str, paths), *filter(None, [before])])


def streamlit_arguments(port: int | None, address: str) -> list[str]:
    """What ``streamlit`` is called with. All other settings are in .streamlit/config.toml beside
    the app: Streamlit reads it wherever it is started, and lets it prevail over a file in the
    current folder."""
    chosen = [] if port is None else [f"--server.port={port}"]
    return ["run", str(resources.app_file()), f"--server.address={address}", *chosen]
