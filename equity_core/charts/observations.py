"""The eight observations as rows of HTML: claim, verdict, and the statistic with its interval
against the threshold.

Every text is escaped; the colours are those of :mod:`equity_core.charts.base.panels`. A verdict has
a sign and a word beside its colour.
"""

from __future__ import annotations

import math
from html import escape

from equity_core.analysis.observations.verdicts import Observation, Part, Verdict
from equity_core.charts.base.panels import svg_image

SIGNS: dict[Verdict, tuple[str, str]] = {
    "holds": ("✓", "good"),
    "holds, but negligible": ("≈", "same"),
    "holds in part": ("◐", "same"),
    "does not hold": ("✗", "bad"),
    "not clear here": ("?", "same"),
    "not comparable": ("≠", "muted"),
    "cannot be checked": ("–", "muted"),
}
"""By verdict: its sign, and the class of its colour."""
CSS = """<style>
.ob {display: grid; grid-template-columns: 1.5rem minmax(0, 1fr) 10.6rem minmax(0, 19rem);
  gap: 0.2rem 0.9rem; align-items: center;}
.ob > b {font-size: 17px;} .ob-claim {font-size: 14px;}
.ob-claim small {display: block; color: var(--eq-muted); font-size: 12px;}
.ob-verdict {font-size: 14px; white-space: nowrap;}
.ob-verdict i {font-style: normal; display: inline-block; width: 1.2rem; text-align: center;}
.ob-verdict.eq-muted {font-size: 14px;}
.ob-part {display: grid; grid-template-columns: minmax(0, 1fr) 10.6rem; gap: 0.1rem 0.8rem;
  padding: 0.45rem 0;}
.ob-part .ob-text {grid-column: 1 / -1;} .ob-part + .ob-part {border-top: 1px solid var(--eq-grid);}
.ob-words {display: flex; justify-content: space-between; gap: 0.6rem; font-size: 12px;}
.ob-words span:last-child {color: var(--eq-muted);}
@media (max-width: 760px) {.ob {grid-template-columns: 1.5rem minmax(0, 1fr);}
.ob > .ob-verdict, .ob > .ob-text {grid-column: 2;}}
</style>"""
_SVG = 'xmlns="http://www.w3.org/2000/svg" preserveAspectRatio="none"'


def verdict_html(verdict: Verdict) -> str:
    """A verdict as sign and word."""
    sign, tone = SIGNS[verdict]
    return (
        f'<span class="ob-verdict eq-{tone}"><i aria-hidden="true">{sign}</i>'
        f"{escape(verdict)}</span>"
    )


def _claimed(part: Part) -> str:
    """The threshold and the claimed side of it, in words."""
    at = part.text(part.line) if part.form == "share" else f"{part.line:g}"
    return f"claimed: {part.side} {at}"


def interval_whisker(part: Part, dark: bool = False) -> str:
    """The statistic as a dot and its interval as a whisker; the dashed line is the threshold, the
    claimed side of it is tinted."""
    if math.isnan(part.value) or math.isnan(part.low):
        return '<div class="ob-text"><span class="eq-muted">unknown here</span></div>'
    known = (part.low, part.high, part.value, part.line)
    room = max((max(known) - min(known)) * 0.14, 1e-6)
    start, end = min(known) - room, max(known) + room

    def at(value: float) -> float:
        return 1 + 98 * (value - start) / (end - start)

    line = at(part.line)
    left, width = (line, 99 - line) if part.side == "above" else (1.0, line - 1)
    tone = SIGNS[part.verdict][1]
    hue = tone if tone in ("good", "bad") else "text"
    thin = 'vector-effect="non-scaling-stroke"'
    drawing = (
        f'<svg {_SVG} viewBox="0 0 100 20"><rect x="{left:.2f}" y="0" width="{width:.2f}"'
        ' height="20" fill="var(--eq-region)" opacity=".13"/><path d="M1 10H99"'
        f' stroke="var(--eq-grid)" stroke-width="1.5" {thin}/><path d="M{line:.2f} 0V20"'
        f' stroke="var(--eq-muted)" stroke-width="1.5" stroke-dasharray="3 2.5" {thin}/><path'
        f' d="M{at(part.low):.2f} 10H{at(part.high):.2f}" stroke="var(--eq-{hue})" stroke-width="3"'
        f' {thin}/><path d="M{at(part.low):.2f} 6V14M{at(part.high):.2f} 6V14"'
        f' stroke="var(--eq-{hue})" stroke-width="1.5" {thin}/><path d="M{at(part.value):.2f} 10h0"'
        f' stroke="var(--eq-{hue})" stroke-width="9" stroke-linecap="round" {thin}/></svg>'
    )
    figures = f"{part.text(part.value)} ({part.text(part.low)} to {part.text(part.high)})"
    alt = escape(f"{part.what}: {part.words}; {_claimed(part)}")
    return (
        '<div class="ob-text">'
        f'<div role="img" aria-label="{alt}">{svg_image(drawing, 20, dark)}</div>'
        '<div class="ob-words"'
        f' aria-hidden="true"><span>{escape(figures)}</span><span>{escape(_claimed(part))}'
        "</span></div></div>"
    )


def _what(part: Part) -> str:
    """What the statistic is, and what to keep in mind about it."""
    kept = {"not comparable": "not comparable: ", "holds in part": "holds "}.get(part.verdict, "")
    return f"{part.what} ({kept}{part.proviso})" if part.proviso else part.what


def observation_row(one: Observation, dark: bool = False) -> str:
    """One observation: number, claim, verdict, and the part that decides."""
    part = one.statistic
    note = (
        one.reason
        if part is None
        else (
            f"Deciding part: {_what(part)}."
            if len(one.parts) > 1
            else f"{part.what[0].upper()}{part.what[1:]}."
        )
    )
    if one.note:
        note = f"{note} {one.note}"
    picture = '<div class="ob-text"></div>' if part is None else interval_whisker(part, dark)
    return (
        f'<div class="eq ob"><b>{one.number}</b><div class="ob-claim">{escape(one.claim)}'
        f"<small>{escape(note[:1].upper() + note[1:])}</small></div>{verdict_html(one.verdict)}"
        f"{picture}</div>"
    )


def observation_parts(one: Observation, dark: bool = False) -> str:
    """Every part of one observation: claim, verdict, and whisker."""
    rows = "".join(
        '<div class="ob-part"><div'
        f' class="ob-claim">{escape(part.name[0].upper() + part.name[1:])}<small>'
        f"{escape(_what(part))}</small></div>"
        f"{verdict_html(part.verdict)}{interval_whisker(part, dark)}</div>"
        for part in one.parts
    )
    return f'<div class="eq">{rows}</div>'
