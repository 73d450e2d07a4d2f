"""``python -m equity_core …``"""

try:
    from equity_core.cli import app
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] == "equity_core":
        raise
    raise SystemExit(
        f"This Python has no {error.name}: the packages are installed in another environment. After"
        " `make run`, use .venv/bin/python -m equity_core, or activate the environment first"
        " (. .venv/bin/activate); else run pip install -r requirements.txt."
    ) from None

if __name__ == "__main__":
    app(prog_name="python -m equity_core")
