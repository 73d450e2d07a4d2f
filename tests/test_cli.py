"""The command line: exit codes, what is printed where, and what is written."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import equity_core as eq
from tests.helpers.commands import fails, run, table

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """A small synthetic bundle with two algorithms, made by the command line itself."""
    folder = tmp_path_factory.mktemp("cli") / "small"
    run(
        "synth",
        "--learners",
        60,
        "--courses",
        400,
        "--seed",
        3,
        "--algorithms",
        "toppopular,userknn",
        "--candidates",
        30,
        "--out",
        folder,
    )
    return folder


@pytest.fixture
def bundle(made, tmp_path):
    """A copy that a test may change."""
    eq.load_bundle(made).save(tmp_path / "bundle")
    return tmp_path / "bundle"


def test_help_names_every_command_and_imports_nothing_heavy():
    heavy = {"numpy", "pandas", "scipy", "numba", "pyarrow", "jax", "sklearn", "streamlit"}
    text = (
        "import sys; sys.argv = ['x', '--help']\nfrom equity_core.cli import app\ntry:"
        " app()\nexcept SystemExit: pass\n"
    )
    text += f"print(sorted({{name.partition('.')[0] for name in sys.modules}} & {heavy}))"
    done = subprocess.run(
        [sys.executable, "-c", text],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
        encoding="utf-8",
    )
    assert done.stdout.strip().endswith("[]")
    for command in (
        "dashboard",
        "precompute",
        "import",
        "check",
        "audit",
        "rerank",
        "sweep",
        "certify",
        "split",
        "synth",
        "demo",
        "warm",
    ):
        assert command in done.stdout


def test_a_real_process_exits_with_0_or_1_and_shows_no_traceback(made, tmp_path):
    command = [sys.executable, "-m", "equity_core", "check"]
    good = subprocess.run(
        [*command, str(made)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        encoding="utf-8",
    )
    assert good.returncode == 0
    assert "60" in good.stdout
    bad = subprocess.run(
        [*command, str(tmp_path / "none")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        encoding="utf-8",
    )
    assert bad.returncode == 1
    assert bad.stdout == ""
    assert "no such folder" in bad.stderr
    assert "Traceback" not in bad.stderr


def test_check_sums_up_a_bundle(made):
    text = run("check", made).stdout
    data = eq.load_bundle(made)
    assert "(synthetic)" in text.splitlines()[0]
    for line in (
        "learners        60",
        "courses         400",
        f"fingerprint     {data.fingerprint}",
        "algorithms      toppopular, userknn",
        "  userknn       1,800 candidates",
    ):
        assert line in text
    for principle in data.principles:
        assert principle.name in text


def test_check_tells_every_fault(bundle):
    courses = pd.read_parquet(bundle / "courses.parquet")
    courses.assign(price="dear", level=None).drop(columns="rating").to_parquet(
        bundle / "courses.parquet"
    )
    message = fails("check", bundle)
    for word in ("courses.parquet", "'price'", "'dear'", "'level'"):
        assert word in message


def test_check_reads_the_relevance_rows_too(bundle):
    (bundle / "relevance" / "odd.csv").write_text("learner_id,course_id,score\nL01,nowhere,1\n")
    assert "relevance/odd.csv" in fails("check", bundle)


def test_audit_measures_every_algorithm(made, tmp_path):
    found = table(run("audit", made, "--k", 5, "--split", "valid", "--out", tmp_path / "audit.csv"))
    assert found["algorithm"].tolist() == ["toppopular", "userknn"]
    data, policy = eq.load_bundle(made), eq.Policy(lam=0, k=5)
    expected = eq.evaluate(data, eq.rerank(data, "userknn", policy).courses, policy, split="valid")
    np.testing.assert_allclose(
        found.loc[1, ["ndcg", "consistency", "equality"]].to_numpy(float),
        [expected.ndcg, expected.consistency, expected.equality],
        rtol=1e-5,
    )
    assert len(pd.read_csv(tmp_path / "audit.csv")) == 2


def test_a_bundle_without_relevance_cannot_be_audited(tmp_path):
    run("synth", "--learners", 20, "--courses", 400, "--out", tmp_path / "empty")
    assert "has no relevance yet" in fails("audit", tmp_path / "empty")


def test_rerank_writes_the_lists_of_a_policy(made, tmp_path):
    policy = eq.Policy(lam=0.9, k=4, strategy="pers")
    (tmp_path / "policy.json").write_text(policy.to_json())
    result = run(
        "rerank",
        made,
        "userknn",
        "--policy",
        tmp_path / "policy.json",
        "--out",
        tmp_path / "lists.parquet",
    )
    lists = pd.read_parquet(tmp_path / "lists.parquet")
    data = eq.load_bundle(made)
    expected = eq.rerank(data, "userknn", policy)
    pd.testing.assert_frame_equal(lists, expected.to_frame())
    assert lists["rank"].tolist() == [1, 2, 3, 4] * 60
    assert (lists["lam"] == 0.9).all()
    found = table(result)
    assert found["lists"].tolist() == ["own lists", "re-ranked"]
    assert found.loc[1, "consistency"] > found.loc[0, "consistency"]


def test_options_change_the_policy(made, tmp_path):
    (tmp_path / "policy.json").write_text(eq.Policy(floor=0.6).to_json())
    run(
        "rerank",
        made,
        "userknn",
        "--policy",
        tmp_path / "policy.json",
        "--lam",
        0,
        "--k",
        3,
        "--out",
        tmp_path / "lists.csv",
    )
    lists = pd.read_csv(tmp_path / "lists.csv")
    assert lists["rank"].max() == 3
    assert (lists["lam"] == 0).all()
    result = run("rerank", made, "userknn", "--floor", 1, "--out", tmp_path / "lists.csv")
    assert "do not reach the floor of 1" in result.stderr


def test_sweeps(made, tmp_path):
    found = table(
        run("sweep", made, "userknn", "--lams", "0,0.5", "--out", tmp_path / "sweep.parquet")
    )
    assert found["lam"].tolist() == [0, 0.5]
    np.testing.assert_allclose(
        found, eq.sweep(eq.load_bundle(made), "userknn", eq.Policy(), lams=[0, 0.5]), rtol=1e-4
    )
    assert len(pd.read_parquet(tmp_path / "sweep.parquet")) == 2
    floors = table(run("sweep", made, "userknn", "--floors", "0.6"))
    assert {"floor", "unreached", "mean_lam"} <= set(floors.columns)


def test_certificates(made, tmp_path):
    asked = ["certify", made, "userknn", "--k", 3, "--sample", 5]
    result = run(*asked, "--lam", 0.9, "--seed", 1, "--out", tmp_path / "shares.csv")
    found, rows = table(result).set_index("stage"), pd.read_csv(tmp_path / "shares.csv")
    assert len(rows) == 5
    now, own, swapped = (found.loc[one] for one in ("as they are", "own lists", "after swaps"))
    assert now["ratio"] == pytest.approx(rows["ratio"].mean(), rel=1e-5)
    assert now["gain_worst"] == pytest.approx(rows["gain_share"].min(), rel=1e-4)
    assert own["ratio"] == pytest.approx(rows["own_ratio"].mean(), rel=1e-5)
    assert swapped["ratio_worst"] == pytest.approx(rows["swapped_ratio"].min(), rel=1e-5)
    assert "5 learners drawn from 60" in result.stderr
    plain = run(*asked, "--lam", 0.9, "--no-swap")
    assert table(plain)["stage"].tolist() == ["as they are", "own lists"]
    assert "Swapping" not in plain.stderr
    result = run(*asked, "--floor", 0.6, "--out", tmp_path / "kept.csv")
    found, rows = table(result).set_index("stage"), pd.read_csv(tmp_path / "kept.csv")
    meeting = found.loc["all lists that meet the floor"]
    assert meeting["kept"] == pytest.approx(rows["kept"].mean(), rel=1e-4)
    assert set(rows["state"]) <= {"own list meets it", "met", "missed", "out of reach"}
    assert "the floor" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (
            ("rerank", "userknm", "--out", "x.csv"),
            "unknown algorithm 'userknm'; this bundle has toppopular, userknn",
        ),
        (("rerank", "userknn", "--lam", 2, "--out", "x.csv"), "λ must be between 0 and 1"),
        (("rerank", "userknn", "--k", 0, "--out", "x.csv"), "k must be a whole number"),
        (("rerank", "userknn", "--out", "x.xlsx"), ".csv or .parquet"),
        (("rerank", "userknn", "--policy", "none.json", "--out", "x.csv"), "none.json"),
        (("sweep", "userknn", "--lams", "0,x"), "not a list of numbers"),
        (("sweep", "userknn", "--split", "later"), "later"),
        (("precompute", "--algorithms", "userknm"), "unknown algorithm 'userknm'"),
    ],
)
def test_known_errors_are_one_message(made, tmp_path, monkeypatch, arguments, word):
    monkeypatch.chdir(tmp_path)
    assert word in fails(arguments[0], made, *arguments[1:])
    assert not list(tmp_path.iterdir())


def test_a_policy_with_an_unknown_principle(made, tmp_path):
    (tmp_path / "policy.json").write_text(eq.Policy(targets={"beauty": 1}).to_json())
    assert "beauty" in fails(
        "rerank", made, "userknn", "--policy", tmp_path / "policy.json", "--out", tmp_path / "x.csv"
    )
    (tmp_path / "policy.json").write_text("{")
    fails(
        "rerank", made, "userknn", "--policy", tmp_path / "policy.json", "--out", tmp_path / "x.csv"
    )


def test_a_wrong_option_is_a_usage_error(made):
    assert run("synth", "--learners", 0, "--out", "x", code=2).stderr
    assert run("rerank", made, code=2).stderr


def test_absent_training_libraries_are_named(made, monkeypatch):
    def absent(*args, **options):
        raise ImportError("gmf needs jax: pip install -r requirements-train.txt")

    monkeypatch.setattr("equity_core.recommenders.precompute_to", absent)
    assert "requirements-train.txt" in fails("precompute", made)


def test_a_defect_keeps_its_traceback(made, monkeypatch):
    monkeypatch.setattr("equity_core.recommenders.precompute_to", lambda *args: {}["course"])
    with pytest.raises(KeyError, match="course"):
        run("precompute", made)


def test_precompute_adds_to_a_bundle(bundle):
    before = eq.load_bundle(bundle).relevance("toppopular")
    run(
        "precompute",
        bundle,
        "--algorithms",
        "random,userknn",
        "--candidates",
        7,
        "--seed",
        5,
        "--replace",
    )
    after = eq.load_bundle(bundle)
    assert after.algorithms == ("random", "toppopular", "userknn")
    assert len(after.relevance("random").courses) == 60 * 7
    assert len(after.relevance("userknn").courses) == 60 * 7
    np.testing.assert_array_equal(after.relevance("toppopular").courses, before.courses)


def test_precompute_writes_files_for_a_bundle_or_two_tables(made, tmp_path):
    run(
        "precompute",
        made,
        "--algorithms",
        "toppopular",
        "--candidates",
        30,
        "--out",
        tmp_path / "one",
    )
    one = pd.read_parquet(tmp_path / "one" / "toppopular.parquet")
    world = eq.load_bundle(made)
    log = world.interactions
    pd.DataFrame(
        {
            "user": world.learner_ids[log["learner"]],
            "item": world.course_ids[log["course"]],
            "split": log["split"].astype(str),
        }
    ).to_csv(tmp_path / "log.csv", index=False)
    world.courses[["course_id", "title", "category", "price"]].to_csv(
        tmp_path / "courses.csv", index=False
    )
    run(
        "precompute",
        tmp_path / "courses.csv",
        tmp_path / "log.csv",
        "--algorithms",
        "toppopular",
        "--candidates",
        30,
        "--out",
        tmp_path / "two",
    )
    pd.testing.assert_frame_equal(one, pd.read_parquet(tmp_path / "two" / "toppopular.parquet"))
    assert "--out" in fails(
        "precompute", tmp_path / "courses.csv", tmp_path / "log.csv", "--algorithms", "toppopular"
    )


@pytest.fixture
def platform(tmp_path):
    """Another platform's tables, with its own names."""
    rng = np.random.default_rng(1)
    courses = pd.DataFrame(
        {
            "Kurs-ID": [f"k{at}" for at in range(30)],
            "Titel": [f"Kurs Nummer {at}" for at in range(30)],
            "Kategorie": rng.choice(["Musik", "Kunst"], 30),
            "Preis": [f"{at},99 €" for at in range(30)],
        }
    )
    log = pd.DataFrame(
        {
            "Nutzer": np.repeat([f"n{at}" for at in range(8)], 10),
            "Kurs": [f"k{at}" for _ in range(8) for at in rng.permutation(30)[:10]],
        }
    )
    log["Zeitstempel"] = 1_496_880_000_000 + rng.permutation(80) * 3_600_000
    courses.to_csv(tmp_path / "kurse.csv", index=False)
    log.to_csv(tmp_path / "log.csv", index=False)
    return tmp_path / "kurse.csv", tmp_path / "log.csv"


