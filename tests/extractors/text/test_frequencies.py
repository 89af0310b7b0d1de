"""Term weights against a calculation by hand and scikit-learn's."""

from __future__ import annotations

from math import log, sqrt

import numpy as np
import pytest

from extractors.text.frequencies import Frequencies
from extractors.text.terms import TermVector


def _vector(counts: dict[int, float]) -> TermVector:
    ids = np.array(list(counts), dtype=np.int32)
    values = np.array(list(counts.values()), dtype=np.float32)
    return TermVector(ids, values, np.zeros(len(ids), dtype=np.float32))


def test_weights_worked_by_hand() -> None:
    frequencies = Frequencies()
    for counts in ({1: 1, 2: 1}, {1: 5}, {3: 1}):
        frequencies.observe(_vector(counts))
    query = _vector({1: 3, 9: 1})
    common, new = (1 + log(3)) * (log(4 / 3) + 1), log(4) + 1
    length = sqrt(common**2 + new**2)
    assert frequencies.weigh(query.ids, query.counts) == pytest.approx([common / length, new / length], rel=1e-6)


def test_weights_of_many_articles_are_those_of_the_formula() -> None:
    rng = np.random.default_rng(1)
    counts = rng.poisson(0.7, size=(50, 12)).astype(float)
    frequencies = Frequencies()
    for row in counts:
        frequencies.observe(_vector({j: row[j] for j in np.flatnonzero(row)}))
    expected = np.where(counts, 1 + np.log(np.maximum(counts, 1)), 0) * (
        np.log(51 / (1 + (counts > 0).sum(axis=0))) + 1
    )
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    for row, weights in zip(counts, expected, strict=True):
        terms = _vector({j: row[j] for j in np.flatnonzero(row)})
        assert frequencies.weigh(terms.ids, terms.counts) == pytest.approx(weights[np.flatnonzero(row)], rel=1e-6)


def test_no_terms_have_no_weights() -> None:
    empty = _vector({})
    assert len(Frequencies().weigh(empty.ids, empty.counts)) == 0


def test_state_is_sparse_and_a_restored_twin_weighs_alike() -> None:
    frequencies, twin = Frequencies(), Frequencies()
    frequencies.observe(_vector({5: 1, 70: 2}))
    twin.observe(_vector({8: 1}))
    state = frequencies.state()
    assert state["ids"].tolist() == [5, 70]
    twin.restore(state)
    query = _vector({5: 1, 8: 1})
    assert twin.weigh(query.ids, query.counts).tobytes() == frequencies.weigh(query.ids, query.counts).tobytes()
    assert twin.articles == 1
