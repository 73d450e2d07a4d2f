"""Two opponents of the re-ranker: a well-made diversifier, and the greedy as one would first write
it in NumPy."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def numpy_greedy(
    relevance: Floats,
    means: Floats,
    category: Ints,
    level: Ints,
    shares: Floats,
    lam: float,
    k: int,
    levels: int,
    targets: Floats,
) -> list[int]:
    """One learner's list for the paper's seven principles with weights 1: every step scores all
    candidates at once.

    ``means``: (candidates, 5) values of the mean principles; ``shares``: category shares of the
    past; ``targets``: five means, match, balance.
    """
    score, root = (1.0 - lam) * relevance, np.sqrt(shares)
    total, categories, level_counts = (
        np.zeros(means.shape[1]),
        np.zeros(len(shares)),
        np.zeros(levels),
    )
    chosen: list[int] = []
    for size in range(1, k + 1):
        gap = np.abs(targets[:5] - (total + means) / size).sum(axis=1)
        now = np.sqrt(categories)
        overlap = (root @ now + root * (np.sqrt(categories + 1.0) - now)) / np.sqrt(size)
        familiarity = 1.0 - np.sqrt(np.maximum(0.0, 1.0 - overlap))
        after = level_counts + np.eye(levels)
        spread = np.abs(after[:, :, None] - after[:, None, :]).sum(axis=(1, 2)) / 2.0
        learnability = 1.0 - spread / (size * (levels - 1.0))
        gap += np.abs(targets[5] - familiarity)[category] + np.abs(targets[6] - learnability)[level]
        pick = int(np.argmax(score - lam * gap / 7.0))
        chosen.append(pick)
        total += means[pick]
        categories[category[pick]] += 1.0
        level_counts[level[pick]] += 1.0
        score[pick] = -np.inf
    return chosen


def pyversity_list(
    embeddings: npt.NDArray[np.float32], relevance: npt.NDArray[np.float32], k: int
) -> object:
    """Maximal marginal relevance of pyversity on 32 dimensions."""
    from pyversity import Strategy, diversify

    return diversify(
        embeddings=embeddings, scores=relevance, k=k, strategy=Strategy.MMR, diversity=0.5
    )
