"""One random world for all tests of frames."""

from __future__ import annotations

import pytest

import equity_core as eq
from tests.helpers.audited import make, own


@pytest.fixture(scope="session")
def bundle() -> eq.Bundle:
    return make()


@pytest.fixture(scope="session")
def lists(bundle: eq.Bundle) -> dict[str, eq.Run]:
    return own(bundle)[0]


@pytest.fixture(scope="session")
def found(bundle: eq.Bundle) -> dict[str, eq.Evaluation]:
    return own(bundle)[1]
