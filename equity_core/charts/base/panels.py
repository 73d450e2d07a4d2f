"""Small HTML and SVG panels: cards with a strip, the curve under the slider. Every text is escaped.

HTML takes its colours from the custom properties of :func:`css`; a drawing is an image of its own
(a page's sanitiser lets images through, and no drawing can hold a script), so it is drawn for light
or dark mode. A browser makes a document of each new image: what follows the slider is plain HTML,
and the image under it stays the same.
"""

from __future__ import annotations

import base64
import math
import re
from collections.abc import Sequence
from html import escape

from equity_core.charts.base.theme import palette

CURVE = 46
"""Height in pixels of the curve under the slider."""
_SVG = 'xmlns="http://www.w3.org/2000/svg" preserveAspectRatio="none"'
_RULES = """
.eq {font-variant-numeric: tabular-nums; line-height: 1.35; color: var(--eq-text);}
.eq-head {display: flex; justify-content: space-between; gap: .5rem; align-items: baseline;
  flex-wrap: wrap;}
.eq-head b {font-size: 14px; font-weight: 650;} .eq-muted {color: var(--eq-muted); font-size: 12px;}
.eq-cards {display: grid; grid-template-columns: repeat(auto-fit, minmax(250px, 1fr)); gap: 1rem;}
.eq-card {border: 1px solid var(--eq-grid); border-radius: .5rem; padding: .8rem 1rem;}
.eq-main {display: flex; gap: .8rem; align-items: center; margin: 2px 0 4px;}
.eq-value {font-size: 27px; font-weight: 700; color: var(--eq-after); letter-spacing: -.01em;}
.eq-good {color: var(--eq-good); font-weight: 650;}
.eq-bad {color: var(--eq-bad); font-weight: 650;} .eq-same {font-weight: 650;}
.eq-ends {display: flex; justify-content: space-between; font-size: 11.5px; gap: .5rem;}
.eq-strip {position: relative; height: 16px;} .eq-strip i {position: absolute;}
.eq-strip::before {content: ""; position: absolute; left: 1%; right: 1%; top: 7px; height: 2px;
  background: var(--eq-grid);}
.eq-span {top: 5.5px; height: 5px; opacity: .5;}
.eq-dot {top: 3px; width: 10px; height: 10px; margin-left: -5px; border-radius: 50%;}
.eq-place {position: relative; margin-top: -.55rem;}
.eq-place > i {position: absolute; bottom: 100%; height: var(--eq-curve); width: 1px;
  margin-left: -.5px; background: var(--eq-muted);}
.eq-status {font-size: 12px; color: var(--eq-muted);}
@media (min-width: 1100px) {.eq-status {text-align: right; margin: -2rem 0 0 28rem;}}
"""


def css(dark: bool = False) -> str:
    """The style sheet of all panels, with the colours of the mode."""
    colours = palette(dark)
    names = (
        "text",
        "muted",
        "background",
        "surface",
        "grid",
        "before",
        "after",
        "floor",
        "lam",
        "good",
        "bad",
        "region",
    )
    return (
        f":root {{--eq-curve: {CURVE}px;"
        f" {' '.join(f'--eq-{name}: {getattr(colours, name)};' for name in names)}}}{_RULES}"
    )


def svg_image(drawing: str, height: int, dark: bool) -> str:
    """An SVG drawing as an image that stretches with its panel; decorative, because the panel's
    words say the same."""
    colours = palette(dark)
    drawing = re.sub(r"var\(--eq-(\w+)\)", lambda match: str(getattr(colours, match[1])), drawing)
    code = base64.b64encode(drawing.encode()).decode()
    return (
        f'<img alt="" src="data:image/svg+xml;base64,{code}" style="display: block; width: 100%;'
        f' height: {height}px">'
    )


def _place(value: float, low: float, high: float) -> float:
    return 50.0 if high <= low else min(max((value - low) / (high - low), 0.0), 1.0) * 98 + 1


