"""Clusters of the recent articles: each joins the nearest one at its arrival, or starts one.

Single-pass clustering (Allan et al. 1998, "Topic detection and tracking pilot study", section 4) with centroids on the
unit sphere (Dhillon & Modha 2001, "Concept decompositions for large sparse text data using clustering"). An article
leaves its cluster when it leaves the window, so clusters follow the news and are never more than the articles.

The sum S of a cluster's vectors is never computed. Given the cosines of an article d with every recent one, which
the window gives anyway, d·S is a sum of cosines; and ‖S‖² is one of pairs of cosines, each of which was seen when the
younger of the two joined. They are whole numbers of steps of 1/``ONE``, and so small that a float holds them exactly:
sums stay right however long articles come and go.

A cluster is named by the row of its oldest member.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from extractors.arrays import Floats, Int64s, UInt16s, UInt32s
from extractors.numba_kernel import compiled, inner
from extractors.stream.article_ring import ONE

JOIN: Final = 0.25
"""Cosine with a centroid from which an article joins its cluster."""

NONE: Final = (1 << 16) - 1
"""No cluster; a window has to be smaller than that."""


class Clusters(NamedTuple):
    """The clusters of a window; arrays have one element per row."""

    of: UInt16s
    """Name of the cluster that the row's article is in; ``NONE`` for rows without an article."""
    later: Int64s
    """Sum of the cosines with the members that joined after it, in steps of 1/``ONE``."""
    sizes: Int64s
    """Members, by the cluster's name; 0 where there is no cluster of that name."""
    squares: Int64s
    """‖S‖² in steps of 1/``ONE``, by the cluster's name."""
    inverses: Floats
    """1/``squares``; 0 where there is no cluster."""

    @classmethod
    def empty(cls, capacity: int) -> Clusters:
        """Return no clusters."""
        if capacity > NONE:
            raise ValueError(f"there are names for {NONE} clusters, not for {capacity}")
        return cls(
            np.full(capacity, NONE, dtype=np.uint16),
            np.zeros(capacity, dtype=np.int64),
            np.zeros(capacity, dtype=np.int64),
            np.zeros(capacity, dtype=np.int64),
            np.zeros(capacity, dtype=np.float64),
        )


@inner
def likeness_to_clusters(
    cosines: UInt32s,
    clusters: Clusters,
    likeness: Floats,
) -> None:
    """Write the squared cosine of an article with the centroid of each cluster, by its name, in steps of 1/``ONE``; 0
    where there is no cluster. ``cosines`` are those with the recent articles, by row, in the same steps."""
    likeness[:] = 0.0
    for row in range(len(cosines)):
        likeness[clusters.of[row]] += np.float64(cosines[row])
    for cluster in range(len(likeness)):
        likeness[cluster] = likeness[cluster] * likeness[cluster] * clusters.inverses[cluster]  # (d·S)²/‖S‖²


@inner
def nearest_cluster(likeness: Floats) -> int:
    """Return the cluster that an article should join, that with the lowest name of equally near ones, or ``NONE``."""
    # Floats that are not negative are in the order of their bits, and of whole numbers many are compared at once.
    bits = likeness.view(np.int64)
    largest = np.int64(0)
    for cluster in range(len(bits)):
        largest = max(largest, bits[cluster])
    nearest = 0
    while bits[nearest] != largest:
        nearest += 1
    return nearest if likeness[nearest] >= JOIN * JOIN * ONE else NONE


@inner
def leave(
    row: int,
    square: int,
    clusters: Clusters,
) -> int:
    """Take the oldest article of a full window, whose squared length is ``square``, out of its cluster; return the
    cluster's new name, or ``NONE`` if nothing is left of it."""
    # The oldest of all is the oldest of its cluster, and has given it its name.
    size, left = clusters.sizes[row] - 1, clusters.squares[row] - square - 2 * clusters.later[row]
    clusters.of[row], clusters.later[row] = NONE, 0
    clusters.sizes[row], clusters.squares[row], clusters.inverses[row] = 0, 0, 0.0
    if size == 0:
        return NONE
    heir, capacity = row, len(clusters.of)
    while clusters.of[heir] != row:
        heir = (heir + 1) % capacity
    clusters.sizes[heir], clusters.squares[heir], clusters.inverses[heir] = size, left, 1.0 / left
    old, new = np.uint16(row), np.uint16(heir)
    for member in range(capacity):
        clusters.of[member] = new if clusters.of[member] == old else clusters.of[member]
    return heir


@inner
def join(
    row: int,
    square: int,
    cosines: UInt32s,
    cluster: int,
    clusters: Clusters,
) -> None:
    """Let the article in ``row``, whose squared length is ``square``, join a cluster, or start one if that is ``NONE``.

    ``cosines`` are those with the articles that were there before it, by row.
    """
    towards = np.int64(0)
    if cluster == NONE:
        cluster = row
    else:
        name = np.uint16(cluster)
        for member in range(len(cosines)):
            cosine = np.int64(cosines[member]) if clusters.of[member] == name else np.int64(0)
            clusters.later[member] += cosine
            towards += cosine
    clusters.of[row], clusters.later[row] = cluster, 0
    clusters.sizes[cluster] += 1
    clusters.squares[cluster] += square + 2 * towards
    clusters.inverses[cluster] = 1.0 / clusters.squares[cluster]


@compiled
def count_clusters(
    squared_lengths: Int64s,
    clusters: Clusters,
) -> None:
    """Compute sizes, squares and inverses from ``of`` and ``later``."""
    for row in range(len(squared_lengths)):
        clusters.sizes[clusters.of[row]] += 1
        clusters.squares[clusters.of[row]] += squared_lengths[row] + 2 * clusters.later[row]
    for row in range(len(squared_lengths)):
        if clusters.squares[row] > 0:
            clusters.inverses[row] = 1.0 / clusters.squares[row]
