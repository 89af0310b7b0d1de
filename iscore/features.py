"""Runs the extractors over an article: from text to numbers, each scope at its own time.

``ArrivalFeatures`` belongs to the stream of articles: it computes document and stream features once, when an article
arrives, and freezes them. ``ReaderFeatures`` belongs to one person: it computes what their verdicts make of the
article.

An extractor that raises, or answers with the wrong number of values, costs its own features only: they are missing, and
``failures`` names the extractor and the reason. Infinite values count as missing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from extractors.document import Document, Metadata
from extractors.extractor import DocumentExtractor, Extractor, ReaderExtractor, StreamExtractor
from extractors.frequencies import Frequencies
from extractors.terms import TermBatch, TermVector
from extractors.text import analyse

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class FrozenArticle:
    """What is kept of an article for judging and learning: metadata, term vector, document and stream features."""

    metadata: Metadata
    terms: TermVector
    values: Floats
    """One per name in ``ArrivalFeatures.names``; NaN is missing."""


@dataclass
class Failures:
    """Extractors that failed, by class name, with the newest reason."""

    reasons: dict[str, str] = field(default_factory=dict)

    def note(self, extractor: Extractor, error: Exception) -> None:
        """Remember that ``extractor`` failed with ``error``."""
        self.reasons[type(extractor).__name__] = f"{type(error).__name__}: {error}"


class ArrivalFeatures:
    """Document and stream scope: the same for every reader, computed once per article in order of arrival.

    Parameters
    ----------
    extractors
        By registered name, in the order in which their features stand in the vector; reader scope is left out.
    """

    def __init__(self, extractors: Mapping[str, Extractor]) -> None:
        document = [e for e in extractors.values() if isinstance(e, DocumentExtractor)]
        self._stream = {n: e for n, e in extractors.items() if isinstance(e, StreamExtractor)}
        self._extractors: tuple[DocumentExtractor | StreamExtractor, ...] = (*document, *self._stream.values())
        self._frequencies = Frequencies()
        self.failures = Failures()
        self.names = _names(self._extractors)

    def freeze(self, document: Document) -> FrozenArticle:
        """Compute the article's frozen features, and let it join the past of those that follow."""
        text = analyse(document, self._frequencies)
        values: list[float] = []
        for extractor in self._extractors:
            try:
                values += _checked(extractor.extract(document, text), extractor)
            except Exception as error:  # an extractor may be anybody's code; its fault stays its own
                self.failures.note(extractor, error)
                values += [np.nan] * len(extractor.features)
        for extractor in self._stream.values():
            try:
                extractor.observe(document, text)
            except Exception as error:
                self.failures.note(extractor, error)
        self._frequencies.observe(text.terms)
        return FrozenArticle(metadata=document, terms=text.terms, values=_finite(np.array(values)))

    def state(self) -> dict[str, Any]:
        """Return everything remembered of the stream."""
        return {
            "frequencies": self._frequencies.state(),
            "extractors": {name: extractor.state() for name, extractor in self._stream.items()},
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on where ``state`` was taken. An extractor that ``state`` does not know starts afresh."""
        self._frequencies.restore(state["frequencies"])
        for name, extractor in self._stream.items():
            if name in state["extractors"]:
                extractor.restore(state["extractors"][name])


class ReaderFeatures:
    """Reader scope: what one person's verdicts say about an article."""

    def __init__(self, extractors: Mapping[str, Extractor]) -> None:
        self._extractors = {n: e for n, e in extractors.items() if isinstance(e, ReaderExtractor)}
        self.failures = Failures()
        self.names = _names(self._extractors.values())

    def extract(self, article: FrozenArticle) -> Floats:
        """Return one value per name; NaN is missing."""
        values: list[float] = []
        for extractor in self._extractors.values():
            try:
                values += _checked(extractor.extract(article.metadata, article.terms), extractor)
            except Exception as error:
                self.failures.note(extractor, error)
                values += [np.nan] * len(extractor.features)
        return _finite(np.array(values))

    def extract_many(self, articles: Sequence[FrozenArticle]) -> Floats:
        """Return an array of shape (articles, names), equal bit for bit to ``extract`` row by row."""
        metadata = [article.metadata for article in articles]
        batch = TermBatch.of([article.terms for article in articles])
        columns: list[Floats] = []
        for extractor in self._extractors.values():
            shape = (len(articles), len(extractor.features))
            try:
                block = np.asarray(extractor.extract_many(metadata, batch), dtype=np.float64)
                if block.shape != shape:
                    raise ValueError(f"answered with shape {block.shape} instead of {shape}")
            except Exception as error:
                self.failures.note(extractor, error)
                block = np.full(shape, np.nan)
            columns.append(block)
        return _finite(np.hstack(columns)) if columns else np.empty((len(articles), 0))

    def evidence(self, article: FrozenArticle) -> Floats:
        """Return how much each of the article's terms speaks for interest, in log-odds; one per term, 0 is nothing."""
        total = np.zeros(len(article.terms))
        for extractor in self._extractors.values():
            try:
                evidence = np.asarray(extractor.evidence(article.terms), dtype=np.float64)
                if evidence.shape != total.shape:
                    raise ValueError(f"gave evidence of shape {evidence.shape} instead of {total.shape}")
            except Exception as error:
                self.failures.note(extractor, error)
                continue
            total += np.nan_to_num(evidence, nan=0.0, posinf=0.0, neginf=0.0)
        return total

    def learn(self, article: FrozenArticle, interesting: bool, weight: float) -> None:
        """Teach every extractor one verdict."""
        for extractor in self._extractors.values():
            try:
                extractor.learn(article.metadata, article.terms, interesting, weight)
            except Exception as error:
                self.failures.note(extractor, error)

    def state(self) -> dict[str, Any]:
        """Return everything learned."""
        return {name: extractor.state() for name, extractor in self._extractors.items()}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Become what ``state`` was taken from."""
        for name, extractor in self._extractors.items():
            if name in state:
                extractor.restore(state[name])


def _names(extractors: Iterable[Extractor]) -> tuple[str, ...]:
    return tuple(name for extractor in extractors for name in extractor.features)


def _checked(values: Sequence[float], extractor: Extractor) -> list[float]:
    if len(values) != len(extractor.features):
        raise ValueError(f"answered with {len(values)} values instead of {len(extractor.features)}")
    return [float(value) for value in values]


def _finite(values: Floats) -> Floats:
    values[np.isinf(values)] = np.nan
    return values
