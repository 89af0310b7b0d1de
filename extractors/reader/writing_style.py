"""Whether an article is written like those the reader liked: an online learner over the measures of style."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from extractors.article_features import AnalysedArticle, AnalysedBatch
from extractors.document.style import Style
from extractors.extractor import Context, Floats, ReaderExtractor, Verdicts
from extractors.state import State, array


class WritingStyle(ReaderExtractor):
    """Log-odds of the measures of style (``style.py``), the share of likes taken out; positive speaks for liking.

    After Pon et al. 2008, who train a naive Bayes on such measures and give its answer to the classifier as one
    feature. What the learner says of an article of unknown style is its prior, and is subtracted: the feature is what
    style alone adds. Missing before there is a verdict of either kind, for articles whose measures are all missing,
    and where no learner was handed in. Memory is the learner's: bounded.
    """

    features: ClassVar[tuple[str, ...]] = ("writing_style",)
    meanings: ClassVar[Mapping[str, str]] = {"writing_style": "written like what you liked"}

    def __init__(self, context: Context) -> None:
        self._learner = context.style_learner() if context.style_learner is not None else None
        self._verdicts = np.zeros(2, dtype=np.int64)
        self._prior: float | None = None  # what the learner says of an unknown style; None until it is asked again

    def extract_many(self, articles: AnalysedBatch) -> Floats:
        styles = articles.columns(Style.features)
        values = np.full((len(articles), 1), np.nan)
        known = ~np.isnan(styles).all(axis=1)
        if self._learner is not None and self._verdicts.all() and known.any():
            if self._prior is None:
                self._prior = self._learner.score_one(np.full(len(Style.features), np.nan))
            values[known, 0] = self._learner.score_many(styles[known]) - self._prior
        return values

    def learn(self, article: AnalysedArticle, interesting: bool, weight: float) -> None:
        style = np.array([article.value(name) for name in Style.features])
        if self._learner is not None and not np.isnan(style).all():
            self._learner.learn_one(style, interesting, weight)
            self._prior = None
            self._verdicts[int(interesting)] += 1

    def follow(self, articles: AnalysedBatch, verdicts: Verdicts) -> Floats:
        styles = articles.columns(Style.features)
        values = np.full((len(articles), 1), np.nan)
        known = np.asarray(~np.isnan(styles).all(axis=1))
        if self._learner is not None and known.any():
            # Before each an unknown style, of no weight, for its score.
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
        learned = state["learner"]
        if not isinstance(learned, Mapping):
            raise TypeError("learner is not a state")
        self._verdicts = array(state, "verdicts", np.int64)
        self._prior = None
        if self._learner is not None:
            self._learner.restore(learned)
