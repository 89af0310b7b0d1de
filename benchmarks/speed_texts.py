"""Documents for the benchmarks of learners' speed, as one CSR matrix with labels: made-up ones, and 20 Newsgroups."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import TfidfVectorizer

from benchmarks.streams import rows

Bools = npt.NDArray[np.bool_]

WORDS, LENGTH = 40_000, 150


def made_up(n: int) -> tuple[csr_matrix, Bools]:
    """Return tf-idf-like rows of Euclidean length 1, words by Zipf's law, and labels that a hidden line decides."""
    random = np.random.default_rng(4)
    popularity = (np.arange(WORDS) + 10.0) ** -1.0
    words = np.empty((n, LENGTH), dtype=np.int32)
    for row in words:
        keys = random.random(WORDS) ** (1.0 / popularity)
        row[:] = np.sort(np.argpartition(keys, WORDS - LENGTH)[WORDS - LENGTH :])
    data = random.gamma(2.0, size=words.shape) + 0.1
    data /= np.linalg.norm(data, axis=1, keepdims=True)
    X = csr_matrix((data.ravel(), words.ravel(), np.arange(0, n * LENGTH + 1, LENGTH)), shape=(n, WORDS))
    hidden = random.normal(size=WORDS) * popularity**-0.3
    margin = X @ hidden
    return X, np.asarray(margin + 0.3 * margin.std() * random.normal(size=n) > np.quantile(margin, 0.7))


def newsgroups(n: int | None = None) -> tuple[csr_matrix, Bools]:
    """Return the posts of all twenty newsgroups in random order, those about science against the others.

    Subject and body, tf-idf of runs of letters, each post of length 1; ``n`` are enough, None takes all.
    """
    posts = list(rows("20newsgroups/20news-bydate.jsonl.xz"))
    order = np.random.default_rng(0).permutation(len(posts))[:n]
    tf_idf = TfidfVectorizer(token_pattern=r"[a-zA-Z]+")
    X = csr_matrix(tf_idf.fit_transform(f"{posts[i]['subject']}\n{posts[i]['body']}" for i in order))
    return X, np.array([str(posts[i]["group"]).startswith("sci.") for i in order])
