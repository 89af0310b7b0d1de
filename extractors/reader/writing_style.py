"""Whether an article is written like those the user liked: an online learner over the features of style."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from extractors.arrays import Floats, State, array, nested
from extractors.article_features import AnalysedBatch
from extractors.base import BatchReaderExtractor, Context, Verdicts
from extractors.document.style import Style


class WritingStyle(BatchReaderExtractor):
    """Log-odds of the features of style (``style.py``) minus the prior log-odds; positive means liked.

    After Pon et al. 2008, who train a naive Bayes on such features and give its score to the classifier as one feature.
    The learner's score of an unknown style is its prior, and is subtracted: the feature is what style alone adds.
    Missing before there is a verdict of either kind, for articles whose features of style are all missing, and without
    a learner in the context. Memory is the learner's: bounded.

    >>> from datetime import UTC, datetime
    >>> from extractors import AnalysedArticle, Article, Context
    >>> from iscore.learners import KernelNaiveBayes
    >>> article = Article(id="1", arrived=datetime(2026, 3, 2, tzinfo=UTC), title="Ferry", text="")
    >>> extractor = WritingStyle(Context(style_learner=KernelNaiveBayes))
    >>> extractor.extract(AnalysedArticle.of(article))  # it has no features of style
    [nan]
    """

    features: ClassVar[tuple[str, ...]] = ("writing_style",)
    meanings: ClassVar[Mapping[str, str]] = {"writing_style": "style similar to your likes"}
    low_value_meanings: ClassVar[Mapping[str, str]] = {"writing_style": "style similar to your dislikes"}
    limits: ClassVar[Mapping[str, tuple[float, float]]] = {"writing_style": (-3.0, 3.0)}
    families: ClassVar[Mapping[str, str]] = {"writing_style": "writing style"}

    def __init__(self, context: Context | None = None) -> None:
        super().__init__(context)
        self._learner = self.context.style_learner() if self.context.style_learner is not None else None
        self._verdicts = np.zeros(2, dtype=np.int64)
        self._prior: float | None = None  # the learner's score of an unknown style, once it has been asked

    def extract_many(self, articles: AnalysedBatch) -> Floats:
        styles = articles.columns(Style.features)
        values = np.full((len(articles), 1), np.nan)
        known = ~np.isnan(styles).all(axis=1)
        if self._learner is not None and self._verdicts.all() and known.any():
            if self._prior is None:
                self._prior = self._learner.score_one(np.full(len(Style.features), np.nan))
            values[known, 0] = self._learner.score_many(styles[known]) - self._prior
        return values

    def extract_and_learn(self, articles: AnalysedBatch, verdicts: Verdicts) -> Floats:
        styles = articles.columns(Style.features)
        values = np.full((len(articles), 1), np.nan)
        known = np.asarray(~np.isnan(styles).all(axis=1))
        if self._learner is not None and known.any():
            # An unknown style of weight 0 before each article gives the prior of that moment.
            rows = np.full((2 * int(known.sum()), styles.shape[1]), np.nan)
            rows[1::2] = styles[known]
            weights = np.zeros(len(rows))
            weights[1::2] = verdicts.weights[known]
            scores = self._learner.learn_many(rows, np.repeat(verdicts.interesting[known], 2), weights)
            self._prior = None
            values[known, 0] = scores[1::2] - scores[::2]
            values[~verdicts.known_before(self._verdicts, known)] = np.nan
        return values

    def state(self) -> State:
        learned = {} if self._learner is None else self._learner.state()
        return {"verdicts": self._verdicts.copy(), "learner": learned}

    def restore(self, state: State) -> None:
        learned = nested(state, "learner")
        self._verdicts = array(state, "verdicts", np.int64)
        self._prior = None
        if self._learner is not None:
            self._learner.restore(learned)
