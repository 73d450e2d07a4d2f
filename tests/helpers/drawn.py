"""Reading a chart back: the data that it carries, layer by layer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd


def layers(chart: Any) -> Iterator[dict[str, Any]]:
    """Every layer of a chart as Vega-Lite has it, with its data under "rows"."""
    spec = chart.to_dict()
    sets = spec.get("datasets", {})

    def walk(part: dict[str, Any], inherited: Any) -> Iterator[dict[str, Any]]:
        data = part.get("data", inherited)
        if "layer" in part:
            for inner in part["layer"]:
                yield from walk(inner, data)
        else:
            yield {**part, "rows": pd.DataFrame(sets[data["name"]])}

    yield from walk(spec, spec.get("data"))


def drawn(chart: Any, mark: str) -> pd.DataFrame:
    """The data of the first layer with a mark of this type."""
    for layer in layers(chart):
        kind = layer["mark"]["type"] if isinstance(layer["mark"], dict) else layer["mark"]
        if kind == mark:
            return layer["rows"]
    raise AssertionError(f"the chart has no {mark}")


def axis_domain(chart: Any, mark: str, channel: str) -> list[float]:
    """The domain of a channel's scale in the first layer with this mark."""
    for layer in layers(chart):
        if layer["mark"]["type"] == mark:
            return list(layer["encoding"][channel]["scale"]["domain"])
    raise AssertionError(f"the chart has no {mark}")
