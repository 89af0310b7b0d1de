"""Runs the extractors over articles, each scope at its own time.

``ArticleFeatures`` belongs to the stream of articles: it computes document and stream features once, when articles
arrive. ``ReaderFeatures`` belongs to one user: it computes the features that depend on verdicts.

An extractor that fails costs its own features only (``fault_isolation.py``); ``failures`` has its name and the reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from extractors import AnalysedArticle, AnalysedBatch, Document, Extractor, Verdicts
from extractors.base import BatchDocumentExtractor, BatchReaderExtractor, BatchStreamExtractor
from extractors.text.analysis import analyse_many, chunks
from extractors.text.frequencies import Frequencies
from iscore.filtering.features.fault_isolation import (
    Failures,
    document_values,
    learned_values,
    missing_values,
    reader_values,
    restored,
    state_of,
    stream_values,
)
from iscore.filtering.serialization import StateError

Floats = npt.NDArray[np.float64]


class ArticleFeatures:
    """Document and stream scope: the same for all users, computed once per article in order of arrival.

    Parameters
    ----------
    extractors
        By registered name, in the order of their features in the vector; those of reader scope are ignored.
    """

    def __init__(self, extractors: Mapping[str, Extractor]) -> None:
        self._document = [e for e in extractors.values() if isinstance(e, BatchDocumentExtractor)]
        self._stream = {n: e for n, e in extractors.items() if isinstance(e, BatchStreamExtractor)}
        self._lost: set[str] = set()
        self._frequencies = Frequencies()
        self.failures = Failures(extractors)
        self.names = _names([*self._document, *self._stream.values()])

    def analyse(self, document: Document) -> AnalysedArticle:
        """Analyse an article and compute its features, then add it to the stream."""
        return self.analyse_many([document])[0]

    def analyse_many(self, documents: Sequence[Document]) -> list[AnalysedArticle]:
        """Do the same as ``analyse`` of each article in turn, many times faster."""
        return [article for chunk in chunks(documents) for article in self._analyse(chunk)]

    def state(self) -> dict[str, Any]:
        """Return everything remembered of the stream."""
        states = {name: state_of(e, self.failures) for name, e in self._stream.items() if name not in self._lost}
        return {
            "frequencies": self._frequencies.state(),
            "extractors": {name: state for name, state in states.items() if state is not None},
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue where ``state`` was taken.

        An extractor that ``state`` does not have starts empty. The features of one that cannot restore its part are
        missing from now on, and it is left out of the next state, from which it then starts empty.
        """
        self._frequencies.restore(state["frequencies"])
        for name, extractor in self._stream.items():
            if name in state["extractors"] and not restored(extractor, state["extractors"][name], self.failures):
                self._lost.add(name)

    def _analyse(self, documents: Sequence[Document]) -> list[AnalysedArticle]:
        texts = analyse_many(documents, self._frequencies)
        blocks = [document_values(extractor, documents, texts, self.failures) for extractor in self._document]
        blocks += [
            missing_values(extractor, len(documents))
            if name in self._lost
            else stream_values(extractor, documents, texts, self.failures)
            for name, extractor in self._stream.items()
        ]
        values = _joined(blocks, len(documents))
        return [
            AnalysedArticle(document, texts.terms[row], texts.pairs[row], self.names, values[row])
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
