"""The compiled part of the neural recommenders: an epoch, validation and scoring. Imports JAX: load
it only where training happens.

A net is a class with static functions of its parameters
(:class:`~equity_core.recommenders.neural.Neural`); it is a static argument here, while the rates
are traced: one compilation serves every rate, seed and epoch of a data set.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import optax

from equity_core.recommenders.neural import Neural, Start
from equity_core.recommenders.neural_data import Batches, Validation

MEMORY = 0.8
"""How much of the average over epochs is kept each epoch: about the last five epochs count."""

CUTOFF = 10
"""Validation is NDCG at this rank, as the paper reports it."""

Params = dict[str, jax.Array]
"""A net's parameters, or what it knows of learners and courses without training, by name."""


class Rates(NamedTuple):
    """The optimiser's settings, traced."""

    learning_rate: jax.Array
    decay: jax.Array
    l2: jax.Array


class State(NamedTuple):
    """Where training stands. ``average`` is what validation and scoring use: parameters averaged
    over the epochs, recent ones more."""

    params: Params
    optimiser: optax.OptState
    average: Params
    weight: jax.Array


def begin(params: Start) -> State:
    """The state before the first epoch."""
    start = {name: jnp.asarray(value, jnp.float32) for name, value in params.items()}
    return State(
        start, optax.adamw(0.0).init(start), jax.tree.map(jnp.zeros_like, start), jnp.zeros(())
    )


@partial(jax.jit, static_argnames="net", donate_argnames="state")
def epoch(
    net: type[Neural], state: State, side: Params, batches: Batches, rates: Rates
) -> tuple[State, jax.Array]:
    """One pass over the positives: binary cross-entropy plus ``l2`` times the mean squared norm of
    the embedding rows used, by AdamW.

    Returns the new state and the mean loss. Averaging the parameters over epochs takes the noise of
    the last steps out of both the validation curve and the lists.
    """
    optimiser = optax.adamw(rates.learning_rate, weight_decay=rates.decay)

    def loss(params: Params, batch: Batches) -> jax.Array:
        logits, rows = net.logits(
            params, side, jnp.asarray(batch["learner"]), jnp.asarray(batch["courses"])
        )
        weight = jnp.asarray(batch["weight"])
        labels = jnp.zeros_like(logits).at[:, 0].set(1.0)
        total = (weight * optax.sigmoid_binary_cross_entropy(logits, labels)).sum()
        for row in rows:
            total += (
                rates.l2
                * ((row**2).sum(axis=-1) * (weight if row.ndim == 3 else weight.sum(axis=1))).sum()
            )
        mean: jax.Array = total / jnp.maximum(weight.sum(), 1.0)
        return mean

    def step(
        carry: tuple[Params, optax.OptState], batch: Batches
    ) -> tuple[tuple[Params, optax.OptState], jax.Array]:
        params, inner = carry
        value, gradient = jax.value_and_grad(loss)(params, batch)
        updates, inner = optimiser.update(gradient, inner, params)
        return (optax.apply_updates(params, updates), inner), value

    (params, inner), losses = jax.lax.scan(step, (state.params, state.optimiser), batches)
    weight = MEMORY * state.weight + 1.0
    average = jax.tree.map(lambda mean, new: mean + (new - mean) / weight, state.average, params)
    return State(params, inner, average, weight), losses.mean()


@partial(jax.jit, static_argnames="net")
def scores(net: type[Neural], params: Params, side: Params, learners: jax.Array) -> jax.Array:
    """(learners, courses) logits, one learner after the other: a learner's bits do not depend on
    who else is asked for."""
    part = net.course_part(params, side)
    block: jax.Array = jax.lax.map(
        lambda learner: net.scores(params, side, part, learner), learners
    )
    return block


@partial(jax.jit, static_argnames="net")
def _gains(
    net: type[Neural],
    params: Params,
    side: Params,
    learners: jax.Array,
    courses: jax.Array,
    past: jax.Array,
) -> jax.Array:
    part = net.course_part(params, side)

    def gain(asked: tuple[jax.Array, jax.Array, jax.Array]) -> jax.Array:
        learner, course, taken = asked
        all_scores = net.scores(params, side, part, learner).at[taken].set(-jnp.inf, mode="drop")
        own = all_scores[course]
        before = jnp.arange(len(all_scores)) < course
        rank = (all_scores > own).sum() + ((all_scores == own) & before).sum()
        return jnp.where(rank < CUTOFF, 1.0 / jnp.log2(rank + 2.0), 0.0)

    gains: jax.Array = jax.lax.map(gain, (learners, courses, past))
    return gains


def ndcg(net: type[Neural], state: State, side: Params, validation: Validation) -> float:
    """Mean NDCG at 10 of the courses held out; there is one course per learner, so the ideal is
    1."""
    asked = (jnp.asarray(part) for part in (validation.learner, validation.course, validation.past))
    return float(_gains(net, state.average, side, *asked).mean())
