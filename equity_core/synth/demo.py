"""The demo bundle: a synthetic world with the relevance of all ten recommenders."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from equity_core.bundle.load import load_bundle
from equity_core.progress import Progress
from equity_core.synth.world import synthesise

if TYPE_CHECKING:
    from equity_core.bundle.model import Bundle

DIGITS = 5
"""Significant digits of a stored score."""

NAME = "Demo (synthetic)"
"""The name of the demo, by which its bundle is known."""


def build_demo(
    path: str | os.PathLike[str],
    seed: int = 0,
    learners: int = 2000,
    courses: int = 1500,
    candidates: int = 200,
    algorithms: Iterable[str] | None = None,
    progress: Progress | None = None,
) -> Bundle:
    """Synthesise, train the recommenders (all ten, or those named), save the bundle at the folder
    ``path`` and load it again.

    Its fingerprint is kept in ``provenance.fingerprint``. Scores are rounded to five significant
    digits: on one machine a rebuild gives the same fingerprint and the same bytes; on another the
    scores of the recommenders may differ in their last bits before rounding, and so now and then in
    the last digit kept, which changes the fingerprint but hardly a list.
    """
    from equity_core.bundle.model import Bundle
    from equity_core.recommenders import precompute

    world = synthesise(learners, courses, seed, name=NAME)
    relevance = precompute(
        world.courses, world.interactions, algorithms, candidates, seed=seed, progress=progress
    )
    for frame in relevance.values():
        frame["score"] = rounded(frame["score"].to_numpy())
    provenance = {
        "made_by": "equity_core.synth.demo",
        "seed": seed,
        "split_at": str(world.split_at),
        "score_digits": DIGITS,
    }

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
            synthetic=world.synthetic,
            provenance={**provenance, **more},
        )

    bundle(fingerprint=bundle().fingerprint).save(path)
    return load_bundle(path)


def rounded(scores: npt.NDArray[Any], digits: int = DIGITS) -> npt.NDArray[np.float32]:
    """Round to this many significant digits; 0 stays 0, and what is above 0 stays above 0."""
    exact = scores.astype(np.float64)
    size = np.abs(exact)
    step = 10.0 ** (np.floor(np.log10(np.where(size > 0, size, 1.0))) - (digits - 1))
    return (np.round(exact / step) * step).astype(np.float32)
