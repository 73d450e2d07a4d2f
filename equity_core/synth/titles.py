"""Readable titles and descriptions for synthetic courses, from the words in ``vocabulary.toml``.

A course is about one topic of one subtopic; its title names the topic, half of the titles a skill
too, and the description names two skills of the subtopic. So texts go with topics, as on a real
platform, and a recommender that reads them has something to find.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from equity_core.synth.facts import CATEGORIES, LEVELS

Ints = npt.NDArray[np.int64]

SMALL_WORDS = frozenset(
    (
        "a",
        "an",
        "and",
        "as",
        "at",
        "by",
        "for",
        "from",
        "in",
        "into",
        "of",
        "on",
        "or",
        "the",
        "to",
        "with",
        "without",
    )
)

# {t}: topic, {s}: skill in title case. Titles without a skill first: half of the courses get one of
# those.
PLAIN: dict[str, tuple[str, ...]] = {
    "all levels": (
        "The Complete {t} Course",
        "{t}: A Practical Guide",
        "{t} in Practice",
        "Understanding {t}",
        "{t} Step by Step",
        "A Fresh Look at {t}",
        "{t}: The Essentials",
        "Learn {t} by Example",
        "{t} for Busy People",
        "{t}: Theory and Practice",
        "Hands-On {t}",
        "The {t} Workshop",
    ),
    "beginner": (
        "{t} for Beginners",
        "{t} from Scratch",
        "Introduction to {t}",
        "First Steps in {t}",
        "{t} Fundamentals",
        "{t}: A Gentle Start",
        "Getting Started with {t}",
        "{t} in Plain Words",
        "Your First Week of {t}",
        "{t} Made Simple",
    ),
    "intermediate": (
        "{t}: Beyond the Basics",
        "Intermediate {t}",
        "{t}: The Next Step",
        "More {t}: Exercises and Answers",
        "{t} Case Studies",
        "Better {t}: Common Problems Solved",
        "{t} in Depth",
    ),
    "expert": (
        "Advanced {t}",
        "{t} for Experienced Learners",
        "{t}: The Hard Parts",
        "Expert {t}",
        "Advanced Topics in {t}",
    ),
}
WITH_SKILL: dict[str, tuple[str, ...]] = {
    "all levels": (
        "{t}: {s}",
        "{t} Workshop: {s}",
        "Practical {t}: {s}",
        "Learn {t}: {s}",
        "Hands-On {t}: {s}",
    ),
    "beginner": (
        "{t} for Beginners: {s}",
        "{t} from Scratch: {s}",
        "Start with {t}: {s}",
        "{t} Basics: {s}",
    ),
    "intermediate": (
        "Intermediate {t}: {s}",
        "{t} in Practice: {s}",
        "{t} Projects: {s}",
        "Improve Your {t}: {s}",
    ),
    "expert": ("Advanced {t}: {s}", "{t} for Professionals: {s}", "Expert {t}: {s}"),
}
OPENERS: dict[str, tuple[str, ...]] = {
    "all levels": (
        "A course on {t} for newcomers and for those who want to fill gaps.",
        "Everything that matters in {t}, in short lessons that build on each other.",
        "This course goes through {t} with many examples and little theory.",
        "{t} explained patiently, with exercises after every lesson.",
    ),
    "beginner": (
        "A first course on {t}; no previous knowledge is needed.",
        "New to {t}? Start here, and take one small step after the other.",
        "The basics of {t} for people who have never tried it.",
    ),
    "intermediate": (
        "For learners who know the basics of {t} and want to go further.",
        "You have started with {t}; this course takes you to the next stage.",
        "{t} beyond the first steps, with larger exercises.",
    ),
    "expert": (
        "A demanding course on {t} for learners with experience.",
        "The difficult parts of {t}, for those who use it every week.",
    ),
}
AUDIENCES: dict[str, tuple[str, ...]] = {
    "Development": (
        "future developers",
        "programmers who change languages",
        "students of computing",
        "people who want to build things",
    ),
    "Business": ("founders", "managers of small teams", "analysts", "people new to business"),
    "IT and Software": (
        "administrators",
        "support staff",
        "engineers before an exam",
        "people moving into IT",
    ),
    "Personal Development": (
        "busy people",
        "students",
        "people at a turning point",
        "anyone who wants to grow",
    ),
    "Marketing": ("owners of small shops", "marketing teams", "freelancers", "bloggers"),
    "Design": (
        "young designers",
        "illustrators",
        "developers with an eye for form",
        "career changers",
    ),
    "Office Productivity": (
        "office workers",
        "assistants",
        "accountants",
        "everyone who works with files",
    ),
    "Health and Fitness": (
        "people who sit a lot",
        "sports lovers",
        "families",
        "people who want to feel better",
    ),
    "Language": ("travellers", "students abroad", "people who work abroad", "curious minds"),
    "Photography": ("hobby photographers", "film lovers", "travellers", "future professionals"),
    "Academics": ("students", "teachers", "parents who help with homework", "curious minds"),
    "Music": ("hobby musicians", "bands", "late starters", "singers"),
    "Teacher Training": ("teachers", "trainers", "tutors", "school leaders"),
    "Lifestyle": ("hobbyists", "families", "people who like to make things", "weekend learners"),
    "Test Prep": (
        "candidates with little time",
        "students",
        "professionals",
        "second-time candidates",
    ),
}


@dataclass(frozen=True)
class Subtopic:
    category: str
    name: str
    topics: tuple[str, ...]
    skills: tuple[str, ...]


@cache
def vocabulary() -> tuple[Subtopic, ...]:
    """Every subtopic in the order of the file; its categories are those of the facts."""
    tables = tomllib.loads(Path(__file__).with_name("vocabulary.toml").read_text(encoding="utf-8"))
    if set(tables) != set(CATEGORIES):
        raise ValueError("vocabulary.toml and the facts name different categories")
    found = (
        (category, name, words)
        for category in CATEGORIES
        for name, words in tables[category].items()
    )
    return tuple(
        Subtopic(category, name, tuple(words["topics"]), tuple(words["skills"]))
        for category, name, words in found
    )


@cache
def title_case(skill: str) -> str:
    """Every word with a capital but the small ones inside."""
    words = skill.split(" ")
    inside = range(1, len(words) - 1)
    return " ".join(
        word if at in inside and word in SMALL_WORDS else word[:1].upper() + word[1:]
        for at, word in enumerate(words)
    )


def listed(parts: Sequence[str]) -> str:
    """ "a", "a and b", "a, b and c"."""
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1]


@cache
def ways(subtopic: int, topic: int, level: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Every title that a topic can have at a level: without a skill, and with one."""
    words, name = vocabulary()[subtopic], LEVELS[level]
    plain = tuple(form.format(t=words.topics[topic]) for form in PLAIN[name])
    return plain, tuple(
        form.format(t=words.topics[topic], s=title_case(skill))
        for form in WITH_SKILL[name]
        for skill in words.skills
    )


