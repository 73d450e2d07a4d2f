"""Synthetic learners: columns to group by, and the tastes behind their choices.

Some columns are tied to tastes on purpose, so that grouping shows something: the plan and the
region to how much price matters, the plan, the region and the device to the categories, the year of
joining to the level sought. None of it is a finding about real people.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from equity_core.synth import facts
from equity_core.synth.catalogue import (
    DAY,
    TRAITS,
    Floats,
    Ints,
    draw,
    subtopic_category,
    subtopic_weights,
)

FIRST_JOINED = np.datetime64("2014-01-01", "s")
INTERESTS = 3
"""Subtopics that a learner comes back to."""

BROWSING = 0.28
"""Mean share of choices from the whole catalogue, whatever the learner's interests."""
BUZZ = 2.0
"""How much more a category in demand attracts those who browse: most bestsellers are about
development."""

REGIONS = {
    "North America": 0.29,
    "Europe": 0.27,
    "Asia-Pacific": 0.22,
    "Latin America": 0.10,
    "Africa": 0.07,
    "Middle East": 0.05,
}
PLANS = {"pay per course": 0.58, "subscription": 0.20, "employer": 0.13, "free": 0.09}
DEVICES = ("desktop", "mobile", "tablet")
MOBILE_SHARE = {
    "North America": 0.22,
    "Europe": 0.20,
    "Asia-Pacific": 0.38,
    "Latin America": 0.36,
    "Africa": 0.52,
    "Middle East": 0.34,
}
TABLET_SHARE = 0.08

PRICE_MATTERS = {"pay per course": 0.4, "subscription": -0.4, "employer": -1.0, "free": 5.0}
"""How strongly a high price puts off, by plan (below 0: attracts, where others pay); the region
adds to it where people pay themselves."""
PRICE_MATTERS_THERE = {
    "North America": 0.0,
    "Europe": 0.3,
    "Asia-Pacific": 1.2,
    "Latin America": 1.2,
    "Africa": 1.8,
    "Middle East": 0.5,
}

CATEGORY_TILTS: dict[str, dict[str, float]] = {
    "employer": {
        "Business": 2.5,
        "IT and Software": 2.5,
        "Office Productivity": 3.0,
        "Development": 0.6,
        "Music": 0.2,
        "Lifestyle": 0.2,
    },
    "free": {"Development": 1.5, "Music": 2.0, "Business": 0.6},
    "Asia-Pacific": {"Development": 1.5, "IT and Software": 1.5, "Test Prep": 3.0},
    "Latin America": {"Language": 3.0, "Marketing": 2.0},
    "Africa": {"Business": 2.0, "Teacher Training": 2.0, "Development": 0.7},
    "Middle East": {"Language": 2.5, "Business": 1.5},
    "mobile": {
        "Development": 0.5,
        "Health and Fitness": 3.0,
        "Language": 3.0,
        "Personal Development": 2.5,
        "Lifestyle": 3.0,
    },
    "tablet": {
        "Development": 0.4,
        "Music": 4.0,
        "Photography": 4.0,
        "Lifestyle": 4.0,
        "Design": 2.5,
    },
}
"""Factors on the demand for a category by plan, region or device; 1 where nothing is said."""


@dataclass(frozen=True, eq=False)
class Tastes:
    """What makes a learner choose; rows are learner positions."""

    interests: Ints
    """(learners, INTERESTS): subtopics."""
    shares: Floats
    """(learners, INTERESTS): how often each, rows sum to 1."""
    breadth: Floats
    """How widely the learner looks around, from 0 (the interests only) to 2, 1 on average."""
    price: Floats
    """How strongly a price of 200 puts off; below 0: attracts."""
    skill: Floats
    """The level sought: 0 beginner, 1 intermediate, 2 expert."""
    crowd: Floats
    """Towards (positive) or away from what everyone takes."""
    traits: npt.NDArray[np.float32]
    generosity: Floats
    """Added to the stars that the learner gives."""


