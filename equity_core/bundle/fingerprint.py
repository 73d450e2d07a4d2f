"""A hash of what a bundle contains: the same in any order of rows, in any file format, under any
name."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from equity_core.bundle.relevance import Relevance
from equity_core.principles import fields_of

if TYPE_CHECKING:
    from equity_core.bundle.assemble import Content

SIZE = 16
"""Bytes of a fingerprint."""


def of_parts(parts: Mapping[str, str]) -> str:
    """One fingerprint of several."""
    return blake2b(json.dumps(parts, sort_keys=True).encode(), digest_size=SIZE).hexdigest()


def of_settings(settings: Mapping[str, Any]) -> str:
    """A hash of plain values."""
    return blake2b(
        json.dumps(settings, sort_keys=True, default=str).encode(), digest_size=SIZE
    ).hexdigest()


def of_table(columns: Iterable[tuple[str, npt.NDArray[Any]]]) -> str:
    """A hash of columns in the order of their names; their rows are in a canonical order
    already."""
    found = blake2b(digest_size=SIZE)
    for name, values in sorted(columns, key=lambda column: column[0]):
        found.update(f"{len(name)} {name} {len(values)}\n".encode())
        _column(found, values)
    return found.hexdigest()


def of_frame(frame: pd.DataFrame, order: npt.NDArray[np.intp]) -> str:
    """A hash of a frame's columns, its rows taken in the given order."""
    return of_table((str(name), frame[name].to_numpy()[order]) for name in frame.columns)


def of_relevance(
    relevance: Relevance, learner_ids: npt.NDArray[Any], course_ids: npt.NDArray[Any]
) -> str:
    """A hash of the (learner, course, score) rows, whatever their order."""
    from equity_core.bundle import kernels

    first, second = kernels.digest(
        relevance.indptr,
        relevance.courses,
        relevance.scores,
        _hashes(learner_ids),
        _hashes(course_ids),
    )
    return f"{int(first):016x}{int(second):016x}"


def _hashes(ids: npt.NDArray[Any]) -> npt.NDArray[np.uint64]:
    kind = "int" if ids.dtype.kind == "i" else "text"
    joined = b"".join(
        blake2b(f"{kind}:{value}".encode(), digest_size=8).digest() for value in ids.tolist()
    )
    return np.frombuffer(joined, dtype="<u8").astype(np.uint64)


def _column(found: blake2b, values: npt.NDArray[Any]) -> None:
    """Numbers by value (3 and 3.0 are the same), dates in seconds, anything else as text; a column
    without any value has no type."""
    if values.dtype.kind == "M":
        seconds = values.astype("datetime64[s]").astype(np.int64)
        empty = bool(np.isnat(values).all())
        found.update(b"empty" if empty else b"date" + seconds.astype("<i8").tobytes())
    elif values.dtype.kind in "biuf":
        decimal = values.astype(np.float64)
        if values.dtype.kind in "iu" and bool(
            ((values > 2**53) | (values < -(2**53))).any()
        ):  # beyond, decimals lose digits
            found.update(b"long" + values.astype("<i8").tobytes())
        elif bool(np.isnan(decimal).all()):
            found.update(b"empty")
        else:
            decimal = np.where(np.isnan(decimal), np.nan, decimal + 0.0)
            found.update(
                (b"boolean" if values.dtype.kind == "b" else b"number")
                + decimal.astype("<f8").tobytes()
            )
    else:
        texts = [
            None
            if value is None
            else "\x1f".join(value)
            if isinstance(value, tuple)
            else str(value)
            for value in values.tolist()
        ]
        encoded = [b"" if text is None else text.encode() for text in texts]
        lengths = np.array(
            [-1 if text is None else len(code) for text, code in zip(texts, encoded, strict=True)],
            dtype="<i8",
        )
        found.update(
            b"empty" if (lengths < 0).all() else b"text" + lengths.tobytes() + b"".join(encoded)
        )


def of_content(content: Content) -> str:
    """A hash of tables and settings: courses by id, interactions by learner and course id."""
    learner_ids, course_ids = content.known.learner_ids, content.known.course_ids
    assert learner_ids is not None
    assert course_ids is not None
    order = np.argsort(course_ids, kind="stable")
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    frame = content.interactions
    learner, course, split = (
        frame["learner"].to_numpy(),
        rank[frame["course"].to_numpy()],
        frame["split"].cat.codes.to_numpy(),
    )
    rows = np.argsort((learner.astype(np.int64) * len(rank) + course) * 4 + split, kind="stable")
    parts = {
        "courses": of_frame(content.courses, order),
        "learner ids": of_table([("learner_id", learner_ids)]),
        "interactions": of_table(
            (name, values[rows])
            for name, values in (
                ("learner", learner),
                ("course", course),
                ("split", split),
                ("timestamp", frame["timestamp"].to_numpy()),
                ("rating", frame["rating"].to_numpy()),
            )
        ),
        "settings": of_settings(
            {
                "principles": [fields_of(principle) for principle in content.principles],
                "now": content.now,
                "opened": content.opened,
                "rating_scale": content.manifest.rating_scale,
            }
        ),
    }
    if content.future.hidden.any():  # else they change nothing, and old fingerprints hold
        parts["future"] = of_table([("hidden", content.future.hidden[order])])
    for name, optional in (("learners", content.learners), ("targets", content.targets)):
        if optional is not None:
            parts[name] = of_frame(optional, np.arange(len(optional)))
    return of_parts(parts)
