"""The server's log: one line per event, whatever is in it, and none of a page's time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def written(code: str, **environment: str) -> list[str]:
    """What a process of its own writes to standard error."""
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            f"from pages.shared import logs\nlogs.start()\nlogs.start()\n{code}",
        ],
        cwd=ROOT,
        env={"PATH": "", **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return done.stderr.splitlines()


def test_one_line_per_event_in_key_value_pairs() -> None:
    lines = written(
        "logs.event('computed', what='a.b', seconds=1.5, note='two words\\nand a line')"
    )
    assert len(lines) == 1
    assert lines[0].endswith(r'INFO computed what=a.b seconds=1.5 note="two words\nand a line"')


def test_a_failure_has_its_traceback_in_the_same_line() -> None:
    code = "try:\n    1 / 0\nexcept ZeroDivisionError:\n    logs.failure('broken', screen='audit')"
    (line,) = written(code)
    assert "ERROR broken screen=audit error=" in line
    assert "ZeroDivisionError" in line


def test_the_level_can_be_set() -> None:
    code = "logs.event('computed')\nlogs.event('refused', 30)"
    assert [line.split()[1:] for line in written(code, EQUITY_LOG="warning")] == [
        ["WARNING", "refused"]
    ]
    assert len(written(code, EQUITY_LOG="nonsense")) == 2