def test_import_tables_guesses_says_so_and_saves(platform, tmp_path):
    result = run(
        "import",
        "tables",
        *platform,
        "--name",
        "Kurse",
        "--valid",
        1,
        "--min-train",
        2,
        "--out",
        tmp_path / "made.zip",
    )
    assert "'Preis' is a common name for the price" in result.stderr
    assert "unix milliseconds" in result.stderr
    data = eq.load_bundle(tmp_path / "made.zip")
    assert data.name == "Kurse"
    assert [principle.name for principle in data.principles] == ["familiarity", "affordability"]
    assert data.splits == ("train", "valid", "test")


def test_import_tables_shows_a_preview_first(platform, tmp_path):
    found = table(run("import", "tables", *platform, "--preview"))
    assert dict(zip(found["target"], found["source"], strict=True))["price"] == "Preis"
    assert set(found["table"]) == {"courses", "interactions"}
    assert "--out" in fails("import", "tables", *platform)


def test_import_tables_takes_maps(platform, tmp_path):
    maps = {
        "courses": {"columns": {"course_id": "Kurs-ID", "price": "Preis"}, "keep": ["Kategorie"]},
        "interactions": {
            "columns": {"learner_id": "Nutzer", "course_id": "Kurs", "timestamp": "Zeitstempel"}
        },
    }
    (tmp_path / "map.json").write_text(json.dumps(maps))
    run("import", "tables", *platform, "--map", tmp_path / "map.json", "--out", tmp_path / "made")
    data = eq.load_bundle(tmp_path / "made")
    assert [principle.name for principle in data.principles] == ["affordability"]
    assert "Kategorie" in data.courses
    for text, word in (
        ("[]", "does not describe an import"),
        ('{"courses": {"columns": {"colour": "x"}}}', "colour"),
        ('{"courses": 3}', "courses is not a table of fields"),
    ):
        (tmp_path / "map.json").write_text(text)
        assert word in fails(
            "import",
            "tables",
            *platform,
            "--map",
            tmp_path / "map.json",
            "--out",
            tmp_path / "made",
        )
    assert "two numbers" in fails(
        "import", "tables", *platform, "--rating-scale", "5", "--out", tmp_path / "made"
    )
    assert "kurse.csv" in fails(
        "import", "tables", platform[1], platform[0], "--out", tmp_path / "other"
    )


