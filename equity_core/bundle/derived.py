"""The same content judged by other principles."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from threading import RLock
from typing import TYPE_CHECKING, Any

from equity_core.bundle.assemble import Content
from equity_core.principles import Principle, encode, fields_of

if TYPE_CHECKING:
    from equity_core.bundle.csr import Csr
    from equity_core.bundle.model import Bundle
    from equity_core.bundle.relevance import Relevance

KEPT = 8
"""How many data sets with other principles a data set keeps."""


@dataclass(frozen=True, eq=False)
class Shared:
    """What a data set, ``whole``, shares with those made of it by giving it other principles."""

    whole: Bundle
    counts: dict[str, int]
    positives: dict[str, Csr]
    relevance: dict[str, Relevance] = field(default_factory=dict)
    lock: Any = field(default_factory=RLock)


def other_principles(content: Content, principles: tuple[Principle, ...]) -> Content:
    """Return the content with other principles; learner-specific targets of others are left out.

    Raises
    ------
    ValueError
        If there is no principle, a name is used twice, or a column is missing or cannot be used.
    """
    names = [principle.name for principle in principles]
    if not names:
        raise ValueError("choose at least one principle")
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"two principles are called {twice!r}; give each its own name")
    for principle in principles:
        if principle.column not in content.courses:
            raise ValueError(
                f"principle {principle.name!r}: the courses have no column {principle.column!r}"
            )
    encoded = encode(
        content.courses,
        principles,
        now=content.now,
        opened=content.opened,
        rating_scale=content.manifest.rating_scale,
    )
    targets = content.targets
    if targets is not None:
        targets = targets[[name for name in targets.columns if name in names]]
        targets = targets if len(targets.columns) else None
    fields = {"principles": [fields_of(principle) for principle in principles]}
    return replace(
        content,
        manifest=content.manifest.model_copy(update=fields),
        principles=principles,
        encoded=encoded,
        targets=targets,
    )
