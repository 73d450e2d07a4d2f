"""Columns as they come, converted to what a bundle holds. Each converter notes what it changed and
collects what it cannot read.
"""

from equity_core.importers.convert.dates import Order, to_dates
from equity_core.importers.convert.labels import (
    Ids,
    assets_of_flags,
    to_assets,
    to_flags,
    to_ids,
    to_labels,
)
from equity_core.importers.convert.numbers import Kind, to_numbers

__all__ = [
    "Ids",
    "Kind",
    "Order",
    "assets_of_flags",
    "to_assets",
    "to_dates",
    "to_flags",
    "to_ids",
    "to_labels",
    "to_numbers",
]
