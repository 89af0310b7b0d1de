"""How close an article is to the one liked article that it resembles most."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from extractors.article_features import AnalysedArticle, AnalysedBatch
from extractors.extractor import ReaderExtractor, Verdicts
from extractors.state import State
from extractors.stream.nearest_articles import Heads

LIKED = 1024
"""So many of the last liked articles are kept: interests older than that show in the other measures."""


class NearestLiked(ReaderExtractor):
    """max cos(d, e) over the last ``LIKED`` liked articles e; in [0, 1]. Verdicts' weights play no part.

    The nearest-neighbour rule of topic detection (Allan et al. 1998, "On-line new event detection and
    tracking"): it finds what an average would blur, an interest with few articles. Cosines are those of the
    articles' heaviest terms (``heads.py``). Missing before the first like, and for an article without terms.
    """

    features: ClassVar[tuple[str, ...]] = ("nearest_liked",)
    meanings: ClassVar[Mapping[str, str]] = {"nearest_liked": "much like one article that you liked"}

    def __init__(self) -> None:
        self._heads = Heads(LIKED)

    def extract_many(self, articles: AnalysedBatch) -> npt.NDArray[np.float64]:
        return self._heads.nearest(articles.terms).reshape(len(articles), 1)

    def learn(self, article: AnalysedArticle, interesting: bool, weight: float) -> None:  # noqa: ARG002
        if interesting and len(article.terms) > 0:
            self._heads.add(article.terms)

    def follow(self, articles: AnalysedBatch, verdicts: Verdicts) -> npt.NDArray[np.float64]:
        return self._heads.follow(articles.terms, verdicts.interesting).reshape(len(articles), 1)

    def state(self) -> State:
        return self._heads.state()

    def restore(self, state: State) -> None:
        self._heads.restore(state)
