"""The chooser as one call: from what one accepts, or asks for, to a policy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from equity_core.analysis.choosing import words
from equity_core.analysis.choosing.limits import (
    Answer,
    learner_minimum,
    maximum_loss,
    measure_answer,
)
from equity_core.analysis.choosing.minimums import principle_minimums
from equity_core.analysis.choosing.timing import later_part
from equity_core.bundle import Bundle
from equity_core.bundle.interactions import SPLITS
from equity_core.metrics.safety import CONFIDENCE
from equity_core.policy import Policy
from equity_core.progress import Progress
from equity_core.reranker.search import SearchResult, search


@dataclass(frozen=True, eq=False)
class Choice:
    """What :func:`equity_core.choose` found."""

    safe: Policy | None
    """The most equal policy that keeps the limit with the confidence asked for; the own lists
    (λ = 0) if no other does. Without a limit on the loss, what is asked for depends on lists alone,
    which are known: the same as ``bold``."""
    bold: Policy | None
    """The most equal policy that keeps the limit on the part used for choosing, without that
    confidence. None where NDCG is unknown there or the own lists find nothing, or where no policy
    has what is asked for."""
    table: pd.DataFrame
    """One row each for own, safe and bold: kind, value, equality, consistency, lowest (consistency
    of the worst-off learner), chosen_ndcg and chosen_loss on the part used for choosing, ndcg and
    loss with its 95 % interval (loss_low, loss_high) on the part that is reported. Losses are
    shares; a gain is negative, unknown is NaN."""
    sentence: str
    """The answer in words, with what to be careful about."""


def choose(
    bundle: Bundle,
    algorithm: str,
    policy: Policy | None = None,
    *,
    loss: float | None = None,
    none_below: float | None = None,
    at_least: Mapping[str, float] | None = None,
    confidence: float = CONFIDENCE,
    chosen_on: str = "valid",
    reported_on: str = "test",
    progress: Progress | None = None,
) -> Choice:
    """Find the policy that gives most for what one accepts, or asks for.

    Every λ and every floor are searched. Exactly one of ``loss``, ``none_below`` and ``at_least``
    says what is asked. With ``loss``, a policy is safe if its loss is within the limit with the
    given confidence for learners like these: by a one-sided t-test over the learners with a course
    to find, from the mildest policy upward until the first that fails. Later behaviour may differ.

    Parameters
    ----------
    bundle : Bundle
        The data set.
    algorithm : str
        The recommender whose lists are re-ranked.
    policy : Policy or None
        Everything but λ and floor: k, strategy, targets and the rest. None: as by default.
    loss : float or None
        The share of NDCG that may be lost (0.05 = 5 %).
    none_below : float or None
        The consistency that no learner's list may be below: a floor at that height.
    at_least : Mapping or None
        The mean over learners that the lists must have, by principle: the cheapest policy that has
        it.
    confidence : float
        Of the safe policy, from 0.5 to below 1.
    chosen_on : str
        The part of the data used for choosing. A part that the bundle does not have is replaced by
        the other; the sentence says so.
    reported_on : str
        The part that figures are reported on.
    progress : Progress or None
        Called as ``progress(done, total)``; returning False cancels.

    Returns
    -------
    Choice
        The safe policy, the bold one, their figures, and a sentence.

    Raises
    ------
    ValueError
        If not exactly one question is asked, or a number, a part or a principle is not possible.

    Examples
    --------
    >>> import equity_core as eq
    >>> bundle = eq.load_bundle("data/demo")
    >>> choice = eq.choose(bundle, "userknn", eq.Policy(k=5), loss=0.05)
    >>> bool(choice.table.loc["safe", "chosen_loss"] < 0.05)
    True
    >>> floor = eq.choose(bundle, "userknn", eq.Policy(k=5), none_below=0.6)
    >>> floor.safe.floor
    0.6
    """
    policy = (policy or Policy()).but(lam=0.0, floor=None)
    if sum(given is not None for given in (loss, none_below, at_least)) != 1:
        raise ValueError("ask exactly one question: loss, none_below or at_least")
    for part in (chosen_on, reported_on):
        if part not in SPLITS:
            raise ValueError(f"{part!r} is not a part of the data; use one of {', '.join(SPLITS)}")
    if not 0.5 <= confidence < 1:
        raise ValueError(f"the confidence must be at least 0.5 and below 1, not {confidence:g}")
    for name, limit in (("loss", loss), ("none_below", none_below)):
        if limit is not None and not 0.0 <= limit <= 1.0:
            raise ValueError(f"{name} must be between 0 and 1, not {limit:g}")
    known = [part for part in (reported_on, chosen_on) if part in bundle.splits]
    split = known[0] if known else reported_on
    choosing = known[-1] if known else reported_on
    if at_least is not None:
        minimums = principle_minimums(
            bundle, algorithm, policy, tuple(at_least.items()), split, choosing, progress
        )
        found = minimums.answer
        text = words.principle_minimums_sentence(minimums, split)
        searched = search(bundle, algorithm, policy, split, choosing, steps=1)
        return _choice(searched, chosen_on, found, found, text, words.NO_LIMIT if found else "")
    searched = search(bundle, algorithm, policy, split, choosing, progress=progress)
    if none_below is not None:
        lowest = learner_minimum(searched, none_below)
        text = words.learner_minimum_sentence(lowest, split, len(bundle.learner_ids))
        return _choice(searched, chosen_on, lowest.floor, lowest.floor, text, words.NO_LIMIT)
    assert loss is not None
    made = maximum_loss(searched, loss, confidence)
    if made.safe is None:
        own = measure_answer(searched, policy)
        why = words.no_answer_sentence(searched.own_chosen, loss)
        return _choice(searched, chosen_on, own, None, why)
    notes = (
        words.limit_exceeded_sentence(made, split, choosing),
        words.time_sentence(later_part(bundle, choosing, split), choosing, split),
    )
    return _choice(
        searched,
        chosen_on,
        made.safe,
        made.bold,
        words.maximum_loss_sentence(made, split, choosing),
        *notes,
    )


def _choice(
    searched: SearchResult, wanted: str, safe: Answer | None, bold: Answer | None, *sentences: str
) -> Choice:
    """Put answers, figures and sentences together; ``wanted`` is the part to be chosen on."""
    own = measure_answer(searched, searched.policy("lam", 0.0))
    bundle = searched.session.bundle
    said = [
        *sentences,
        words.chosen_on_sentence(searched.split, searched.choosing, wanted)
        if searched.choosing in bundle.splits
        else "",
        words.sample_sentence(searched.learners, len(bundle.learner_ids)),
    ]
    table = pd.DataFrame(
        [_figures(searched, answer) for answer in (own, safe, bold)],
        index=pd.Index(["own", "safe", "bold"], name="answer"),
    )
    return Choice(
        None if safe is None else safe.policy,
        None if bold is None else bold.policy,
        table,
        " ".join(filter(None, said)).replace("**", ""),
    )


def _figures(searched: SearchResult, answer: Answer | None) -> dict[str, object]:
    if answer is None:
        return {"kind": ""}
    ndcg = answer.row("ndcg")
    return {
        "kind": answer.kind,
        "value": answer.value,
        "equality": answer.equality,
        "consistency": answer.evaluation.consistency,
        "lowest": answer.lowest,
        "chosen_ndcg": searched.own_chosen + answer.change.mean,
        "chosen_loss": answer.chosen_loss,
        "ndcg": answer.evaluation.ndcg,
        "loss": answer.loss,
        "loss_low": 0.0 - float(ndcg["relative_high"]),
        "loss_high": 0.0 - float(ndcg["relative_low"]),
    }
