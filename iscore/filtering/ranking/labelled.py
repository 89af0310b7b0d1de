"""Articles as a ranking takes them: those to be scored, those liked or disliked, and interests in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, Self

import numpy as np

from extractors.arrays import Bools, Floats, Int32s, Int64s
from extractors.article import Document
from extractors.article_features import AnalysedBatch
from extractors.text.analysis import enumerated
from extractors.text.terms import TermBatch, TermVector

NO_INTEREST = -1
"""Number of no interest."""
RANKERS = ("all", "words", "classifier")
"""What ranks: Rocchio, regression and the feature classifier; the first two; or the classifier alone."""


class FeatureClassifier(Protocol):
    """What the decision needs of ``iscore.filtering.model.ReaderModel``."""

    rankers: str
    """One of ``RANKERS``."""

    @property
    def likes(self) -> int:
        """Likes that it has learned."""

    @property
    def dislikes(self) -> int:
        """Dislikes that it has learned."""

    def score_many(self, articles: AnalysedBatch) -> Floats:
        """Return the score of each article; NaN where it gives none."""

    def left_out(self, *, liked: bool) -> Floats:
        """Return the scores of the newest liked or disliked articles just before it learned from them."""


@dataclass(frozen=True, slots=True, eq=False)
class Articles:
    """Articles to be scored."""

    terms: TermBatch
    votes: Floats
    """The feature classifier's scores: of new articles now, of others when they were new; NaN where it gave none."""

    @classmethod
    def new(cls, articles: AnalysedBatch, classifier: FeatureClassifier) -> Articles:
        """Let the classifier score articles."""
        return cls(articles.terms, classifier.score_many(articles))

    @classmethod
    def none(cls) -> Articles:
        """Return no articles."""
        return cls(TermBatch.of([]), np.empty(0))

    @classmethod
    def joined(cls, *several: Articles) -> Articles:
        """Concatenate articles."""
        return cls(TermBatch.joined([each.terms for each in several]), np.concatenate([each.votes for each in several]))


@dataclass(frozen=True, slots=True, eq=False)
class Implicit:
    """Articles without a verdict that the user opened, read, saved or passed over; see ``implicit_feedback``."""

    articles: Articles
    weights: Floats
    """Of each: positive for a part of a like, negative for a part of a dislike."""

    @classmethod
    def none(cls) -> Implicit:
        """Return no articles."""
        return cls(Articles.none(), np.empty(0))


@dataclass(frozen=True, slots=True, eq=False)
class Phrase:
    """An interest in the user's words, or one of several texts on it."""

    terms: TermVector
    parts: Sequence[Int32s]
    """The terms of each part of an enumeration, ascending."""
    interest: int = 0
    """The number of its interest."""
    weight: float = 1.0
    """Less where the user has weakened it."""

    @classmethod
    def of(cls, terms: TermVector, document: Document) -> Self:
        """Find the parts of a phrase; all of it is one if it was measured in another language than it is in now."""
        parts = enumerated(document)
        same = np.array_equal(np.unique(np.concatenate([terms.ids[:0], *parts])), terms.ids)
        return cls(terms, parts if same else [terms.ids])


@dataclass(frozen=True, slots=True, eq=False)
class Labelled:
    """Articles with a verdict or imported examples, and interests in words."""

    terms: TermBatch
    liked: Bools
    weights: Floats
    """1 for a verdict; that of the item for an example."""
    rows: Int64s
    """Of its verdict in the log; 0 without one."""
    phrases: Sequence[Phrase] = ()
    names: tuple[str, ...] = ()
    """The user's interests."""
    interests: Int64s = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    """Of each article the number of its interest for examples, ``NO_INTEREST`` for verdicts."""
    n_implicit: int = 0
    """How many articles, the last, have no verdict, but implicit feedback."""

    @property
    def examples(self) -> Bools:
        """Whether it has no verdict: an imported example, or implicit feedback."""
        found: Bools = self.rows == 0
        return found

    @property
    def implicit(self) -> Bools:
        """Whether it has no verdict, but implicit feedback."""
        return np.arange(len(self.liked)) >= len(self.liked) - self.n_implicit

    @property
    def only_words(self) -> bool:
        """Whether phrases are all that is liked."""
        return bool(self.phrases) and not bool((self.liked & ~self.implicit).any())

    @property
    def verdicts(self) -> Bools:
        """Whether it has a verdict."""
        return ~self.examples

    def with_implicit(self, feedback: Implicit) -> Labelled:
        """Add articles with implicit feedback, the last ones.

        All parts of likes together weigh at most what all likes do, and parts of dislikes what dislikes do.
        """
        n, liked = len(feedback.weights), feedback.weights > 0.0
        weights = np.abs(feedback.weights)
        for kind in (True, False):
            limit, total = float(self.weights[self.liked == kind].sum()), float(weights[liked == kind].sum())
            if total > limit:
                weights[liked == kind] *= limit / total
        return replace(
            self,
            terms=TermBatch.joined([self.terms, feedback.articles.terms]),
            liked=np.concatenate([self.liked, liked]),
            weights=np.concatenate([self.weights, weights]),
            rows=np.concatenate([self.rows, np.zeros(n, dtype=np.int64)]),
            interests=np.concatenate([self.interests, np.full(n, NO_INTEREST)]),
            n_implicit=n,
        )

    def with_words_of(self, words: Bools) -> Bools:
        """Return of each article whether it has a verdict, or any of these ``words``, shape (N_TERMS,)."""
        found = self.verdicts
        for row in np.flatnonzero(self.examples).tolist():
            found[row] = words[self.terms[row].ids].any()
        return found

    def with_phrases_of(self, words: Bools) -> Labelled:
        """Leave out the phrases that have none of these ``words``, shape (N_TERMS,), and no meaning."""
        known = [each for each in self.phrases if words[each.terms.ids].any() or each.terms.meaning is not None]
        return replace(self, phrases=known)
