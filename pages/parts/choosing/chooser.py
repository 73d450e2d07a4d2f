"""The chooser beside the main picture of the Trade-off screen: from what one accepts, or asks for,
to the policy that gives most."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import streamlit as st

from equity_core.analysis.choosing import words
from equity_core.analysis.choosing.limits import (
    Answer,
    LearnerMinimum,
    MaximumLoss,
    learner_minimum,
    maximum_loss,
)
from equity_core.analysis.choosing.minimums import principle_minimums
from equity_core.analysis.choosing.timing import later_part
from equity_core.analysis.tradeoff.front import floor_against_lam_sentence
from equity_core.charts.choosing import answers_panel
from equity_core.reranker import search as lam_search
from pages.shared import live, results, state
from pages.shared.compute import compute, remember
from pages.shared.current import Current, current
from pages.shared.links import FORMER_WORDS
from pages.shared.sidebar import targets as aims

LOSS, BELOW, LEAST = "loss", "below", "least_"
MAXIMUM_LOSS, LEARNER, PRINCIPLES = QUESTIONS = (
    "Maximum loss",
    "Minimum for every learner",
    "Minimum per principle",
)
ASK = "ask"
DEFAULT_LOSS, DEFAULT_BELOW = 10, 0.65
HELP = (
    "**Maximum loss**: the most equal policy within a loss of NDCG; safe: with 95 % confidence that"
    " the limit is kept, bold: without it. **Minimum for every learner**:"
    " what it costs that no list has a lower consistency. **Minimum per principle**: the cheapest"
    " policy whose lists have that much of each principle, on average."
)


def _given(key: str, low: float, high: float, otherwise: float) -> float:
    """A field's number. The picture is drawn before the fields: in the first run only the link
    knows what they will say."""
    value = st.session_state.get(key, st.query_params.get(key))
    try:
        number = float(value)
    except (TypeError, ValueError):
        return otherwise
    return min(max(number, low), high) if number == number else otherwise


def question() -> str:
    """Which of the three is asked."""
    value = st.session_state.get(ASK, st.query_params.get(ASK))
    value = FORMER_WORDS[ASK].get(str(value), value)
    return value if value in QUESTIONS else MAXIMUM_LOSS


def limit() -> float:
    """The accepted loss of NDCG, as a share."""
    return _given(LOSS, 0, 100, DEFAULT_LOSS) / 100


def asked(cur: Current) -> tuple[tuple[str, float], ...]:
    """The principles asked for, and how much of each; none is asked for where the field is
    empty."""
    values = {name: _given(LEAST + name, 0.0, 1.0, -1.0) for name in cur.names}
    return tuple((name, value) for name, value in values.items() if value >= 0)


def settings(cur: Current) -> tuple[Any, ...]:
    """What the answer depends on, the current λ or floor apart."""
    inputs: dict[str, Callable[[], object]] = {
        MAXIMUM_LOSS: limit,
        LEARNER: lambda: _given(BELOW, 0.0, 1.0, DEFAULT_BELOW),
        PRINCIPLES: lambda: asked(cur),
    }
    asks = question()
    return cur.algorithm, cur.without, cur.split, cur.choosing_split, asks, inputs[asks]()


def chosen(cur: Current) -> Any:
    """The answer to the question asked: kept, or searched for with progress. None where nothing is
    asked yet."""
    algorithm, policy, split, choosing, asks, wanted = settings(cur)
    if asks == PRINCIPLES:
        if not wanted:
            return None
        arguments = (algorithm, policy, wanted, split, choosing)
        return compute(
            cur, principle_minimums, *arguments, title="Searching all strategies", slow=True
        )
    limited = maximum_loss if asks == MAXIMUM_LOSS else learner_minimum
    make = partial(limited, results.searched(cur), wanted)
    return remember(cur, "chosen", make, *settings(cur), title="Checking on all learners")


def answers(cur: Current) -> list[Answer]:
    """The policies that answer, the one to use first."""
    made = chosen(cur)
    return [] if made is None else made.answers


def marks(cur: Current) -> list[dict[str, Any]]:
    """The answers as the main picture marks them."""
    made, shown = chosen(cur), answers(cur)
    return words.answer_marks(shown, cur.policy, [words.answer_kind(made, one) for one in shown])


def floor_against_lam(cur: Current) -> str:
    """What one λ gives instead of the answer's floor, in words; "" where no floor answers."""
    floor = next((one for one in answers(cur) if one.kind == "floor"), None)
    if floor is None or question() == PRINCIPLES:
        return ""
    lam = results.searched(cur).lam
    make = partial(floor_against_lam_sentence, lam, floor.evaluation)
    sentence: str = remember(cur, "floor against λ", make, *settings(cur))
    return sentence


def chooser(cur: Current, place: Any) -> None:
    """The question with its field, the answer in a sentence, the figures with a button for each
    answer, and what to be careful about."""
    with place:
        st.markdown("## What do you require?")
        st.segmented_control(
            "What do you require?",
            QUESTIONS,
            key=ASK,
            bind="query-params",
            default=MAXIMUM_LOSS,
            required=True,
            wrap=True,
            width="stretch",
            label_visibility="collapsed",
            help=HELP,
        )
        fields = {MAXIMUM_LOSS: _loss_field, LEARNER: _floor_field, PRINCIPLES: _principle_fields}
        fields[question()](cur)
        live.draw_last(partial(_draw_chosen, cur))
    _use_buttons(cur, place=place)
    live.draw_last(partial(_download, live.latest()), place)


