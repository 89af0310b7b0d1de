"""The whole loop on one screen: from document to judgement, and from verdict back to the model. No I/O.

Document ─► ArticleFeatures ─► AnalysedArticle ─► ReaderModel ─► Judgement
            (the same for all readers)              ▲
                                                    └── verdict
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from datetime import datetime

from extractors.article import Document
from extractors.article_features import AnalysedArticle
from extractors.base import Extractor
from iscore.filtering.features.computation import ArticleFeatures
from iscore.filtering.model import Judgement, ReaderModel, Thresholder
from iscore.learners import Learner

__all__ = ["Judgement", "Pipeline"]

REMEMBERED = 100_000
"""Articles whose frozen features a ``Pipeline`` keeps until their verdicts come."""


class Pipeline:
    """One stream and one reader: score every article as it arrives, learn from every verdict.

    Parameters
    ----------
    extractors
        By name, as ``extractors.registry()`` has them, made.
    classifier
        One of ``iscore.learners.LEARNERS``.
    thresholder
        Usually ``iscore.filtering.decision.expected_threshold.ExpectedThreshold()``; ``AdaptiveThreshold()`` for
        classifiers whose scores are no log-odds.
    """

    def __init__(self, extractors: Mapping[str, Extractor], classifier: Learner, thresholder: Thresholder) -> None:
        self.arrivals = ArticleFeatures(extractors)
        self.reader = ReaderModel(self.arrivals.names, extractors, classifier, thresholder)
        self._articles: OrderedDict[str, AnalysedArticle] = OrderedDict()

    def judge(self, document: Document, *, at: datetime) -> Judgement:
        """Score an article at its arrival; it joins the stream the first time."""
        return self.reader.judge(self._frozen(document), at=at)

    def learn(
        self,
        document: Document,
        interesting: bool,
        *,
        at: datetime,  # noqa: ARG002 -- for learners that forget with time
        weight: float = 1.0,
    ) -> None:
        """Learn a verdict, at any time after the article was scored."""
        self.reader.learn(self._frozen(document), interesting, weight=weight)

    def _frozen(self, document: Document) -> AnalysedArticle:
        article = self._articles.get(document.id)
        if article is None:
            article = self._articles[document.id] = self.arrivals.analyse(document)
            if len(self._articles) > REMEMBERED:
                self._articles.popitem(last=False)
        return article
