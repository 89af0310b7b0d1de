"""What an extractor is: it computes one feature of an article, or several that need the same work.

There are three scopes, kept apart in code and tables so that many users share what does not depend on them:

``document``
    computed from the article alone; the same for all users, for ever.
``stream``
    computed from the article and the articles that arrived before it; the same for all users.
``reader``
    computed from one user's verdicts; the only scope that learns. It never sees the text, only an
    ``AnalysedArticle``, which is what remains of an article after its text has been pruned.

Each scope has two base classes. Derive from ``DocumentExtractor``, ``StreamExtractor`` or ``ReaderExtractor`` to handle
one article at a time, which is simple, and from the ``Batch…`` class to handle many in one call, which is fast. The
program calls the batch methods only.

Every value is a finite float, or NaN for "missing": the feature does not apply to this article, or nothing is known
yet.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Protocol, Self

import numpy as np

from extractors.arrays import Bools, Float32s, Floats, Int32s, Int64s, State
from extractors.article import Document
from extractors.article_features import AnalysedArticle, AnalysedBatch
from extractors.text.terms import TermVector
from extractors.text.text import Text, Texts

AnyFloats = Float32s | Floats


class SparseLearner(Protocol):
    """A binary classifier over sparse rows that learns one row at a time.

    ``indices`` are terms in [0, N_TERMS), or coordinates in a space of an agreed size, ascending within a row; ``data``
    are their weights.
    """

    def score_rows(self, indptr: Int64s, indices: Int32s, data: AnyFloats) -> Floats:
        """Return the margin of each row of a compressed sparse row matrix, neutral 0; shape (rows,)."""

    def score_words(
        self,
        vocabulary: Int32s,
        indptr: Int64s,
        places: Int32s,
        data: AnyFloats,
    ) -> Floats:
        """Return what ``score_rows`` returns, bit for bit, for rows whose indices are ``vocabulary[places]``."""

    def learn_row(self, indices: Int32s, data: AnyFloats, positive: bool, weight: float) -> None:
        """Learn one row of positive weight."""

    def learn_rows(
        self,
        indptr: Int64s,
        indices: Int32s,
        data: AnyFloats,
        positive: Bools,
        weights: Floats,
    ) -> Floats:
        """Learn rows in order like ``learn_row``; return the margin of each row just before, shape (rows,)."""

    def learn_parts(
        self,
        indptr: Int64s,
        indices: Int32s,
        data: AnyFloats,
        positive: Bools,
        weights: Floats,
    ) -> Floats:
        """Learn rows that consist of consecutive parts; return the margins of the single parts.

        For n rows of k parts ``indptr`` has n · k + 1 ends. Column j < k is the margin of part j alone just before its
        row was learned, the last column that of an empty row; shape (n, k + 1).
        """

    def state(self) -> dict[str, Any]:
        """Return a copy of everything learned; its size is bounded by the number of terms."""

    def restore(self, state: Mapping[str, Any]) -> None:
        """Become the learner that returned ``state``."""


class DenseLearner(Protocol):
    """A binary classifier over vectors of numbers, some missing (NaN), that learns one vector at a time."""

    def score_one(self, x: Floats) -> float:
        """Return the log-odds of a vector, neutral 0."""

    def score_many(self, X: Floats) -> Floats:
        """Return the log-odds of each row, equal to ``score_one`` row by row."""

    def learn_one(self, x: Floats, interesting: bool, weight: float = 1.0) -> float:
        """Learn one vector of positive weight; return the score that it had before."""

    def learn_many(self, X: Floats, interesting: Bools, weights: Floats) -> Floats:
        """Learn the rows in order like ``learn_one``; return the score of each row just before.

        A row of weight 0 is only scored.
        """

    def state(self) -> dict[str, Any]:
        """Return a copy of everything learned, of bounded size."""

    def restore(self, state: Mapping[str, Any]) -> None:
        """Become the learner that returned ``state``."""


Scope = Literal["document", "stream", "reader"]

OTHER_FAMILY = "other"


@dataclass(frozen=True, slots=True)
class Context:
    """What every extractor factory receives."""

    seed: int = 0
    term_learners: Mapping[str, Callable[[], SparseLearner]] = field(default_factory=dict)
    """Makers of untrained learners over terms, by name."""
    style_learner: Callable[[], DenseLearner] | None = None
    """Maker of an untrained learner over the features of style; without one ``writing_style`` is missing."""


@dataclass(frozen=True, slots=True, eq=False)
class Verdicts:
    """A user's verdicts on consecutive articles. Both arrays have the shape (articles,)."""

    interesting: Bools
    weights: Floats
    """Positive."""

    def __len__(self) -> int:
        return len(self.weights)

    @classmethod
    def single(cls, interesting: bool, weight: float) -> Self:
        """Return one verdict."""
        return cls(np.array([interesting], dtype=np.bool_), np.array([weight], dtype=np.float64))

    def known_before(self, counts: Int64s, among: Bools) -> Bools:
        """Return before which articles there is a verdict of either kind, shape (articles,).

        ``counts`` (2,) has the numbers of dislikes and likes before the first article, and is updated in place;
        ``among`` says which articles count.
        """
        each = np.column_stack([~self.interesting, self.interesting]) & among[:, np.newaxis]
        so_far = counts + np.cumsum(each, axis=0) - each
        counts += each.sum(axis=0)
        return np.asarray(so_far.all(axis=1))


