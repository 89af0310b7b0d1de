"""What an extractor is: one measure, or one family of measures, of an article.

There are three scopes, and they are kept apart everywhere because it is what makes many readers cheap:

``document``
    computed from the article alone; the same for everybody, for ever.
``stream``
    computed from the article and the stream of articles before it; the same for everybody, frozen at arrival.
``reader``
    computed from one person's verdicts; the only scope that learns. It never sees the text itself, only what
    is frozen of an article (``frozen.py``), because that is all that is kept after its text has been pruned.

Each verb comes in two forms, for one article and for many at once, and each form is made of the other: an
extractor defines the one for a single article, which is simple, or the one for many, which is fast.

Every value is a finite float, or NaN for "missing": the measure does not apply to this article, or nothing is
known yet.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np
import numpy.typing as npt

from extractors.article import Document
from extractors.article_features import AnalysedArticle, AnalysedBatch
from extractors.learners import DenseLearner, SparseLearner
from extractors.state import State
from extractors.text.terms import TermVector
from extractors.text.text import Text, Texts

Floats = npt.NDArray[np.float64]
Scope = Literal["document", "stream", "reader"]


@dataclass(frozen=True, slots=True)
class Context:
    """What every extractor factory is given."""

    seed: int = 0
    term_learners: Mapping[str, Callable[[], SparseLearner]] = field(default_factory=dict)
    """Learners over terms that have seen nothing, by name."""
    style_learner: Callable[[], DenseLearner] | None = None
    """The learner over measures of style; without one there is no feature of it."""


@dataclass(frozen=True, slots=True, eq=False)
class Verdicts:
    """What a person said of articles, one after the other. Both arrays have the shape (articles,)."""

    interesting: npt.NDArray[np.bool_]
    weights: Floats
    """Positive."""

    def __len__(self) -> int:
        return len(self.weights)

    def known_before(self, counts: npt.NDArray[np.int64], among: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """Return before which articles there is a verdict of either kind, shape (articles,).

        ``counts`` (2,) says how many dislikes and likes there are before the first, and is brought up to date;
        ``among`` which articles count.
        """
        each = np.column_stack([~self.interesting, self.interesting]) & among[:, np.newaxis]
        so_far = counts + np.cumsum(each, axis=0) - each
        counts += each.sum(axis=0)
        return np.asarray(so_far.all(axis=1))


class Extractor(ABC):
    """Common to all scopes."""

    features: ClassVar[tuple[str, ...]]
    """Names of the values that ``extract`` returns, in order; unique over the registry."""

    meanings: ClassVar[Mapping[str, str]]
    """For each feature a short phrase in plain words that says what a large value means, such as "close to
    what you liked"; people read it when they ask why an article was recommended."""

    scope: ClassVar[Scope]


class DocumentExtractor(Extractor):
    """Measures the article alone; has no state. Define ``extract`` or ``extract_many``."""

    scope = "document"

    def extract(self, document: Document, text: Text) -> Sequence[float]:
        """Return one value per name in ``features``; NaN is missing."""
        return _only_row(self.extract_many([document], Texts.of(text)))

    def extract_many(self, documents: Sequence[Document], texts: Texts) -> Floats:
        """Return an array of shape (articles, features), equal bit for bit to ``extract`` row by row."""
        rows = [self.extract(document, texts[row]) for row, document in enumerate(documents)]
        return np.array(rows, dtype=np.float64).reshape(len(documents), len(self.features))


class StreamExtractor(Extractor):
    """Measures the article against the articles that arrived before it. Define ``extract``, ``observe``, and
    ``follow`` if it can be faster than the two in turn."""

    scope = "stream"

    @abstractmethod
    def extract(self, document: Document, text: Text) -> Sequence[float]:
        """Return one value per name in ``features``; NaN is missing. Does not change the state."""

    @abstractmethod
    def observe(self, document: Document, text: Text) -> None:
        """Let the article join the past. Called once per article, after ``extract``, in order of arrival."""

    def follow(self, documents: Sequence[Document], texts: Texts) -> Floats:
        """Extract and observe one article after the other; return an array of shape (articles, features)."""
        rows = []
        for row, document in enumerate(documents):
            text = texts[row]
            rows.append(self.extract(document, text))
            self.observe(document, text)
        return np.array(rows, dtype=np.float64).reshape(len(documents), len(self.features))

    @abstractmethod
    def state(self) -> State:
        """Return a copy of everything remembered."""

    @abstractmethod
    def restore(self, state: State) -> None:
        """Become the extractor that returned ``state``."""


class ReaderExtractor(Extractor):
    """Measures the article against one person's verdicts. Define ``extract`` or ``extract_many``, ``learn``, and
    ``follow`` if it can be faster than the two in turn."""

    scope = "reader"

    def extract(self, article: AnalysedArticle) -> Sequence[float]:
        """Return one value per name in ``features``; NaN is missing. Does not change the state."""
        return _only_row(self.extract_many(AnalysedBatch.of([article])))

    def extract_many(self, articles: AnalysedBatch) -> Floats:
        """Return an array of shape (articles, features), equal bit for bit to ``extract`` row by row."""
        rows = [self.extract(articles[row]) for row in range(len(articles))]
        return np.array(rows, dtype=np.float64).reshape(len(articles), len(self.features))

    def evidence(self, terms: TermVector) -> Floats:
        """Return how much each term speaks for interest, in log-odds, for people; one per term, 0 is
        nothing."""
        return np.zeros(len(terms))

    @abstractmethod
    def learn(self, article: AnalysedArticle, interesting: bool, weight: float) -> None:
        """Take in one verdict of the given positive weight."""

    def follow(self, articles: AnalysedBatch, verdicts: Verdicts) -> Floats:
        """Extract and learn one article after the other; return an array of shape (articles, features), equal bit for
        bit to ``extract`` of each before ``learn``.

        What raises must have learned nothing: then the two are asked in turn.
        """
        rows = []
        for row in range(len(articles)):
            article = articles[row]
            rows.append(self.extract(article))
            self.learn(article, bool(verdicts.interesting[row]), float(verdicts.weights[row]))
        return np.array(rows, dtype=np.float64).reshape(len(articles), len(self.features))

    @abstractmethod
    def state(self) -> State:
        """Return a copy of everything learned."""

    @abstractmethod
    def restore(self, state: State) -> None:
        """Become the extractor that returned ``state``."""


def _only_row(rows: Floats) -> list[float]:
    only: list[float] = rows[0].tolist()
    return only


__all__ = [
    "Context",
    "DocumentExtractor",
    "Extractor",
    "ReaderExtractor",
    "Scope",
    "State",
    "StreamExtractor",
    "Verdicts",
]
