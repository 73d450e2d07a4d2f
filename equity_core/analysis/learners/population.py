"""Every learner before and after: who gains consistency, who pays in relevance, which hits are lost
and gained; by tenth, in an order, and as points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from equity_core.analysis.words import count, signed
from equity_core.metrics.inequality import known_mean

if TYPE_CHECKING:
    from equity_core.bundle import Bundle
    from equity_core.metrics.evaluate import Evaluation
    from equity_core.policy import Policy
    from equity_core.reranker.api import Run

Lists = npt.NDArray[np.int32]

TOLERANCE = 1e-9
"""Consistencies and NDCGs that differ by no more than this count as equal."""
ORDERS = {"worst": "Worst-off", "changed": "Most changed", "pays": "Pays most"}
"""The orders in which to go through the learners, as on screen."""
OUTCOMES = ("keeps the list", "NDCG unchanged", "NDCG rises", "NDCG falls", "NDCG unknown")
"""What the policy does to a learner's list and its relevance: the column ``group``."""
POINT_COLUMNS = (
    "learner_id",
    "consistency_before",
    "consistency",
    "gain",
    "price",
    "lam",
    "greedy_lam",
    "new",
    "hits_lost",
    "hits_found",
    "group",
)


def hits(bundle: Bundle, lists: Lists, split: str) -> npt.NDArray[np.bool_]:
    """Whether each place of the lists holds a course that the learner took in the split."""
    positives, courses = bundle.positives(split), len(bundle.course_ids)
    owners = np.repeat(np.arange(len(bundle.learner_ids)), np.diff(positives.indptr))
    pairs = np.arange(len(lists))[:, None] * courses + np.maximum(lists, 0)
    return np.isin(pairs, owners * courses + positives.indices) & (lists >= 0)


def lam_column(policy: Policy) -> str:
    """What λ per learner is called in a table: lam where lists are made with it, else
    greedy_lam."""
    least_loss = policy.floor is not None and policy.floor_method == "least-loss"
    return "greedy_lam" if least_loss else "lam"


def learner_changes(
    bundle: Bundle, own: Run, run: Run, before: Evaluation, after: Evaluation
) -> pd.DataFrame:
    """One row per learner, by position, comparing the own lists with those of ``run``.

    Columns: learner_id; consistency and NDCG before and after; gain (in consistency) and price
    (change in NDCG); lam (the λ of the list; under a least-loss floor, which uses none, greedy_lam
    instead: where the greedy alone first meets the floor, or comes closest); reached (the floor);
    new (courses); changed (whether the lists differ);
    hits_lost and hits_found (courses taken later that left or entered the list); tenth (1 is the
    worst-off before, 0 means no list).
    """
    old, new = own.courses, run.courses
    inside = (
        (new[:, :, None] == old[:, None, :]) & (new[:, :, None] >= 0)
        if new.shape[1] <= 50
        else None
    )
    if inside is not None:
        kept_new, kept_old = inside.any(axis=2), inside.any(axis=1)
    else:  # long lists: learner by learner, to save memory
        kept_new = np.array([np.isin(a, b[b >= 0]) for a, b in zip(new, old, strict=True)])
        kept_old = np.array([np.isin(b, a[a >= 0]) for a, b in zip(new, old, strict=True)])
    hit_new, hit_old = hits(bundle, new, after.split), hits(bundle, old, after.split)
    return pd.DataFrame(
        {
            "learner_id": bundle.learner_ids,
            "consistency_before": before.per_learner_consistency,
            "consistency": after.per_learner_consistency,
            "gain": after.per_learner_consistency - before.per_learner_consistency,
            "ndcg_before": before.per_learner_ndcg,
            "ndcg": after.per_learner_ndcg,
            "price": after.per_learner_ndcg - before.per_learner_ndcg,
            lam_column(run.policy): run.lam,
            "reached": run.reached,
            "new": ((new >= 0) & ~kept_new).sum(axis=1),
            "changed": (new != old).any(axis=1),
            "hits_lost": (hit_old & ~kept_old).sum(axis=1),
            "hits_found": (hit_new & ~kept_new).sum(axis=1),
            "tenth": tenth_of(before.per_learner_consistency),
        }
    )


