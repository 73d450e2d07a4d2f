"""The guided first visit as a script: five steps, each with a way to its screen; sent away and
brought back. The cookie: tests/browser."""

from __future__ import annotations

import re

import pytest
from streamlit.runtime.context import ContextProxy
from streamlit.testing.v1 import AppTest

from pages.parts.first_visit import COOKIE, STEPS
from tests.helpers import awkward
from tests.pages.conftest import ROOT, Opened, wrong


@pytest.fixture(autouse=True)
def cookies(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The browser's cookies; in an AppTest there is none to ask, and the stand-in has them all."""
    found: dict[str, str] = {}
    monkeypatch.setattr(ContextProxy, "cookies", found)
    return found


def links(app: AppTest) -> list[str]:
    return re.findall(
        r'<a class="eq-go" href="\./\w*">→ (.*?)</a>',
        " ".join(element.proto.body for element in app.get("html")),
    )


def shown(app: AppTest) -> list[str]:
    return [element.value for element in app.markdown if element.value.startswith("**New here?")]


def test_every_step_says_something_and_leads_to_a_screen(opened: Opened) -> None:
    app = opened(awkward.three_learners())
    for at, (heading, text, file, words) in enumerate(STEPS, 1):
        app.segmented_control(key="tour_step").set_value(at).run()
        assert wrong(app) == []
        assert shown(app) == [f"**New here? {at} of {len(STEPS)}: {heading}**"]
        assert text in [element.value for element in app.caption]
        assert words in links(app)
        assert (ROOT / "pages" / f"{file}.py").exists()


def test_it_is_sent_away_and_brought_back(opened: Opened) -> None:
    app = opened(awkward.three_learners())
    assert not any(COOKIE in element.proto.body for element in app.get("html"))
    app.button(key="tour_dismiss").click().run()
    assert wrong(app) == []
    assert shown(app) == []
    written = [element.proto.body for element in app.get("html") if COOKIE in element.proto.body]
    assert len(written) == 1
    assert "max-age=" in written[0]
    app.button(key="tour_again").click().run()
    assert len(shown(app)) == 1


def test_who_has_the_cookie_does_not_see_it(opened: Opened, cookies: dict[str, str]) -> None:
    cookies[COOKIE] = "seen"
    app = opened(awkward.three_learners())
    assert shown(app) == []
    assert app.button(key="tour_again").label == "Tour"
    assert not any(COOKIE in element.proto.body for element in app.get("html"))


def test_other_screens_are_left_alone(opened: Opened) -> None:
    assert shown(opened(awkward.three_learners(), "methods")) == []
