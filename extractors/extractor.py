"""What an extractor is: one measure, or one family of measures, of an article.

There are three scopes, and they are kept apart everywhere because it is what makes many readers cheap:

``document``
    computed from the article alone; the same for everybody, for ever.
``stream``
    computed from the article and the stream of articles before it; the same for everybody, frozen at arrival.
``reader``
    computed from one person's verdicts; the only scope that learns. It never sees the text itself, only
    metadata and the term vector, because those are all that is kept of a judged article after its text has
    been pruned.

Every value is a finite float, or NaN for "missing": the measure does not apply to this article, or nothing is
known yet.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import numpy.typing as npt

from extractors.document import Document, Metadata
from extractors.state import State
from extractors.terms import TermBatch, TermVector
from extractors.text import Text

Scope = Literal["document", "stream", "reader"]


@dataclass(frozen=True, slots=True)
class Context:
    """What every extractor factory is given."""

    seed: int = 0


class Extractor(ABC):
    """Common to all scopes."""

    features: ClassVar[tuple[str, ...]]
    """Names of the values that ``extract`` returns, in order; unique over the registry."""

    meanings: ClassVar[Mapping[str, str]]
    """For each feature a short phrase in plain words that says what a large value means, such as "close to
    what you liked"; people read it when they ask why an article was recommended."""

    scope: ClassVar[Scope]


class DocumentExtractor(Extractor):
    """Measures the article alone; has no state."""

    scope = "document"

    @abstractmethod
    def extract(self, document: Document, text: Text) -> Sequence[float]:
        """Return one value per name in ``features``; NaN is missing."""


class StreamExtractor(Extractor):
    """Measures the article against the articles that arrived before it."""

    scope = "stream"

    @abstractmethod
    def extract(self, document: Document, text: Text) -> Sequence[float]:
        """Return one value per name in ``features``; NaN is missing. Does not change the state."""

    @abstractmethod
    def observe(self, document: Document, text: Text) -> None:
        """Let the article join the past. Called once per article, after ``extract``, in order of arrival."""

    @abstractmethod
    def state(self) -> State:
        """Return a copy of everything remembered."""

    @abstractmethod
    def restore(self, state: State) -> None:
        """Become the extractor that returned ``state``."""


class ReaderExtractor(Extractor):
    """Measures the article against one person's verdicts."""

    scope = "reader"

    @abstractmethod
    def extract(self, article: Metadata, terms: TermVector) -> Sequence[float]:
        """Return one value per name in ``features``; NaN is missing. Does not change the state."""

    def extract_many(self, articles: Sequence[Metadata], terms: TermBatch) -> npt.NDArray[np.float64]:
        """Return an array of shape (articles, features), equal bit for bit to ``extract`` row by row."""
        rows = [self.extract(article, terms[row]) for row, article in enumerate(articles)]
        return np.array(rows, dtype=np.float64).reshape(len(articles), len(self.features))

    def evidence(self, terms: TermVector) -> npt.NDArray[np.float64]:
        """Return how much each term speaks for interest, in log-odds, for people; one per term, 0 is
        nothing."""
        return np.zeros(len(terms))

    @abstractmethod
    def learn(self, article: Metadata, terms: TermVector, interesting: bool, weight: float) -> None:
        """Take in one verdict of the given positive weight."""

    @abstractmethod
    def state(self) -> State:
        """Return a copy of everything learned."""

    @abstractmethod
    def restore(self, state: State) -> None:
        """Become the extractor that returned ``state``."""


__all__ = [
    "Context",
    "DocumentExtractor",
    "Extractor",
    "ReaderExtractor",
    "Scope",
    "State",
    "StreamExtractor",
]
