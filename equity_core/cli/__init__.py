"""The command line: ``learning-equity --help``, or ``python -m equity_core --help``.

Errors that the user can fix (a bundle's faults, a policy out of range, an unknown algorithm,
missing training libraries, files) are one message on stderr and exit code 1; anything else is a
defect and shows its traceback. Results go to stdout, progress and remarks to stderr. Everything
heavy is imported by the command that needs it, so that ``--help`` is quick.
"""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from equity_core import __version__
from equity_core.cli import certifying, dashboard, data, importing, work
from equity_core.cli.shared import say


class Plain(TyperGroup):
    """Known errors become one red message and exit code 1."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except (ValueError, ImportError, OSError) as error:
            message = str(error)
        except KeyError as error:
            if not (error.args and isinstance(error.args[0], str) and " " in error.args[0]):
                raise  # a key of a dictionary, not a sentence: a defect
            message = error.args[0]
        say(message, style="red")
        raise typer.Exit(1)


app = typer.Typer(
    cls=Plain,
    invoke_without_command=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"learning-equity {__version__}")
        raise typer.Exit


@app.callback()
def start(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Audit and re-rank course recommendations for more equal learning opportunities.

    Without a command: the dashboard on the demo.
    """
    if context.invoked_subcommand is None:
        dashboard.dashboard()


app.add_typer(importing.app, name="import")
for command in (
    dashboard.dashboard,
    data.check,
    data.split,
    data.synth,
    data.demo,
    work.precompute,
    work.audit,
    work.rerank,
    work.sweep,
    certifying.certify,
    work.warm,
):
    app.command()(command)


def main() -> None:
    """The console script ``learning-equity``."""
    app(prog_name="learning-equity")


__all__ = ["app", "main"]
