"""The chooser on real learners and courses (a part of COCO beside the project): never beaten on a
grid of 1,001 λ."""

from __future__ import annotations

import pandas as pd
import pytest

import equity_core as eq
from equity_core.analysis.choosing import limits, words
from equity_core.importers import import_coco
from equity_core.reranker import search as lam_search
from tests.helpers.brute import LAMS, allowed, grid
from tests.helpers.coco import ABSENT, FOLDER, coco_present

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not coco_present(), reason=ABSENT)]


@pytest.fixture(scope="module")
def bundle() -> eq.Bundle:
    source = import_coco(FOLDER, future_courses="keep")
    return source.bundle(eq.precompute(source.courses, source.interactions, algorithms=["userknn"]))


@pytest.fixture(scope="module")
def searched(bundle: eq.Bundle) -> lam_search.SearchResult:
    return lam_search.search(bundle, "userknn", eq.Policy())


@pytest.fixture(scope="module")
def rows(bundle: eq.Bundle) -> pd.DataFrame:
    return grid(bundle, "userknn", eq.Policy(), LAMS)


@pytest.mark.parametrize("limit", [0.01, 0.05, 0.10, 0.25, 0.50])
def test_no_lam_of_1001_beats_the_answer(
    searched: lam_search.SearchResult, rows: pd.DataFrame, limit: float
) -> None:
    found, own = limits.maximum_loss(searched, limit), rows["ndcg"].iloc[0]
    highest = allowed(rows, limit, own)["equality"].max()
    assert found.bold_lam.equality == highest
    assert found.bold_lam.evaluation.ndcg >= (1 - limit) * own - 1e-9
    assert found.bold_floor.evaluation.ndcg >= (1 - limit) * own - 1e-9


def test_the_floor_for_ten_per_cent_is_more_equal_than_any_lam_within_it(
    searched: lam_search.SearchResult, rows: pd.DataFrame
) -> None:
    found = limits.maximum_loss(searched, 0.1)
    assert found.bold is found.bold_floor
    assert (
        found.bold_floor.equality
        > allowed(rows, 0.1, rows["ndcg"].iloc[0])["equality"].max() + 0.01
    )
    assert found.bold_floor.equality == pytest.approx(0.998, abs=0.001)
    assert "no validation part" in words.chosen_on_sentence(searched.split, searched.choosing)
