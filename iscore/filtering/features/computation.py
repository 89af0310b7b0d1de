"""Runs the extractors over articles, each scope at its own time.

``ArticleFeatures`` belongs to the stream of articles: it computes document and stream features once, when articles
arrive. ``ReaderFeatures`` belongs to one user: it computes the features that depend on verdicts.

An extractor may come from another package, and one that fails costs its own features only: where it raises, or returns
values of the wrong shape, its features are missing (NaN), and ``failures`` has its name and the reason. If it fails on
a batch, it is asked again for each article alone, so that one article does not affect the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from extractors import AnalysedArticle, AnalysedBatch, Document, Extractor, Verdicts
from extractors.arrays import Int8s, Int32s, State
from extractors.base import (
    BatchDocumentExtractor,
    BatchReaderExtractor,
    BatchStreamExtractor,
    ReaderExtractor,
    StreamExtractor,
)
from extractors.text.analysis import analyse_many, chunks
from extractors.text.boilerplate import Boilerplate
from extractors.text.frequencies import Frequencies
from extractors.text.meaning import Encoder
from extractors.text.terms import TermVector
from extractors.text.text import Texts
from iscore.filtering.serialization import StateError, check

Floats = npt.NDArray[np.float64]

ENCODER = "semantic"
"""Name under which failures of the encoder are reported: that of its extra."""


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


class ArticleFeatures:
    """Document and stream scope: the same for all users, computed once per article in order of arrival.

    Parameters
    ----------
    extractors
        By registered name, in the order of their features in the vector; those of reader scope are ignored.
    encoder
        What gives articles a meaning; None gives them none. One that fails is not asked again.
    """

    def __init__(self, extractors: Mapping[str, Extractor], encoder: Encoder | None = None) -> None:
        self._encoder = encoder
        self._document = [e for e in extractors.values() if isinstance(e, BatchDocumentExtractor)]
        self._stream = {n: e for n, e in extractors.items() if isinstance(e, BatchStreamExtractor)}
        self._lost: set[str] = set()
        self._frequencies = Frequencies()
        self._boilerplate = Boilerplate()
        self.failures = Failures(extractors)
        self.names = _names([*self._document, *self._stream.values()])

    def analyse(self, document: Document) -> AnalysedArticle:
        """Analyse an article and compute its features, then add it to the stream."""
        return self.analyse_many([document])[0]

    def analyse_many(self, documents: Sequence[Document], *, apart: bool = False) -> list[AnalysedArticle]:
        """Analyse each article in turn like ``analyse``, many times faster.

        ``apart``: they say nothing about the feeds that they name, as what a user imports.
        """
        return [article for chunk in chunks(documents) for article in self._analyse(chunk, apart=apart)]

    def words_of(self, documents: Sequence[Document], *, apart: bool) -> list[tuple[TermVector, Int32s]]:
        """Return the terms and pairs of articles, as ``analyse_many`` would; the extractors do not see them."""
        found = []
        for chunk in chunks(documents):
            texts = analyse_many(chunk, self._frequencies, self._boilerplate, apart=apart)
            found += [(texts.terms[row], texts.pairs[row]) for row in range(len(chunk))]
        return found

    def state(self) -> dict[str, Any]:
        """Return everything remembered of the stream."""
        states = {name: state_of(e, self.failures) for name, e in self._stream.items() if name not in self._lost}
        return {
            "boilerplate": self._boilerplate.state(),
            "frequencies": self._frequencies.state(),
            "extractors": {name: state for name, state in states.items() if state is not None},
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue where ``state`` was taken.

        An extractor that ``state`` does not have starts empty. The features of one that cannot restore its part are
        missing from now on, and it is left out of the next state, from which it then starts empty.

        A state without boilerplate is of a former version, which had other terms: their frequencies start empty.
        """
        if "boilerplate" in state:
            self._frequencies.restore(state["frequencies"])
            self._boilerplate.restore(state["boilerplate"])
        for name, extractor in self._stream.items():
            if name in state["extractors"] and not restored(extractor, state["extractors"][name], self.failures):
                self._lost.add(name)

    def meanings(self, documents: Sequence[Document]) -> Int8s | None:
        """Return the meaning of each article; None without an encoder that works."""
        if self._encoder is None:
            return None
        try:
            return self._encoder.meanings(documents)
        except Exception as error:
            self._encoder = None
            self.failures.reasons[ENCODER] = f"{type(error).__name__}: {error}"
            return None

    def _analyse(self, documents: Sequence[Document], *, apart: bool) -> list[AnalysedArticle]:
        texts = analyse_many(documents, self._frequencies, self._boilerplate, apart=apart)
        blocks = [document_values(extractor, documents, texts, self.failures) for extractor in self._document]
        blocks += [
            missing_values(extractor, len(documents))
            if name in self._lost
            else stream_values(extractor, documents, texts, self.failures)
            for name, extractor in self._stream.items()
        ]
        values = _joined(blocks, len(documents))
        terms = replace(texts.terms, meanings=self.meanings(documents))
        return [
            AnalysedArticle(document, terms[row], texts.pairs[row], self.names, values[row])
            for row, document in enumerate(documents)
        ]


