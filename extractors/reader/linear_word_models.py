"""Linear learners over an article's words, as features.

The terms' weights (tf-idf, Euclidean length 1) go to a learner from the context (``learners.SparseLearner``); its
margin is the feature. Unlike naive Bayes, which counts, these learners correct mistakes and so find what separates
close topics.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from extractors.arrays import Floats, State, array, nested
from extractors.article_features import AnalysedBatch
from extractors.base import BatchReaderExtractor, Context, Verdicts


class LinearWordModel(BatchReaderExtractor):
    """The margin of an article's terms under a linear learner; any size, positive means liked.

    Missing before there is a verdict of either kind, without terms, and where the context has no learner of the name.
    Memory is the learner's: bounded by the number of terms.
    """

    learner: ClassVar[str]
    """The learner's name in ``Context.term_learners``."""

    def __init__(self, context: Context | None = None) -> None:
        super().__init__(context)
        make = self.context.term_learners.get(self.learner)
        self._learner = make() if make is not None else None
        self._verdicts = np.zeros(2, dtype=np.int64)

    def extract_many(self, articles: AnalysedBatch) -> Floats:
        margins = np.full((len(articles), 1), np.nan)
        if self._learner is not None and self._verdicts.all() and len(articles):
            terms = articles.terms
            known = np.diff(terms.indptr) > 0
            words = terms.vocabulary
            margins[known, 0] = self._learner.score_words(words.terms, terms.indptr, words.places, terms.weights)[known]
        return margins

    def extract_and_learn(self, articles: AnalysedBatch, verdicts: Verdicts) -> Floats:
        margins = np.full((len(articles), 1), np.nan)
        terms = articles.terms
        written = np.diff(terms.indptr) > 0
        if self._learner is not None and written.any():
            ends = np.append(terms.indptr[:-1][written], terms.indptr[-1])
            labels, weights = verdicts.interesting[written], verdicts.weights[written]
            margins[written, 0] = self._learner.learn_rows(ends, terms.ids, terms.weights, labels, weights)
            margins[~verdicts.known_before(self._verdicts, written)] = np.nan
        return margins

    def state(self) -> State:
        learned = {} if self._learner is None else self._learner.state()
        return {"verdicts": self._verdicts.copy(), "learner": learned}

    def restore(self, state: State) -> None:
        learned = nested(state, "learner")
        self._verdicts = array(state, "verdicts", np.int64)
        if self._learner is not None:
            self._learner.restore(learned)


class WordsWinnow(LinearWordModel):
    """Margin under Modified Balanced Winnow (Carvalho & Cohen 2006, "Single-pass online learning").

    >>> from datetime import UTC, datetime
    >>> from extractors import AnalysedArticle, Article, Context
    >>> from iscore.learners import ModifiedBalancedWinnow
    >>> now = datetime(2026, 3, 2, tzinfo=UTC)
    >>> ferry, tram = (AnalysedArticle.of(Article(id=t, arrived=now, title=t, text="")) for t in ("Ferry", "Tram"))
    >>> learners = {"modified-balanced-winnow": lambda: ModifiedBalancedWinnow(n_features=1 << 20)}
    >>> extractor = WordsWinnow(Context(term_learners=learners))
    >>> extractor.learn(ferry, True, 1.0)
    >>> extractor.learn(tram, False, 1.0)
    >>> extractor.extract(ferry)[0] > extractor.extract(tram)[0]
    True
    """

    features: ClassVar[tuple[str, ...]] = ("words_mbw",)
    meanings: ClassVar[Mapping[str, str]] = {"words_mbw": "contains key words of your likes"}
    low_value_meanings: ClassVar[Mapping[str, str]] = {"words_mbw": "contains key words of your dislikes"}
    limits: ClassVar[Mapping[str, tuple[float, float]]] = {"words_mbw": (-1.0, 1.0)}
    families: ClassVar[Mapping[str, str]] = {"words_mbw": "topic relevance"}
    learner = "modified-balanced-winnow"


class WordsPassiveAggressive(LinearWordModel):
    """Margin under the passive-aggressive rule (Crammer et al. 2006, "Online passive-aggressive algorithms").

    >>> from datetime import UTC, datetime
    >>> from extractors import AnalysedArticle, Article, Context
    >>> from iscore.learners import PassiveAggressive
    >>> now = datetime(2026, 3, 2, tzinfo=UTC)
    >>> ferry, tram = (AnalysedArticle.of(Article(id=t, arrived=now, title=t, text="")) for t in ("Ferry", "Tram"))
    >>> learners = {"passive-aggressive": lambda: PassiveAggressive(n_features=1 << 20)}
    >>> extractor = WordsPassiveAggressive(Context(term_learners=learners))
    >>> extractor.learn(ferry, True, 1.0)
    >>> extractor.learn(tram, False, 1.0)
    >>> extractor.extract(ferry)[0] > extractor.extract(tram)[0]
    True
    """

    features: ClassVar[tuple[str, ...]] = ("words_pa",)
    meanings: ClassVar[Mapping[str, str]] = {"words_pa": "worded like your likes"}
    low_value_meanings: ClassVar[Mapping[str, str]] = {"words_pa": "worded like your dislikes"}
    limits: ClassVar[Mapping[str, tuple[float, float]]] = {"words_pa": (-0.5, 0.5)}
    families: ClassVar[Mapping[str, str]] = {"words_pa": "topic relevance"}
    learner = "passive-aggressive"
