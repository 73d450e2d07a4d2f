"""The facts that the synthetic catalogue follows: marginals of a real one, as numbers only.

Source: the part of COCO (Dessì, Fenu, Marras, Reforgiato Recupero, WorldCIST 2018) joined with
Udemy course metadata, 8,196 courses and 159,664 interactions up to November 2017; medians and
shares of it, rounded. No row, title or text of it is used anywhere here.
"""

from __future__ import annotations

from dataclasses import dataclass

LEVELS = ("all levels", "beginner", "intermediate", "expert")


@dataclass(frozen=True)
class CategoryFacts:
    """One category: shares of the courses and of the interactions, shares of levels, medians, and
    the share of free courses.
    """

    courses: float
    demand: float
    levels: tuple[float, float, float, float]
    price: float
    enrolled: float
    rating: float
    free: float


CATEGORIES: dict[str, CategoryFacts] = {
    "Development": CategoryFacts(0.296, 0.420, (0.55, 0.31, 0.13, 0.01), 75, 4522, 4.31, 0.086),
    "Business": CategoryFacts(0.173, 0.147, (0.65, 0.25, 0.08, 0.02), 95, 3787, 4.30, 0.047),
    "IT and Software": CategoryFacts(0.121, 0.129, (0.52, 0.32, 0.15, 0.01), 81, 5173, 4.42, 0.003),
    "Personal Development": CategoryFacts(
        0.090, 0.073, (0.75, 0.20, 0.04, 0.01), 95, 4390, 4.45, 0.020
    ),
    "Marketing": CategoryFacts(0.084, 0.065, (0.69, 0.26, 0.04, 0.01), 100, 5461, 4.30, 0.0),
    "Design": CategoryFacts(0.069, 0.057, (0.49, 0.44, 0.06, 0.01), 73, 4878, 4.45, 0.056),
    "Office Productivity": CategoryFacts(
        0.046, 0.033, (0.55, 0.31, 0.12, 0.02), 75, 4980, 4.50, 0.0
    ),
    "Health and Fitness": CategoryFacts(
        0.025, 0.014, (0.71, 0.25, 0.03, 0.01), 78, 4482, 4.50, 0.0
    ),
    "Language": CategoryFacts(0.017, 0.011, (0.35, 0.39, 0.23, 0.03), 40, 4081, 4.58, 0.0),
    "Photography": CategoryFacts(0.017, 0.012, (0.69, 0.25, 0.06, 0.00), 75, 4896, 4.50, 0.0),
    "Academics": CategoryFacts(0.017, 0.012, (0.58, 0.31, 0.08, 0.03), 78, 4709, 4.53, 0.0),
    "Music": CategoryFacts(0.016, 0.008, (0.47, 0.45, 0.07, 0.01), 44, 3481, 4.50, 0.215),
    "Teacher Training": CategoryFacts(0.014, 0.010, (0.60, 0.32, 0.06, 0.02), 96, 3818, 4.50, 0.0),
    "Lifestyle": CategoryFacts(0.010, 0.005, (0.63, 0.34, 0.03, 0.00), 44, 3797, 4.40, 0.0),
    "Test Prep": CategoryFacts(0.003, 0.002, (0.71, 0.07, 0.11, 0.11), 95, 2572, 4.50, 0.0),
}
"""Largest first. Together: levels 59, 30, 9.5 and 1.5 %; 4.7 % free."""

PRICE_POINTS = (0.0, 9.99, *(round(19.99 + 5 * step, 2) for step in range(37)))
"""What a course could cost at the time, in US dollars: 0, 9.99, 19.99, 24.99 … 199.99."""

QUANTILES = (0.0, 0.01, 0.05, 0.10, 0.25, 0.50, 0.75, 0.90, 0.95, 0.99, 0.999, 1.0)
ENROLLED = (
    44.0,
    295.0,
    740.0,
    1151.0,
    2166.0,
    4445.0,
    9354.0,
    18731.0,
    29883.0,
    107186.0,
    281150.0,
    924141.0,
)
"""Enrolments of a course at QUANTILES: the long tail."""
RATING = (1.65, 3.25, 3.65, 3.85, 4.12, 4.38, 4.52, 4.67, 4.71, 4.90, 4.95, 5.0)
"""Mean rating of a course at QUANTILES: crowded between 4 and 4.7."""

PUBLISHED = {2012: 0.020, 2013: 0.061, 2014: 0.123, 2015: 0.302, 2016: 0.330, 2017: 0.164}
"""Share of the courses published in each year."""

ASSETS = {
    "video": 1.0,
    "article": 0.705,
    "resource": 0.725,
    "practice test": 0.011,
    "coding exercise": 0.009,
}
"""The five asset types and the share of courses that have each; 11, 34, 53 and 1.6 % of the courses
have one, two, three and four."""

# Not facts but choices: how much is unknown. Reality is far worse (asset types unknown for 79 %,
# price and rating for 44 %).
UNKNOWN_RATING = 0.04
UNKNOWN_ASSETS = 0.08
UNKNOWN_PRICE = 0.01
UNKNOWN_LEVEL = 0.005
UNKNOWN_UPDATE = 0.01
