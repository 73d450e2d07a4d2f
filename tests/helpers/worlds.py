"""Small worlds that a reader can hold in the head, for tests of every module."""

from __future__ import annotations

from io import StringIO

import pandas as pd

COURSES = """
course_id title           category level        last_update price  enrolled rating assets
c01       Python-basics   code     beginner     2017-01-10  0      9000     4.5    video|article|quiz
c02       Python-in-depth code     expert       2016-06-01  199.99 300      4.7    video|article
c03       Web-pages       code     beginner     2015-03-15  19.99  5000     4.1    video
c04       Data-analysis   code     intermediate 2017-05-20  49.99  1200     4.4    video|article|quiz
c05       Piano-for-all   music    beginner     2014-02-01  24.99  20000    4.6    video|audio
c06       Jazz-chords     music    intermediate 2016-11-11  34.99  800      4.3    video|audio|article
c07       Singing         music    beginner     2013-09-09  -      -        3.9    video
c08       Yoga-at-home    health   beginner     2017-03-03  0      15000    4.2    video
c09       Nutrition       health   -            2016-01-20  9.99   2500     4.0    article|quiz
c10       First-aid       health   intermediate -           14.99  400      -      video|article|quiz
c11       Business-plans  business expert       2015-12-31  149.99 150      3.5    -
c12       Marketing       business beginner     2017-06-01  99.99  7000     4.4    video|article
"""  # noqa: E501

INTERACTIONS = """
learner_id course_id split timestamp           rating
u1         c01       train 2017-01-15T08:00:00 5
u1         c03       train 2017-01-20T08:00:00 4
u1         c04       train 2017-02-01T08:00:00 -
u1         c02       valid 2017-05-01T08:00:00 5
u1         c12       test  2017-07-01T08:00:00 4
u2         c05       train 2016-03-01T09:30:00 5
u2         c06       train 2016-04-01T09:30:00 4
u2         c07       valid 2016-12-01T09:30:00 3
u2         c08       test  2017-07-02T09:30:00 -
u3         c08       train 2016-05-05T10:00:00 4
u3         c09       train 2016-05-06T10:00:00 4
u3         c10       train 2016-05-07T10:00:00 5
u3         c05       test  2017-07-03T10:00:00 5
u3         c06       test  2017-07-04T10:00:00 -
u4         c11       train 2016-08-01T11:00:00 2
u4         c12       train 2016-09-01T11:00:00 4
u4         c01       test  2017-07-05T11:00:00 5
u5         c01       train 2017-02-02T12:00:00 5
u5         c05       train 2017-02-03T12:00:00 4
u5         c08       train 2017-02-04T12:00:00 4
u5         c12       valid 2017-05-05T12:00:00 4
u6         c10       train 2017-03-03T13:00:00 4
"""

SCORES = {
    # The candidates of each learner, best first; scores fall from 1 in steps of 1/8. u6 has few
    # candidates.
    "toppopular": {
        "u1": "c05 c08 c12 c09 c06 c10 c02 c07",
        "u2": "c08 c01 c12 c03 c09 c04 c10 c11",
        "u3": "c05 c01 c12 c03 c04 c06 c02 c11",
        "u4": "c05 c08 c01 c03 c09 c04 c06 c10",
        "u5": "c12 c03 c09 c04 c06 c10 c02 c11",
        "u6": "c05 c08 c01",
    },
    "userknn": {
        "u1": "c12 c02 c08 c05 c10 c06 c11 c09",
        "u2": "c08 c07 c01 c10 c09 c03 c04 c12",
        "u3": "c06 c05 c07 c01 c12 c04 c03 c02",
        "u4": "c01 c04 c02 c03 c08 c05 c09 c06",
        "u5": "c12 c03 c04 c10 c09 c06 c07 c02",
        "u6": "c09 c08 c05",
    },
}


def _table(text: str) -> pd.DataFrame:
    return pd.read_csv(StringIO(text.strip()), sep=r"\s+", na_values=["-"], keep_default_na=False)


def tiny_frames() -> tuple[pd.DataFrame, pd.DataFrame, dict[str, pd.DataFrame]]:
    """Courses, interactions and relevance of 6 learners and 12 courses: fresh frames at every call,
    always the same.

    Some cells are empty (a price, an enrolment, a level, a date, a rating, a list of assets); u6
    has a past but no test course.
    """
    courses = _table(COURSES)
    courses["title"] = courses["title"].str.replace("-", " ")
    courses["description"] = "All about " + courses["title"].str.lower()
    relevance = {}
    for algorithm, lists in SCORES.items():
        rows = [
            (learner, course, 1.0 - rank / 8.0)
            for learner, line in lists.items()
            for rank, course in enumerate(line.split())
        ]
        relevance[algorithm] = pd.DataFrame(rows, columns=["learner_id", "course_id", "score"])
    return courses, _table(INTERACTIONS), relevance