def test_import_coco(tmp_path):
    assert "coco_courses.csv" in fails("import", "coco", tmp_path, "--out", tmp_path / "made")
    assert not (tmp_path / "made").exists()
    names = (
        "course_id,slug,category,level,title,price_usd,enrolled,rating,published,"
        "published_est_from_id"
    )
    assets = "n_articles,n_practice_tests,n_coding_exercises,n_resources,has_video"
    rows = [
        f"{at},s{at},music,all,T{at},{at},9,4,2016-01-0{at},2016-01-01,1,0,0,0,1"
        for at in range(1, 6)
    ]
    (tmp_path / "coco_courses.csv").write_text("\n".join([f"{names},{assets}", *rows]))
    (tmp_path / "coco_interactions.csv").write_text(
        "learner_id,course_id,timestamp\n"
        + "".join(f"7,{at},{1_496_880_000 + (at - 4)}\n" for at in range(1, 6))
    )
    result = run("import", "coco", tmp_path, "--out", tmp_path / "made")
    assert "1 learners, 4 training, 0 validation and 1 test" in result.stderr
    assert eq.load_bundle(tmp_path / "made").course_ids.tolist() == [1, 2, 3, 4, 5]
    assert "no valid split" in run("check", tmp_path / "made").stderr


def test_on_a_terminal_results_are_tables_and_errors_are_red(made, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "200")
    text = run("audit", made).stdout
    assert "│" in text
    assert "userknn" in text
    assert "\x1b[31m" in run("rerank", made, "nobody", "--out", "x.csv", code=1).stderr


