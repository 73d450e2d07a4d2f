"""COCO with Udemy metadata: a small file of that form, and the real one where it is there."""

import pandas as pd
import pytest

from equity_core.bundle import BundleError
from equity_core.importers import import_coco
from tests.helpers.coco import ABSENT, FOLDER, coco_present

COURSES = """\
course_id,slug,category,subcategory,level,language,title,title_src,price_usd,price_usd_src,enrolled,enrolled_src,published,published_src,last_update,rating,rating_src,n_articles,n_practice_tests,n_coding_exercises,n_resources,has_video,n_asset_types,published_est_from_id,n_interactions,first_seen,complete
1,one-slug,music,piano,all,english,One,a,20,a,100,a,2015-01-01,a,2023-01-01,4.5,a,3,0,0,2,1,3,2015-02-01,3,2016-01-01,True
2,two-slug,music,guitar,expert,english,,,0,a,50,a,,,,3.5,a,,,,,,,2014-06-01,3,2016-01-01,True
3,three-slug,design,ux,beginner,english,Three,a,,,60,a,2016-01-01,a,,4,a,,,,,,,2016-01-01,3,2016-01-01,False
4,four-slug,design,ux,,english,Four,a,10,a,70,a,2016-05-01,a,,5,a,0,0,0,0,1,1,2016-05-01,3,2016-01-01,False
"""
MIDDLE = int(pd.Timestamp("2017-06-08").timestamp())
INTERACTIONS = f"""\
learner_id,course_id,timestamp,part
0,1,{MIDDLE - 100},valid
0,2,{MIDDLE},valid
0,4,{MIDDLE + 1},test
0,3,{MIDDLE + 9},test
1,1,{MIDDLE - 5},test
1,4,{MIDDLE - 4},test
1,2,{MIDDLE - 3},test
2,3,{MIDDLE - 5},test
2,1,{MIDDLE + 5},test
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "coco_courses.csv").write_text(COURSES)
    (tmp_path / "coco_interactions.csv").write_text(INTERACTIONS)
    return tmp_path


def test_a_small_file_of_the_form(folder):
    found = import_coco(folder, min_train=2)
    courses, log = found.courses, found.interactions
    assert courses["course_id"].tolist() == [1, 2, 4]  # the third has no price
    assert courses["title"].tolist() == ["One", "two-slug", "Four"]
    assert [f"{day:%Y-%m-%d}" for day in courses["last_update"]] == [
        "2015-01-01",
        "2014-06-01",
        "2016-05-01",
    ]
    assert courses["assets"].tolist() == [("article", "resource", "video"), None, ("video",)]
    assert courses["price"].tolist() == [20, 0, 10]
    # The moment itself belongs to train, and only learner 0 has two courses up to it and one after
    # it.
    assert log[["learner_id", "course_id", "split"]].values.tolist() == [
        [0, 1, "train"],
        [0, 2, "train"],
        [0, 4, "test"],
    ]
    assert (found.opened, found.now) == (pd.Timestamp("2014-06-01"), pd.Timestamp("2016-05-01"))


def test_its_bundle_has_variety_out_of_five_and_unknown_stays_unknown(folder):
    bundle = import_coco(folder, min_train=2).bundle()
    assert bundle.coverage["filled"].to_dict() == {
        "familiarity": 0,
        "validity": 0,
        "learnability": 1,
        "variety": 1,
        "quality": 0,
        "manageability": 0,
        "affordability": 0,
    }
    variety = [principle.name for principle in bundle.principles].index("variety")
    column = list(bundle.encoded.mean_of).index(variety)
    assert bundle.encoded.means[:, column].tolist() == pytest.approx([3 / 5, 2 / 5, 1 / 5])
    assert not bundle.synthetic
    assert "stand-in" in bundle.provenance["last_update"]


def test_all_courses_and_a_moment_that_is_found(folder):
    found = import_coco(folder, complete=False, split_at=None, min_train=1, valid=1)
    assert found.courses["course_id"].tolist() == [1, 2, 3, 4]
    assert found.interactions["learner_id"].nunique() == 3
    assert set(found.interactions["split"]) == {"train", "valid", "test"}


def test_what_was_done_is_said(folder):
    notes = " ".join(str(note) for note in import_coco(folder, min_train=2).report.notes)
    assert "3 of 4 courses have price" in notes
    assert "2 of 9 rows belong to courses that were not kept" in notes
    assert "for 1 courses it is an estimate" in notes
    assert "1 learners, 2 training" in notes


def test_files_and_columns_that_are_not_there(tmp_path):
    (tmp_path / "coco_courses.csv").write_text("course_id,title\n1,a\n")
    with pytest.raises(BundleError) as error:
        import_coco(tmp_path)
    found = {(fault.file, fault.column) for fault in error.value.faults}
    assert ("coco_interactions.csv", None) in found
    assert ("coco_courses.csv", "price_usd") in found
    assert ("coco_courses.csv", "has_video") in found


@pytest.mark.skipif(not coco_present(), reason=ABSENT)
def test_the_real_files_give_the_subset_of_their_description():
    found = import_coco(FOLDER)
    assert len(found.courses) == 2_960
    assert found.interactions["learner_id"].nunique() == 3_478
    assert found.interactions["split"].value_counts().to_dict() == {"train": 15_297, "test": 7_317}
    bundle = found.bundle()
    assert (len(bundle.learner_ids), len(bundle.course_ids)) == (3_478, 2_960)
    assert bundle.coverage.loc["variety", "filled"] == 1_768
    assert set(bundle.courses["level"]) == {"all", "beginner", "intermediate", "expert"}
    assert (str(bundle.opened.date()), str(bundle.now.date())) == ("2011-06-14", "2017-10-10")
