"""Data: what is this built on?"""

import streamlit as st

from equity_core.analysis.data import catalogue, provenance
from equity_core.charts.data import coverage_bars, split_timeline, statistic_bars
from pages.shared import results
from pages.shared.compute import compute
from pages.shared.current import current
from pages.shared.panels import figure, plain, question, table


def screen() -> None:
    """The screen."""
    cur = current()
    bundle = cur.bundle
    head, rest = provenance.data_answer(bundle)
    question("What is this built on?", f"**{head}** {plain(rest)}")
    if said := provenance.learner_targets_sentence(bundle):
        st.info(plain(said))

    shown = [column.container(border=True, height="stretch") for column in st.columns([3, 2])]
    splits, coverage = compute(cur, provenance.splits), compute(cur, provenance.coverage)
    with shown[0]:
        said = provenance.splits_sentence(splits)
        figure(
            results.picture(cur, split_timeline, splits),
            title="Interactions by part",
            sentence=said,
            alt=f"When the interactions of each part took place. {said}",
            frame=splits,
            name="splits",
        )
        st.caption(provenance.dropped_sentence(bundle))
        if said := provenance.future_sentence(bundle):
            st.caption(said)
        table(provenance.dropped_rows(bundle), name="dropped", label="Left out or merged")
    with shown[1]:
        said = provenance.coverage_sentence(bundle)
        figure(
            results.picture(cur, coverage_bars, coverage),
            title="Courses for which each principle is known",
            sentence=f"{plain(said)} The outlined rest is filled in; the table shows with what.",
            alt=f"Share of the courses for which each principle is known. {said}",
            frame=coverage,
            name="coverage",
        )

    statistics = compute(cur, catalogue.statistics)
    for row in range(0, len(statistics), 3):
        for column, one in zip(st.columns(3), statistics[row : row + 3], strict=False):
            with column.container(border=True, height="stretch"):
                bars = catalogue.shortened(one.frame) if one.kind == "labels" else one.frame
                figure(
                    results.picture(
                        cur, statistic_bars, bars, one.kind, one.counted, by=(one.name,)
                    ),
                    title=one.title,
                    sentence=plain(one.sentence),
                    alt=f"{one.title}: number of {one.counted}. {one.sentence}",
                    frame=one.frame,
                    name=f"data_{one.name}",
                )

    if bundle.description or bundle.provenance:
        with st.expander(
            "Where the data come from and how they were read",
            icon=":material/info:",
            expanded=cur.private,
        ):
            st.text(bundle.description)
            for name, value in bundle.provenance.items():
                several = isinstance(value, list | tuple)
                st.text(
                    f"{name}:\n" + "\n".join(f"· {one}" for one in value)
                    if several
                    else f"{name}: {value}"
                )


if __name__ == "__main__":  # opened by a first deep link: docs/architecture.md, "A screen"
    from app import main

    main()