def test_import_relevance_adds_lists_and_matrices(bundle, tmp_path):
    data = eq.load_bundle(bundle)
    (tmp_path / "mine.run").write_text(
        "".join(
            f"{learner} Q0 {course} 1 0.5 t\n"
            for learner in data.learner_ids
            for course in data.course_ids[:3]
        )
    )
    result = run("import", "relevance", tmp_path / "mine.run", bundle)
    assert "TREC" in result.stderr
    np.save(tmp_path / "m.npy", np.arange(60 * 400.0).reshape(60, 400))
    run("import", "relevance", tmp_path / "m.npy", bundle, "--name", "dense", "--candidates", 12)
    np.save(tmp_path / "two.npy", np.ones((2, 3)))
    (tmp_path / "learners.txt").write_text("\n".join(data.learner_ids[:2]))
    (tmp_path / "courses.txt").write_text("\n".join(data.course_ids[:3]))
    run(
        "import",
        "relevance",
        tmp_path / "two.npy",
        bundle,
        "--learners",
        tmp_path / "learners.txt",
        "--courses",
        tmp_path / "courses.txt",
    )
    after = eq.load_bundle(bundle)
    assert after.algorithms == ("toppopular", "userknn", "dense", "mine", "two")
    assert set(after.course_ids[after.relevance("two").courses]) <= set(data.course_ids[:3])
    assert "2 rows, but there are 60 ids" in fails(
        "import", "relevance", tmp_path / "two.npy", bundle, "--name", "other"
    )
    (tmp_path / "bad.pkl").write_bytes(b"\x80\x04.")
    assert "pickle" in fails("import", "relevance", tmp_path / "bad.pkl", bundle)
    assert "use one of" in fails(
        "import", "relevance", tmp_path / "mine.run", bundle, "--form", "excel", "--name", "x"
    )


