"""Converts ingested articles to the form that models take: the frozen features as arrays.

Features are stored as bytes; a batch of articles becomes columns at once, without an object for each article.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from extractors.article_features import AnalysedArticle, AnalysedBatch
from extractors.text.pairs import Pairs
from extractors.text.terms import TermBatch
from storage.records.articles import IngestedArticle

Floats = npt.NDArray[np.float64]


def analysed_article(article: IngestedArticle, names: Sequence[str]) -> AnalysedArticle:
    """Return an article with its features in the order of ``names``; missing where it was stored without them."""
    return analysed_batch([article], names)[0]


def analysed_batch(articles: Sequence[IngestedArticle], names: Sequence[str]) -> AnalysedBatch:
    """Return the same for many articles."""
    return AnalysedBatch(
        articles,
        TermBatch.from_bytes([article.terms for article in articles]),
        Pairs.from_bytes([article.pairs for article in articles]),
        tuple(names),
        _laid_out(articles, tuple(names)),
    )


def _laid_out(articles: Sequence[IngestedArticle], names: tuple[str, ...]) -> Floats:
    """Return the stored values in the order of ``names``; shape (articles, names)."""
    values = np.full((len(articles), len(names)), np.nan)
    together: dict[tuple[str, ...], list[int]] = {}
    for row, article in enumerate(articles):
        together.setdefault(article.names, []).append(row)
    for stored, rows in together.items():
        data = b"".join([articles[row].values for row in rows])
        block = np.frombuffer(data, dtype="<f8").reshape(len(rows), len(stored))
        columns = [place for place, name in enumerate(names) if name in stored]
        values[np.ix_(rows, columns)] = block[:, [stored.index(names[place]) for place in columns]]
    return values