def write_titles(subtopic: Ints, topic: Ints, level: Ints, rng: np.random.Generator) -> list[str]:
    """A title for each course, none twice.

    Every way to name a topic at a level is gone through from a seeded start, plain titles or those
    with a skill first with equal chance; when all are used up (a catalogue of tens of thousands),
    the same titles come again as "Part 2", "Part 3" …
    """
    seen: set[str] = set()
    titles = []
    draws = rng.random((len(subtopic), 3)).tolist()
    for s, t, lev, (first, at, other) in zip(
        subtopic.tolist(), topic.tolist(), level.tolist(), draws, strict=True
    ):
        plain, skilled = ways(s, t, lev)
        plain, skilled = rotated(plain, at), rotated(skilled, other)
        ordered = plain + skilled if first < 0.5 else skilled + plain
        title, part = None, 1
        while title is None:
            ending = "" if part == 1 else f", Part {part}"
            title = next((way + ending for way in ordered if way + ending not in seen), None)
            part += 1
        seen.add(title)
        titles.append(title)
    return titles


def rotated(parts: tuple[str, ...], share: float) -> tuple[str, ...]:
    """The same parts, starting at a share of the way."""
    at = int(share * len(parts))
    return parts[at:] + parts[:at]


def write_descriptions(
    subtopic: Ints,
    topic: Ints,
    level: Ints,
    hours: npt.NDArray[np.float64],
    assets: Sequence[tuple[str, ...] | None],
    rng: np.random.Generator,
) -> list[str]:
    """What the course is about, what one learns to do, for whom it is, and what it consists of
    where that is known."""
    words = vocabulary()
    draws = rng.random((len(subtopic), 4))
    texts = []
    for row, (s, t, lev) in enumerate(
        zip(subtopic.tolist(), topic.tolist(), level.tolist(), strict=True)
    ):
        sub = words[s]
        openers, audiences = OPENERS[LEVELS[lev]], AUDIENCES[sub.category]
        opener = openers[int(draws[row, 0] * len(openers))].format(t=sub.topics[t])
        first = int(draws[row, 1] * len(sub.skills))
        skills = [sub.skills[(first + step) % len(sub.skills)] for step in range(2)]
        who = int(draws[row, 2] * len(audiences))
        pair = (
            audiences[who],
            audiences[(who + 1 + int(draws[row, 3] * (len(audiences) - 1))) % len(audiences)],
        )
        about = "1 hour" if hours[row] == 1 else f"{hours[row]:g} hours"
        made_of = assets[row]
        if made_of is not None:
            about += (
                " of video"
                if made_of == ("video",)
                else f" with {listed([f'{kind}s' for kind in made_of])}"
            )
        texts.append(
            f"{opener} You will learn to {listed(skills)}. Made for {listed(pair)}. {about}."
        )
    return texts
