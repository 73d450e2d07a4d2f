"""Colours, marker shapes and the look of every chart.

One colour has one meaning everywhere: a hue for each family of recommenders (filled and hollow
markers inside it), one colour for each principle, grey for before, blue for the floor and for
after, orange for the single λ. All of them keep a contrast of at least 3:1 with the page, light or
dark.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from equity_core.algorithms import family, label

FONT = '"Source Sans", "Source Sans Pro", "Source Sans 3", sans-serif'

_FAMILY_SHAPES = {
    "non-personalised": "circle",
    "neighbourhood": "square",
    "graph": "triangle-up",
    "matrix factorisation": "cross",
    "content": "diamond",
    "hybrid": "triangle-down",
}
# The second of a family is hollow.
_HOLLOW = frozenset({"random", "itemknn", "rp3beta", "neumf"})

_LIGHT = {
    "random": "#6B7785",
    "toppopular": "#4A5360",
    "userknn": "#0B5CAD",
    "itemknn": "#3A82C9",
    "p3alpha": "#A83E08",
    "rp3beta": "#C06A14",
    "gmf": "#6A3D9A",
    "neumf": "#9A63BF",
    "itemknncb": "#00795C",
    "coupledcf": "#A8457F",
}
_DARK = {
    "random": "#9AA5B1",
    "toppopular": "#C3CBD5",
    "userknn": "#6CB6FF",
    "itemknn": "#9CCBF5",
    "p3alpha": "#F08A4B",
    "rp3beta": "#F3B27A",
    "gmf": "#B79AE8",
    "neumf": "#D3BFF2",
    "itemknncb": "#4FC9A4",
    "coupledcf": "#E39BC6",
}
_LIGHT_PRINCIPLES = (
    "#3B3A9E",
    "#2A7F9E",
    "#00795C",
    "#637F00",
    "#A87400",
    "#C0446B",
    "#8B3A93",
    "#5B6472",
    "#0B5CAD",
    "#B8500A",
)
_DARK_PRINCIPLES = (
    "#A5A4F5",
    "#6CC4E0",
    "#4FC9A4",
    "#B7D14A",
    "#E8BE55",
    "#F08BAA",
    "#D79BDD",
    "#AEB7C2",
    "#6CB6FF",
    "#F0995A",
)


@dataclass(frozen=True)
class Palette:
    """The colours of one mode. ``before`` and ``after`` are the lists of the recommender and of the
    policy."""

    dark: bool
    text: str
    muted: str
    background: str
    surface: str
    grid: str
    before: str
    after: str
    floor: str
    lam: str
    good: str
    bad: str
    region: str
    _algorithms: dict[str, str]
    _principles: tuple[str, ...]

    def algorithm(self, name: str) -> str:
        """The colour of an algorithm; one that the project does not know gets a colour by its
        name."""
        return (
            self._algorithms.get(name)
            or self._principles[sum(name.encode()) % len(self._principles)]
        )

    def principle(self, name: str, names: Sequence[str]) -> str:
        """The colour of a principle, by its place among the data set's ``names``."""
        return self._principles[list(names).index(name) % len(self._principles)]

    def principles(self, names: Sequence[str]) -> list[str]:
        """The colours of all principles, in order."""
        return [self._principles[at % len(self._principles)] for at in range(len(names))]


def palette(dark: bool = False) -> Palette:
    """The colours for light or dark pages."""
    return _PALETTES[bool(dark)]


_PALETTES = {
    False: Palette(
        dark=False,
        text="#111827",
        muted="#4F5B69",
        background="#FFFFFF",
        surface="#F4F6F9",
        grid="#E6EAEF",
        before="#7A8694",
        after="#0B5CAD",
        floor="#0B5CAD",
        lam="#B8500A",
        good="#00694F",
        bad="#A3262F",
        region="#00795C",
        _algorithms=_LIGHT,
        _principles=_LIGHT_PRINCIPLES,
    ),
    True: Palette(
        dark=True,
        text="#F1F5F9",
        muted="#AEB7C2",
        background="#0F141B",
        surface="#18202A",
        grid="#27313D",
        before="#8E99A6",
        after="#6CB6FF",
        floor="#6CB6FF",
        lam="#F0995A",
        good="#4FC9A4",
        bad="#F3878D",
        region="#4FC9A4",
        _algorithms=_DARK,
        _principles=_DARK_PRINCIPLES,
    ),
}


def marker_shape(algorithm: str) -> str:
    """The Vega marker of an algorithm's family."""
    return _FAMILY_SHAPES.get(family(algorithm), "circle")


def is_filled(algorithm: str) -> bool:
    """Whether the marker is filled: two algorithms of a family differ by that, not by colour
    alone."""
    return algorithm not in _HOLLOW


def algorithm_scale(algorithms: Sequence[str], dark: bool) -> dict[str, list[str]]:
    """Domain (labels), colours, shapes and fills for a chart of several algorithms, in their
    order."""
    colours = palette(dark)
    return {
        "domain": [label(name) for name in algorithms],
        "range": [colours.algorithm(name) for name in algorithms],
        "shapes": [marker_shape(name) for name in algorithms],
        "fills": [
            colours.algorithm(name) if is_filled(name) else colours.background
            for name in algorithms
        ],
    }


def style(chart: Any, dark: bool = False) -> Any:
    """The common look: type, grid, no frame. Call it last, on the outermost chart; draw it with
    ``theme=None``."""
    colours = palette(dark)
    lines = {
        "gridColor": colours.grid,
        "domainColor": colours.grid,
        "tickColor": colours.grid,
        "tickSize": 4,
    }
    sizes = {
        "labelFontSize": 11,
        "titleFontSize": 11,
        "titleFontWeight": "normal",
        "titlePadding": 8,
    }
    styled = chart.copy(
        deep=False
    )  # one shallow copy: Altair's configure methods copy every layer each time
    styled.config = {
        "font": FONT,
        "background": "transparent",
        # A chart is one picture with one alternative text and a table beside it, not hundreds of
        # marks to step through.
        "mark": {"aria": False},
        "view": {"stroke": None},
        "axis": {
            "labelColor": colours.muted,
            "titleColor": colours.muted,
            "labelFlush": False,
            **lines,
            **sizes,
        },
        "text": {"color": colours.text, "fontSize": 11},
        "title": {"color": colours.text, "fontSize": 13, "anchor": "start"},
        "header": {
            "labelColor": colours.text,
            "labelFontSize": 12,
            "labelFontWeight": 600,
            "titleColor": colours.muted,
        },
        "legend": {
            "labelColor": colours.text,
            "titleColor": colours.muted,
            "labelFontSize": 11,
            "titleFontSize": 11,
        },
    }
    return styled
