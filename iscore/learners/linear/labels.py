"""Labels of rows: their numbers, and how many of each class were learned."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from iscore.learners.learner import Bools, Floats, Ints


def class_numbers(labels: npt.ArrayLike, n_classes: int) -> Ints:
    """Return the numbers of classes as an array. Raises ``ValueError`` for numbers that no class has."""
    numbers = np.array(labels, dtype=np.int64)
    if not ((numbers >= 0) & (numbers < n_classes)).all():
        raise ValueError(f"classes have the numbers 0 to {n_classes - 1}")
    return numbers


def known_before(seen: tuple[int, ...], labels: npt.NDArray[Any], weights: Floats) -> tuple[tuple[int, ...], Bools]:
    """Count m rows, those of weight 0 excepted; return the counts, and before which rows two classes were known.

    ``seen`` has the counts of K classes before, ``labels`` (m,) booleans or their numbers.
    """
    # Shape (m + 1, K): how many of each class were known before each row, and after the last.
    taken = (labels[:, np.newaxis] == np.arange(len(seen))) & (weights > 0.0)[:, np.newaxis]
    counts = np.vstack([seen, seen + np.cumsum(taken, axis=0)])
    return tuple(counts[-1].tolist()), np.asarray((counts[:-1] > 0).sum(axis=1) > 1)