def _draw_chosen(cur: Current) -> None:
    """The answer to the question asked."""
    made = chosen(cur)
    if isinstance(made, MaximumLoss):
        _draw_maximum_loss(cur, made)
    elif isinstance(made, LearnerMinimum):
        _draw_answer(
            cur,
            words.learner_minimum_sentence(made, cur.split, len(cur.bundle.learner_ids)),
            answers(cur),
            note=words.NO_LIMIT,
        )
    elif made is not None:
        _draw_answer(
            cur,
            words.principle_minimums_sentence(made, cur.split),
            answers(cur),
            note=words.NO_LIMIT if made.answers else "",
        )


@live.part
def _use_buttons(cur: Current) -> Iterator[None]:
    """A button for each answer."""
    shown, made = answers(cur), chosen(cur)
    yield
    if not shown:
        return
    with st.container(horizontal=True, gap="small", wrap=False):
        for one in shown:
            kind = words.answer_kind(made, one)
            name = words.policy_name_beside(one.policy, cur.policy)
            name = f"{name}, {kind}" if kind else name
            in_use = one.policy == (
                cur.policy if cur.policy.floor is None else cur.policy.but(lam=0.0)
            )
            st.button(
                f"{'In use:' if in_use else 'Use'} {name}",
                key=f"use_{kind or one.kind}",
                disabled=in_use,
                width="stretch",
                icon=":material/check:" if in_use else None,
                on_click=_use,
                args=(one.policy,),
            )


def _download(latest: Callable[[], Current]) -> None:
    """A button that downloads the current policy, as it is when the button is pressed."""
    st.download_button(
        "Download policy (JSON)",
        lambda: latest().exported(latest().policy).to_json(),
        "policy.json",
        "application/json",
        key="policy_json",
        icon=":material/download:",
        width="stretch",
        on_click="ignore",
    )


def _loss_field(_: Current) -> None:
    st.number_input(
        "Maximum loss of NDCG, in per cent",
        0,
        100,
        DEFAULT_LOSS,
        step=1,
        key=LOSS,
        bind="query-params",
    )


def _floor_field(_: Current) -> None:
    st.number_input(
        "Minimum consistency of every list",
        0.0,
        1.0,
        DEFAULT_BELOW,
        step=0.005,
        format="%.3f",
        key=BELOW,
        bind="query-params",
    )


def _principle_fields(cur: Current) -> None:
    means = results.own(cur).evaluation.principles["mean"]
    with st.form("least", border=False):
        columns = st.columns(2, gap="small", wrap=False)
        for at, name in enumerate(cur.names):
            columns[at % 2].number_input(
                name.capitalize(),
                0.0,
                1.0,
                None,
                step=0.01,
                key=LEAST + name,
                bind="query-params",
                placeholder=f"own lists {means.loc[name]:.3f}",
            )
        st.form_submit_button("Find the cheapest policy", icon=":material/search:", width="stretch")
    if not asked(cur):
        st.caption(
            "Enter how much of each principle the lists should have on average; fields left empty"
            " do not count."
        )


def _draw_maximum_loss(cur: Current, made: MaximumLoss) -> None:
    """The safe policy and the bold one, and where the limit does not hold or is not covered."""
    if made.safe is None:
        st.info(words.no_answer_sentence(results.searched(cur).own_chosen, made.limit))
        return
    later = compute(cur, later_part, cur.choosing_split, cur.split)
    _draw_answer(
        cur,
        words.maximum_loss_sentence(made, cur.split, cur.choosing_split),
        made.answers,
        words.limit_exceeded_sentence(made, cur.split, cur.choosing_split),
        kinds=[words.answer_kind(made, one) for one in made.answers],
        note=words.time_sentence(later, cur.choosing_split, cur.split),
    )


def _draw_answer(
    cur: Current,
    sentence: str,
    shown: list[Answer],
    *warnings: str,
    kinds: Sequence[str] = (),
    note: str = "",
) -> None:
    """The answer: its sentence, its figures, its warnings. ``kinds``: safe or bold; ``note``: what
    the answer does not cover."""
    st.markdown(sentence)
    if shown:
        heads = [
            (words.answer_name(one.policy, cur.policy, kinds[at] if kinds else ""), one.kind)
            for at, one in enumerate(shown)
        ]
        st.html(
            answers_panel(
                heads, words.answers_table(shown, cur.split, cur.choosing_split, cur.policy.k)
            )
        )
    chosen_on = words.chosen_on_sentence(cur.split, cur.choosing_split) if shown else ""
    warnings = (*warnings, *([chosen_on] if cur.choosing_split == cur.split else []))
    for text in filter(None, warnings):
        st.warning(text)
    used = (
        results.searched(cur).learners
        if question() != PRINCIPLES
        else lam_search.sample_size(len(cur.bundle.learner_ids), cur.policy.k)
    )
    notes = [
        chosen_on if cur.choosing_split != cur.split else "",
        note,
        words.sample_sentence(used, len(cur.bundle.learner_ids)),
    ]
    if any(notes):
        st.caption(" ".join(filter(None, notes)))


def _use(policy: Any) -> None:
    """Set the controls to an answer (from a callback)."""
    state.use(policy)
    aims.forget_drafts(current().base.bundle)
    st.rerun()  # the whole page: the controls are outside the part that has the button
