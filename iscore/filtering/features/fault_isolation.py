"""Calls extractors so that a failing one costs its own features only.

An extractor may come from another package. Where it raises, or returns values of the wrong shape, its features are
missing (NaN), and the reason is recorded. If it fails on a batch, it is asked again for each article alone, so that one
article does not affect the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from extractors.arrays import State
from extractors.article import Document
from extractors.article_features import AnalysedBatch
from extractors.base import (
    BatchDocumentExtractor,
    BatchReaderExtractor,
    BatchStreamExtractor,
    Extractor,
    ReaderExtractor,
    StreamExtractor,
    Verdicts,
)
from extractors.text.text import Texts
from iscore.filtering.serialization import check

Floats = npt.NDArray[np.float64]


class Failures:
    """Why extractors failed, by the names they are registered under."""

    def __init__(self, extractors: Mapping[str, Extractor]) -> None:
        self._names = {id(extractor): name for name, extractor in extractors.items()}
        self.reasons: dict[str, str] = {}
        """The newest reason of each."""

    @contextmanager
    def caught(self, extractor: Extractor) -> Iterator[None]:
        """Run code of an extractor; record what it raises, and go on."""
        try:
            with extractor.running():
                yield
        except Exception as error:
            self.reasons[self._names[id(extractor)]] = f"{type(error).__name__}: {error}"


def document_values(
    extractor: BatchDocumentExtractor, documents: Sequence[Document], texts: Texts, failures: Failures
) -> Floats:
    """Return the features of each article; shape (articles, features)."""

    def alone(row: int) -> Floats:
        return extractor.extract_many([documents[row]], Texts.of(texts[row]))

    return _values(extractor, len(documents), failures, lambda: extractor.extract_many(documents, texts), alone)


def stream_values(
    extractor: BatchStreamExtractor, documents: Sequence[Document], texts: Texts, failures: Failures
) -> Floats:
    """Return the features of each article, and add it to the extractor's past; shape (articles, features)."""
    if not isinstance(extractor, StreamExtractor):
        # If it fails, some articles may have been added: asking again could add them twice.
        return _values(extractor, len(documents), failures, lambda: extractor.extract_and_observe(documents, texts))
    values = missing_values(extractor, len(documents))
    for row, document in enumerate(documents):
        text = texts[row]
        with failures.caught(extractor):
            values[row] = _shaped([extractor.extract(document, text)], 1, extractor)
        with failures.caught(extractor):
            extractor.observe(document, text)
    return values


def reader_values(extractor: BatchReaderExtractor, articles: AnalysedBatch, failures: Failures) -> Floats:
    """Return the features of each article; shape (articles, features)."""

    def alone(row: int) -> Floats:
        return extractor.extract_many(AnalysedBatch.of([articles[row]]))

    return _values(extractor, len(articles), failures, lambda: extractor.extract_many(articles), alone)


def learned_values(
    extractor: BatchReaderExtractor, articles: AnalysedBatch, verdicts: Verdicts, failures: Failures
) -> Floats:
    """Return the features of each article before the extractor learns its verdict; shape (articles, features)."""
    values = missing_values(extractor, len(articles))
    if not isinstance(extractor, ReaderExtractor):
        learned = None
        with failures.caught(extractor):
            learned = extractor.extract_and_learn(articles, verdicts)
        if learned is not None or len(articles) == 1:
            return _values(extractor, len(articles), failures, lambda: learned)
        for row in range(len(articles)):
            verdict = Verdicts(verdicts.interesting[row : row + 1], verdicts.weights[row : row + 1])
            values[row] = learned_values(extractor, AnalysedBatch.of([articles[row]]), verdict, failures)[0]
        return values
    for row in range(len(articles)):
        article = articles[row]
        with failures.caught(extractor):
            values[row] = _shaped(extractor.extract_many(AnalysedBatch.of([article])), 1, extractor)
        with failures.caught(extractor):
            extractor.learn(article, bool(verdicts.interesting[row]), float(verdicts.weights[row]))
    return values


def state_of(extractor: BatchStreamExtractor | BatchReaderExtractor, failures: Failures) -> State | None:
    """Return an extractor's state; None when it fails or cannot be stored."""
    with failures.caught(extractor):
        state = extractor.state()
        check(state)
        return state
    return None


def restored(extractor: BatchStreamExtractor | BatchReaderExtractor, state: State, failures: Failures) -> bool:
    """Restore an extractor's state, and return whether it succeeded. One that failed must not be used any more."""
    with failures.caught(extractor):
        extractor.restore(state)
        return True
    return False


def missing_values(extractor: Extractor, n_articles: int) -> Floats:
    """Return missing features; shape (articles, features)."""
    return np.full((n_articles, len(extractor.features)), np.nan)


def _values(
    extractor: Extractor,
    n_articles: int,
    failures: Failures,
    together: Callable[[], Floats],
    alone: Callable[[int], Floats] | None = None,
) -> Floats:
    """Return what ``together`` returns; if it fails, what ``alone`` returns for each row, or missing values."""
    with failures.caught(extractor):
        return _shaped(together(), n_articles, extractor)
    values = missing_values(extractor, n_articles)
    if alone is not None and n_articles > 1:
        for row in range(n_articles):
            with failures.caught(extractor):
                values[row] = _shaped(alone(row), 1, extractor)
    return values


def _shaped(values: Any, n_articles: int, extractor: Extractor) -> Floats:
    """Return values as an array of the right shape. Raises ``ValueError`` when they have another."""
    shape = (n_articles, len(extractor.features))
    block = np.asarray(values, dtype=np.float64)
    if block.shape != shape and (block.size or n_articles):
        raise ValueError(f"returned values of shape {block.shape} instead of {shape}")
    return block.reshape(shape)
