"""The rivals of the linear learners in time: scikit-learn, river and Vowpal Wabbit, over rows of a CSR matrix.

Each function returns microseconds of the processor per document, one figure or several by what was timed.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix
from sklearn.linear_model import SGDClassifier

Bools = npt.NDArray[np.bool_]


def scikit_learn(X: csr_matrix, y: Bools) -> float:
    """Learn the whole matrix in one call, without judging."""
    learner = SGDClassifier()
    began = time.process_time()
    learner.partial_fit(X, y.astype(np.int64), classes=[0, 1])
    return _each(began, X)


def river(X: csr_matrix, y: Bools) -> dict[str, float]:
    """Judge and learn document by document, as river must, from dicts that were made before."""
    from river import linear_model

    documents = [dict(zip(map(str, words), values, strict=True)) for words, values in _lists(X)]
    found = {}
    for model in (linear_model.PAClassifier(), linear_model.Perceptron(), linear_model.LogisticRegression()):
        began = time.process_time()
        for document, label in zip(documents, y.tolist(), strict=True):
            model.predict_one(document)
            model.learn_one(document, label)
        found[f"river {type(model).__name__}"] = _each(began, X)
    return found


def vowpal_wabbit(X: csr_matrix, y: Bools) -> dict[str, float]:
    """Judge and learn document by document by Vowpal Wabbit's Python package, with logistic loss.

    From lines of its text format, which it parses; and from examples that it parsed before. Learning an example judges
    it as well. Empty, and a sentence says so, where the package cannot be imported.
    """
    try:
        from vowpalwabbit import Workspace
    except ImportError as error:
        print(f"Vowpal Wabbit is left out: {error}")
        return {}
    lines = [
        f"{1 if label else -1} | " + " ".join(f"{word}:{value:.6g}" for word, value in zip(words, values, strict=True))
        for (words, values), label in zip(_lists(X), y.tolist(), strict=True)
    ]
    options = "--quiet --loss_function logistic"
    by_lines = Workspace(options)
    began = time.process_time()
    for line in lines:
        by_lines.learn(line)
    found = {"Vowpal Wabbit, from lines of text": _each(began, X)}
    by_lines.finish()
    parsed = Workspace(options)
    examples = [parsed.parse(line) for line in lines]
    began = time.process_time()
    for example in examples:
        parsed.learn(example)
    found["Vowpal Wabbit, from parsed examples"] = _each(began, X)
    for example in examples:
        parsed.finish_example(example)
    parsed.finish()
    return found


def _lists(X: csr_matrix) -> Iterator[tuple[list[int], list[float]]]:
    for begin, end in zip(X.indptr, X.indptr[1:], strict=False):
        yield X.indices[begin:end].tolist(), X.data[begin:end].tolist()


def _each(began: float, X: csr_matrix) -> float:
    return (time.process_time() - began) / len(X.indptr[1:]) * 1e6
