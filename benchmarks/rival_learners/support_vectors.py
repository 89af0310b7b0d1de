"""A linear support vector machine on tf-idf, learned anew from all verdicts so far every 500 articles."""

from __future__ import annotations

import warnings
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

EVERY = 500


def scores(counts: csr_matrix, liked: Mapping[str, Bools], C: float = 1.0, every: int = EVERY) -> dict[str, Floats]:
    """Return each reader's margins of the m articles, by the machine in force when each came; NaN where there is none.

    ``counts`` is of shape (m, words); ``liked`` holds the verdicts of each reader, shape (m,). Document frequencies are
    those of the articles that the machine learned, too.
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.feature_extraction.text import TfidfTransformer
    from sklearn.svm import LinearSVC

    m = counts.shape[0]
    found = {reader: np.full(m, np.nan) for reader in liked}
    for known in range(every, m, every):
        weigh = TfidfTransformer(sublinear_tf=True).fit(counts[:known])
        past, next_ones = weigh.transform(counts[:known]), weigh.transform(counts[known : known + every])
        for reader, verdicts in liked.items():
            if 0 < verdicts[:known].sum() < known:
                machine = LinearSVC(C=C, random_state=0)
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", ConvergenceWarning)
                    machine.fit(past, verdicts[:known])
                found[reader][known : known + every] = machine.decision_function(next_ones)
    return found
