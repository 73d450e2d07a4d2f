"""The command line in a test: what a command prints, and the message of one that fails."""

from __future__ import annotations

import io
from typing import Any

import pandas as pd
from typer.testing import CliRunner

from equity_core.cli import app


def run(*arguments: object, code: int = 0) -> Any:
    """A command's result; fails if it exits with another code."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result


def fails(*arguments: object) -> str:
    """The one message of a command that fails in a known way."""
    result = run(*arguments, code=1)
    assert "Traceback" not in result.output
    assert result.stdout == ""
    return str(result.stderr)


def table(result: Any) -> pd.DataFrame:
    """The table that a command prints."""
    return pd.read_csv(io.StringIO(result.stdout))
