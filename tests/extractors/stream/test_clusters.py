"""Clusters that are never written down, against ones that are."""

from __future__ import annotations

import numpy as np
import pytest

from extractors.stream.article_ring import ONE, STEPS
from extractors.stream.clusters import (
    JOIN,
    NONE,
    Clusters,
    count_clusters,
    join,
    leave,
    likeness_to_clusters,
    nearest_cluster,
)

CAPACITY = 16


def _vectors(count: int) -> np.ndarray:
    """Whole-numbered vectors of length ``STEPS``, near ten directions."""
    rng = np.random.default_rng(5)
    directions = np.kron(np.eye(10), np.ones(3)) * (0.1 + rng.random((10, 30)))
    vectors = directions[rng.integers(10, size=count)] + rng.random((count, 30)) * (rng.random((count, 30)) < 0.03)
    return np.rint(vectors / np.linalg.norm(vectors, axis=1, keepdims=True) * STEPS).astype(np.int64)


def test_articles_come_and_go_as_if_every_sum_of_vectors_were_kept() -> None:
    clusters, kept, vectors = Clusters.empty(CAPACITY), [], _vectors(300)
    likeness, founded = np.empty(CAPACITY), 0
    for number, vector in enumerate(vectors):
        past = range(max(0, number - CAPACITY), number)
        cosines = np.zeros(len(past), dtype=np.uint32)
        for other in past:
            cosines[other % CAPACITY] = vectors[other] @ vector
        likeness_to_clusters(cosines, clusters, likeness)

        centroids = [vectors[members].sum(axis=0) for members in kept]
        expected = [c @ vector / np.linalg.norm(c) / STEPS for c in centroids]
        for members, cosine in zip(kept, expected, strict=True):
            assert np.sqrt(likeness[members[0] % CAPACITY] / ONE) == pytest.approx(cosine, abs=1e-9)
        assert np.count_nonzero(likeness) == np.count_nonzero(expected)

        cluster = nearest_cluster(likeness)
        chosen = int(np.argmax(expected)) if expected and max(expected) >= JOIN else None
        assert cluster == (NONE if chosen is None else kept[chosen][0] % CAPACITY)

        row, square = number % CAPACITY, int(vector @ vector)
        if chosen is None:
            kept.append([number])
            founded += 1
        else:
            kept[chosen].append(number)
        if number >= CAPACITY:
            oldest = vectors[number - CAPACITY]
            heir = leave(row, int(oldest @ oldest), clusters)
            cluster = heir if cluster == row else cluster
            kept = [[member for member in members if member != number - CAPACITY] for members in kept]
            kept = [members for members in kept if members]
        join(row, square, cosines, cluster, clusters)

        names = {members[0] % CAPACITY: members for members in kept}
        assert {name: clusters.sizes[name] for name in np.flatnonzero(clusters.sizes)} == {
            name: len(members) for name, members in names.items()
        }
        for name, members in names.items():
            total = vectors[members].sum(axis=0)
            assert clusters.squares[name] == total @ total
            assert (clusters.of[np.array(members) % CAPACITY] == name).all()
    assert 5 < founded < 100, "the vectors test nothing"


def test_what_is_counted_by_cluster_follows_from_what_is_known_by_row() -> None:
    clusters, vectors = Clusters.empty(CAPACITY), _vectors(40)
    likeness = np.empty(CAPACITY)
    for number, vector in enumerate(vectors):
        past = np.array([vectors[other] @ vector for other in range(max(0, number - CAPACITY), number)])
        rows = np.arange(max(0, number - CAPACITY), number) % CAPACITY
        cosines = past[np.argsort(rows)].astype(np.uint32) if len(past) else np.zeros(0, dtype=np.uint32)
        likeness_to_clusters(cosines, clusters, likeness)
        cluster = nearest_cluster(likeness)
        row = number % CAPACITY
        if number >= CAPACITY:
            oldest = vectors[number - CAPACITY]
            heir = leave(row, int(oldest @ oldest), clusters)
            cluster = heir if cluster == row else cluster
        join(row, int(vector @ vector), cosines, cluster, clusters)
    again = Clusters.empty(CAPACITY)
    again.of[:], again.later[:] = clusters.of, clusters.later
    latest = np.array([vectors[number] for number in sorted(range(24, 40), key=lambda n: n % CAPACITY)])
    count_clusters((latest * latest).sum(axis=1), again)
    for one, other in zip(again, clusters, strict=True):
        assert one.tobytes() == other.tobytes()


def test_there_is_a_name_for_every_cluster() -> None:
    with pytest.raises(ValueError, match="65535"):
        Clusters.empty(1 << 16)