class Extractor(ABC):
    """Common to all scopes."""

    features: ClassVar[tuple[str, ...]]
    """Names of the values, in order; unique over the registry."""

    meanings: ClassVar[Mapping[str, str]]
    """For each feature a short phrase for users that says what a high value means, such as "a long title"."""

    low_value_meanings: ClassVar[Mapping[str, str]] = {}
    """The same for low values; optional."""

    limits: ClassVar[Mapping[str, tuple[float, float]]] = {}
    """For each feature the value up to which the phrase for low values is true, and the value from which that for high
    values is. Explanations use neither phrase for values in between, nor for a feature without limits."""

    families: ClassVar[Mapping[str, str]] = {}
    """For each feature the family under which explanations sum it up; ``OTHER_FAMILY`` where there is none."""

    scope: ClassVar[Scope]

    running: Callable[[], AbstractContextManager[object]] = nullcontext
    """Entered around every call by the program, which may record there which extractor runs."""

    def __init__(self, context: Context | None = None) -> None:
        self.context = context or Context()

    def current_limits(self, feature: str) -> tuple[float, float]:
        """Return the feature's limits; override it where they depend on what the extractor has learned."""
        return self.limits.get(feature, (-math.inf, math.inf))

    def phrase(self, feature: str, value: float) -> str:
        """Say what this value of a feature means; empty if neither phrase is true of it."""
        low, high = self.current_limits(feature)
        if value >= high:
            return self.meanings[feature]
        return self.low_value_meanings.get(feature, "") if value <= low else ""


class BatchDocumentExtractor(Extractor):
    """Computes features of articles alone, many at once; has no state."""

    scope = "document"

    @abstractmethod
    def extract_many(self, documents: Sequence[Document], texts: Texts) -> Floats:
        """Return an array of shape (articles, features); each row depends on its article only."""

    def extract(self, document: Document, text: Text) -> Sequence[float]:
        """Return one value per name in ``features``: ``extract_many`` of a single article."""
        return _only_row(self.extract_many([document], Texts.of(text)))


class DocumentExtractor(BatchDocumentExtractor):
    """Computes features of one article alone; has no state. Write ``extract``."""

    def extract(self, document: Document, text: Text) -> Sequence[float]:
        """Return one value per name in ``features``; NaN is missing."""
        raise NotImplementedError(f"{type(self).__name__} has no extract")

    def extract_many(self, documents: Sequence[Document], texts: Texts) -> Floats:
        rows = [self.extract(document, texts[row]) for row, document in enumerate(documents)]
        return _rows(rows, self)


