"""For every test: repeatable hypothesis, and no silent skips in CI."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator

import hypothesis
import pytest

from tests.helpers.coco import ABSENT, coco_present

hypothesis.settings.register_profile("dev", deadline=None)
# In CI the same examples every time: a red run can be repeated. Compiling a kernel would break any
# deadline.
hypothesis.settings.register_profile("ci", deadline=None, derandomize=True)
hypothesis.settings.load_profile(
    os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "dev")
)


def _unexplained(skips: list[pytest.TestReport]) -> list[str]:
    """Skips that CI does not accept: all but those of the real data where it is really absent."""
    reasons = [
        (
            report.nodeid,
            report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr),
        )
        for report in skips
    ]
    return [
        f"{where}: {reason}" for where, reason in reasons if coco_present() or ABSENT not in reason
    ]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with long tests first, so that two workers end together."""
    long = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in long)


@pytest.hookimpl(hookwrapper=True, trylast=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Coverage is of the core, whose own tests must reach it: whole screens and long tests would
    only be slowed down by being watched, and so would what is set up for them.

    pytest-cov's own mark for this does not work in a worker of xdist: two recorders run there, and
    it stops one.
    """
    if {"pages", "browser"} & set(item.path.parts) or item.get_closest_marker("slow"):
        here, elsewhere = sys.gettrace(), threading.gettrace()
        sys.settrace(None)
        threading.settrace(None)  # type: ignore[arg-type]
        yield
        sys.settrace(here)
        threading.settrace(elsewhere)  # type: ignore[arg-type]
    else:
        yield


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if os.environ.get("CI"):
        skips = terminalreporter.stats.get("skipped", [])
        terminalreporter.write_line(
            f"Skipped: {len(skips)}, of which not accepted in CI: {len(_unexplained(skips))}"
        )
        for line in _unexplained(skips):
            terminalreporter.write_line(f"  {line}", red=True)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if (
        os.environ.get("CI")
        and reporter is not None
        and _unexplained(reporter.stats.get("skipped", []))
        and session.exitstatus == 0
    ):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
