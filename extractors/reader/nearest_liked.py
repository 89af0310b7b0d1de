"""How close an article is to the one liked article that it resembles most."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from extractors.arrays import Floats, State, array
from extractors.article_features import AnalysedBatch
from extractors.base import BatchReaderExtractor, Context, Verdicts
from extractors.hash_table import Places
from extractors.stream.nearest_articles import NearestArticles
from extractors.text.terms import N_TERMS

LIKED = 1024
"""Number of the last liked articles that count: older interests show in the other features."""


class NearestLiked(BatchReaderExtractor):
    """max cos(d, e) over the last ``LIKED`` liked articles e; in [0, 1]. Verdicts' weights play no part.

    The nearest-neighbour rule of topic detection (Allan et al. 1998, "On-line new event detection and tracking"): it
    finds interests with few articles, which an average would blur. Cosines are those of the articles' heaviest terms
    (``nearest_articles.py``). Missing before the first like, and for an article without terms.

    >>> from datetime import UTC, datetime
    >>> from extractors import AnalysedArticle, Article
    >>> now, titles = datetime(2026, 3, 2, tzinfo=UTC), ("Ferry strike", "Ferry timetable")
    >>> articles = [Article(id=title, arrived=now, title=title, text="", language="en") for title in titles]
    >>> one, other = map(AnalysedArticle.of, articles)
    >>> extractor = NearestLiked()
    >>> extractor.learn(one, True, 1.0)
    >>> [round(extractor.extract(article)[0], 3) for article in (one, other)]
    [1.0, 0.5]
    """

    features: ClassVar[tuple[str, ...]] = ("nearest_liked",)
    meanings: ClassVar[Mapping[str, str]] = {"nearest_liked": "very similar to an article you liked"}
    low_value_meanings: ClassVar[Mapping[str, str]] = {"nearest_liked": "unlike anything you liked"}
    limits: ClassVar[Mapping[str, tuple[float, float]]] = {"nearest_liked": (0.1, 0.5)}
    families: ClassVar[Mapping[str, str]] = {"nearest_liked": "topic relevance"}

    def __init__(self, context: Context | None = None) -> None:
        super().__init__(context)
        self._liked = NearestArticles(LIKED, n_terms=1)
        self._places = Places(N_TERMS)
        """Numbers of the terms, for the ring; 0 is that of all unknown ones."""

    def extract_many(self, articles: AnalysedBatch) -> Floats:
        known = articles.terms.vocabulary
        terms = articles.terms.renumbered(self._places.find(known.terms)[known.places])
        return self._liked.nearest(terms).reshape(len(articles), 1)

    def extract_and_learn(self, articles: AnalysedBatch, verdicts: Verdicts) -> Floats:
        terms = articles.terms.renumbered(self._places.claim(articles.terms.ids))
        self._liked.make_room(1 + self._places.count)
        return self._liked.nearest_and_add(terms, verdicts.interesting).reshape(len(articles), 1)

    def state(self) -> State:
        state = self._liked.state()
        return {**state, "ids": self._places.coordinates[array(state, "ids", np.int32) - 1]}

    def restore(self, state: State) -> None:
        self._places = Places(N_TERMS)
        numbers = self._places.claim(array(state, "ids", np.int32))
        self._liked.make_room(1 + self._places.count)
        self._liked.restore({**state, "ids": numbers})
