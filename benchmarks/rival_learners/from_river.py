"""River's learners over words, one article at a time, as its documentation has them for texts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


def _naive_bayes() -> Any:
    from river.naive_bayes import MultinomialNB

    return MultinomialNB(alpha=1.0)


def _logistic_regression() -> Any:
    from river import linear_model, optim

    return linear_model.LogisticRegression(optim.SGD(5.0))


def _passive_aggressive() -> Any:
    from river.linear_model import PAClassifier

    return PAClassifier(C=1.0, mode=1)


ON_COUNTS: dict[str, Callable[[], Any]] = {"river MultinomialNB": _naive_bayes}
"""With the smoothing that is its default."""

ON_TFIDF: dict[str, Callable[[], Any]] = {
    "river LogisticRegression": _logistic_regression,
    "river PAClassifier": _passive_aggressive,
}
"""Rows of length 1 need long steps: of rates from 0.1 to 40, 5 was best for logistic regression."""

NAMES = (*ON_COUNTS, *ON_TFIDF)


def scores(model: Any, rows: csr_matrix, liked: Bools) -> Floats:
    """Return the log-odds or margin of each of the rows (m, words) before it is learned, shape (m,)."""
    found = np.zeros(rows.shape[0])
    for place, (words, verdict) in enumerate(zip(_dictionaries(rows), liked.tolist(), strict=True)):
        found[place] = _score(model, words)
        model.learn_one(words, verdict)
    return found


def _score(model: Any, words: dict[int, float]) -> float:
    """Return the score by the door that does not round: a posterior of naive Bayes over words is 0 or 1."""
    if hasattr(model, "joint_log_likelihood"):
        joint = model.joint_log_likelihood(words)
        return float(joint[True] - joint[False]) if len(joint) == 2 else math.nan
    posterior = model.predict_proba_one(words)
    likely, unlikely = (min(max(posterior[label], 1e-300), 1.0) for label in (True, False))
    return math.log(likely / unlikely)


def _dictionaries(rows: csr_matrix) -> Iterator[dict[int, float]]:
    for row in range(rows.shape[0]):
        span = slice(rows.indptr[row], rows.indptr[row + 1])
        yield dict(zip(rows.indices[span].tolist(), rows.data[span].tolist(), strict=True))
