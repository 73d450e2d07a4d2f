"""Relevance files of other systems: the form is found, the content becomes learner_id, course_id,
score."""

import gzip
import pickle
import zipfile

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from equity_core.bundle.faults import BundleError
from equity_core.importers import Report, read_ids, read_relevance, sniff

EXPECTED = [("u1", "c2", 0.9), ("u1", "c1", 0.5), ("u2", "c1", 0.25)]
LEARNERS, COURSES = ["u1", "u2"], ["c1", "c2"]
TEXTS = {
    "lenskit.csv": ("table", "user,item,score,rank\nu1,c2,0.9,1\nu1,c1,0.5,2\nu2,c1,0.25,1\n"),
    "rectools.csv": (
        "table",
        "user_id,item_id,score,rank\nu1,c2,0.9,1\nu1,c1,0.5,2\nu2,c1,0.25,1\n",
    ),
    "recbole.inter": (
        "recbole",
        "user_id:token\titem_id:token\tscore:float\nu1\tc2\t0.9\nu1\tc1\t0.5\nu2\tc1\t0.25\n",
    ),
    "elliot.tsv": ("elliot", "u1\tc2\t0.9\nu1\tc1\t0.5\nu2\tc1\t0.25\n"),
    "bm25.run": ("trec", "u1 Q0 c2 1 0.9 tag\nu1 Q0 c1 2 0.5 tag\nu2 Q0 c1 1 0.25 tag\n"),
    "semicolons.txt": ("table", "Nutzer;Kurs;Relevanz\nu1;c2;0,9\nu1;c1;0,5\nu2;c1;0,25\n"),
}


def rows(frame):
    return list(frame.itertuples(index=False, name=None))


def faults(path, *args, **options):
    with pytest.raises(BundleError) as error:
        read_relevance(path, *args, **options)
    for fault in error.value.faults:
        assert fault.file == path.name
        assert fault.fix
    return " ".join(fault.message for fault in error.value.faults)


@pytest.mark.parametrize("name", TEXTS)
def test_text_forms(tmp_path, name):
    form, text = TEXTS[name]
    path = tmp_path / name
    path.write_text(text)
    assert sniff(path) == form
    frame = read_relevance(path, learner_ids=LEARNERS, course_ids=COURSES)
    assert list(frame.columns) == ["learner_id", "course_id", "score"]
    assert rows(frame) == EXPECTED


@pytest.mark.parametrize(
    "columns", [("user_id", "item_id"), ("user", "item"), ("learner_id", "course_id")]
)
def test_parquet(tmp_path, columns):
    path = tmp_path / "recs.parquet"
    pd.DataFrame(EXPECTED, columns=[*columns, "score"]).to_parquet(path)
    assert rows(read_relevance(path)) == EXPECTED


def test_lenskit_lists_with_one_row_a_learner(tmp_path):
    path = tmp_path / "recs.parquet"
    lists = [
        [{"item_id": "c2", "score": 0.9, "rank": 1}, {"item_id": "c1", "score": 0.5, "rank": 2}],
        [{"item_id": "c1", "score": 0.25, "rank": 1}],
        [],
    ]
    pd.DataFrame({"user_id": ["u1", "u2", "u3"], "items": lists}).to_parquet(path)
    assert rows(read_relevance(path, "lenskit")) == EXPECTED


def test_ranks_without_scores_become_minus_rank_and_it_is_said(tmp_path):
    path = tmp_path / "ranked.csv"
    path.write_text("user_id,item_id,rank\nu1,c2,1\nu1,c1,2\n")
    report = Report()
    assert rows(read_relevance(path, report=report)) == [("u1", "c2", -1.0), ("u1", "c1", -2.0)]
    assert any("score = −rank" in note.message and note.column == "rank" for note in report.notes)


