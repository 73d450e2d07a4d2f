"""Charts that follow a slider: built once, then only named data sets are replaced.

Building an Altair chart of a dozen layers takes a quarter of a second; filling one takes nothing. A
browser, too, keeps a chart whose specification is the same and moves only its marks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import pandas as pd

Spec = dict[str, Any]
FEW = 24
"""Data sets of at most this many rows are written into the layers that draw them."""
Columns = pd.DataFrame | Mapping[str, Sequence[Any]]


def named_layer(name: str) -> alt.Chart:
    """A layer whose data are put in later, by name (:func:`with_data`)."""
    return alt.Chart(alt.NamedData(name=name))


def specification(chart: Any) -> Spec:
    """A chart as a Vega-Lite specification, for :func:`with_data`."""
    spec: Spec = chart.to_dict()
    return spec


def with_data(spec: Spec, **data: Columns) -> Spec:
    """A specification with its named data put in; the one given is not changed."""
    return {
        **spec,
        "datasets": {
            **spec.get("datasets", {}),
            **{name: arrow_stream(columns) for name, columns in data.items()},
        },
    }


def compact(spec: Spec) -> Spec:
    """A specification for a chart that is drawn again and again: its data become Arrow, as a
    browser takes them, but data sets of a few rows are written into the layers that draw them.

    A browser reads every data set again at every move, and the layers only once.
    """
    given, whole = (
        spec.get("datasets", {}),
        spec.get("data", {}).get("name"),
    )  # data of the whole chart are sent as Arrow in any case
    within = {name: rows for name, rows in given.items() if len(rows) <= FEW and name != whole}
    large = {
        name: arrow_stream(pd.DataFrame(rows)) for name, rows in given.items() if name not in within
    }
    return {**_with_values(spec, within), "datasets": large}


def _with_values(part: Any, given: Mapping[str, Any]) -> Any:
    """The specification with the data themselves in place of these names."""
    if isinstance(part, list):
        return [_with_values(one, given) for one in part]
    if not isinstance(part, dict):
        return part
    return {
        key: {"values": given[inner["name"]]}
        if key == "data" and inner.get("name") in given
        else _with_values(inner, given)
        for key, inner in part.items()
        if key != "datasets"
    }


def arrow_stream(columns: Columns) -> bytes:
    """A small frame, or columns by name, as an Arrow stream. Straight from Python's own values: for
    a few dozen rows that takes a tenth of the time of pandas' conversion, and charts that follow
    the slider are filled at every move."""
    import pyarrow as pa

    made = {}
    for name, values in columns.items():
        # from_pandas: a missing number is no value. A column without any value has no type of its
        # own; charts take it as numbers.
        made[str(name)] = pa.array(
            values.tolist() if isinstance(values, pd.Series) else list(values), from_pandas=True
        )
    table = pa.table(
        {
            name: values.cast(pa.float64()) if pa.types.is_null(values.type) else values
            for name, values in made.items()
        }
    )
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    out: bytes = sink.getvalue().to_pybytes()
    return out