class BatchStreamExtractor(Extractor):
    """Compares articles with those that arrived before them, many at once."""

    scope = "stream"

    @abstractmethod
    def extract_and_observe(self, documents: Sequence[Document], texts: Texts) -> Floats:
        """Extract each article's features, then add it to the past, in order; return shape (articles, features)."""

    @abstractmethod
    def state(self) -> State:
        """Return a copy of everything remembered."""

    @abstractmethod
    def restore(self, state: State) -> None:
        """Become the extractor that returned ``state``."""


class StreamExtractor(BatchStreamExtractor):
    """Compares one article with those that arrived before it. Write ``extract``, ``observe``, ``state`` and
    ``restore``."""

    @abstractmethod
    def extract(self, document: Document, text: Text) -> Sequence[float]:
        """Return one value per name in ``features``; NaN is missing. Does not change the state."""

    @abstractmethod
    def observe(self, document: Document, text: Text) -> None:
        """Add the article to the past. Called once per article, after ``extract``, in order of arrival."""

    def extract_and_observe(self, documents: Sequence[Document], texts: Texts) -> Floats:
        rows = []
        for row, document in enumerate(documents):
            text = texts[row]
            rows.append(self.extract(document, text))
            self.observe(document, text)
        return _rows(rows, self)


class BatchReaderExtractor(Extractor):
    """Compares articles with one user's verdicts, many at once."""

    scope = "reader"

    @abstractmethod
    def extract_many(self, articles: AnalysedBatch) -> Floats:
        """Return an array of shape (articles, features). Does not change the state; each row depends on its article
        only."""

    @abstractmethod
    def extract_and_learn(self, articles: AnalysedBatch, verdicts: Verdicts) -> Floats:
        """Extract each article's features, then learn its verdict, in order; return shape (articles, features).

        The same, bit for bit, however the articles are split into batches. If it raises, it must have learned nothing.
        """

    @abstractmethod
    def state(self) -> State:
        """Return a copy of everything learned."""

    @abstractmethod
    def restore(self, state: State) -> None:
        """Become the extractor that returned ``state``."""

    def extract(self, article: AnalysedArticle) -> Sequence[float]:
        """Return one value per name in ``features``: ``extract_many`` of a single article."""
        return _only_row(self.extract_many(AnalysedBatch.of([article])))

    def learn(self, article: AnalysedArticle, interesting: bool, weight: float) -> None:
        """Learn one verdict of the given positive weight."""
        self.extract_and_learn(AnalysedBatch.of([article]), Verdicts.single(interesting, weight))

    def evidence(self, terms: TermVector) -> Floats:
        """Return how much each term speaks for interest, in log-odds, for explanations; one per term, 0 is nothing."""
        return np.zeros(len(terms))


class ReaderExtractor(BatchReaderExtractor):
    """Compares one article with one user's verdicts. Write ``extract``, ``learn``, ``state`` and ``restore``."""

    def extract(self, article: AnalysedArticle) -> Sequence[float]:
        """Return one value per name in ``features``; NaN is missing. Does not change the state."""
        raise NotImplementedError(f"{type(self).__name__} has no extract")

    @abstractmethod
    def learn(self, article: AnalysedArticle, interesting: bool, weight: float) -> None:
        """Learn one verdict of the given positive weight."""

    def extract_many(self, articles: AnalysedBatch) -> Floats:
        return _rows([self.extract(articles[row]) for row in range(len(articles))], self)

    def extract_and_learn(self, articles: AnalysedBatch, verdicts: Verdicts) -> Floats:
        rows = []
        for row in range(len(articles)):
            rows.append(self.extract(articles[row]))
            self.learn(articles[row], bool(verdicts.interesting[row]), float(verdicts.weights[row]))
        return _rows(rows, self)


def _only_row(rows: Floats) -> list[float]:
    only: list[float] = rows[0].tolist()
    return only


def _rows(rows: Sequence[Sequence[float]], extractor: Extractor) -> Floats:
    n = len(extractor.features)
    for row in rows:
        if len(row) != n:
            raise ValueError(f"returned {len(row)} values instead of {n}")
    return np.array(rows, dtype=np.float64).reshape(len(rows), n)
