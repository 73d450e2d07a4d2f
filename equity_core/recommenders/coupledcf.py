"""CoupledCF: a neural network over learners and courses that also sees the courses' categories."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt
from scipy import sparse

from equity_core.principles import UNKNOWN
from equity_core.recommenders.base import Training
from equity_core.recommenders.neural import Neural, Start
from equity_core.recommenders.neural_layers import (
    QUIET,
    layer,
    normal,
    pairs_in_columns,
    perceptron,
    perceptron_start,
    popularity_bias,
)

if TYPE_CHECKING:
    import jax

    from equity_core.recommenders.neural_train import Params

COUPLED = 8
"""Numbers that each side brings to the coupling."""

CATEGORIES = 64
"""Categories that are told apart; in a catalogue with more, the rarest share the last place."""


@dataclass(frozen=True)
class CoupledCF(Neural):
    """Couples learner and course embeddings with the learner's tendency towards each category and
    the course's own category.

    The learner's side s_u is an embedding and the category shares of the past; the course's side
    t_i is an embedding and its category (one-hot). logit(u, i) = MLP(s_u, t_i) + v · relu(K (A s_u
    ⊗ B t_i) + k) + b_i + b: a network over both sides, and one over the outer product of 8 numbers
    from each side. In training, a learner's shares leave the positive course out: it would give
    itself away. b_i starts at the course's log-popularity. (After Zhang et al., CoupledCF, 2018.)
    """

    learning_rate: float = 2e-3
    l2: float = 0.1

    name: ClassVar[str] = "coupledcf"

    def begin(
        self, training: Training, matrix: sparse.csr_matrix[np.float32], rng: np.random.Generator
    ) -> Start:
        """See :meth:`Neural.begin`."""
        width = 2 * self.factors
        inputs = width + int(categories(training).max()) + 1
        return {
            "x": normal(rng, self.start, training.learners, width),
            "y": normal(rng, self.start, training.catalogue, width),
            **perceptron_start(rng, inputs, width, self.factors),
            "a": layer(rng, inputs, COUPLED),
            "b": layer(rng, inputs, COUPLED),
            "couple": layer(rng, COUPLED * COUPLED, self.factors).reshape(
                COUPLED, COUPLED, self.factors
            ),
            "couple_bias": np.zeros(self.factors),
            "couple_out": QUIET * layer(rng, self.factors, 1)[:, 0],
            "course_bias": popularity_bias(matrix),
            "bias": np.zeros(()),
        }

    def side(
        self, training: Training, matrix: sparse.csr_matrix[np.float32]
    ) -> dict[str, npt.NDArray[Any]]:
        """One-hot categories of the courses, and how many courses of each category a learner
        took."""
        one_hot = np.eye(int(categories(training).max()) + 1, dtype=np.float32)[
            categories(training)
        ]
        return {"category": one_hot, "taken": np.asarray(matrix @ one_hot, dtype=np.float32)}

    @staticmethod
    def logits(
        params: Params, side: Params, learner: jax.Array, courses: jax.Array
    ) -> tuple[jax.Array, list[jax.Array]]:
        """See :meth:`Neural.logits`."""
        import jax.numpy as jnp

        x, y = params["x"][learner], params["y"][courses]
        others = side["taken"][learner] - side["category"][courses[:, 0]]
        s = jnp.concatenate([x, _shares(others)], axis=-1)
        t = jnp.concatenate([y, side["category"][courses]], axis=-1)
        deep = perceptron(
            params,
            pairs_in_columns((s @ params["in_learner"])[:, None, :] + t @ params["in_course"]),
        )
        own = jnp.einsum("bg,ghf->bhf", s @ params["a"], params["couple"])
        coupled = (
            jnp.maximum(
                jnp.einsum("bch,bhf->bcf", t @ params["b"], own) + params["couple_bias"], 0.0
            )
            @ params["couple_out"]
        )
        return deep.reshape(courses.shape) + coupled + params["course_bias"][courses] + params[
            "bias"
        ], [x, y]

    @staticmethod
    def course_part(params: Params, side: Params) -> Any:
        """See :meth:`Neural.course_part`."""
        import jax.numpy as jnp

        t = jnp.concatenate([params["y"], side["category"]], axis=-1)
        return (
            (t @ params["in_course"]).T,
            (t @ params["b"]).T,
            params["course_bias"] + params["bias"],
        )

    @staticmethod
    def scores(params: Params, side: Params, part: Any, learner: jax.Array) -> jax.Array:
        """See :meth:`Neural.scores`."""
        import jax.numpy as jnp

        hidden, brought, bias = part
        s = jnp.concatenate([params["x"][learner], _shares(side["taken"][learner])])
        deep = perceptron(params, (s @ params["in_learner"])[:, None] + hidden)
        own = jnp.einsum("g,ghf->fh", s @ params["a"], params["couple"])
        coupled = params["couple_out"] @ jnp.maximum(
            own @ brought + params["couple_bias"][:, None], 0.0
        )
        logits: jax.Array = deep + coupled + bias
        return logits


def _shares(taken: jax.Array) -> jax.Array:
    """Counts per category as shares; all 0 where nothing was taken."""
    import jax.numpy as jnp

    return taken / jnp.maximum(taken.sum(axis=-1, keepdims=True), 1.0)


def categories(training: Training) -> npt.NDArray[np.int64]:
    """One code per course, from 0, the most frequent category first (ties by name).

    A missing category counts as one; without the column all courses have the same.
    """
    if "category" not in training.courses:
        return np.zeros(training.catalogue, np.int64)
    given = training.courses["category"].astype(object)
    names, codes = np.unique(
        given.where(given.notna(), UNKNOWN).astype(str).to_numpy(dtype=str), return_inverse=True
    )
    order = np.argsort(-np.bincount(codes, minlength=len(names)), kind="stable")
    rank = np.empty(len(names), np.int64)
    rank[order] = np.minimum(np.arange(len(names)), CATEGORIES - 1)
    return rank[codes]
