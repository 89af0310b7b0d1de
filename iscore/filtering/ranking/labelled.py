"""Articles as a ranking takes them: those to be scored, and those that are liked, disliked or stand for an interest."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np

from extractors.arrays import Bools, Floats, Int64s
from extractors.article_features import AnalysedBatch
from extractors.text.frequencies import Frequencies
from extractors.text.terms import N_TERMS, TermBatch

NO_INTEREST = -1
"""Number of no interest."""
STAND_INS = 10
"""Articles of the pool that stand for a phrase."""
PHRASE_WEIGHT = 0.3
"""Weight of all of them together, where that of a like is 1."""
PHRASE_LIKES = 5
"""With so many likes of its own the phrases of an interest have done their work."""
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
class Labelled:
    """Articles with a verdict or imported examples."""

    terms: TermBatch
    liked: Bools
    weights: Floats
    """1 for a verdict; that of the item for an example."""
    rows: Int64s
    """Of its verdict in the log; 0 without one."""
    phrases: TermBatch = field(default_factory=lambda: TermBatch.of([]))
    """Interests in the user's words."""
    phrase_weights: Floats = field(default_factory=lambda: np.empty(0))
    """1 for each of them, less where the user has weakened it."""
    names: tuple[str, ...] = ()
    """The user's interests."""
    interests: Int64s = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    """Of each article the number of its interest for examples and stand-ins, ``NO_INTEREST`` for verdicts."""
    phrase_interests: Int64s = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    """Of each phrase the number of its interest."""
    n_stand_ins: int = 0
    """How many articles, the first, stand for phrases."""
    n_implicit: int = 0
    """How many articles, the last, have no verdict, but implicit feedback."""

    @property
    def examples(self) -> Bools:
        """Whether it has no verdict: an imported example, an article that stands for a phrase, implicit feedback."""
        found: Bools = self.rows == 0
        return found

    @property
    def stand_ins(self) -> Bools:
        """Whether it stands for a phrase."""
        return np.arange(len(self.liked)) < self.n_stand_ins

    @property
    def implicit(self) -> Bools:
        """Whether it has no verdict, but implicit feedback."""
        return np.arange(len(self.liked)) >= len(self.liked) - self.n_implicit

    @property
    def only_words(self) -> bool:
        """Whether phrases are all that is liked."""
        return self.n_stand_ins > 0 and not bool(self.liked[self.n_stand_ins :].any())

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

    def with_stand_ins(self, pool: Articles, known: Floats, words: Bools) -> Labelled:
        """Let the articles of the pool that match each phrase best stand for likes; what is disliked stands for none.

        The words of a phrase are as rare as they are in the pool. A phrase without a match there stands for itself if
        it has any of ``words``, those of all articles; else nothing does.
        """
        frequencies = Frequencies()
        frequencies.weigh_and_observe(pool.terms.indptr, pool.terms.ids, pool.terms.counts)
        dense = np.zeros(N_TERMS)
        found: list[TermBatch] = []
        weights: list[float] = []
        interests: list[int] = []
        for place in range(len(self.phrases)):
            phrase = self.phrases[place]
            phrase = replace(phrase, weights=frequencies.weigh(phrase.ids, phrase.counts))
            dense[phrase.ids] = phrase.weights
            matches = pool.terms.sums(pool.terms.weights, dense[pool.terms.vocabulary.terms])
            dense[phrase.ids] = 0.0
            matches[known == 0.0] = 0.0
            best = np.argsort(-matches, kind="stable")[:STAND_INS]
            best = best[matches[best] > 0.0]
            itself = [phrase] * bool(words[phrase.ids].any())
            stand_ins = [pool.terms[row] for row in best.tolist()] or itself
            found.append(TermBatch.of(stand_ins))
            weights += [PHRASE_WEIGHT * self.phrase_weights[place] / max(len(stand_ins), 1)] * len(stand_ins)
            interests += [int(self.phrase_interests[place])] * len(stand_ins)
        new = np.ones(len(weights), dtype=np.bool_)
        return replace(
            self,
            terms=TermBatch.joined([*found, self.terms]),
            liked=np.concatenate([new, self.liked]),
            weights=np.concatenate([weights, self.weights]),
            rows=np.concatenate([np.zeros(len(new), dtype=np.int64), self.rows]),
            interests=np.concatenate([np.array(interests, dtype=np.int64), self.interests]),
            n_stand_ins=len(new),
        )
