"""Parts of the Overview: the worst-off tenth, the pinned baseline, and the ways on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import streamlit as st

from equity_core.algorithms import label
from equity_core.analysis.audit.worst_off import tenth_and_others
from equity_core.analysis.overview import (
    worst_off_groups,
    worst_off_principles,
    worst_off_sentence,
)
from equity_core.analysis.tradeoff import headline
from equity_core.analysis.words import count, few_learners_note
from equity_core.charts.base.templates import compact
from equity_core.charts.overview import worst_off_chart, worst_off_template
from pages.shared import live, results, state
from pages.shared import navigation as screens
from pages.shared.current import Current
from pages.shared.panels import body, cards, head

# Who, what they come for, and the screens that serve it: file, words.
WAYS = (
    (
        "You choose the policy",
        "Find the floor or λ that costs no more NDCG than you accept, and download it as a file.",
        (("tradeoff", "Choose on Trade-off"), ("decisions", "Compare on Decisions")),
    ),
    (
        "You review inequality",
        "See how unequally the recommenders serve learners today, and who is worst off.",
        (("audit", "Read the Audit"), ("learners", "Look at Learners")),
    ),
    (
        "You present or check it",
        "What the data are, what every number means, and what it cannot tell you.",
        (("data", "See the Data"), ("methods", "Read the Methods")),
    ),
)

TENTH = (
    "The mean of each principle in the lists of the worst-off tenth, before and after, and of the"
    " others today; the table has the figures."
)


@live.part
def answer(cur: Current) -> Iterator[None]:
    """Whether it is worth changing, in a sentence."""
    own, now = results.own(cur), results.result(cur)
    words = headline.answer_sentence(results.comparison(cur), cur.policy, own.run, now.run)
    changed = headline.changed_ndcg(now.evaluation, own.evaluation)
    yield
    st.markdown(words + few_learners_note(len(cur.bundle.learner_ids), changed))


@live.part
def measures(cur: Current) -> Iterator[None]:
    """The three cards; and the pinned baseline, if there is one."""
    yield
    cards(headline.cards(results.comparison(cur), cur.policy.k))
    _against_baseline(cur)


def worst_off(cur: Current, place: Any) -> None:
    """The tenth that is worst off today, before and after."""
    title = (
        "The worst-off tenth:"
        f" {count(int(tenth_and_others(results.own(cur).evaluation)['learners']), 'learner')}"
    )
    with place:
        head(title, "worst_off")
    _worst_off(cur, title, place=place)


@live.part
def _worst_off(cur: Current, title: str) -> Iterator[None]:
    own, now = results.own(cur).evaluation, results.evaluation(cur)
    frame = worst_off_principles(own, now)
    spec = results.template(
        cur, "worst_off", lambda: compact(worst_off_template(list(cur.names), cur.dark)), cur.names
    )
    words = worst_off_sentence(worst_off_groups(own, now))
    chart = worst_off_chart(spec, frame)
    yield
    body(
        chart,
        title=title,
        sentence=f"{words} Tick: the others today.",
        alt=TENTH,
        frame=frame,
        name="worst_off",
    )


def _against_baseline(cur: Current) -> None:
    """The current policy compared with the pinned one, in a sentence with paired intervals."""
    if cur.baseline is None:
        return
    algorithm = cur.baseline_algorithm or cur.algorithm
    try:
        then = results.evaluation(cur, algorithm, cur.baseline)
    except ValueError as error:
        st.warning(
            f"The pinned policy does not fit this data set: {error}. Unpin it in the sidebar."
        )
        return
    compared = headline.compare(results.evaluation(cur), then)
    st.info(
        f"Compared with the pinned {label(algorithm)}, {state.describe(cur.baseline)}:"
        f" {headline.differences_sentence(compared)}",
        icon=":material/keep:",
    )


def ways_on() -> None:
    """Where to go from here, for the three kinds of user."""
    for column, (who, what, links) in zip(st.columns(3), WAYS, strict=True):
        with column.container(border=True, height="stretch"):
            st.markdown(f"## {who}")
            st.caption(what)
            st.html(
                '<div class="eq'
                f' eq-ways">{"".join(screens.link(file, words) for file, words in links)}</div>'
            )
