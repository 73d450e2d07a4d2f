"""Small HTML and SVG panels: cards with a strip, the curve under the slider. Every text is escaped.

HTML takes its colours from the custom properties of :func:`css`; drawings are images of their own (a page's sanitiser lets images
through, and no drawing can hold a script), so that they take the mode.
"""

from __future__ import annotations

import base64
import math
import re
from collections.abc import Sequence
from html import escape

from equity_core.charts.theme import palette

_SVG = 'xmlns="http://www.w3.org/2000/svg" preserveAspectRatio="none"'
_RULES = """
.eq {font-variant-numeric: tabular-nums; line-height: 1.35; color: var(--eq-text);}
.eq-head {display: flex; justify-content: space-between; gap: .5rem; align-items: baseline; flex-wrap: wrap;}
.eq-head b {font-size: 14px; font-weight: 650;} .eq-muted {color: var(--eq-muted); font-size: 12px;}
.eq-cards {display: grid; grid-template-columns: repeat(auto-fit, minmax(250px, 1fr)); gap: 1rem;}
.eq-card {border: 1px solid var(--eq-grid); border-radius: .5rem; padding: .8rem 1rem;}
.eq-main {display: flex; gap: .8rem; align-items: center; margin: 2px 0 4px;}
.eq-value {font-size: 27px; font-weight: 700; color: var(--eq-after); letter-spacing: -.01em;}
.eq-good {color: var(--eq-good); font-weight: 650;} .eq-bad {color: var(--eq-bad); font-weight: 650;} .eq-same {font-weight: 650;}
.eq-ends {display: flex; justify-content: space-between; font-size: 11.5px; gap: .5rem;}
.eq-status {text-align: right; font-size: 12px; color: var(--eq-muted);}
@media (max-width: 640px) {.eq-status {text-align: left;}}
"""


def css(dark: bool = False) -> str:
    """The style sheet of all panels, with the colours of the mode."""
    colours = palette(dark)
    names = ("text", "muted", "background", "surface", "grid", "before", "after", "floor", "lam", "good", "bad", "region")
    return f":root {{{' '.join(f'--eq-{name}: {getattr(colours, name)};' for name in names)}}}{_RULES}"


def _image(drawing: str, height: int, dark: bool) -> str:
    """An SVG drawing as an image that stretches with its panel; decorative, because the panel's words say the same."""
    colours = palette(dark)
    drawing = re.sub(r"var\(--eq-(\w+)\)", lambda match: str(getattr(colours, match[1])), drawing)
    code = base64.b64encode(drawing.encode()).decode()
    return f'<img alt="" src="data:image/svg+xml;base64,{code}" style="display: block; width: 100%; height: {height}px">'


def _place(value: float, low: float, high: float) -> float:
    return 50.0 if high <= low else min(max((value - low) / (high - low), 0.0), 1.0) * 98 + 1


def strip(before: float, after: float, spans: Sequence[tuple[float, float]] = (), *, dark: bool = False) -> str:
    """Before (grey) and after (accent) on a line with room around both; ``spans``: the intervals of before and of after."""
    known = [value for value in (before, after, *(end for span in spans for end in span)) if not math.isnan(value)]
    if not known:
        return ""
    low, high = min(known), max(known)
    room = max((high - low) * 0.15, 1e-6)
    low, high = low - room, high + room
    parts = ['<path d="M1 8H99" stroke="var(--eq-grid)" stroke-width="2" vector-effect="non-scaling-stroke"/>']
    for (start, end), hue in zip(spans, ("before", "after"), strict=False):
        if not math.isnan(start):
            line = f"M{_place(start, low, high):.2f} 8H{_place(end, low, high):.2f}"
            parts.append(
                f'<path d="{line}" stroke="var(--eq-{hue})" stroke-opacity=".5" stroke-width="5" vector-effect="non-scaling-stroke"/>'
            )
    for value, hue in ((before, "before"), (after, "after")):
        if not math.isnan(value):
            dot = f"M{_place(value, low, high):.2f} 8h0"
            parts.append(
                f'<path d="{dot}" stroke="var(--eq-{hue})" stroke-width="10" stroke-linecap="round" vector-effect="non-scaling-stroke"/>'
            )
    return _image(f'<svg {_SVG} viewBox="0 0 100 16">{"".join(parts)}</svg>', 16, dark)


def card(heading: str, value: str, change: str = "", detail: str = "", means: str = "", *, tone: str = "same", picture: str = "") -> str:
    """A card: heading and what higher means, the value, its change (``tone``: good, bad, same) and a line of detail; a strip below.

    ``picture`` is HTML made here; all else is text.
    """
    change = f'<div class="eq-{escape(tone)}">{escape(change)}</div>' if change else ""
    detail = f'<div class="eq-muted">{escape(detail)}</div>' if detail else ""
    return (
        f'<div class="eq eq-card"><div class="eq-head"><b>{escape(heading)}</b><span class="eq-muted">{escape(means)}</span></div>'
        f'<div class="eq-main"><span class="eq-value">{escape(value)}</span><div>{change}{detail}</div></div>{picture}</div>'
    )


def cards(made: Sequence[str]) -> str:
    """Cards side by side, below each other where there is no room. ``made``: HTML from :func:`card`."""
    return f'<div class="eq-cards">{"".join(made)}</div>'


def curve(values: Sequence[float], kept: Sequence[float], equality: Sequence[float], at: float, *, hue: str, dark: bool = False) -> str:
    """The curve under the slider: NDCG kept (dashed) and equality, along the slider (0 to 1), with the current place.

    Both are scaled to their own range: the curve shows where the slider matters, its words how much.
    """

    def line(series: Sequence[float]) -> str:
        known = [value for value in series if not math.isnan(value)]
        if not known:
            return ""
        bottom, top = min(known), max(known)
        flat = top - bottom < 1e-9
        points = [
            (_place(x, 0.0, 1.0), 23.0 if flat else 42 - 38 * (y - bottom) / (top - bottom))
            for x, y in zip(values, series, strict=True)
            if not math.isnan(y)
        ]
        # Beyond its ends the policy changes nothing more.
        points = [(1.0, points[0][1]), *points, (99.0, points[-1][1])]
        return "M" + "L".join(f"{x:.2f} {y:.2f}" for x, y in points)

    place = _place(at, 0.0, 1.0)
    thin = 'fill="none" stroke-width="1.6" vector-effect="non-scaling-stroke"'
    drawing = (
        f'<svg {_SVG} viewBox="0 0 100 46">'
        f'<path d="M{place:.2f} 0V46" stroke="var(--eq-muted)" stroke-width="1" vector-effect="non-scaling-stroke"/>'
        f'<path d="{line(kept)}" stroke="var(--eq-text)" stroke-dasharray="4 3" {thin}/>'
        f'<path d="{line(equality)}" stroke="var(--eq-{hue})" {thin}/></svg>'
    )
    return _image(drawing, 46, dark)


def slider_panel(picture: str, kept: str, equality: str, ends: tuple[str, str], hue: str) -> str:
    """The curve with its figures and the words at both ends of the slider."""
    return (
        f'<div class="eq" role="img" aria-label="{escape(f"At this place: {kept}, {equality}")}">{picture}'
        f'<div class="eq-ends"><span>┄ {escape(kept)}</span><span style="color: var(--eq-{escape(hue)})">— {escape(equality)}</span></div>'
        f'<div class="eq-ends eq-muted"><span>← {escape(ends[0])}</span><span>{escape(ends[1])} →</span></div></div>'
    )