def test_ids_of_text_files_take_the_type_of_the_data_set(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("user_id,item_id,score\n7,3,0.5\n")
    assert rows(read_relevance(path)) == [("7", "3", 0.5)]
    assert rows(read_relevance(path, learner_ids=np.array([7]), course_ids=np.array([3]))) == [
        (7, 3, 0.5)
    ]
    path.write_text("user_id,item_id,score\nx7,3,0.5\n")
    assert "not whole numbers: 'x7'" in faults(
        path, learner_ids=np.array([7]), course_ids=np.array([3])
    )


def test_leading_zeros_stay(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("user_id,item_id,score\n007,03,0.5\n")
    assert rows(read_relevance(path)) == [("007", "03", 0.5)]


def test_ids_of_another_type_take_the_data_sets_in_parquet_too(tmp_path):
    path = tmp_path / "a.parquet"
    pd.DataFrame({"user_id": [1], "item_id": [2], "score": [0.5]}).to_parquet(path)
    report = Report()
    found = read_relevance(path, learner_ids=["1", "2"], course_ids=["2"], report=report)
    assert rows(found) == [("1", "2", 0.5)]
    assert sum("ids read as text, as in the data set" in note.message for note in report.notes) == 2
    assert "none of its 1 learners is in the data set: '1'" in faults(path, learner_ids=LEARNERS)
    pd.DataFrame({"user_id": ["1"], "item_id": ["x"], "score": [0.5]}).to_parquet(path)
    assert "not whole numbers: 'x'" in faults(
        path, learner_ids=np.array([1]), course_ids=np.array([2])
    )


def test_a_file_of_other_learners_is_a_fault_and_some_strangers_are_noted(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("user_id,item_id,score\nz1,c1,0.5\nz2,c1,0.5\n")
    assert "none of its 2 learners is in the data set: 'z1', 'z2'" in faults(
        path, learner_ids=LEARNERS, course_ids=COURSES
    )
    path.write_text("user_id,item_id,score\nz1,c1,0.5\nu1,c1,0.5\n")
    report = Report()
    assert len(read_relevance(path, learner_ids=LEARNERS, report=report)) == 2
    assert any("1 learners are not in the data set" in note.message for note in report.notes)


def test_unknown_courses_are_a_fault_with_rows(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("user_id,item_id,score\nu1,c1,0.5\nu1,c9,0.5\n")
    with pytest.raises(BundleError) as error:
        read_relevance(path, course_ids=COURSES)
    assert error.value.faults[0].rows == (1,)
    assert "'c9'" in error.value.faults[0].message


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("a,b,c\nx,y,z\n", "no column looks like"),
        ("user_id,item_id\nu1,c1\n", "score"),
        ("user_id,item_id,score\nu1,c1,0.5\nu1,c1,0.4\n", "repeats pairs"),
        ("user_id,item_id,score\nu1,c1,inf\n", "infinite"),
        ("user_id,item_id,score\nu1,c1,0.5\nu2,c1,\n", "missing or not finite"),
        (
            "user_id,item_id,score\nu1,c1,0.5\nu2,c1,high\nu3,c1,0.5\nu4,c1,1\n",
            "not numbers: 'high'",
        ),
        ("user_id,item_id,score\n", "no row"),
        ("", "empty"),
        ("user_id,item_id,score\nu1,,0.5\nu1,c1,0.5\n", "without an id"),
        ("user_id,user_id,score\nu1,c1,0.5\n", "no column looks like course_id"),
        ('user_id,item_id,score\n"u1,c1,0.5\n', "cannot be read as a table"),
        ("u1 Q0 c1 1 0.5 a\nu1 Q0 c2 2 0.4 b\n", "several runs"),
        ("u1 Q0 c1 1 0.5 a\nu1 Q0 c2\n", "six fields"),
        ("u1\tc1\t0.5\nu1\tc2\tx\n", "not numbers"),
    ],
)
def test_bad_files_are_told_with_what_to_do(tmp_path, text, word):
    path = tmp_path / "bad.csv"
    path.write_text(text)
    assert word in faults(path)


def test_a_form_that_is_asked_for_must_fit(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(TEXTS["lenskit.csv"][1])
    assert "three" in faults(path, "elliot")
    assert "six fields" in faults(path, "trec")
    assert "not a NumPy file" in faults(path, "npy")
    matrix = tmp_path / "m.npy"
    np.save(matrix, np.eye(2))
    assert "dense NumPy matrix" in faults(matrix, "table")
    with pytest.raises(ValueError, match="use one of"):
        read_relevance(path, "excel")


def test_candidates_keeps_the_best_of_each_learner(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("user_id,item_id,score\nu1,a,1\nu1,b,3\nu2,a,2\nu1,c,3\n")
    assert rows(read_relevance(path, candidates=2)) == [
        ("u1", "b", 3.0),
        ("u2", "a", 2.0),
        ("u1", "c", 3.0),
    ]
    with pytest.raises(ValueError, match="at least 1"):
        read_relevance(path, candidates=0)


def test_dense_matrices(tmp_path):
    path = tmp_path / "m.npy"
    np.save(path, np.array([[0.5, np.nan, 0.0], [-np.inf, 2.0, 1.0]], dtype=np.float32))
    assert sniff(path) == "npy"
    report = Report()
    frame = read_relevance(
        path, learner_ids=["u1", "u2"], course_ids=["a", "b", "c"], report=report
    )
    assert rows(frame) == [("u1", "a", 0.5), ("u1", "c", 0.0), ("u2", "b", 2.0), ("u2", "c", 1.0)]
    assert any("2 cells of NaN or −∞" in note.message for note in report.notes)
    assert rows(read_relevance(path, candidates=1)) == [(0, 0, 0.5), (1, 1, 2.0)]


def test_sparse_matrices_keep_stored_zeros(tmp_path):
    path = tmp_path / "m.npz"
    sparse.save_npz(
        path,
        sparse.csr_matrix(
            (np.array([0.0, 3.0]), np.array([1, 0]), np.array([0, 1, 2])), shape=(2, 3)
        ),
    )
    assert sniff(path) == "npz"
    assert rows(read_relevance(path, learner_ids=["u1", "u2"], course_ids=["a", "b", "c"])) == [
        ("u1", "b", 0.0),
        ("u2", "a", 3.0),
    ]
    sparse.save_npz(path, sparse.coo_array(np.array([[0.0, 1.0]])))
    assert rows(read_relevance(path)) == [(0, 1, 1.0)]


def test_a_dense_matrix_in_an_archive(tmp_path):
    path = tmp_path / "m.npz"
    np.savez_compressed(path, scores=np.array([[1.0, 2.0]]))
    assert rows(read_relevance(path)) == [(0, 0, 1.0), (0, 1, 2.0)]
    np.savez(path, one=np.eye(2), two=np.eye(2))
    assert "holds 2 arrays" in faults(path)


def test_a_shape_that_does_not_fit_the_ids(tmp_path):
    path = tmp_path / "m.npy"
    np.save(path, np.ones((2, 3)))
    message = faults(path, learner_ids=["u1"], course_ids=["a", "b"])
    assert "2 rows, but there are 1 ids of learners" in message
    assert "3 columns, but there are 2 ids of courses" in message


@pytest.mark.parametrize(
    ("array", "word"),
    [
        (np.array(["a"]), "array of"),
        (np.ones(3), "1 dimension"),
        (np.array([[np.inf]]), "+∞"),
        (np.array([[1j]]), "array of complex"),
    ],
)
def test_arrays_that_are_no_matrix(tmp_path, array, word):
    path = tmp_path / "m.npy"
    np.save(path, array)
    assert word in faults(path)


class Trap:
    """Unpickling this writes a file: the tests look for it."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (open, (str(self.path), "w"))


def test_pickles_are_refused_unopened_whatever_their_name(tmp_path):
    sprung = tmp_path / "sprung"
    trap = pickle.dumps(Trap(sprung))
    for name in ("model.pkl", "scores.csv", "scores.npy", "scores.pt", "m.joblib"):
        (tmp_path / name).write_bytes(trap)
        assert "pickle" in faults(tmp_path / name)
    np.save(tmp_path / "objects.npy", np.array([[Trap(sprung)]], dtype=object), allow_pickle=True)
    assert "Python objects" in faults(tmp_path / "objects.npy")
    np.savez(tmp_path / "objects.npz", m=np.array([[Trap(sprung)]], dtype=object))
    assert "Python objects" in faults(tmp_path / "objects.npz")
    with zipfile.ZipFile(tmp_path / "torch.npz", "w") as archive:
        archive.writestr("archive/data.pkl", trap)
    assert "pickle" in faults(tmp_path / "torch.npz")
    assert not sprung.exists()


def test_damaged_and_packed_files(tmp_path):
    path = tmp_path / "m.npy"
    np.save(path, np.ones((100, 100)))
    path.write_bytes(path.read_bytes()[:500])
    assert "cannot be read as a matrix" in faults(path)
    packed = tmp_path / "a.csv.gz"
    packed.write_bytes(gzip.compress(b"user_id,item_id,score\n1,2,3\n"))
    assert "gzip" in faults(packed)
    parquet = tmp_path / "a.parquet"
    parquet.write_bytes(b"PAR1 and nothing")
    assert "Parquet" in faults(parquet)
    binary = tmp_path / "a.csv"
    binary.write_bytes(b"\x00\x01\x02\x03")
    assert "neither text in UTF-8 nor Parquet" in faults(binary)
    assert "no such file" in faults(tmp_path / "none.csv")


def test_a_sparse_matrix_that_points_outside_itself(tmp_path):
    path = tmp_path / "m.npz"
    matrix = sparse.csr_matrix(np.eye(3))
    np.savez(
        path,
        format=b"csr",
        shape=np.array([3, 3]),
        data=matrix.data,
        indices=np.array([0, 1, 99]),
        indptr=matrix.indptr,
    )
    assert "cannot be read as a matrix" in faults(path)


def test_a_matrix_too_large_to_keep_whole_asks_for_candidates(tmp_path, monkeypatch):
    monkeypatch.setattr("equity_core.importers.relevance.matrices.MOST_CELLS", 5)
    path = tmp_path / "m.npy"
    np.save(path, np.ones((2, 3)))
    assert "too many" in faults(path)
    assert len(read_relevance(path, candidates=2)) == 4
    monkeypatch.setattr("equity_core.importers.relevance.matrices.LARGEST", 10)
    sparse.save_npz(tmp_path / "m.npz", sparse.csr_matrix(np.eye(3)))
    assert "2 GB" in faults(tmp_path / "m.npz")


def test_encodings(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes("﻿user_id,item_id,score\nü,c,1\n".encode())
    assert rows(read_relevance(path)) == [("ü", "c", 1.0)]
    path.write_bytes("user_id,item_id,score\nü,c,1\n".encode("cp1252"))
    report = Report()
    assert rows(read_relevance(path, report=report)) == [("ü", "c", 1.0)]
    assert any("cp1252" in note.message for note in report.notes)


def test_lists_of_ids(tmp_path):
    path = tmp_path / "ids.txt"
    path.write_text("007\n8\n\n")
    assert read_ids(path) == ["007", "8"]
    np.save(tmp_path / "ids.npy", np.array([3, 4]))
    assert read_ids(tmp_path / "ids.npy") == [3, 4]
    np.save(tmp_path / "ids.npy", np.array([[3.5]]))
    with pytest.raises(BundleError, match="one list"):
        read_ids(tmp_path / "ids.npy")
    np.save(tmp_path / "ids.npy", np.array(["a", None], dtype=object), allow_pickle=True)
    with pytest.raises(BundleError, match="cannot be read as ids"):
        read_ids(tmp_path / "ids.npy")


def test_an_empty_matrix_is_a_fault(tmp_path):
    np.savez(tmp_path / "m.npz", m=np.ones((0, 3)))
    assert "empty" in faults(tmp_path / "m.npz")
    sparse.save_npz(tmp_path / "s.npz", sparse.csr_matrix((2, 3)))
    assert "has no rows" in faults(tmp_path / "s.npz")
