"""GMF: generalised matrix factorisation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy import sparse

from equity_core.recommenders.base import Training
from equity_core.recommenders.neural import Neural, Start
from equity_core.recommenders.neural_layers import factors_logits, factors_start

if TYPE_CHECKING:
    import jax

    from equity_core.recommenders.neural_train import Params


@dataclass(frozen=True)
class GMF(Neural):
    """Embeds learners and courses in a few factors and scores a pair with the weighted product of
    the two.

    logit(u, i) = Σ_f h_f p_uf q_if + b_i + b. The embeddings start near 0 and the weights h at 1,
    so that the biases learn popularity first and the factors what it leaves. (He et al., Neural
    Collaborative Filtering, 2017.)
    """

    start: float = 1e-4
    batch: int = 64

    name: ClassVar[str] = "gmf"

    def begin(
        self, training: Training, matrix: sparse.csr_matrix[np.float32], rng: np.random.Generator
    ) -> Start:
        """See :meth:`Neural.begin`."""
        return {
            **factors_start(rng, self.start, training, self.factors),
            "course_bias": np.zeros(training.catalogue),
            "bias": np.zeros(()),
        }

    @staticmethod
    def logits(
        params: Params, side: Params, learner: jax.Array, courses: jax.Array
    ) -> tuple[jax.Array, list[jax.Array]]:
        """See :meth:`Neural.logits`."""
        products, rows = factors_logits(params, learner, courses)
        return products + params["course_bias"][courses] + params["bias"], rows

    @staticmethod
    def course_part(params: Params, side: Params) -> Any:
        """See :meth:`Neural.course_part`."""
        return params["q"] * params["h"], params["course_bias"] + params["bias"]

    @staticmethod
    def scores(params: Params, side: Params, part: Any, learner: jax.Array) -> jax.Array:
        """See :meth:`Neural.scores`."""
        weighted, bias = part
        logits: jax.Array = weighted @ params["p"][learner] + bias
        return logits
