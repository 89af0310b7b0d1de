"""What learners over words see of a stream: counts of words, and their tf-idf as it is known when an article comes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix

from extractors.text.frequencies import Frequencies
from iscore.evaluation.replay.stream_format import LabelledArticle

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """The words of m articles, in order of arrival."""

    counts: csr_matrix
    """Shape (m, words); float64."""
    tfidf: csr_matrix
    """The same places; (1 + ln count)·(ln((N + 1)/(df + 1)) + 1) with N and df of the articles before, rows of
    Euclidean length 1."""

    def only(self, rows: npt.NDArray[np.bool_]) -> Words:
        """Return some of the articles, in the same order."""
        return Words(self.counts[rows], self.tfidf[rows])


def words_of(articles: Sequence[LabelledArticle]) -> Words:
    """Return the words of a stream: those of title and text, and source, author, site and categories as one each.

    Every article counts in the document frequencies, whether it has a verdict or not. A word's number says nothing:
    the vocabulary is that of the whole stream, but before its first article a word has no place in any row.
    """
    from sklearn.feature_extraction.text import CountVectorizer

    counter = CountVectorizer(analyzer=_tokens, dtype=np.float64)
    counts = csr_matrix(counter.fit_transform(articles))
    counts.sort_indices()
    indptr, indices = counts.indptr.astype(np.int64), counts.indices.astype(np.int32)
    weights = Frequencies().weigh_and_observe(indptr, indices, counts.data.astype(np.float32))
    return Words(counts, csr_matrix((weights.astype(np.float64), counts.indices, counts.indptr), shape=counts.shape))


@cache
def _analyzer() -> Callable[[str], Iterable[str]]:
    from sklearn.feature_extraction.text import CountVectorizer

    analyzer: Callable[[str], Iterable[str]] = CountVectorizer().build_analyzer()
    return analyzer


def _tokens(article: LabelledArticle) -> Iterable[str]:
    yield from _analyzer()(f"{article.title}\n{article.text}")
    for name, value in (("source", article.source), ("author", article.author), ("site", article.site)):
        if value:
            yield f"{name}={value}"
    for category in article.categories:
        yield f"category={category}"
