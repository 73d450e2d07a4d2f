"""What each step of a policy brings: lists as picked or in the recommender's order, made by the
first procedure or by the one with swaps; the frame, and the sentence."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
import pandas as pd

from equity_core.analysis.tradeoff.headline import (
    changed_ndcg,
    compare,
    differences_sentence,
    policy_kind,
)
from equity_core.analysis.words import clear_change, decimal, few_learners_note, same
from equity_core.bundle import Bundle
from equity_core.metrics.evaluate import Evaluation, evaluate
from equity_core.policy import Policy
from equity_core.progress import Progress, report
from equity_core.reranker.api import Run, Session

ORDERS = {"greedy": "as picked", "relevance": "the recommender's order"}
"""The orders of a list in words; the paper's comes first."""
PROCEDURES = {
    "lam": ("method", {"greedy": "Greedy alone", "greedy+swaps": "Greedy and swaps"}),
    "floor": ("floor_method", {"first-lambda": "First λ", "least-loss": "Least loss"}),
}
"""By the kind of a policy: the field that says how a list is made, and its values in words; the
older one comes first."""
STEPS = {"lam": "swaps change", "floor": "the least loss changes against the first λ"}
"""What the newer procedure does, for a sentence that begins with "What"."""
OWN = "Own lists"


@dataclass(frozen=True, eq=False)
class Orders:
    """A policy's lists, made and shown in every way."""

    kind: str
    """"lam", "floor", or "own" where the policy changes nothing."""
    frame: pd.DataFrame
    """One row per way, the own lists first: lists, order, in_use, ndcg, ndcg_change (relative to
    the own lists), consistency, equality, ranked_consistency and ranked_equality (with a rank
    discount), unreached (learners short of the floor)."""
    order: pd.DataFrame | None = None
    """The recommender's order compared with the order picked, for lists made as the policy says;
    None where no list differs."""
    procedure: pd.DataFrame | None = None
    """The newer procedure compared with the older one, in the policy's order; None where no list
    differs."""
    learners: int = 0
    """How many learners there are."""


@dataclass(frozen=True, eq=False)
class _Way:
    run: Run
    evaluation: Evaluation
    ranked: Evaluation


def orders(
    bundle: Bundle,
    algorithm: str,
    policy: Policy,
    split: str = "test",
    progress: Progress | None = None,
) -> Orders:
    """Make the lists of a policy by both procedures and show them in both orders."""
    kind, value = policy_kind(policy)
    steps = iter(range(1, 6))

    def measure(run: Run, of: Policy) -> _Way:
        found = evaluate(bundle, run, of, split)
        ranked = evaluate(bundle, run, of, split, position=True)
        report(progress, next(steps), 5)
        return _Way(run, found, ranked)

    by_relevance = Session(bundle, algorithm, policy.but(order="relevance"))
    own = measure(by_relevance.at_lam(0.0), policy)
    first = _row(own, OWN, ORDERS["relevance"], kind == "lam" and value == 0.0, own)
    if kind == "lam" and value == 0.0:
        return Orders("own", pd.DataFrame([first]))
    field, names = PROCEDURES[kind]
    ways: dict[tuple[str, str], _Way] = {}
    for procedure in names:
        picked = policy.but(order="greedy", **{field: procedure})
        made = Session(bundle, algorithm, picked).run()
        # The courses are the same in either order: they are picked once.
        shown = made.courses.copy()
        by_relevance.put_in_order(shown)
        ways[procedure, "greedy"] = measure(made, picked)
        ways[procedure, "relevance"] = measure(replace(made, courses=shown), picked)
    used = str(getattr(policy, field)), str(policy.order)
    rows = [
        _row(way, names[procedure], ORDERS[order], (procedure, order) == used, own)
        for (procedure, order), way in ways.items()
    ]
    older, newer = (ways[procedure, used[1]] for procedure in names)
    return Orders(
        kind,
        pd.DataFrame([first, *rows]),
        _compared(ways[used[0], "relevance"], ways[used[0], "greedy"], lambda way: way.run.courses),
        _compared(newer, older, lambda way: np.sort(way.run.courses, axis=1)),
        len(bundle.learner_ids),
    )


def _row(way: _Way, lists: str, order: str, in_use: bool, own: _Way) -> dict[str, object]:
    before = own.evaluation.ndcg
    return {
        "lists": lists,
        "order": order,
        "in_use": in_use,
        "ndcg": way.evaluation.ndcg,
        "ndcg_change": way.evaluation.ndcg / before - 1.0 if before > 0.0 else math.nan,
        "consistency": way.evaluation.consistency,
        "equality": way.evaluation.equality,
        "ranked_consistency": way.ranked.consistency,
        "ranked_equality": way.ranked.equality,
        "unreached": int((~way.run.reached).sum()),
    }


def _compared(after: _Way, before: _Way, courses: Callable[[_Way], object]) -> pd.DataFrame | None:
    if np.array_equal(np.asarray(courses(after)), np.asarray(courses(before))):
        return None
    frame = compare(after.evaluation, before.evaluation)
    frame.attrs["changed"] = changed_ndcg(after.evaluation, before.evaluation)
    return frame


def orders_sentence(found: Orders) -> str:
    """What the order changes for the lists in use, then what the newer procedure does."""
    if found.kind == "own":
        return "These are the recommender's own lists: both orders are the same."
    changed = [one.attrs["changed"] for one in (found.order, found.procedure) if one is not None]
    note = few_learners_note(found.learners, min(filter(None, changed), default=0))
    return f"{_order_sentence(found)} {_procedure_sentence(found)}{note if changed else ''}"


def _order_sentence(found: Orders) -> str:
    if found.order is None:
        return "No list differs between the two orders."
    frame = found.frame.iloc[1:]
    lists = frame.loc[frame["in_use"], "lists"].iloc[0]
    both = frame[frame["lists"] == lists].set_index("order")
    ours, picked = both.loc[ORDERS["relevance"]], both.loc[ORDERS["greedy"]]
    row = cast(pd.Series, found.order.loc["ndcg"])
    new, old = decimal(ours["ndcg"], 4), decimal(picked["ndcg"], 4)
    if math.isnan(ours["ndcg"]):
        text = "NDCG is unknown here, in either order"
    elif clear := clear_change(row):
        text = (
            f"The recommender's order has a {_more(clear)} NDCG than the order picked ({new}"
            f" instead of {old})"
        )
    else:
        text = (
            f"The order makes no clear difference to NDCG ({new} in the recommender's order, {old}"
            " as picked)"
        )
    costs = []
    for measure in ("consistency", "equality"):
        here, there = float(ours[f"ranked_{measure}"]), float(picked[f"ranked_{measure}"])
        if math.isnan(here):
            return f"{text}."
        costs.append(
            f"{measure} stays at {here:.3f}"
            if same(here, there)
            else f"{measure} is {_more(here - there)} ({here:.3f} instead of {there:.3f})"
        )
    return (
        f"{text}; with a rank discount, {' and '.join(costs)}. Without one, consistency and"
        " equality are the same in both orders."
    )


def _more(change: float) -> str:
    return "higher" if change > 0 else "lower"


def _procedure_sentence(found: Orders) -> str:
    step = STEPS[found.kind]
    if found.procedure is None:
        return f"{step[0].upper()}{step[1:].partition(' against')[0]} no list."
    return f"What {step}, in the order in use: {differences_sentence(found.procedure)}"
