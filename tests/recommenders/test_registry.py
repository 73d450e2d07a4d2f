"""The ten by name."""

from __future__ import annotations

import subprocess
import sys

import pytest

from equity_core.algorithms import ALGORITHMS, FAMILIES, OWN, family, label
from equity_core.recommenders.base import require
from equity_core.recommenders.registry import check, create, info, need
from tests.recommenders.worlds import SEVEN

PAPER = {
    "userknn": {"neighbours": 100},
    "itemknn": {"neighbours": 100},
    "p3alpha": {"alpha": 0.8, "neighbours": 200},
    "rp3beta": {"alpha": 0.6, "beta": 0.3, "neighbours": 200},
}


def test_all_ten_have_a_label_a_known_family_and_a_sentence() -> None:
    infos = [info(name) for name in ALGORITHMS]
    assert [one.name for one in infos] == list(ALGORITHMS)
    assert len({one.label for one in infos}) == 10
    assert {one.family for one in infos} == set(FAMILIES)
    assert all(one.summary.endswith(".") for one in infos)


def test_every_name_has_a_class_of_that_name() -> None:
    assert [create(name).name for name in ALGORITHMS] == list(ALGORITHMS)


def test_a_strangers_name_is_its_label() -> None:
    assert (label("itemknncb"), family("itemknncb")) == ("ItemKNN-CB", "content")
    for stranger in ("our_model", "UserKNN", "user-knn 2"):
        assert (label(stranger), family(stranger)) == (stranger, OWN)
    assert OWN not in FAMILIES


@pytest.mark.parametrize(("name", "settings"), PAPER.items())
def test_the_settings_are_the_papers(name: str, settings: dict[str, float]) -> None:
    assert info(name).settings == settings


def test_settings_can_be_changed_and_wrong_names_are_refused() -> None:
    assert create("userknn", neighbours=7) != create("userknn")
    with pytest.raises(TypeError):
        create("userknn", neighbors=7)


def test_an_unknown_algorithm_is_a_key_error_that_lists_the_known_ones() -> None:
    for call in (create, info, lambda name: check(["userknn", name])):
        with pytest.raises(KeyError, match=r"'svd'.*random, toppopular, userknn"):
            call("svd")


def test_names_are_taken_once_and_a_single_name_is_no_list_of_letters() -> None:
    assert check(["itemknn", "random", "itemknn"]) == ("itemknn", "random")
    assert check("itemknn") == ("itemknn",)


@pytest.mark.parametrize(
    ("name", "module"),
    [
        ("userknn", "sparse_dot_topn"),
        ("itemknncb", "sklearn"),
        ("gmf", "jax"),
        ("neumf", "optax"),
        ("coupledcf", "jax"),
    ],
)
def test_a_missing_library_is_named_with_the_file_that_brings_it(
    name: str, module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=rf"{name} needs .*{module}.*requirements-train\.txt"):
        need([name])
    with pytest.raises(ImportError, match=rf"{module}.*requirements-train\.txt"):
        require(module)
    need(["random", "toppopular"])


def test_importing_the_package_loads_none_of_the_libraries() -> None:
    heavy = {"sklearn", "jax", "optax", "sparse_dot_topn", "scipy.sparse", "pyarrow.parquet"}
    code = f"import sys, equity_core.recommenders; print(sorted({heavy!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_looking_at_the_seven_loads_none_of_the_libraries() -> None:
    code = (
        "import sys; from equity_core.recommenders.registry import info; [info(name) for name in"
        f" {SEVEN!r}]; print(sorted({{'sklearn', 'jax', 'sparse_dot_topn'}} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
