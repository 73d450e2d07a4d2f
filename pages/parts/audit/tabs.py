"""The tabs of the Audit screen. Each draws its figures from frames; only the open one is called."""

from __future__ import annotations

from typing import Any

import streamlit as st

import equity_core as eq
from equity_core.analysis.audit import groups, past, recommenders, worst_off
from equity_core.analysis.audit.principles import (
    correlations_sentence,
    correlations_with_consistency,
    equality_by_principle,
    equality_by_principle_sentence,
)
from equity_core.analysis.audit.spread import sorted_consistency_sentence
from equity_core.charts.audit.groups import gap_bars, group_consistency_dots, group_worst_off_dots
from equity_core.charts.audit.past import pair_correlation_dots, pairs_scatter, past_tenths_dots
from equity_core.charts.audit.principles import correlation_heatmap, equality_heatmap
from equity_core.charts.audit.spread import equality_consistency_scatter, error_bars
from pages.parts.observations import observations_tab
from pages.shared import navigation, results
from pages.shared.current import Current
from pages.shared.panels import figure, heading, plain

Found = dict[str, eq.Evaluation]
BARS = "Dot: mean. Thick line: ±1 sd. Thin line: minimum to maximum over learners."
"""How to read error bars."""


def _columns(sizes: Any) -> list[Any]:
    return [column.container(border=True, height="stretch") for column in st.columns(sizes)]


def worst_off_tab(cur: Current, found: Found, overall: Any) -> None:
    """What makes up the gap of the worst-off tenth, and its learners one by one."""
    measured, lists = found[cur.algorithm], results.own(cur).run.courses
    gap = results.frame(
        cur, worst_off.gap_by_principle, cur.bundle, lists, measured, by=(cur.algorithm,)
    )
    a, b = _columns([2, 3])
    with a:
        figure(
            results.picture(cur, gap_bars, gap, by=(cur.algorithm,)),
            title="What makes up the gap",
            sentence=(
                "Each principle's part of the gap between the worst-off tenth and the others. The"
                " parts add up to the gap."
            ),
            alt=(
                "Parts of the gap in consistency by principle."
                f" {worst_off.worst_off_sentence(cur.bundle, lists, measured)}"
            ),
            frame=gap,
            name="gap",
        )
    with b:
        frame = worst_off.worst_off_learners(cur.bundle, measured)
        heading(
            "The worst-off learners, one by one",
            "“Furthest behind”: the principle whose target the list misses by most, compared with"
            " all learners' lists.",
            frame=frame,
            name="worst_off_learners",
        )
        number = st.column_config.NumberColumn
        shown = {
            "learner_id": st.column_config.TextColumn("Learner", pinned=True),
            "consistency": st.column_config.ProgressColumn(
                "Consistency", min_value=0.0, max_value=1.0, format="%.3f"
            ),
            "furthest_behind": st.column_config.TextColumn("Furthest behind"),
            "value": number("Its value", format="%.2f"),
            "mean_of_all": number("Mean of all", format="%.2f"),
            "ndcg": number("NDCG", format="%.3f"),
            "past_courses": number("Past courses", format="%d"),
        }
        event = st.dataframe(
            frame,
            column_config=shown,
            column_order=list(shown),
            hide_index=True,
            height=212,
            key="worst_learners",
            on_select="rerun",
            selection_mode="single-row",
        )
        picked = event.selection.rows[0] if event.selection.rows else 0
        learner = str(frame["learner_id"].iloc[picked]) if len(frame) else ""
        if learner:
            words = f"See the list of {plain(learner)}"
            st.button(
                words,
                icon=":material/person_search:",
                key="see_list",
                on_click=navigation.go,
                args=("learners",),
                kwargs={"learner": learner},
            )


def recommenders_tab(cur: Current, found: Found, overall: Any) -> None:
    """Figures 3b and 3c."""
    a, b = _columns(2)
    with a:
        figure(
            results.picture(cur, error_bars, overall, cur.algorithm, by=(cur.algorithm,)),
            title="Consistency across learners",
            sentence=f"{plain(sorted_consistency_sentence(overall, cur.algorithm))} {BARS}",
            alt=(
                "Consistency across learners for each recommender."
                f" {sorted_consistency_sentence(overall, cur.algorithm)}"
            ),
            frame=overall,
            name="error_bars",
        )
    with b:
        said = recommenders.consistency_equality_sentence(overall)
        figure(
            results.picture(
                cur, equality_consistency_scatter, overall, cur.algorithm, by=(cur.algorithm,)
            ),
            title="Equality against consistency",
            sentence=f"{said} Lines: 95 % intervals.",
            alt=f"Equality against mean consistency, one point per recommender. {said}",
            frame=overall.filter(regex="^(label|consistency|equality|sd|learners$)"),
            name="equality_consistency",
        )


