"""The parts that the nets are put together from, and how each starts. JAX is imported where it is
needed, while a net is traced."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy import sparse

from equity_core.recommenders.base import Training
from equity_core.recommenders.neural import Start

if TYPE_CHECKING:
    import jax

    from equity_core.recommenders.neural_train import Params

QUIET = 0.01
"""A branch's output weights start at this share of what is usual, so that it adds next to nothing
until it has learned something."""


def normal(rng: np.random.Generator, deviation: float, *shape: int) -> npt.NDArray[np.float64]:
    """Embeddings at the start."""
    return rng.normal(0.0, deviation, shape)


def layer(rng: np.random.Generator, inputs: int, outputs: int) -> npt.NDArray[np.float64]:
    """A layer's weights at the start, for a rectifier: deviation √(2 / inputs)."""
    return rng.normal(0.0, np.sqrt(2.0 / inputs), (inputs, outputs))


def popularity_bias(matrix: sparse.csr_matrix[np.float32]) -> npt.NDArray[np.float64]:
    """A course's bias at the start: log(1 + learners who took it), less its mean over the
    courses."""
    logs = np.log1p(np.bincount(matrix.indices, minlength=matrix.shape[1]))
    return np.asarray(logs - logs.mean())


def factors_start(
    rng: np.random.Generator, deviation: float, training: Training, factors: int
) -> Start:
    """The embeddings p of the learners and q of the courses, and the weights h of their product."""
    return {
        "p": normal(rng, deviation, training.learners, factors),
        "q": normal(rng, deviation, training.catalogue, factors),
        "h": np.ones(factors),
    }


def factors_logits(
    params: Params, learner: jax.Array, courses: jax.Array
) -> tuple[jax.Array, list[jax.Array]]:
    """Σ_f h_f p_uf q_if of each pair, and the embedding rows used."""
    p, q = params["p"][learner], params["q"][courses]
    return ((p * params["h"])[:, None, :] * q).sum(axis=-1), [p, q]


def perceptron_start(rng: np.random.Generator, inputs: int, hidden: int, outputs: int) -> Start:
    """Two layers over ``inputs`` of the learner and as many of the course; the first is kept as two
    parts, one for each of them."""
    first = layer(rng, 2 * inputs, hidden)
    return {
        "in_learner": first[:inputs],
        "in_course": first[inputs:],
        "in_bias": np.zeros(hidden),
        "mid": layer(rng, hidden, outputs),
        "mid_bias": np.zeros(outputs),
        "out": QUIET * layer(rng, outputs, 1)[:, 0],
    }


def perceptron(params: Params, first: jax.Array) -> jax.Array:
    """The output for each pair; ``first`` (hidden, pairs) is the sum of the two parts of the first
    layer, before its bias and rectifier.

    Pairs go along the columns, which makes scoring a catalogue several times faster than along the
    rows.
    """
    from jax.nn import relu

    second = relu(
        params["mid"].T @ relu(first + params["in_bias"][:, None]) + params["mid_bias"][:, None]
    )
    return params["out"] @ second


def pairs_in_columns(values: jax.Array) -> jax.Array:
    """(batch, 1 + negatives, units) as (units, pairs)."""
    return values.reshape(-1, values.shape[-1]).T