def strip(before: float, after: float, spans: Sequence[tuple[float, float]] = ()) -> str:
    """Before (grey) and after (accent) on a line with room around both; ``spans``: the intervals of
    before and of after."""
    known = [
        value
        for value in (before, after, *(end for span in spans for end in span))
        if not math.isnan(value)
    ]
    if not known:
        return ""
    low, high = min(known), max(known)
    room = max((high - low) * 0.15, 1e-6)
    low, high = low - room, high + room
    parts = []
    for (start, end), hue in zip(spans, ("before", "after"), strict=False):
        if not math.isnan(start):
            left, right = _place(start, low, high), _place(end, low, high)
            parts.append(
                f'<i class="eq-span" style="left: {left:.2f}%; width: {right - left:.2f}%;'
                f' background: var(--eq-{hue})"></i>'
            )
    for value, hue in ((before, "before"), (after, "after")):
        if not math.isnan(value):
            parts.append(
                f'<i class="eq-dot" style="left: {_place(value, low, high):.2f}%; background:'
                f' var(--eq-{hue})"></i>'
            )
    return f'<div class="eq-strip">{"".join(parts)}</div>'


def card(
    heading: str,
    value: str,
    change: str = "",
    detail: str = "",
    means: str = "",
    *,
    tone: str = "same",
    picture: str = "",
) -> str:
    """A card: heading and what higher means, the value, its change (``tone``: good, bad, same) and
    a line of detail; a strip below.

    ``picture`` is HTML made here; all else is text.
    """
    change = f'<div class="eq-{escape(tone)}">{escape(change)}</div>' if change else ""
    detail = f'<div class="eq-muted">{escape(detail)}</div>' if detail else ""
    return (
        f'<div class="eq eq-card"><div class="eq-head"><b>{escape(heading)}</b>'
        f'<span class="eq-muted">{escape(means)}</span></div><div class="eq-main"><span'
        f' class="eq-value">{escape(value)}</span><div>{change}{detail}</div></div>{picture}</div>'
    )


def cards(html: Sequence[str]) -> str:
    """Cards side by side, below each other where there is no room. ``html``: cards
    from :func:`card`."""
    return f'<div class="eq-cards">{"".join(html)}</div>'


def curve(
    values: Sequence[float],
    kept: Sequence[float],
    equality: Sequence[float],
    *,
    hue: str,
    dark: bool = False,
) -> str:
    """The curve under the slider: NDCG kept (dashed) and equality, along the slider (0 to 1).

    Both are scaled to their own range: the curve shows where the slider matters, its words how
    much.
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

    thin = 'fill="none" stroke-width="1.6" vector-effect="non-scaling-stroke"'
    drawing = (
        f'<svg {_SVG} viewBox="0 0 100 {CURVE}"><path d="{line(kept)}" stroke="var(--eq-text)"'
        f' stroke-dasharray="4 3" {thin}/><path d="{line(equality)}" stroke="var(--eq-{hue})"'
        f" {thin}/></svg>"
    )
    return svg_image(drawing, CURVE, dark)


def slider_panel(at: float, kept: str, equality: str, ends: tuple[str, str], hue: str) -> str:
    """To be placed right under :func:`curve`: the current place on it, the figures there, and the
    words at both ends of the slider."""
    return (
        '<div class="eq eq-place" role="img"'
        f' aria-label="{escape(f"At this place: {kept}, {equality}")}"><i style="left:'
        f' {_place(at, 0.0, 1.0):.2f}%"></i><div class="eq-ends"><span>┄ {escape(kept)}</span>'
        f'<span style="color: var(--eq-{escape(hue)})">— {escape(equality)}</span></div>'
        f'<div class="eq-ends eq-muted"><span>← {escape(ends[0])}</span><span>{escape(ends[1])}'
        " →</span></div></div>"
    )
