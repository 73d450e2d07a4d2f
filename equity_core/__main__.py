"""``python -m equity_core …``"""

from equity_core.cli import app

if __name__ == "__main__":
    app(prog_name="python -m equity_core")
