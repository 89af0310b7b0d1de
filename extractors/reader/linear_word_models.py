"""Linear learners over an article's words, as features: each has its own way of drawing the line.

The terms' weights (tf-idf, Euclidean length 1) go to a learner that whoever puts the program together hands in
(``learners.SparseLearner``); its margin is the feature. Where naive Bayes counts, these correct mistakes, and so find
what tells close topics apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from extractors.article_features import AnalysedArticle, AnalysedBatch
from extractors.extractor import Context, Floats, ReaderExtractor, Verdicts
from extractors.state import State, array


class LinearWords(ReaderExtractor):
    """The margin of an article's terms under a linear learner; any size, positive speaks for liking.

    Missing before there is a verdict of either kind, without terms, and where no learner of the name was handed in.
    Memory is the learner's: bounded by the number of terms.
    """

    learner: ClassVar[str]
    """The learner's name in ``Context.term_learners``."""

    def __init__(self, context: Context) -> None:
        make = context.term_learners.get(self.learner)
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

    def learn(self, article: AnalysedArticle, interesting: bool, weight: float) -> None:
        if self._learner is not None and len(article.terms):
            self._learner.learn_row(article.terms.ids, article.terms.weights, interesting, weight)
            self._verdicts[int(interesting)] += 1

    def follow(self, articles: AnalysedBatch, verdicts: Verdicts) -> Floats:
        margins = np.full((len(articles), 1), np.nan)
        terms = articles.terms
        written = np.diff(terms.indptr) > 0
        if self._learner is not None and written.any():
            ends = np.append(terms.indptr[:-1][written], terms.indptr[-1])
            said = verdicts.interesting[written], verdicts.weights[written]
            margins[written, 0] = self._learner.learn_rows(ends, terms.ids, terms.weights, *said)
            margins[~verdicts.known_before(self._verdicts, written)] = np.nan
        return margins

    def state(self) -> State:
        learned = {} if self._learner is None else self._learner.state()
        return {"verdicts": self._verdicts.copy(), "learner": learned}

    def restore(self, state: State) -> None:
        learned = state["learner"]
        if not isinstance(learned, Mapping):
            raise TypeError("learner is not a state")
        self._verdicts = array(state, "verdicts", np.int64)
        if self._learner is not None:
            self._learner.restore(learned)


class WordsWinnow(LinearWords):
    """By Modified Balanced Winnow (Carvalho & Cohen 2006, "Single-pass online learning")."""

    features: ClassVar[tuple[str, ...]] = ("words_mbw",)
    meanings: ClassVar[Mapping[str, str]] = {"words_mbw": "marked by words of what you like"}
    learner = "modified-balanced-winnow"


class WordsPassiveAggressive(LinearWords):
    """By the passive-aggressive rule (Crammer et al. 2006, "Online passive-aggressive algorithms")."""

    features: ClassVar[tuple[str, ...]] = ("words_pa",)
    meanings: ClassVar[Mapping[str, str]] = {"words_pa": "worded like what you like"}
    learner = "passive-aggressive"