def tenth_of(values: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """The tenth of each learner by a measure: 1 is the lowest, 0 where it is NaN. Equal values keep
    their order; fewer than ten learners make fewer tenths."""
    out = np.zeros(len(values), dtype=np.int64)
    known = np.flatnonzero(~np.isnan(values))
    parts = min(10, len(known))
    for at, members in enumerate(
        np.array_split(known[np.argsort(values[known], kind="stable")], parts) if parts else []
    ):
        out[members] = at + 1
    return out


def changes_by_tenth(frame: pd.DataFrame) -> pd.DataFrame:
    """One row per tenth of the learners by consistency before (``frame``: learner_changes).

    Columns: tenth; learners; consistency_before, gain, price and lam or greedy_lam (means);
    unchanged (share that keeps its list); hits_lost and hits_found (sums); with_ndcg (learners
    whose NDCG is known).
    """
    lam = "greedy_lam" if "greedy_lam" in frame else "lam"
    means, sums = ("consistency_before", "gain", "price", lam), ("hits_lost", "hits_found")
    rows = []
    for tenth, part in frame[frame["tenth"] > 0].groupby("tenth"):
        row: dict[str, float] = {"tenth": int(str(tenth)), "learners": len(part)}
        row |= {name: known_mean(part[name].to_numpy(dtype=np.float64)) for name in means}
        row |= {
            "unchanged": float((~part["changed"]).mean()),
            **{name: int(part[name].sum()) for name in sums},
        }
        rows.append({**row, "with_ndcg": int(part["price"].notna().sum())})
    return pd.DataFrame(
        rows, columns=["tenth", "learners", *means, "unchanged", *sums, "with_ndcg"]
    )


def _price_words(price: float) -> str:
    """What a tenth pays in NDCG, to three decimals; empty if that is unknown."""
    if np.isnan(price):
        return ""
    if price <= -5e-4:
        return f" and pays {-price:.3f} NDCG"
    return f", and its NDCG rises by {price:.3f}" if price >= 5e-4 else " and pays no NDCG"


def gains_sentence(frame: pd.DataFrame) -> str:
    """Who gains and who pays, over all learners (``frame``: learner_changes)."""
    listed = frame[frame["tenth"] > 0]
    if listed.empty:
        return "No learner has a list."
    gain, lose = int((listed["gain"] > TOLERANCE).sum()), int((listed["gain"] < -TOLERANCE).sum())
    if not gain and not lose:
        return "Nobody's consistency changes."
    loses = "none loses any" if not lose else f"{lose:,} lose{'s' if lose == 1 else ''} some"
    head = (
        f"{gain:,} of {count(len(listed), 'learner')} gain{'s' if gain == 1 else ''} consistency,"
        f" {loses}."
    )
    table = changes_by_tenth(frame)
    if len(table) < 10 or not gain:
        return head
    most = table.iloc[int(table["gain"].to_numpy().argmax())]
    tenth = int(most["tenth"])
    which = {1: "The worst-off tenth", 10: "The best-off tenth"}.get(
        tenth, f"Tenth {tenth} (1 is the worst-off)"
    )
    gained, paid = signed(float(most["gain"])), _price_words(float(most["price"]))
    return f"{head} {which} gains most ({gained}){paid}."


def hits_sentence(frame: pd.DataFrame, split: str) -> str:
    """What happens to the courses that learners took later (``frame``: learner_changes)."""
    known = frame[frame["price"].notna()]
    if known.empty:
        return (
            "Which courses learners took later is not known, so neither is what they pay in"
            " relevance."
        )
    worse, better = (
        int((known["price"] < -TOLERANCE).sum()),
        int((known["price"] > TOLERANCE).sum()),
    )
    lost, found = int(known["hits_lost"].sum()), int(known["hits_found"].sum())
    one = "s" if worse == 1 else ""
    lower = f"{count(worse, 'learner')} lose{one} a course taken later or see{one} it ranked lower"
    one = "s" if better == 1 else ""
    more = f"{better:,} gain{one} one or see{one} it ranked higher"
    counts = (
        f"{count(lost, 'hit')} lost, {found:,} gained, among {count(len(known), 'learner')} with"
        f" {split} courses"
    )
    return f"{lower}, {more} ({counts})."


def learner_order(frame: pd.DataFrame, by: str) -> npt.NDArray[np.int64]:
    """The learners' positions in one of the ORDERS: those without a list last, equal ones by
    position."""
    none = (frame["tenth"] == 0).to_numpy()
    before, gain = (frame[name].fillna(0.0).to_numpy() for name in ("consistency_before", "gain"))
    if by == "changed":
        keys = (-gain, -frame["new"].to_numpy(), none)
    elif by == "pays":
        keys = (before, frame["price"].fillna(np.inf).to_numpy(), none)
    else:
        keys = (before, before, none)
    return np.lexsort(keys)


def find_learners(bundle: Bundle, text: str) -> npt.NDArray[np.int64]:
    """The learner whose id is ``text``; otherwise all whose id contains it (upper or lower case),
    shortest ids first."""
    ids, text = bundle.learner_ids.astype(str), text.strip()
    if not text:
        return np.zeros(0, dtype=np.int64)
    exact = np.flatnonzero(ids == text)
    if len(exact):
        return exact
    holding = np.flatnonzero(np.char.find(np.char.lower(ids), text.lower()) >= 0)
    return holding[np.argsort(np.char.str_len(ids[holding]), kind="stable")]


def learner_line(frame: pd.DataFrame, learner: int) -> str:
    """A learner in one line, for a list of options."""
    row = frame.iloc[learner]
    if row["tenth"] == 0:
        return f"Learner {row['learner_id']} · no list"
    change = f"consistency {row['consistency_before']:.3f} → {row['consistency']:.3f}"
    return f"Learner {row['learner_id']} · {change} · " + (
        count(int(row["new"]), "new course") if row["changed"] else "list unchanged"
    )


def learner_points(people: pd.DataFrame) -> pd.DataFrame:
    """One row per learner with a list, indexed by position: those of the POINT_COLUMNS that
    learner_changes has; ``group`` is one of the OUTCOMES."""
    price = people["price"]
    picked = [~people["changed"], price.isna(), price > TOLERANCE, price < -TOLERANCE]
    group = np.select(
        [one.to_numpy() for one in picked],
        [OUTCOMES[0], OUTCOMES[4], OUTCOMES[2], OUTCOMES[3]],
        OUTCOMES[1],
    )
    known = people.assign(group=group).dropna(subset=["consistency_before", "consistency"])
    shown: pd.DataFrame = known[[name for name in POINT_COLUMNS if name in known]]
    return shown


def points_sentence(shown: pd.DataFrame) -> str:
    """How many learners gain and lose consistency (``shown``: learner_points)."""
    if shown.empty:
        return "No learner has a list."
    above = int((shown["gain"] > TOLERANCE).sum())
    below = int((shown["gain"] < -TOLERANCE).sum())
    return (
        f"{above:,} of {count(len(shown), 'learner')} gain{'s' if above == 1 else ''} consistency"
        f" (above the line), {below:,} lose{'s' if below == 1 else ''} some (below it). Draw around"
        " points to see who they are."
    )


def selection_sentence(shown: pd.DataFrame, selected: Sequence[int]) -> str:
    """What the selected learners (given by position) have in common."""
    rows = shown.loc[[at for at in selected if at in shown.index]]
    if rows.empty:
        return "No learner is selected."
    falls = int((rows["group"] == OUTCOMES[3]).sum())
    return (
        f"{count(len(rows), 'learner')} selected: consistency"
        f" {rows['consistency_before'].mean():.3f} → {rows['consistency'].mean():.3f}"
        f" ({signed(float(rows['gain'].mean()), 3)} on average); NDCG falls for {falls:,},"
        f" {int(rows['hits_lost'].sum()):,} courses taken later leave the lists and"
        f" {int(rows['hits_found'].sum()):,} enter them."
    )
