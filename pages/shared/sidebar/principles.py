"""The principles in use: those of the data set, some of them, or a platform's own from any course
column. Kept as short codes that fit in a link."""

from __future__ import annotations

from typing import Any

import streamlit as st

import equity_core as eq
from pages.shared.compute import compute
from pages.shared.datasets import Dataset

KEY = "principles"
_KINDS = {
    "mean": "the mean of its numbers",
    "balance": "an even spread of its values",
    "match": "similarity to the learner's past courses",
}


def code(principle: eq.Principle) -> str:
    """The code of a principle, such as ``duration:mean:hours:low:linear``; parts left out at the
    end have their defaults."""
    parts = [principle.name, principle.kind, principle.column]
    if principle.kind == "mean":
        parts += [principle.better, principle.scale]
    return ":".join(parts)


def read(text: str, known: dict[str, eq.Principle]) -> eq.Principle:
    """The principle of a code, or of a name that the data set has. ValueError if it is neither."""
    if text in known:
        return known[text]
    parts = text.split(":")
    if not 3 <= len(parts) <= 5:
        raise ValueError(
            f"“{text}” is not a principle; a code is name:kind:column, and for a mean also high or"
            " low, linear or log"
        )
    return eq.Principle(*parts)  # type: ignore[arg-type]


def _known(bundle: eq.Bundle) -> dict[str, eq.Principle]:
    return {principle.name: principle for principle in bundle.principles}


def apply(data: Dataset) -> tuple[Dataset, list[str]]:
    """The data set judged by the chosen principles, and notes on those that could not be used. If
    none is chosen: by its own, with a note."""
    known, notes = _known(data.bundle), []
    chosen: list[str] | None = st.session_state.get(KEY)
    if chosen is None or list(chosen) == list(known):
        return data, []
    principles = []
    for text in chosen:
        try:
            principles.append(read(text, known))
        except ValueError as error:
            notes.append(f"A principle was left out: {error}.")
    codes = tuple(code(principle) for principle in principles)
    if not principles:
        return data, [
            *notes,
            (
                "No principle is chosen, so there would be nothing to judge by: the data set's own"
                " are used."
            ),
        ]
    try:
        bundle = compute(data, eq.Bundle.with_principles, tuple(principles))
    except (ValueError, TypeError) as error:
        return data, [
            *notes,
            f"These principles cannot be used: {error}. The data set's own are used.",
        ]
    return Dataset(data.name, bundle, f"{data.key}|{'|'.join(codes)}", data.private), notes


def choose(data: Dataset) -> None:
    """The control for the principles in use. Drawn in every run, so that the link keeps them."""
    known = _known(data.bundle)
    st.multiselect(
        "Principles in use",
        list(dict.fromkeys([*known, *st.session_state.get(KEY, [])])),
        list(known),
        key=KEY,
        bind="query-params",
        format_func=lambda text: text.split(":")[0],
        accept_new_options=True,
        help="Remove one, or add your own below.",
    )


def reset(data: Dataset) -> None:
    """The data set's own principles again (from a callback)."""
    st.session_state[KEY] = list(_known(data.bundle))


def add(data: Dataset) -> None:
    """The form for a principle of the user's own."""
    columns = data.bundle.principle_columns()
    st.markdown("**Your own principle, from any course column**")
    name = st.text_input(
        "Name",
        key="own_name",
        placeholder="for example duration",
        max_chars=40,
        persist_state="page",
    )
    column = st.selectbox("Column", list(columns), key="own_column", persist_state="page")
    kinds = list(_KINDS) if column and columns[column] == "mean" else ["balance", "match"]
    kind = st.selectbox(
        "Judged by", kinds, format_func=_KINDS.__getitem__, key="own_kind", persist_state="page"
    )
    better, scale = "high", "linear"
    if kind == "mean":
        better = (
            st.segmented_control(
                "Better if", ["high", "low"], key="own_better", default="high", required=True
            )
            or "high"
        )
        scale = (
            st.segmented_control(
                "Scale", ["linear", "log"], key="own_scale", default="linear", required=True
            )
            or "linear"
        )
    wrong = _wrong(data, name, kind, column, better, scale)
    if name and wrong:
        st.warning(wrong)
    st.button(
        "Add this principle",
        disabled=not name or bool(wrong),
        on_click=_added,
        args=(name, kind, column, better, scale),
        key="own_add",
        help="Give it a name first." if not name else None,
    )


def _wrong(data: Dataset, name: str, kind: Any, column: Any, better: str, scale: str) -> str:
    """Why the principle cannot be used; empty if it can be."""
    if not name:
        return ""
    if ":" in name or name in {text.split(":")[0] for text in st.session_state.get(KEY) or []}:
        return "Choose a name that is not in use and has no colon."
    try:
        data.bundle.with_principles(
            (eq.Principle(name, kind, column, *((better, scale) if kind == "mean" else ())),),
        )
    except (ValueError, TypeError) as error:
        return f"The column {column!r} cannot be used like this: {error}."
    return ""


def _added(name: str, kind: str, column: str, better: str, scale: str) -> None:
    made = eq.Principle(name, kind, column, *((better, scale) if kind == "mean" else ()))  # type: ignore[arg-type]
    st.session_state[KEY] = [*(st.session_state.get(KEY) or []), code(made)]
    st.session_state["own_name"] = ""
