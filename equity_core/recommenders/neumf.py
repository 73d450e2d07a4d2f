"""NeuMF: matrix factorisation and a neural network side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy import sparse

from equity_core.recommenders.base import Training
from equity_core.recommenders.neural import Neural, Start
from equity_core.recommenders.neural_layers import (
    factors_logits,
    factors_start,
    normal,
    pairs_in_columns,
    perceptron,
    perceptron_start,
    popularity_bias,
)

if TYPE_CHECKING:
    import jax

    from equity_core.recommenders.neural_train import Params


@dataclass(frozen=True)
class NeuMF(Neural):
    """Adds to the product of a learner's and a course's factors what a small neural network makes
    of two further embeddings.

    logit(u, i) = Σ_f h_f p_uf q_if + MLP(x_u, y_i) + b_i + b, where x and y have twice as many
    factors as p and q, and the MLP has layers of 2 · factors and of factors. b_i starts at the
    course's log-popularity. (He et al., Neural Collaborative Filtering, 2017.)
    """

    batch: int = 64

    name: ClassVar[str] = "neumf"

    def begin(
        self, training: Training, matrix: sparse.csr_matrix[np.float32], rng: np.random.Generator
    ) -> Start:
        """See :meth:`Neural.begin`."""
        width = 2 * self.factors
        return {
            **factors_start(rng, self.start, training, self.factors),
            "x": normal(rng, self.start, training.learners, width),
            "y": normal(rng, self.start, training.catalogue, width),
            **perceptron_start(rng, width, width, self.factors),
            "course_bias": popularity_bias(matrix),
            "bias": np.zeros(()),
        }

    @staticmethod
    def logits(
        params: Params, side: Params, learner: jax.Array, courses: jax.Array
    ) -> tuple[jax.Array, list[jax.Array]]:
        """See :meth:`Neural.logits`."""
        products, rows = factors_logits(params, learner, courses)
        x, y = params["x"][learner], params["y"][courses]
        deep = perceptron(
            params,
            pairs_in_columns((x @ params["in_learner"])[:, None, :] + y @ params["in_course"]),
        ).reshape(courses.shape)
        return products + deep + params["course_bias"][courses] + params["bias"], [*rows, x, y]

    @staticmethod
    def course_part(params: Params, side: Params) -> Any:
        """See :meth:`Neural.course_part`."""
        return (
            params["q"] * params["h"],
            (params["y"] @ params["in_course"]).T,
            params["course_bias"] + params["bias"],
        )

    @staticmethod
    def scores(params: Params, side: Params, part: Any, learner: jax.Array) -> jax.Array:
        """See :meth:`Neural.scores`."""
        weighted, hidden, bias = part
        deep = perceptron(params, (params["x"][learner] @ params["in_learner"])[:, None] + hidden)
        logits: jax.Array = weighted @ params["p"][learner] + deep + bias
        return logits
