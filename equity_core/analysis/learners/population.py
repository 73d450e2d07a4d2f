"""The whole population, before and after: who gains consistency, who pays in relevance, which hits
are lost and found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from equity_core.analysis import tenths
from equity_core.analysis.words import count, signed

if TYPE_CHECKING:
    from equity_core.bundle import Bundle
    from equity_core.metrics.evaluate import Evaluation
    from equity_core.reranker.api import Run

Lists = npt.NDArray[np.int32]

SAME = 1e-9
"""Consistencies and NDCGs this close are the same."""
ORDERS = {"worst": "Worst-off", "changed": "Most changed", "pays": "Pays most"}
"""The ways to go through the learners."""


def hits(bundle: Bundle, lists: Lists, split: str) -> npt.NDArray[np.bool_]:
    """Which places of the lists hold a course that the learner took in the split."""
    positives, courses = bundle.positives(split), len(bundle.course_ids)
    owners = np.repeat(np.arange(len(bundle.learner_ids)), np.diff(positives.indptr))
    pairs = np.arange(len(lists))[:, None] * courses + np.maximum(lists, 0)
    return np.isin(pairs, owners * courses + positives.indices) & (lists >= 0)


def learners(
    bundle: Bundle, own: Run, run: Run, before: Evaluation, after: Evaluation
) -> pd.DataFrame:
    """A row a learner, by position: consistency and NDCG before and after, gain and price
    (changes), λ, reached,

    new (courses), changed (the lists differ), hits_lost and hits_found (courses taken later), tenth
    (1: worst-off before; 0: no list).
    """
    old, new = own.courses, run.courses
    inside = (
        (new[:, :, None] == old[:, None, :]) & (new[:, :, None] >= 0)
        if new.shape[1] <= 50
        else None
    )
    if inside is not None:
        kept_new, kept_old = inside.any(axis=2), inside.any(axis=1)
    else:  # long lists: learner by learner, so that memory stays small
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
            "lam": run.lam,
            "reached": run.reached,
            "new": ((new >= 0) & ~kept_new).sum(axis=1),
            "changed": (new != old).any(axis=1),
            "hits_lost": (hit_old & ~kept_old).sum(axis=1),
            "hits_found": (hit_new & ~kept_new).sum(axis=1),
            "tenth": tenth_of(before.per_learner_consistency),
        }
    )


def tenth_of(values: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """The tenth of each learner by a measure, 1 the lowest; equals by position; 0 where it is NaN.
    Fewer than ten learners: fewer."""
    out = np.zeros(len(values), dtype=np.int64)
    known = np.flatnonzero(~np.isnan(values))
    parts = min(10, len(known))
    for at, members in enumerate(
        np.array_split(known[np.argsort(values[known], kind="stable")], parts) if parts else []
    ):
        out[members] = at + 1
    return out


def by_tenth(frame: pd.DataFrame) -> pd.DataFrame:
    """A row a tenth of the learners by consistency before: learners, consistency_before, gain and
    price (means), lam (mean),

    unchanged (share that keeps its list), hits_lost and hits_found (sums), with_ndcg (learners
    behind the price).
    """
    means, sums = ("consistency_before", "gain", "price", "lam"), ("hits_lost", "hits_found")
    rows = []
    for tenth, part in frame[frame["tenth"] > 0].groupby("tenth"):
        row: dict[str, float] = {"tenth": int(str(tenth)), "learners": len(part)}
        row |= {name: tenths.mean(part[name].to_numpy(dtype=np.float64)) for name in means}
        row |= {
            "unchanged": float((~part["changed"]).mean()),
            **{name: int(part[name].sum()) for name in sums},
        }
        rows.append({**row, "with_ndcg": int(part["price"].notna().sum())})
    return pd.DataFrame(
        rows, columns=["tenth", "learners", *means, "unchanged", *sums, "with_ndcg"]
    )


def _paid(price: float) -> str:
    """What a tenth pays in NDCG, to three decimals."""
    if np.isnan(price):
        return ""
    if price <= -5e-4:
        return f" and pays {-price:.3f} NDCG"
    return f", and its NDCG rises by {price:.3f}" if price >= 5e-4 else " and pays no NDCG"


def sentence(frame: pd.DataFrame) -> str:
    """Who gains and who pays, over all learners."""
    listed = frame[frame["tenth"] > 0]
    if listed.empty:
        return "No learner has a list."
    gain, lose = int((listed["gain"] > SAME).sum()), int((listed["gain"] < -SAME).sum())
    if not gain and not lose:
        return "Nobody's consistency changes."
    loses = "none loses any" if not lose else f"{lose:,} lose{'s' if lose == 1 else ''} some"
    head = (
        f"{gain:,} of {count(len(listed), 'learner')} gain{'s' if gain == 1 else ''} consistency,"
        f" {loses}."
    )
    table = by_tenth(frame)
    if len(table) < 10 or not gain:
        return head
    most = table.iloc[int(table["gain"].to_numpy().argmax())]
    tenth = int(most["tenth"])
    which = {1: "The worst-off tenth", 10: "The best-off tenth"}.get(
        tenth, f"Tenth {tenth} (1 is the worst-off)"
    )
    return (
        f"{head} {which} gains most ({signed(float(most['gain']))}){_paid(float(most['price']))}."
    )


def hits_sentence(frame: pd.DataFrame, split: str) -> str:
    """What happens to the courses that learners later took."""
    known = frame[frame["price"].notna()]
    if known.empty:
        return (
            "Which courses learners took later is not known, so the price in relevance cannot be"
            " told."
        )
    worse, better = int((known["price"] < -SAME).sum()), int((known["price"] > SAME).sum())
    lost, found = int(known["hits_lost"].sum()), int(known["hits_found"].sum())
    lower = (
        f"{count(worse, 'learner')} lose{'s' if worse == 1 else ''} a course taken later or"
        f" see{'s' if worse == 1 else ''} it lower"
    )
    more = f"{better:,} find{'s' if better == 1 else ''} one more or higher"
    counts = (
        f"{count(lost, 'hit')} lost, {found:,} found, over {count(len(known), 'learner')} with"
        f" {split} courses"
    )
    return f"{lower}, {more} ({counts})."


def order(frame: pd.DataFrame, by: str) -> npt.NDArray[np.int64]:
    """Learners' positions in an order of ORDERS; those without a list come last. Equals by
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


def find(bundle: Bundle, text: str) -> npt.NDArray[np.int64]:
    """Learners whose id is ``text``, else those whose id contains it (whatever the case), shortest
    ids first."""
    ids, text = bundle.learner_ids.astype(str), text.strip()
    if not text:
        return np.zeros(0, dtype=np.int64)
    exact = np.flatnonzero(ids == text)
    if len(exact):
        return exact
    holding = np.flatnonzero(np.char.find(np.char.lower(ids), text.lower()) >= 0)
    return holding[np.argsort(np.char.str_len(ids[holding]), kind="stable")]


def describe(frame: pd.DataFrame, learner: int) -> str:
    """A learner in one line, for a list to choose from."""
    row = frame.iloc[learner]
    if row["tenth"] == 0:
        return f"Learner {row['learner_id']} · no list"
    change = f"consistency {row['consistency_before']:.3f} → {row['consistency']:.3f}"
    return f"Learner {row['learner_id']} · {change} · " + (
        count(int(row["new"]), "new course") if row["changed"] else "list unchanged"
    )