def correlations_tab(cur: Current, found: Found, overall: Any) -> None:
    """Figure 6, and equality principle by principle."""
    frame = results.frame(cur, correlations_with_consistency, found)
    said = correlations_sentence(frame)
    with st.container(border=True):
        figure(
            results.picture(cur, correlation_heatmap, frame),
            title="Which principles correlate with consistency",
            sentence=(
                f"{plain(said)} Spearman's ρ over learners: 1 if learners with more of a principle"
                " always have more consistency."
            ),
            alt=f"Rank correlation of each principle with consistency for each recommender. {said}",
            frame=frame,
            name="correlations",
        )
    shares = results.frame(cur, equality_by_principle, found)
    said = equality_by_principle_sentence(shares)
    with st.container(border=True):
        figure(
            results.picture(cur, equality_heatmap, shares),
            title="How equally each principle is spread over learners",
            sentence=(
                f"{plain(said)} 1 − Gini of each principle's value over learners: another reading"
                " of equality, before a learner's principles even each other out."
            ),
            alt=f"Equality of each principle over learners for each recommender. {said}",
            frame=shares,
            name="equality_by_principle",
        )


def past_tab(cur: Current, found: Found, overall: Any) -> None:
    """Figures 7 and 8."""
    before = results.frame(cur, past.past_consistency, cur.bundle, cur.own)
    by_algorithm = results.frame(cur, past.pair_correlations, before, found)
    sampled = results.frame(
        cur, past.pair_differences, before, found[cur.algorithm], by=(cur.algorithm,)
    )
    tenths = results.frame(cur, past.past_tenths, before, found)
    a, b = _columns(2)
    with a:
        said = past.pairs_sentence(by_algorithm, cur.algorithm)
        figure(
            results.picture(
                cur, pairs_scatter, sampled, past.pair_trend(sampled), by=(cur.algorithm,)
            ),
            title="Similar pasts, similar lists?",
            sentence=(
                f"{plain(said)} Drawn: a sample of {past.PAIRS:,} pairs at most, always the same."
                " Line: mean of ten groups of pairs; band: ±1 sd."
            ),
            alt=(
                "Difference in consistency between two lists against that between the two pasts,"
                f" over pairs of learners. {said}"
            ),
            frame=sampled,
            name="pairs",
        )
        figure(
            results.picture(
                cur, pair_correlation_dots, by_algorithm, cur.algorithm, by=(cur.algorithm,)
            ),
            title="The same for every recommender",
            sentence=(
                "Rank correlation over all pairs. 0: how much the pasts differ says nothing about"
                " how much the lists differ."
            ),
            alt=f"Rank correlation over pairs of learners for each recommender. {said}",
            frame=by_algorithm,
            name="pairs_by_algorithm",
        )
    with b:
        figure(
            results.picture(cur, past_tenths_dots, tenths),
            title="Most and least consistent pasts",
            sentence=(
                f"{past.past_tenths_sentence(tenths)} A past is measured like a list; by"
                " familiarity it always matches itself."
            ),
            alt=(
                "Mean consistency of the lists of two tenths of the learners, for each recommender."
                f" {past.past_tenths_sentence(tenths)}"
            ),
            frame=tenths,
            name="past_groups",
        )


def groups_tab(cur: Current, found: Found, overall: Any) -> None:
    """Groups of learners by a column of the learners table."""
    available = groups.group_columns(cur.bundle)
    if not available:
        st.info(
            "This data set has no learners table, so there are no groups to compare. Add a"
            " learners.parquet with columns to group by."
        )
        return
    if st.session_state.get("slice") not in available:
        st.session_state["slice"] = available[0]
    column = st.selectbox(
        "Group learners by", available, key="slice", width=320, persist_state="session"
    )
    frame = results.frame(
        cur,
        groups.groups_by_column,
        cur.bundle,
        found[cur.algorithm],
        column,
        by=(cur.algorithm, column),
    )
    said = groups.groups_sentence(frame, column)
    a, b = _columns(2)
    with a:
        figure(
            results.picture(cur, group_consistency_dots, frame, by=(cur.algorithm, column)),
            title=f"Consistency by {plain(column)}",
            sentence=plain(said),
            alt=f"Mean consistency of groups of learners by {column}. {said}",
            frame=frame,
            name="slices",
        )
    with b:
        figure(
            results.picture(cur, group_worst_off_dots, frame, by=(cur.algorithm, column)),
            title="Among the worst-off tenth",
            sentence=(
                "A dot to the right of its tick: the group has more of the worst-off than its size"
                " alone would give."
            ),
            alt=f"Share of each group among all learners and among the worst-off tenth. {said}",
            frame=frame[["group", "learners", "share", "worst_off", "share_of_worst_off", "rate"]],
            name="slices_worst_off",
        )


TABS = {
    "Who is worst off, and why": worst_off_tab,
    "Recommenders compared": recommenders_tab,
    "Which principles matter": correlations_tab,
    "Past and lists": past_tab,
    "Groups of learners": groups_tab,
    "Eight observations": observations_tab,
}
