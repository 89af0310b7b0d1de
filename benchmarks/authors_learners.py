"""The learners of Carvalho and Cohen's experiments as the first author's own program has them, which is not the paper.

MinorThird (github.com/TeamCohen/MinorThird, `classify/algorithms/linear`, later than the paper) differs from it where
the paper tells nothing. Written down here anew, from reading it:

- Perceptron, Passive-Aggressive and ROMMA have a bias that moves like the weight of a feature of value 1, but ‖x‖² does
  not count it.
- ROMMA gives a word the weight 1 when it first comes, so that ‖w‖² grows with the vocabulary.
- Voting is the plain mean of the weights after every example, also after mistakes; Winnow's hypotheses count once more
  than they were right. A word that has not come yet has weight 0 in the mean, not its start value.
- Naive Bayes learns in how many texts of a class a word is, over the number of texts; a word counts in judging as often
  as it comes; (k + 1/V)/(n + 1) is the probability.
- The SVM is libsvm's, hinge loss and C = 1.
- A score of 0 is positive.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix

from extractors.numba_kernel import compiled

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Bools = npt.NDArray[np.bool_]

LARGEST = 2.0**200
PERCEPTRON, PASSIVE_AGGRESSIVE, ROMMA = 0, 1, 2
POSITIVE, BALANCED, MODIFIED = 0, 1, 2


@dataclass(frozen=True, slots=True)
class Additive:
    """Perceptron, Passive-Aggressive or ROMMA."""

    kind: int
    voted: bool

    def decide(self, X: csr_matrix, y: Bools, tested: csr_matrix) -> Bools:
        """Return what is decided of the rows ``tested`` after one pass over ``X``."""
        signs = np.where(y, 1.0, -1.0)
        newest, mean = learn_additive(self.kind, X.indptr, X.indices, X.data, signs, X.shape[1])
        w = mean if self.voted else newest
        liked: Bools = tested @ w[:-1] + w[-1] >= 0.0
        return liked


@dataclass(frozen=True, slots=True)
class Winnow:
    """Positive, Balanced or Modified Balanced Winnow."""

    kind: int
    voted: bool

    def decide(self, X: csr_matrix, y: Bools, tested: csr_matrix) -> Bools:
        """Return what is decided of the rows ``tested`` after one pass over ``X``."""
        newest, mean, known = learn_winnow(self.kind, X.indptr, X.indices, X.data, np.where(y, 1.0, -1.0), X.shape[1])
        w = mean if self.voted else newest
        seen = csr_matrix(tested.multiply(known[np.newaxis, :-1]))
        length = np.asarray(abs(seen).sum(axis=1)).ravel()
        liked: Bools = (seen @ w[:-1] + w[-1]) / (length + 1.0) - 1.0 >= 0.0
        return liked


@dataclass(frozen=True, slots=True)
class HalfMultinomial:
    """Naive Bayes with probabilities of presence and exponents of counts."""

    def decide(self, X: csr_matrix, y: Bools, tested: csr_matrix) -> Bools:
        """Return what is decided of the rows ``tested`` after learning ``X``."""
        present = (X != 0.0).astype(np.float64)
        known = np.asarray(present.sum(axis=0)).ravel() > 0.0
        logs = []
        for of in (y, ~y):
            texts = np.asarray(present[of].sum(axis=0)).ravel()
            logs.append(np.log((texts + 1.0 / known.sum()) / (of.sum() + 1.0)))
        prior = np.log((y.sum() + 0.5) / ((~y).sum() + 0.5))
        liked: Bools = tested @ np.where(known, logs[0] - logs[1], 0.0) + prior >= 0.0
        return liked


@dataclass(frozen=True, slots=True)
class LibSvm:
    """The linear SVM of libsvm. Rows in their own scale may keep it busy for ever: it stops after a number of steps."""

    steps: int = 1_000_000

    def decide(self, X: csr_matrix, y: Bools, tested: csr_matrix) -> Bools:
        """Return what is decided of the rows ``tested`` after learning ``X``."""
        from sklearn.svm import SVC

        liked: Bools = SVC(kernel="linear", C=1.0, max_iter=self.steps).fit(X, y).predict(tested)
        return liked


AUTHORS: dict[str, Callable[[], Additive | Winnow | HalfMultinomial | LibSvm]] = {
    "MBW": lambda: Winnow(MODIFIED, voted=False),
    "PW": lambda: Winnow(POSITIVE, voted=False),
    "BW": lambda: Winnow(BALANCED, voted=False),
    "PA": lambda: Additive(PASSIVE_AGGRESSIVE, voted=False),
    "ROMMA": lambda: Additive(ROMMA, voted=False),
    "v-MBW": lambda: Winnow(MODIFIED, voted=True),
    "v-PW": lambda: Winnow(POSITIVE, voted=True),
    "v-BW": lambda: Winnow(BALANCED, voted=True),
    "v-PA": lambda: Additive(PASSIVE_AGGRESSIVE, voted=True),
    "v-ROMMA": lambda: Additive(ROMMA, voted=True),
    "v-Perceptron": lambda: Additive(PERCEPTRON, voted=True),
    "SVM": LibSvm,
    "NB": HalfMultinomial,
}
"""By the paper's names."""


