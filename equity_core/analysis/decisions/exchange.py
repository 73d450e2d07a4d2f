"""Policies and scenarios as JSON files: written with the data set they were made with, checked when
they are read."""

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
MOST_CHARACTERS = 20_000_000
"""The longest file that is read; targets per learner, at the size of the paper, need about a third
of it."""


@dataclass(frozen=True)
class NamedPolicy:
    """A policy with a name, for one recommender (None: the current one)."""

    name: str
    algorithm: str | None
    policy: Policy


def write_scenarios(scenarios: Sequence[NamedPolicy], bundle: Bundle) -> str:
    """Scenarios as JSON, with the name and fingerprint of the data set, the software's version and
    the date. Each policy names its principles. ``bundle``: with its own principles."""
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
                    "policy": json.loads(
                        one.policy.but(
                            principles=one.policy.principles or bundle.principles
                        ).to_json()
                    ),
                }
                for one in scenarios
            ],
        },
        ensure_ascii=False,
        indent=2,
    )


def read_scenarios(
    text: str, bundle: Bundle, name: str = "Imported policy"
) -> tuple[list[NamedPolicy], list[str]]:
    """The scenarios in a file, checked against a data set, and notes on what differs.

    A file with a single policy becomes one scenario called ``name``. ValueError, saying what is
    wrong and what to do, if anything cannot be used.
    """
    if len(text) > MOST_CHARACTERS:
        raise ValueError(
            f"the file has {len(text):,} characters, more than a policy needs"
            f" ({MOST_CHARACTERS:,}): is it the right one?"
        )
    try:
        given: Any = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise ValueError(
            f"this is not a JSON file ({error}); export a policy on this page to see the format"
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
            if policy.principles == bundle.principles:  # a file names them in any case
                policy = policy.but(principles=None)
        except (ValueError, TypeError) as error:
            raise ValueError(f"{where}{error}") from None
        algorithm = row.get("algorithm")
        if algorithm is not None and algorithm not in bundle.algorithms:
            notes.append(
                f"“{algorithm}” is not a recommender of this data set: the current one is kept."
            )
            algorithm = None
        found.append(NamedPolicy(str(row.get("name") or name), algorithm, policy))
    return found, notes


def _rows(given: dict[str, Any]) -> list[dict[str, Any]]:
    """The scenarios of a file, if they have the right form."""
    rows = given["scenarios"]
    if (
        not isinstance(rows, list)
        or not rows
        or not all(isinstance(row, dict) and "policy" in row for row in rows)
    ):
        raise ValueError(
            "the file's “scenarios” must be a list of objects with a name, an algorithm and a"
            " policy; export one to see the format"
        )
    return rows


def _origin(given: dict[str, Any], bundle: Bundle) -> list[str]:
    """A note if the file was made with other data."""
    data = given.get("data")
    if not isinstance(data, dict) or data.get("fingerprint") in (None, bundle.fingerprint):
        return []
    return [
        f"The file was made with other data (“{data.get('name', 'unnamed')}”): its policies can be"
        " used, but their figures will differ here."
    ]
