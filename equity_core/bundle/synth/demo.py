"""The demo bundle: a synthetic world with the relevance of all ten recommenders."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pyarrow.parquet as pq

from equity_core.bundle import manifest as manifests
from equity_core.bundle.faults import Faults
from equity_core.bundle.sources import sha256
from equity_core.bundle.synth.world import synthesise
from equity_core.progress import Progress

if TYPE_CHECKING:
    from equity_core.bundle.model import Bundle

DIGITS = 5
"""Significant digits of a stored score."""


def build_demo(
    path: str | os.PathLike[str],
    seed: int = 0,
    learners: int = 2000,
    courses: int = 1500,
    candidates: int = 200,
    progress: Progress | None = None,
) -> Bundle:
    """Synthesise, train the ten recommenders, and save the bundle at path; its fingerprint is kept in ``provenance.fingerprint``.

    Scores are rounded to five significant digits. On one machine a rebuild gives the same fingerprint and the same bytes; on another the
    scores of the three neural recommenders may differ in their last bits before rounding, and so now and then in the last digit kept
    (about one in a thousand), which changes the fingerprint but no figure that is shown.
    """
    from equity_core.bundle.model import Bundle
    from equity_core.recommenders import precompute

    world = synthesise(learners, courses, seed, name="Demo (synthetic)")
    relevance = precompute(world.courses, world.interactions, candidates=candidates, seed=seed, progress=progress)
    for frame in relevance.values():
        frame["score"] = rounded(frame["score"].to_numpy())
    provenance = {"made_by": "equity_core.bundle.synth.build_demo", "seed": seed, "split_at": str(world.split_at), "score_digits": DIGITS}

    def bundle(**more: str) -> Bundle:
        return Bundle.from_frames(
            world.courses,
            world.interactions,
            relevance,
            now=world.now,
            opened=world.opened,
            rating_scale=world.rating_scale,
            learners=world.learners,
            name=world.name,
            description=world.description,
            synthetic=True,
            provenance={**provenance, **more},
        )

    made = bundle(fingerprint=bundle().fingerprint)
    made.save(path)
    return made


def rounded(scores: npt.NDArray[np.floating], digits: int = DIGITS) -> npt.NDArray[np.float32]:
    """To so many significant digits; 0 stays 0, and what is above 0 stays above 0."""
    exact = scores.astype(np.float64)
    size = np.abs(exact)
    step = 10.0 ** (np.floor(np.log10(np.where(size > 0, size, 1.0))) - (digits - 1))
    return (np.round(exact / step) * step).astype(np.float32)
