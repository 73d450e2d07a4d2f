"""The sentences of the lower half of the Trade-off screen, each made from the frame of its
figure."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pandas as pd

from equity_core.algorithms import label
from equity_core.analysis.tradeoff.curves import Line, Lines, at_lam, between, moves
from equity_core.analysis.tradeoff.density import DENSE
from equity_core.analysis.words import decimal, join, percent

STEEP = 0.10
"""A fall of NDCG within 0.05 of λ from which λ is called touchy."""


def strategies(
    lines: Lines, lam: float | None, algorithm: str, exact: Mapping[Line, float] | None = None
) -> str:
    """Fig. 10 in words: what the strategies reach at the current λ (at 0.9 where the policy is a
    floor). ``exact``: what was measured there; other strategies are read off the lines, which is
    said where it is not the same."""
    at = 0.9 if lam is None else lam
    found = {
        (strategy, measure): value
        for (name, strategy, measure), value in at_lam(lines, at, exact).items()
        if name == algorithm
    }
    order = sorted(
        (s for s, m in found if m == "consistency" and not math.isnan(found[s, m])),
        key=lambda s: -found[s, "consistency"],
    )
    if not order:
        return "No learner has a list, so that there is nothing to measure."
    parts = [f"**{name}** {found[name, 'consistency']:.3f}" for name in order]
    others = " (other strategies: read off the lines)" if between(lines, at) else ""
    text = f"{label(algorithm)} at λ = {at:g}{others}: consistency {', '.join(parts)}"
    if not all(math.isnan(found[name, "ndcg"]) for name in order):
        text += f"; NDCG {', '.join(decimal(found[name, 'ndcg'], 4) for name in order)}"
    return (
        text + ". Dashed: own lists. Grey: the other strategies. Band: 95 % bootstrap interval over"
        " learners."
    )


def bought(frame: pd.DataFrame) -> dict[str, str]:
    """Fig. 11 in words, by gain: the line that gains most for a loss of at most a tenth."""
    out = {}
    for gain, words in (("gain_equality", "equality"), ("gain_consistency", "consistency")):
        known = frame[(frame["loss"] <= 0.1) & frame[gain].notna()]
        if known.empty:
            out[gain] = f"NDCG is unknown here, so that the price of {words} cannot be told."
            continue
        top = known.sort_values(gain, kind="stable").iloc[-1]
        several = len(set(frame["algorithm"])) > 1
        who = (
            label(str(top["algorithm"]))
            if several
            else ("the floor" if top["line"] == "floor" else f"strategy {top['line']}")
        )
        best = (
            f"For a loss of at most 10 % of NDCG, {who} gains most {words}:"
            f" {float(top[gain]):+.3f}."
        )
        out[gain] = f"{best} Up and to the left is better; thin lines: 95 % intervals."
    return out


def by_principle(frame: pd.DataFrame) -> str:
    """Fig. 12 in words: what rises and what falls from λ = 0 to 1."""
    change = moves(frame)
    up = [f"{name} ({value:+.2f})" for name, value in change.items() if value >= 0.005]
    down = [
        f"{name} ({value:+.2f})".replace("-", "−")
        for name, value in change[::-1].items()
        if value <= -0.005
    ]
    parts = ([f"From λ = 0 to 1, {join(up)} rise{'s' if len(up) == 1 else ''}"] if up else []) + (
        [f"{join(down)} fall{'s' if len(down) == 1 else ''}"] if down else []
    )
    return (
        "; ".join(parts) or "No principle moves by as much as 0.005 from λ = 0 to 1"
    ) + ". Dashed: own lists; band: 95 % interval of the mean; every cell is 0 to 1."


def density(found: pd.Series, algorithm: str, fall: tuple[float, float]) -> tuple[str, str]:
    """Fig. 13 in words, and a warning (or "") where the scores lie so close that λ is touchy.

    ``found``: audit.density.concentration. ``fall``: audit.choose.steepest of the current λ path.
    """
    if algorithm not in found.index:
        return "", "This recommender has no candidates."
    share, (most, start) = float(found[algorithm]), fall
    text = f"{percent(share)} of {label(algorithm)}'s candidates lie within a tenth of their scale"
    rank = int((found > share).sum()) + 1
    text += (
        f", {'the densest' if rank == 1 else f'number {rank}'} of {len(found)} recommenders. "
        if len(found) > 1
        else ". "
    )
    text += "Scores that lie close together are overruled by the principles at a smaller λ. "
    text += "Each cell: relevance from a learner's lowest (0) to highest (1)."
    warning = ""
    if share >= DENSE or most >= STEEP:
        why = (
            f"{percent(share)} of its scores lie within a tenth of the scale"
            if share >= DENSE
            else "its scores are close where it matters"
        )
        where = (
            ""
            if math.isnan(start)
            else (
                f": between λ = {start:g} and {start + 0.05:g} NDCG loses {percent(most)} of what"
                " the own lists have"
            )
        )
        warning = (
            f"λ is touchy for {label(algorithm)}, because {why}{where}. Move it in small steps, or"
            " use a floor."
        )
    return warning, text


def moved(frame: pd.DataFrame) -> str:
    """The dumbbells in words: which principles rise most, which give."""
    change = frame["change"].dropna().sort_values(ascending=False, kind="stable")
    up = [str(name) for name, value in change.items() if value >= 0.005][:3]
    down = [str(name) for name, value in change[::-1].items() if value <= -0.005][:3]
    if not up and not down:
        return "No principle moves by as much as 0.005."
    text = (
        f"{join(up)} rise{'s' if len(up) == 1 else ''} most"
        if up
        else "No principle rises by as much as 0.005"
    )
    text += (
        f"; {join(down)} give{'s' if len(down) == 1 else ''} way." if down else "; none gives way."
    )
    return text[0].upper() + text[1:]
