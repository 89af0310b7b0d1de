"""Runs extractors so that the fault of one costs its own features only.

An extractor may be anybody's code. One that raises, or answers with the wrong number of values, is missing (NaN) where
it did, and its reason is remembered. It is asked for many articles at once if it offers that; if that fails it is asked
for each alone, so that what one article provokes does not depend on the articles beside it.

What is of another package lives in a process of its own (``iscore.plugins``), where the same is done with it: there it
may hang as well.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from extractors.article import Document
from extractors.article_features import AnalysedArticle, AnalysedBatch
from extractors.extractor import DocumentExtractor, Extractor, ReaderExtractor, StreamExtractor, Verdicts
from extractors.state import State
from extractors.text.text import Text, Texts
from iscore.filtering.serialization import check

Floats = npt.NDArray[np.float64]


class ApartError(Exception):
    """An extractor in another process has failed, or the process has; the message is the whole reason."""


class Apart(Extractor):
    """An extractor that is isolated where it runs."""

    @abstractmethod
    def values(self, *about: Any) -> tuple[Floats, str]:
        """Return what it says of articles, shape (articles, features), missing where it failed, and why it did.

        ``about``: documents and their texts, or a ``AnalysedBatch``, as its scope is asked; with ``Verdicts`` behind it
        each article is learned after it was looked at. Raises ``ApartError`` when it cannot be asked any more.
        """


class Failures:
    """Which of some extractors failed, by the names they are registered under, and why."""

    def __init__(self, extractors: Mapping[str, Extractor]) -> None:
        self._names = {id(extractor): name for name, extractor in extractors.items()}
        self.reasons: dict[str, str] = {}
        """The newest one of each."""

    def note(self, extractor: Extractor, error: Exception) -> None:
        """Remember that ``extractor`` failed with ``error``."""
        reason = str(error) if isinstance(error, ApartError) else f"{type(error).__name__}: {error}"
        self.reasons[self._names[id(extractor)]] = reason


def document_values(
    extractor: DocumentExtractor, documents: Sequence[Document], texts: Texts, failures: Failures
) -> Floats:
    """Return what a document extractor says; shape (articles, features)."""
    if isinstance(extractor, Apart):
        return _apart_values(extractor, len(documents), failures, documents, texts)
    if type(extractor).extract_many is not DocumentExtractor.extract_many:
        try:
            return _block(extractor.extract_many(documents, texts), len(documents), extractor)
        except Exception as error:
            failures.note(extractor, error)
    rows = []
    for row, document in enumerate(documents):
        try:
            rows.append(_row(extractor.extract(document, texts[row]), extractor))
        except Exception as error:
            failures.note(extractor, error)
            rows.append(_missing(extractor))
    return _block(rows, len(documents), extractor)


def stream_values(
    extractor: StreamExtractor, documents: Sequence[Document], texts: Texts, failures: Failures
) -> Floats:
    """Return what a stream extractor says of each article, which joins its past; shape (articles, features)."""
    if isinstance(extractor, Apart):
        return _apart_values(extractor, len(documents), failures, documents, texts)
    if type(extractor).follow is not StreamExtractor.follow:
        try:
            return _block(extractor.follow(documents, texts), len(documents), extractor)
        except Exception as error:
            # It may have gone half the way: asking again would let articles join the past twice.
            failures.note(extractor, error)
            return missing_values(extractor, len(documents))
    rows = [_followed(extractor, document, texts[row], failures) for row, document in enumerate(documents)]
    return _block(rows, len(documents), extractor)


def reader_values(extractor: ReaderExtractor, articles: AnalysedBatch, failures: Failures) -> Floats:
    """Return what a reader extractor says; shape (articles, features)."""
    if isinstance(extractor, Apart):
        return _apart_values(extractor, len(articles), failures, articles)
    if type(extractor).extract_many is not ReaderExtractor.extract_many:
        try:
            return _block(extractor.extract_many(articles), len(articles), extractor)
        except Exception as error:
            failures.note(extractor, error)
            if len(articles) == 1:
                return missing_values(extractor, 1)
    rows = []
    for row in range(len(articles)):
        try:
            rows.append(_row(extractor.extract(articles[row]), extractor))
        except Exception as error:
            failures.note(extractor, error)
            rows.append(_missing(extractor))
    return _block(rows, len(articles), extractor)


def followed_values(
    extractor: ReaderExtractor, articles: AnalysedBatch, verdicts: Verdicts, failures: Failures
) -> Floats:
    """Return what a reader extractor says of each article before it learns its verdict; shape (articles, features)."""
    if isinstance(extractor, Apart):
        return _apart_values(extractor, len(articles), failures, articles, verdicts)
    if _follows(type(extractor)):
        try:
            values = extractor.follow(articles, verdicts)
        except Exception as error:
            failures.note(extractor, error)
        else:
            return _learned_values(extractor, values, len(articles), failures)
    rows = []
    for row in range(len(articles)):
        article = articles[row]
        rows.append(reader_values(extractor, AnalysedBatch.of([article]), failures)[0])
        taught(extractor, article, bool(verdicts.interesting[row]), float(verdicts.weights[row]), failures)
    return _block(rows, len(articles), extractor)


def taught(
    extractor: ReaderExtractor, article: AnalysedArticle, interesting: bool, weight: float, failures: Failures
) -> None:
    """Teach a reader extractor one verdict."""
    try:
        extractor.learn(article, interesting, weight)
    except Exception as error:
        failures.note(extractor, error)


def kept_state(extractor: StreamExtractor | ReaderExtractor, failures: Failures) -> State | None:
    """Return what an extractor remembers; None when it cannot say, or not in a form that can be kept."""
    try:
        state = extractor.state()
        check(state)
    except Exception as error:
        failures.note(extractor, error)
        return None
    return state


def restored(extractor: StreamExtractor | ReaderExtractor, state: State, failures: Failures) -> bool:
    """Hand an extractor its state, and tell whether it took it. One that did not is good for nothing any more."""
    try:
        extractor.restore(state)
    except Exception as error:
        failures.note(extractor, error)
        return False
    return True


def missing_values(extractor: Extractor, n_articles: int) -> Floats:
    """Return what an extractor says that cannot be asked; shape (articles, features)."""
    return np.full((n_articles, len(extractor.features)), np.nan)


def _apart_values(extractor: Apart, n_articles: int, failures: Failures, *about: Any) -> Floats:
    try:
        values, reason = extractor.values(*about)
        if reason:
            failures.note(extractor, ApartError(reason))
        return _block(values, n_articles, extractor)
    except Exception as error:
        failures.note(extractor, error)
        return missing_values(extractor, n_articles)


def _followed(extractor: StreamExtractor, document: Document, text: Text, failures: Failures) -> list[float]:
    try:
        values = _row(extractor.extract(document, text), extractor)
    except Exception as error:
        failures.note(extractor, error)
        values = _missing(extractor)
    try:
        extractor.observe(document, text)
    except Exception as error:
        failures.note(extractor, error)
    return values


def _missing(extractor: Extractor) -> list[float]:
    return [float("nan")] * len(extractor.features)


def _row(values: Sequence[float], extractor: Extractor) -> list[float]:
    if len(values) != len(extractor.features):
        raise ValueError(f"answered with {len(values)} values instead of {len(extractor.features)}")
    return [float(value) for value in values]


def _block(rows: Floats | Sequence[Sequence[float]], n_articles: int, extractor: Extractor) -> Floats:
    """Return rows as an array of the right shape. Raises ``ValueError`` when they have another."""
    shape = (n_articles, len(extractor.features))
    block = np.asarray(rows, dtype=np.float64)
    if block.shape != shape:
        if block.size or n_articles:
            raise ValueError(f"answered with shape {block.shape} instead of {shape}")
        block = block.reshape(shape)
    return block


def _learned_values(extractor: ReaderExtractor, values: Floats, n_articles: int, failures: Failures) -> Floats:
    """Return values as they shall be; of another shape they are missing, since nothing can be learned twice."""
    try:
        return _block(values, n_articles, extractor)
    except Exception as error:
        failures.note(extractor, error)
        return missing_values(extractor, n_articles)


def _follows(kind: type[ReaderExtractor]) -> bool:
    """Return whether ``follow`` is its own, and knows of what is said and learned: neither was defined after it."""
    for each in kind.__mro__:
        if "follow" in vars(each):
            return each is not ReaderExtractor
        if {"extract", "extract_many", "learn"} & vars(each).keys():
            return False
    return False
