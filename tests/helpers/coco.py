"""The real courses and learners beside the project (a part of COCO), as two frames; absent on most
machines.

The subset and the split are those of the data's README: courses with price, enrolment and rating;
train up to 2017-06-08 00:00:00 UTC, test after it; learners with at least 3 training and 1 test
interaction.
"""

from pathlib import Path

import pandas as pd

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "data" / "coco-udemy"
ABSENT = "the real data is absent: no ../shared/data/coco-udemy beside the project"
SPLIT = int(pd.Timestamp("2017-06-08T00:00:00Z").timestamp())


def coco_present() -> bool:
    return (FOLDER / "coco_courses.csv").exists() and (FOLDER / "coco_interactions.csv").exists()


def coco_frames(
    *, complete: bool = True, train: int = 3, test: int = 1
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Courses (course_id, title, category, level, price, enrolled, rating) and interactions
    (learner_id, course_id, timestamp, split).

    ``complete`` keeps only courses with price, enrolment and rating; ``train`` and ``test`` are the
    fewest interactions of a learner.
    """
    courses = pd.read_csv(FOLDER / "coco_courses.csv").rename(columns={"price_usd": "price"})
    if complete:
        courses = courses.dropna(subset=["price", "enrolled", "rating"])
    courses = courses[
        ["course_id", "title", "category", "level", "price", "enrolled", "rating"]
    ].reset_index(drop=True)

    log = pd.read_csv(
        FOLDER / "coco_interactions.csv", usecols=["learner_id", "course_id", "timestamp"]
    )
    log = log[log["course_id"].isin(courses["course_id"])]
    log["split"] = (log["timestamp"] > SPLIT).map({False: "train", True: "test"})
    is_train = (log["split"] == "train").groupby(log["learner_id"])
    trained, all_of = is_train.transform("sum"), is_train.transform("size")
    return courses, log[(trained >= train) & (all_of - trained >= test)].reset_index(drop=True)