def make_learners(
    learners: int, last_joined: int, supplied: npt.NDArray[np.bool_], rng: np.random.Generator
) -> tuple[pd.DataFrame, Ints, Tastes]:
    """The learners' frame, the second at which each joined, and their tastes. ``supplied``:
    subtopics that have a course."""
    regions, plans = list(REGIONS), list(PLANS)
    region = draw(np.array(list(REGIONS.values())), rng.random(learners))
    plan = draw(np.array(list(PLANS.values())), rng.random(learners))
    mobile = np.array(list(MOBILE_SHARE.values()))[region]
    device = draw(
        np.stack([1 - mobile - TABLET_SHARE, mobile, np.full(learners, TABLET_SHARE)], axis=1),
        rng.random(learners),
    )
    first = int(FIRST_JOINED.astype(np.int64))
    joined = (
        first + (rng.random(learners) ** 0.5 * (last_joined - first)).astype(np.int64) // DAY * DAY
    )  # more join every year
    year = joined.astype("datetime64[s]").astype("datetime64[Y]").astype(np.int64) + 1970

    tilts = np.ones((len(plans), len(regions), len(DEVICES), len(facts.CATEGORIES)))
    for axis, names in enumerate((plans, regions, list(DEVICES))):
        for at, name in enumerate(names):
            factor = np.array(
                [CATEGORY_TILTS.get(name, {}).get(category, 1.0) for category in facts.CATEGORIES]
            )
            tilts[(slice(None),) * axis + (at,)] *= factor
    group = (plan * len(regions) + region) * len(DEVICES) + device
    demand = _demand(tilts.reshape(-1, len(facts.CATEGORIES)), group)
    breadth = 2 * rng.beta(0.6, 0.6, learners)
    interests, shares = _interests(demand, group, breadth, supplied, rng)

    matters = np.array(list(PRICE_MATTERS.values()))[plan]
    pays = np.isin(plan, [plans.index("pay per course"), plans.index("subscription")])
    there = np.array(list(PRICE_MATTERS_THERE.values()))[region] * pays
    tastes = Tastes(
        interests=interests,
        shares=shares,
        breadth=breadth,
        price=matters + there + 0.8 * rng.standard_normal(learners),
        skill=np.clip(0.5 + 0.25 * (2017 - year) + 0.6 * rng.standard_normal(learners), 0.0, 2.0),
        crowd=0.35 * rng.standard_normal(learners),
        traits=rng.standard_normal((learners, TRAITS), dtype=np.float32),
        generosity=0.35 * rng.standard_normal(learners),
    )
    width = max(4, len(str(learners)))
    frame = pd.DataFrame(
        {
            "learner_id": np.array(
                [f"L{at:0{width}d}" for at in range(1, learners + 1)], dtype=object
            ),
            "region": np.array(regions, dtype=object)[region],
            "device": np.array(DEVICES, dtype=object)[device],
            "plan": np.array(plans, dtype=object)[plan],
            "joined": year,
        }
    )
    return frame, joined, tastes


def category_buzz() -> Floats:
    """Log of demand by supply of each category."""
    return np.log([fact.demand / fact.courses for fact in facts.CATEGORIES.values()])


def _demand(tilts: Floats, group: Ints) -> Floats:
    """(groups, categories): what each group is interested in.

    Scaled so that all learners together, with what they take when browsing, come near the demand of
    the facts.
    """
    supply, demand = (
        np.array(column)
        for column in zip(
            *((fact.courses, fact.demand) for fact in facts.CATEGORIES.values()), strict=True
        )
    )
    browsed = supply * np.exp(BUZZ * category_buzz())
    facts_say = demand / demand.sum() - BROWSING * browsed / browsed.sum()
    share = np.bincount(group, minlength=len(tilts)) / len(group)
    scale = np.ones(len(facts_say))
    for _ in range(20):
        asked = tilts * facts_say * scale
        asked /= asked.sum(axis=1, keepdims=True)
        scale *= facts_say / facts_say.sum() / (share @ asked)
    return np.asarray(asked, dtype=np.float64)


def _interests(
    demand: Floats,
    group: Ints,
    breadth: Floats,
    supplied: npt.NDArray[np.bool_],
    rng: np.random.Generator,
) -> tuple[Ints, Floats]:
    """The first interest by the group's demand; each further one stays in its category, the less
    often the broader the learner."""
    spread = np.stack([subtopic_weights(row) for row in demand]) * supplied
    home = subtopic_category()
    inside = (home[:, None] == home[None, :]) * spread.mean(axis=0)[None, :]
    learners = len(group)
    interests = np.empty((learners, INTERESTS), dtype=np.int64)
    interests[:, 0] = draw_by_group(spread, group, rng)
    for at in range(1, INTERESTS):
        stays = rng.random(learners) < 1 - breadth / 2
        elsewhere = draw_by_group(spread, group, rng)
        interests[:, at] = np.where(stays, draw_by_group(inside, interests[:, 0], rng), elsewhere)
    first = 0.75 - 0.2 * breadth + 0.15 * rng.random(learners)
    second = (1 - first) * (0.5 + 0.4 * rng.random(learners))
    return interests, np.stack([first, second, 1 - first - second], axis=1)


def draw_by_group(weights: Floats, group: Ints, rng: np.random.Generator) -> Ints:
    """One position for each entry of group, by the weights of that group's row: a single search in
    the rows' edges laid end to end."""
    edges = np.cumsum(weights, axis=1)
    edges = edges / np.maximum(
        edges[:, -1:], np.finfo(float).tiny
    )  # rows without any weight belong to groups without anyone
    edges[:, -1] = 1.0
    flat = (edges + np.arange(len(edges))[:, None]).ravel()
    found = (
        np.searchsorted(flat, group + rng.random(len(group)), side="right")
        - group * weights.shape[1]
    )
    return np.asarray(np.clip(found, 0, weights.shape[1] - 1), dtype=np.int64)
