"""Information gain and χ² of presence: by hand, against scikit-learn and scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from scipy.stats import chi2_contingency
from sklearn.feature_selection import SelectKBest, mutual_info_classif

from iscore.learners import chi_square, information_gain


def counts(labels=2):
    random = np.random.default_rng(0)
    y = random.integers(labels, size=300)
    X = random.poisson(0.3 + 0.5 * (y[:, np.newaxis] == np.arange(12) % labels) * random.random(12))
    X[:, 10], X[:, 11] = 0, 3
    return X, y


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
    theirs = mutual_info_classif(csr_matrix(X > 0), y, discrete_features=True) / np.log(2.0)
    np.testing.assert_allclose(information_gain(X, y), theirs, atol=1e-12)
    assert information_gain(csr_matrix(X), y).tolist() == information_gain(X, y).tolist()
    assert theirs.max() > 0.05


@pytest.mark.parametrize("labels", [2, 3])
def test_chi_square_is_that_of_the_table(labels):
    X, y = counts(labels)
    ours = chi_square(csr_matrix(X), y)
    for j in range(10):
        table = [np.bincount(y[X[:, j] > 0], minlength=labels), np.bincount(y[X[:, j] == 0], minlength=labels)]
        assert ours[j] == pytest.approx(chi2_contingency(table, correction=False).statistic)
    assert ours[10:].tolist() == [0.0, 0.0]
    assert ours.max() > 20.0


def test_scikit_learn_selects_by_them():
    X, y = counts()
    for score in (information_gain, chi_square):
        chosen = SelectKBest(score, k=3).fit(csr_matrix(X), y).get_support(indices=True)
        assert chosen.tolist() == sorted(np.argsort(-score(X, y))[:3])


def test_missing_values_are_refused():
    with pytest.raises(ValueError, match="missing"):
        information_gain(np.array([[1.0], [np.nan]]), [0, 1])
