"""Policies and scenarios as JSON files: written with what they were made on, read back with
everything checked and explained."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from equity_core.metrics.targets import given_weights_of, targets_of
from equity_core.policy import Policy

if TYPE_CHECKING:
    from equity_core.bundle import Bundle

KIND = "equity scenarios"
LARGEST = 20_000_000
"""Characters of a file that is read; learner-specific targets of the paper's size need about a
third."""


@dataclass(frozen=True)
class Named:
    """A policy with a name, for one recommender (None: whichever is in use)."""

    name: str
    algorithm: str | None
    policy: Policy


def write(scenarios: Sequence[Named], bundle: Bundle) -> str:
    """Scenarios as JSON, with the data set's name and fingerprint, the software's version and the
    date."""
    from equity_core import __version__

    return json.dumps(
        {
            "kind": KIND,
            "software": f"equity_core {__version__}",
            "made": datetime.now(UTC).isoformat(timespec="seconds"),
            "data": {
                "name": bundle.name,
                "synthetic": bundle.synthetic,
                "fingerprint": bundle.fingerprint,
            },
            "scenarios": [
                {
                    "name": one.name,
                    "algorithm": one.algorithm,
                    "policy": json.loads(one.policy.to_json()),
                }
                for one in scenarios
            ],
        },
        ensure_ascii=False,
        indent=2,
    )


def read(text: str, bundle: Bundle, name: str = "Imported policy") -> tuple[list[Named], list[str]]:
    """The scenarios of a file (or the one policy of a policy file), checked against a data set, and
    notes on what differs.

    Anything that cannot be used is a ValueError that says what is wrong and what to do.
    """
    if len(text) > LARGEST:
        raise ValueError(
            f"the file has {len(text):,} characters, more than a policy needs ({LARGEST:,}): is it"
            " the right one?"
        )
    try:
        given: Any = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise ValueError(
            f"this is no JSON file ({error}); export a policy on this page to see the form"
        ) from None
    if isinstance(given, dict) and "scenarios" in given:
        rows, notes = _rows(given), _origin(given, bundle)
    else:
        rows, notes = [{"name": name, "algorithm": None, "policy": given}], []
    found = []
    for at, row in enumerate(rows, start=1):
        where = f"scenario {at}: " if len(rows) > 1 else ""
        try:
            policy = Policy.from_json(json.dumps(row.get("policy")))
            targets_of(bundle, policy)
            given_weights_of(bundle, policy)
        except (ValueError, TypeError) as error:
            raise ValueError(f"{where}{error}") from None
        algorithm = row.get("algorithm")
        if algorithm is not None and algorithm not in bundle.algorithms:
            notes.append(
                f"“{algorithm}” is no recommender of this data set: the one in use is kept."
            )
            algorithm = None
        found.append(Named(str(row.get("name") or name), algorithm, policy))
    return found, notes


def _rows(given: dict[str, Any]) -> list[dict[str, Any]]:
    rows = given["scenarios"]
    if (
        not isinstance(rows, list)
        or not rows
        or not all(isinstance(row, dict) and "policy" in row for row in rows)
    ):
        raise ValueError(
            "the file's “scenarios” must be a list of objects with a name, an algorithm and a"
            " policy; export one to see the form"
        )
    return rows


def _origin(given: dict[str, Any], bundle: Bundle) -> list[str]:
    """A note if the file was made on other data."""
    data = given.get("data")
    if not isinstance(data, dict) or data.get("fingerprint") in (None, bundle.fingerprint):
        return []
    return [
        f"The file was made on other data (“{data.get('name', 'unnamed')}”): the policies hold,"
        " their figures here will differ."
    ]
