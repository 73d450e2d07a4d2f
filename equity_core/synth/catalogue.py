"""The synthetic catalogue: courses whose marginals follow the facts, and the hidden traits that
learners react to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from equity_core.synth import facts
from equity_core.synth.titles import vocabulary, write_descriptions, write_titles

OPENED = np.datetime64("2012-01-01", "s")
NOW = np.datetime64("2017-12-31", "s")
DAY = 86_400
TRAITS = 8
"""Length of the hidden vectors of learners and courses."""

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Catalogue:
    """Courses by position. ``enrolled`` comes later: it depends on what learners do
    (:func:`frame`)."""

    subtopic: Ints
    """Position in :func:`vocabulary`."""
    topic: Ints
    level: Ints
    published: Ints
    """Seconds since 1970."""
    updated: Ints
    price: Floats
    quality: Floats
    """Standard normal; the mean rating follows it."""
    appeal: Floats
    """Standard normal: how attractive the course is before anyone took it."""
    traits: npt.NDArray[np.float32]
    hours: Floats
    assets: tuple[tuple[str, ...] | None, ...]

    def __len__(self) -> int:
        return len(self.subtopic)

    @property
    def category(self) -> Ints:
        return subtopic_category()[self.subtopic]


def subtopic_category() -> Ints:
    names = list(facts.CATEGORIES)
    return np.array([names.index(sub.category) for sub in vocabulary()], dtype=np.int64)


def subtopic_weights(shares: Floats) -> Floats:
    """Category shares spread over their subtopics: the earlier in the vocabulary, the larger (1 /
    √rank)."""
    category = subtopic_category()
    rank = np.concatenate([np.arange(1, count + 1) for count in np.bincount(category)])
    weight = rank**-0.5
    return np.asarray(
        shares[category] * weight / np.bincount(category, weights=weight)[category],
        dtype=np.float64,
    )


def allot(shares: Floats, total: int) -> Ints:
    """Whole numbers that sum to total, by largest remainder."""
    exact = shares / shares.sum() * total
    counts = np.floor(exact).astype(np.int64)
    counts[np.argsort(counts - exact, kind="stable")[: total - int(counts.sum())]] += 1
    return np.asarray(counts, dtype=np.int64)


def draw(weights: Floats, u: Floats) -> Ints:
    """Positions drawn by weight, one for each uniform number: rows of weights go with rows of u,
    one row of weights with all."""
    edges = np.atleast_2d(np.cumsum(weights, axis=-1))
    found = (edges <= (u * edges[:, -1])[:, None]).sum(axis=1)
    return np.asarray(np.minimum(found, edges.shape[1] - 1), dtype=np.int64)


def by_rank(score: Floats, values: tuple[float, ...], *, log: bool) -> Floats:
    """The quantile curve of the facts, given out in the order of score: the highest score gets the
    highest value."""
    place = np.empty(len(score))
    place[np.argsort(score, kind="stable")] = np.arange(len(score)) / max(len(score) - 1, 1)
    curve = np.log(values) if log else np.asarray(values)
    found = np.interp(place, facts.QUANTILES, curve)
    return np.exp(found) if log else found


def place_in(group: Ints, score: Floats) -> Floats:
    """The rank of each score within its group, as a share strictly between 0 and 1."""
    order = np.lexsort((score, group))
    sizes = np.bincount(group)
    rank = np.empty(len(score))
    rank[order] = np.arange(len(score)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.asarray((rank + 0.5) / sizes[group], dtype=np.float64)


def make_catalogue(courses: int, rng: np.random.Generator) -> Catalogue:
    """Category shares exact (largest remainder); levels and prices exact within a category, given
    out by rank; the rest drawn.

    As on the real platform, what attracts is more often for all levels, dearer (list prices) and
    richer in material than the rest; and subtopics differ in level, price, age and material, so
    that learners of different interests face different catalogues.
    """
    category_share = np.array([fact.courses for fact in facts.CATEGORIES.values()])
    subtopic = rng.permutation(
        np.repeat(np.arange(len(vocabulary())), allot(subtopic_weights(category_share), courses))
    )
    category = subtopic_category()[subtopic]
    sizes = np.array([len(sub.topics) for sub in vocabulary()])
    topic_weight = np.where(
        np.arange(sizes.max())[None, :] < sizes[:, None],
        np.arange(1, sizes.max() + 1)[None, :] ** -0.5,
        0.0,
    )
    topic = draw(topic_weight[subtopic], rng.random(courses))
    quality = rng.standard_normal(courses)
    appeal = np.clip(0.3 * quality + np.sqrt(1 - 0.3**2) * rng.standard_normal(courses), -2.5, 2.5)
    topic_traits = rng.standard_normal((len(sizes), int(sizes.max()), TRAITS), dtype=np.float32)
    traits = topic_traits[subtopic, topic] * np.float32(0.8) + rng.standard_normal(
        (courses, TRAITS), dtype=np.float32
    ) * np.float32(0.6)
    habits = rng.standard_normal((len(sizes), 4))[
        subtopic
    ]  # what is usual in a subtopic: level, price, age, material
    habits -= habits.mean(axis=0)
    level = _levels(category, 0.15 * appeal + habits[:, 0] + rng.standard_normal(courses), rng)
    price = _prices(category, 0.7 * appeal + habits[:, 1] + rng.standard_normal(courses), rng)
    published = _publish(0.4 * habits[:, 2] + rng.standard_normal(courses), rng)
    updated = _update(published, appeal, rng)
    hours = np.clip(np.round(np.exp(1.3 + 0.8 * rng.standard_normal(courses)) * 2) / 2, 0.5, 80.0)
    assets = _assets(category, 0.5 * appeal + 0.5 * habits[:, 3], rng)
    return Catalogue(
        subtopic, topic, level, published, updated, price, quality, appeal, traits, hours, assets
    )


def _levels(category: Ints, openness: Floats, rng: np.random.Generator) -> Ints:
    """The most open courses of a category are for all levels; the others are drawn."""
    shares = np.array([fact.levels for fact in facts.CATEGORIES.values()])[category]
    drawn = 1 + draw(shares[:, 1:], rng.random(len(category)))
    return np.where(place_in(category, openness) > 1 - shares[:, 0], 0, drawn)


def _prices(category: Ints, dearness: Floats, rng: np.random.Generator) -> Floats:
    """Price points around the category's median; free courses by category; one in eight paid
    courses at the top price."""
    known = list(facts.CATEGORIES.values())
    median, free = (
        np.array([fact.price for fact in known])[category],
        np.array([fact.free for fact in known])[category],
    )
    given_away = rng.random(len(category)) < free
    v = place_in(2 * category + given_away, dearness)
    half = (0.5 - free) / (
        1 - free
    )  # where the median of all, free ones included, lies among the paid ones
    low = 9.99 + (v / half) ** 1.4 * (median - 9.99)
    high = median + np.clip((v - half) / (0.875 - half), 0.0, 1.0) ** 1.2 * (199.99 - median)
    points = np.array(facts.PRICE_POINTS[1:])
    nearest = points[
        np.abs(np.where(v < half, low, high)[:, None] - points[None, :]).argmin(axis=1)
    ]
    return np.where(given_away, 0.0, nearest)


def _publish(lateness: Floats, rng: np.random.Generator) -> Ints:
    """Days of publication by the facts' shares of years, in the order of lateness; none in the
    first or the last three months.
    """
    courses = len(lateness)
    edges = np.cumsum(list(facts.PUBLISHED.values()))
    year = np.array(list(facts.PUBLISHED))[
        np.searchsorted(edges / edges[-1], place_in(np.zeros(courses, dtype=np.int64), lateness))
    ]
    year[:20] = np.minimum(
        year[:20], 2013
    )  # something to choose from when the first learners come, in the smallest catalogue too
    years = (year - 1970).astype("datetime64[Y]")
    margin = np.timedelta64(90, "D")
    start = np.maximum(years.astype("datetime64[s]"), OPENED + margin).astype(np.int64)
    end = np.minimum((years + 1).astype("datetime64[s]"), NOW - margin).astype(np.int64)
    return np.asarray(
        (start + rng.random(courses) * (end - start)).astype(np.int64) // DAY * DAY, dtype=np.int64
    )


def _update(published: Ints, appeal: Floats, rng: np.random.Generator) -> Ints:
    """Two in three courses were changed after publication, attractive ones more often."""
    touched = rng.random(len(published)) < 1 / (1 + np.exp(-0.7 - 0.5 * appeal))
    share = rng.beta(1.2, 1.2, len(published))
    moment = published + np.where(touched, share, 0.0) * (NOW.astype(np.int64) - published)
    return np.asarray(moment.astype(np.int64) // DAY * DAY, dtype=np.int64)


def _assets(
    category: Ints, richness: Floats, rng: np.random.Generator
) -> tuple[tuple[str, ...] | None, ...]:
    """Video always; articles and resources for the richer ones more often; exercises where one
    codes, practice tests before exams."""
    names, share = list(facts.CATEGORIES), facts.ASSETS
    coding = np.array(
        [
            share["coding exercise"] / 0.417 if name in ("Development", "IT and Software") else 0.0
            for name in names
        ]
    )[category]
    tests = np.array([0.35 if name == "Test Prep" else share["practice test"] for name in names])[
        category
    ]
    odds = [
        np.log(share[kind] / (1 - share[kind])) + 0.1 for kind in ("article", "resource")
    ]  # + 0.1: what the spread of richness takes
    chance = np.stack([1 / (1 + np.exp(-odd - richness)) for odd in odds] + [tests, coding], axis=1)
    has = rng.random(chance.shape) < chance
    unknown = rng.random(len(category)) < facts.UNKNOWN_ASSETS
    kinds = ("article", "resource", "practice test", "coding exercise")
    combinations = [
        ("video", *(kind for bit, kind in enumerate(kinds) if code >> bit & 1))
        for code in range(16)
    ]
    codes = (has * np.array([1, 2, 4, 8])).sum(axis=1)
    return tuple(
        None if lost else combinations[code]
        for lost, code in zip(unknown.tolist(), codes.tolist(), strict=True)
    )


def course_ids(courses: int) -> npt.NDArray[np.object_]:
    """C0001 … as wide as the number of courses needs, so that their order as text is their
    order."""
    width = max(4, len(str(courses)))
    return np.array([f"C{at:0{width}d}" for at in range(1, courses + 1)], dtype=object)


def frame(catalogue: Catalogue, taken: Ints, rng: np.random.Generator) -> pd.DataFrame:
    """The courses in the bundle's format, with ``subcategory`` and ``hours`` beside it.

    Enrolment and rating follow the facts' quantile curves, given out in the order of attraction
    (with what learners took in training) and of quality, then moved to the category's median. Some
    values are unknown, as in reality.
    """
    known, names, words = list(facts.CATEGORIES.values()), list(facts.CATEGORIES), vocabulary()
    count, category = len(catalogue), catalogue.category
    crowd = (
        0.6 * np.log1p(taken)
        + 0.4 * catalogue.appeal
        + 0.6 * (catalogue.price == 0)
        + 1.5 * rng.standard_normal(count)
    )
    enrolled = by_rank(crowd, facts.ENROLLED, log=True)
    stars = by_rank(catalogue.quality + 0.3 * rng.standard_normal(count), facts.RATING, log=False)
    for at, fact in enumerate(known):
        mine = category == at
        if mine.any():
            enrolled[mine] *= fact.enrolled / np.median(enrolled[mine]) if mine.sum() > 4 else 1.0
            stars[mine] += fact.rating - np.median(stars[mine]) if mine.sum() > 4 else 0.0

    def lose(values: np.ndarray, share: float) -> pd.Series:
        return pd.Series(values).mask(rng.random(count) < share)

    update = lose(catalogue.updated.astype("datetime64[s]"), facts.UNKNOWN_UPDATE)
    level = lose(np.array(facts.LEVELS, dtype=object)[catalogue.level], facts.UNKNOWN_LEVEL)
    assets = catalogue.assets
    return pd.DataFrame(
        {
            "course_id": course_ids(count),
            "title": write_titles(catalogue.subtopic, catalogue.topic, catalogue.level, rng),
            "category": np.array(names, dtype=object)[category],
            "subcategory": np.array([sub.name for sub in words], dtype=object)[catalogue.subtopic],
            "level": level,
            "last_update": update,
            "price": lose(catalogue.price, facts.UNKNOWN_PRICE),
            "enrolled": np.minimum(np.round(enrolled), facts.ENROLLED[-1]).astype(np.int64),
            "rating": lose(np.round(np.clip(stars, 1.0, 5.0), 2), facts.UNKNOWN_RATING),
            "assets": pd.Series(
                [None if kinds is None else "|".join(kinds) for kinds in assets], dtype=object
            ),
            "hours": catalogue.hours,
            "description": write_descriptions(
                catalogue.subtopic, catalogue.topic, catalogue.level, catalogue.hours, assets, rng
            ),
        }
    )