class ReaderFeatures:
    """Reader scope: the features that depend on one user's verdicts; and the meaning of all features, in words."""

    def __init__(self, extractors: Mapping[str, Extractor]) -> None:
        self._extractors = {n: e for n, e in extractors.items() if isinstance(e, BatchReaderExtractor)}
        self.extractor_of = {feature: each for each in extractors.values() for feature in each.features}
        """The extractor of each feature of any scope."""
        self.failures = Failures(extractors)
        self.names = _names(self._extractors.values())

    def extract(self, article: AnalysedArticle) -> Floats:
        """Return one value per name; NaN is missing."""
        values: Floats = self.extract_many(AnalysedBatch.of([article]))[0]
        return values

    def extract_many(self, articles: AnalysedBatch) -> Floats:
        """Return an array of shape (articles, names), equal bit for bit to ``extract`` row by row."""
        blocks = [reader_values(extractor, articles, self.failures) for extractor in self._extractors.values()]
        return _joined(blocks, len(articles))

    def extract_and_learn(self, articles: AnalysedBatch, verdicts: Verdicts) -> Floats:
        """Extract each article's features, then learn its verdict, in turn; return shape (articles, names).

        No extractor depends on the others, so each goes through all articles by itself.
        """
        blocks = [learned_values(each, articles, verdicts, self.failures) for each in self._extractors.values()]
        return _joined(blocks, len(articles))

    def learn(self, article: AnalysedArticle, interesting: bool, weight: float) -> None:
        """Learn one verdict."""
        self.extract_and_learn(AnalysedBatch.of([article]), Verdicts.single(interesting, weight))

    def evidence(self, article: AnalysedArticle) -> Floats:
        """Return how much each of the article's terms speaks for interest, in log-odds; one per term, 0 is nothing."""
        total = np.zeros(len(article.terms))
        for extractor in self._extractors.values():
            with self.failures.caught(extractor):
                evidence = np.asarray(extractor.evidence(article.terms), dtype=np.float64)
                if evidence.shape != total.shape:
                    raise ValueError(f"returned evidence of shape {evidence.shape} instead of {total.shape}")
                total += np.nan_to_num(evidence, nan=0.0, posinf=0.0, neginf=0.0)
        return total

    def phrase(self, feature: str, value: float) -> str:
        """Say what a value of a feature of any scope means; empty if nothing certain."""
        extractor = self.extractor_of[feature]
        with self.failures.caught(extractor):
            return str(extractor.phrase(feature, value))
        return ""

    def state(self) -> dict[str, Any]:
        """Return everything learned, without the extractors whose state cannot be stored."""
        states = {name: state_of(extractor, self.failures) for name, extractor in self._extractors.items()}
        return {name: state for name, state in states.items() if state is not None}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue where ``state`` was taken.

        Raises ``StateError`` if ``state`` lacks an extractor or one cannot restore its part: then only the log has what
        the classifier learned of that extractor.
        """
        for name, extractor in self._extractors.items():
            if name not in state or not restored(extractor, state[name], self.failures):
                raise StateError(f"no state for the extractor {name}")


def _names(extractors: Iterable[Extractor]) -> tuple[str, ...]:
    return tuple(name for extractor in extractors for name in extractor.features)


def _joined(blocks: Sequence[Floats], n_articles: int) -> Floats:
    """Concatenate the extractors' features; infinite values count as missing."""
    values = np.concatenate(blocks, axis=1) if blocks else np.empty((n_articles, 0))
    values[np.isinf(values)] = np.nan
    return values
