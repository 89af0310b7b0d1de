"""Information gain and χ² of presence: by hand, and against their definitions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from iscore.learners import chi_square, information_gain


def counts(labels=2):
    random = np.random.default_rng(0)
    y = random.integers(labels, size=300)
    X = random.poisson(0.3 + 0.5 * (y[:, np.newaxis] == np.arange(12) % labels) * random.random(12))
    X[:, 10], X[:, 11] = 0, 3
    return X, y


def table(X, y, j, labels):
    """In how many examples of each class a feature is, and in how many it is not."""
    present = X[:, j] > 0
    return np.array([np.bincount(y[present], minlength=labels), np.bincount(y[~present], minlength=labels)])


def test_by_hand():
    X, y = np.array([[2.0, 1.0], [5.0, 0.0], [0.0, 1.0], [0.0, 0.0]]), ["a", "a", "b", "b"]
    assert information_gain(X, y).tolist() == [1.0, 0.0]
    assert chi_square(X, y).tolist() == [4.0, 0.0]
    # 3 of 4 have it, all of "a": H(y) = 1, H(y|j) = 0.9183, H(y|¬j) = 0.
    assert information_gain(np.array([[1], [1], [1], [0]]), y)[0] == pytest.approx(1.0 - 0.75 * 0.9182958340544896)
    assert chi_square(np.array([[1], [1], [1], [0]]), y)[0] == pytest.approx(4 * (2 * 1) ** 2 / (2 * 2 * 3 * 1))


@pytest.mark.parametrize("labels", [2, 3])
def test_the_gain_is_the_mutual_information_of_presence(labels):
    X, y = counts(labels)
    expected = []
    for j in range(X.shape[1]):
        joint = table(X, y, j, labels) / len(y)
        apart = np.outer(joint.sum(axis=1), joint.sum(axis=0))
        expected.append((joint[joint > 0] * np.log2(joint[joint > 0] / apart[joint > 0])).sum())
    np.testing.assert_allclose(information_gain(X, y), expected, atol=1e-12)
    assert information_gain(csr_matrix(X), y).tolist() == information_gain(X, y).tolist()
    assert max(expected) > 0.05


@pytest.mark.parametrize("labels", [2, 3])
def test_chi_square_is_that_of_the_table(labels):
    X, y = counts(labels)
    ours = chi_square(csr_matrix(X), y)
    for j in range(10):
        observed = table(X, y, j, labels)
        expected = np.outer(observed.sum(axis=1), observed.sum(axis=0)) / len(y)
        assert ours[j] == pytest.approx(((observed - expected) ** 2 / expected).sum())
    assert ours[10:].tolist() == [0.0, 0.0]
    assert ours.max() > 20.0


def test_missing_values_are_refused():
    with pytest.raises(ValueError, match="missing"):
        information_gain(np.array([[1.0], [np.nan]]), [0, 1])
