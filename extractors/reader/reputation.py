"""How often the reader liked what came from the same source, author, site or category, or under the same tag.

The share of liked articles, drawn towards the reader's overall share p0 while there is little to go by:
(liked + w·p0) / (judged + w), the mean of a Beta posterior whose prior is worth w verdicts. A fixed prior of
one half would make every new source look good to a reader who likes little. p0 itself is (liked + 1) /
(judged + 2) over all verdicts, and moves with them.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from extractors.article import Metadata
from extractors.article_features import AnalysedArticle, AnalysedBatch
from extractors.extractor import ReaderExtractor, Verdicts
from extractors.state import State, array, names

PRIOR_WEIGHT = 4.0
"""Verdicts that the prior is worth: after four of its own a source counts half."""

MAX_NAMES = 20_000
"""Names remembered; the one that was judged longest ago is forgotten first."""


class Reputation(ReaderExtractor):
    """Share of liked articles among those judged that had the same name, or names; in (0, 1).

    With several names it is the mean of their shares. A name not judged yet has the prior share p0; an
    article without a name is missing.
    """

    def __init__(self) -> None:
        self._liked: dict[str, float] = {}
        self._judged: dict[str, float] = {}
        self._all_liked = 0.0
        self._all_judged = 0.0

    @abstractmethod
    def named(self, article: Metadata) -> tuple[str, ...]:
        """Return the names of the article that have a reputation; none if it is unknown."""

    def extract_many(self, articles: AnalysedBatch) -> npt.NDArray[np.float64]:
        prior = self._prior()
        known: dict[tuple[str, ...], float] = {}  # thousands of articles share some dozens of names
        shares = np.empty((len(articles), 1), dtype=np.float64)
        for row, article in enumerate(articles.metadata):
            found = self.named(article)
            share = known.get(found)
            if share is None:
                share = known[found] = self._share(found, prior)
            shares[row, 0] = share
        return shares

    def learn(self, article: AnalysedArticle, interesting: bool, weight: float) -> None:
        self._count(self.named(article.metadata), interesting, weight)

    def follow(self, articles: AnalysedBatch, verdicts: Verdicts) -> npt.NDArray[np.float64]:
        shares = []
        said = zip(articles.metadata, verdicts.interesting.tolist(), verdicts.weights.tolist(), strict=True)
        for article, interesting, weight in said:
            found = self.named(article)
            shares.append(self._share(found, self._prior()))
            self._count(found, interesting, weight)
        return np.array(shares, dtype=np.float64).reshape(len(shares), 1)

    def state(self) -> State:
        return {
            "names": list(self._judged),
            "judged": np.array(list(self._judged.values()), dtype=np.float64),
            "liked": np.array(list(self._liked.values()), dtype=np.float64),
            "all": np.array([self._all_judged, self._all_liked], dtype=np.float64),
        }

    def restore(self, state: State) -> None:
        known = names(state, "names")
        self._judged = dict(zip(known, array(state, "judged", np.float64).tolist(), strict=True))
        self._liked = dict(zip(known, array(state, "liked", np.float64).tolist(), strict=True))
        self._all_judged, self._all_liked = array(state, "all", np.float64).tolist()

    def _count(self, named: tuple[str, ...], interesting: bool, weight: float) -> None:
        self._all_judged += weight
        self._all_liked += weight * interesting
        for name in named:
            # Taken out and put back at the end: the order of the names is that of their last verdicts.
            self._judged[name] = self._judged.pop(name, 0.0) + weight
            self._liked[name] = self._liked.pop(name, 0.0) + weight * interesting
        while len(self._judged) > MAX_NAMES:
            oldest = next(iter(self._judged))
            del self._judged[oldest], self._liked[oldest]

    def _prior(self) -> float:
        return (self._all_liked + 1.0) / (self._all_judged + 2.0)

    def _share(self, found: tuple[str, ...], prior: float) -> float:
        if not found:
            return float("nan")
        shares = [
            (self._liked.get(name, 0.0) + PRIOR_WEIGHT * prior) / (self._judged.get(name, 0.0) + PRIOR_WEIGHT)
            for name in found
        ]
        return sum(shares) / len(shares)


class SourceReputation(Reputation):
    """By the feed that brought the article."""

    features: ClassVar[tuple[str, ...]] = ("source_reputation",)
    meanings: ClassVar[Mapping[str, str]] = {"source_reputation": "from a source you often like"}

    def named(self, article: Metadata) -> tuple[str, ...]:
        return (article.source,) if article.source else ()


class SiteReputation(Reputation):
    """By the host of the article's page, which tells the sites of an aggregating feed apart."""

    features: ClassVar[tuple[str, ...]] = ("site_reputation",)
    meanings: ClassVar[Mapping[str, str]] = {"site_reputation": "from a site you often like"}

    def named(self, article: Metadata) -> tuple[str, ...]:
        return (article.site,) if article.site else ()


class AuthorReputation(Reputation):
    """By the author as the feed names them, in any case."""

    features: ClassVar[tuple[str, ...]] = ("author_reputation",)
    meanings: ClassVar[Mapping[str, str]] = {"author_reputation": "by an author you often like"}

    def named(self, article: Metadata) -> tuple[str, ...]:
        author = article.author.strip().casefold()
        return (author,) if author else ()


class CategoryReputation(Reputation):
    """By the feed's own categories of the article, in any case; each once."""

    features: ClassVar[tuple[str, ...]] = ("category_reputation",)
    meanings: ClassVar[Mapping[str, str]] = {"category_reputation": "in a category you often like"}

    def named(self, article: Metadata) -> tuple[str, ...]:
        return _each_once(article.categories)


class TagReputation(Reputation):
    """By the reader's own tags on the feed, in any case; each once.

    It lets what was learned of one feed speak for another that the reader has put beside it, a new one above all.
    """

    features: ClassVar[tuple[str, ...]] = ("tag_reputation",)
    meanings: ClassVar[Mapping[str, str]] = {"tag_reputation": "from feeds with a tag you often like"}

    def named(self, article: Metadata) -> tuple[str, ...]:
        return _each_once(article.tags)


def _each_once(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, (word.strip().casefold() for word in words))))
