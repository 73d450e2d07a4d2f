"""Charts that follow a slider: the picture is built once, and only named data sets are put in anew.

Building an Altair chart of a dozen layers takes a quarter of a second; filling one takes nothing. A browser, too, keeps a chart whose
specification is the same and moves only its marks.
"""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

Spec = dict[str, Any]


def named(name: str) -> alt.Chart:
    """A layer whose data come later, by name."""
    return alt.Chart(alt.NamedData(name=name))


def template(chart: Any) -> Spec:
    """A chart as a Vega-Lite specification, for :func:`filled`."""
    spec: Spec = chart.to_dict()
    return spec


def filled(spec: Spec, **frames: pd.DataFrame) -> Spec:
    """A specification with its named data put in; the one given is not changed."""
    return {**spec, "datasets": {**spec.get("datasets", {}), **frames}}


def packed(spec: Spec) -> Spec:
    """A specification whose data so far are Arrow, as a browser takes them: for a chart that is drawn again and again."""
    import pyarrow as pa

    out = {}
    for name, rows in spec.get("datasets", {}).items():
        table = pa.Table.from_pandas(pd.DataFrame(rows), preserve_index=False)
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, table.schema) as stream:
            stream.write_table(table)
        out[name] = sink.getvalue().to_pybytes()
    return {**spec, "datasets": out}