def test_split_cuts_a_log_by_time(platform, tmp_path):
    result = run("split", platform[1], "--min-train", 3, "--out", tmp_path / "split.csv")
    assert "split at" in result.stderr
    found = pd.read_csv(tmp_path / "split.csv")
    assert set(found["split"]) == {"train", "valid", "test"}
    assert found[found["split"] == "train"].groupby("learner_id").size().min() >= 3
    train, test = (
        pd.to_datetime(found.loc[found["split"] == part, "timestamp"]) for part in ("train", "test")
    )
    assert train.max() < test.min()
    assert "no learner has" in fails(
        "split", platform[1], "--split-at", "1999-01-01", "--out", tmp_path / "x.csv"
    )


def test_synth_is_synthetic_and_seeded(tmp_path):
    for name in ("a", "b"):
        run("synth", "--learners", 30, "--courses", 400, "--seed", 1, "--out", tmp_path / name)
    one, two = (eq.load_bundle(tmp_path / name) for name in ("a", "b"))
    assert one.synthetic
    assert one.fingerprint == two.fingerprint
    assert len(one.learner_ids) == 30


def test_nothing_but_a_bundle_is_overwritten(tmp_path):
    (tmp_path / "letters.txt").write_text("dear")
    assert "not a bundle" in fails("synth", "--learners", 30, "--courses", 400, "--out", tmp_path)
    assert (tmp_path / "letters.txt").read_text() == "dear"


def test_demo_and_warm_call_their_makers(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(
        "equity_core.synth.demo.build_demo", lambda path, progress: asked.append(path)
    )
    monkeypatch.setattr("equity_core.warm", lambda: asked.append("warm"), raising=False)
    assert "demo" in run("demo", "--out", tmp_path / "demo").stderr
    run("warm")
    assert asked == [tmp_path / "demo", "warm"]