@compiled
def learn_additive(
    kind: int, indptr: Ints, indices: Ints, data: Floats, signs: Floats, n: int
) -> tuple[Floats, Floats]:
    """Learn rows in order; return the last weights and the mean of all, shape (n + 1,), the bias at the end."""
    w, total = np.zeros(n + 1), np.zeros(n + 1)
    known = np.zeros(n, dtype=np.bool_)
    last = 0
    for row in range(len(signs)):
        begin, end, y = indptr[row], indptr[row + 1], signs[row]
        if kind == ROMMA and _greet(indices[begin:end], known, w, total, row - last):
            last = row
        length, score = 0.0, w[n]
        for k in range(begin, end):
            length += data[k] * data[k]
            score += data[k] * w[indices[k]]
        step, shrink = 0.0, 1.0
        if kind == PERCEPTRON:
            if y * score <= 0.0:
                step = y
        elif kind == PASSIVE_AGGRESSIVE:
            if y * score < 1.0:
                step = y * (1.0 - y * score) / (length + 0.1)
        elif y * score < 0.0:
            size = (w * w).sum()
            denominator = length * size - score * score
            if denominator != 0.0:
                c = length * size - y * score
                shrink = c / denominator if c != 0.0 else 1.0
                step = size * (y - score) / denominator
        if step != 0.0 or shrink != 1.0:
            total += (row - last) * w
            last = row
            if shrink != 1.0:
                w *= shrink
            for k in range(begin, end):
                w[indices[k]] += step * data[k]
            w[n] += step
    total += (len(signs) - last) * w
    return w, total / max(len(signs), 1)


@compiled
def _greet(words: Ints, known: Bools, w: Floats, total: Floats, since: int) -> bool:
    """Give words that were not known the weight 1; bring ``total`` up to date before, and return whether it was so."""
    greeted = False
    for j in words:
        if not known[j]:
            if not greeted:
                total += since * w
                greeted = True
            known[j] = True
            w[j] = 1.0
    return greeted


@compiled
def learn_winnow(
    kind: int, indptr: Ints, indices: Ints, data: Floats, signs: Floats, n: int
) -> tuple[Floats, Floats, Floats]:
    """Learn rows in order; return last and mean weights u - v, and 1 for each word that came; shape (n + 1,) each."""
    u, v = np.zeros(n + 1), np.zeros(n + 1)
    u_total, v_total, known = np.zeros(n + 1), np.zeros(n + 1), np.zeros(n + 1)
    start_u, start_v = (1.0, 0.0) if kind == POSITIVE else (2.0, 1.0)
    margin = 1.0 if kind == MODIFIED else 0.0
    count = 0
    u[n], v[n], known[n] = start_u, start_v, 1.0
    for row in range(len(signs)):
        begin, end, y = indptr[row], indptr[row + 1], signs[row]
        length = 1.0
        for k in range(begin, end):
            j = indices[k]
            length += abs(data[k])
            if known[j] == 0.0:
                known[j], u[j], v[j] = 1.0, start_u, start_v
        score = (u[n] - v[n]) / length - 1.0
        for k in range(begin, end):
            score += (u[indices[k]] - v[indices[k]]) * data[k] / length
        if y * score > margin:
            count += 1
            continue
        u_total += max(count, 1) * u
        v_total += max(count, 1) * v
        count = 1
        for k in range(begin, end + 1):
            j = n if k == end else indices[k]
            x = (1.0 if k == end else data[k]) / length if kind == MODIFIED else 0.0
            up, down = 1.5 * (1.0 + x), 0.5 * (1.0 - x)
            by_u, by_v = (up, down) if y > 0.0 else (down, up)
            if (by_u > 1.0 and u[j] < LARGEST) or (by_u <= 1.0 and u[j] > 1.0 / LARGEST):
                u[j] *= by_u
            if (by_v > 1.0 and v[j] < LARGEST) or (by_v <= 1.0 and v[j] > 1.0 / LARGEST):
                v[j] *= by_v
    u_total += count * u
    v_total += count * v
    examples = max(len(signs), 1)
    return u - v, (u_total - v_total) / examples, known
