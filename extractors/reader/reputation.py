"""How often the user liked articles from the same source, author, site or category, or with the same tag.

The share of liked articles, drawn towards the user's overall share p0 while there are few verdicts: (liked + w·p0) /
(judged + w), the mean of a Beta posterior whose prior is worth w verdicts. A fixed prior of one half would make every
new source look good to a user who likes little. p0 itself is (liked + 1) / (judged + 2) over all verdicts.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from typing import ClassVar

import numpy as np

from extractors.arrays import Floats, State, array, names
from extractors.article import Metadata
from extractors.article_features import AnalysedBatch
from extractors.base import BatchReaderExtractor, Context, Verdicts

PRIOR_WEIGHT = 4.0
"""Verdicts that the prior is worth: after four of its own, a source's share and the prior weigh the same."""

MAX_NAMES = 20_000
"""Number of names remembered; the one with the oldest last verdict is forgotten first."""

CLEAR = 1.2
"""Factor by which the odds of a share differ from those of p0 before explanations call it high or low."""


class Reputation(BatchReaderExtractor):
    """Share of likes among the verdicts on articles with the same name, or names; in (0, 1).

    With several names it is the mean of their shares. A name without verdicts has the prior share p0. Missing for an
    article without a name.
    """

    def __init__(self, context: Context | None = None) -> None:
        super().__init__(context)
        self._liked: dict[str, float] = {}
        self._judged: dict[str, float] = {}
        self._all_liked = 0.0
        self._all_judged = 0.0

    def current_limits(self, feature: str) -> tuple[float, float]:  # noqa: ARG002 -- the base class's parameters
        """A share is high or low only in comparison with p0, the share of a name without verdicts."""
        prior = self._prior()
        odds = prior / (1.0 - prior)
        return odds / CLEAR / (1.0 + odds / CLEAR), odds * CLEAR / (1.0 + odds * CLEAR)

    @abstractmethod
    def named(self, article: Metadata) -> tuple[str, ...]:
        """Return the article's names; empty if unknown."""

    def extract_many(self, articles: AnalysedBatch) -> Floats:
        prior = self._prior()
        known: dict[tuple[str, ...], float] = {}  # thousands of articles share a few dozen names
        shares = np.empty((len(articles), 1), dtype=np.float64)
        for row, article in enumerate(articles.metadata):
            found = self.named(article)
            share = known.get(found)
            if share is None:
                share = known[found] = self._share(found, prior)
            shares[row, 0] = share
        return shares

    def extract_and_learn(self, articles: AnalysedBatch, verdicts: Verdicts) -> Floats:
        shares = []
        rows = zip(articles.metadata, verdicts.interesting.tolist(), verdicts.weights.tolist(), strict=True)
        for article, interesting, weight in rows:
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
            # Moved to the end: names are in the order of their last verdicts.
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
    """By the article's feed.

    >>> from datetime import UTC, datetime
    >>> from extractors import AnalysedArticle, Article
    >>> now = datetime(2026, 3, 2, tzinfo=UTC)
    >>> article = AnalysedArticle.of(Article(id="1", arrived=now, title="Ferry", text="", source="The Pier"))
    >>> extractor = SourceReputation()
    >>> extractor.learn(article, True, 1.0)
    >>> round(extractor.extract(article)[0], 3)
    0.733
    """

    features: ClassVar[tuple[str, ...]] = ("source_reputation",)
    meanings: ClassVar[Mapping[str, str]] = {"source_reputation": "from a source you like more than others"}
    low_value_meanings: ClassVar[Mapping[str, str]] = {"source_reputation": "from a source you like less than others"}
    families: ClassVar[Mapping[str, str]] = {"source_reputation": "source"}

    def named(self, article: Metadata) -> tuple[str, ...]:
        return (article.source,) if article.source else ()


class SiteReputation(Reputation):
    """By the host of the article's page, which separates the sites in an aggregating feed.

    >>> from datetime import UTC, datetime
    >>> from extractors import AnalysedArticle, Article
    >>> now = datetime(2026, 3, 2, tzinfo=UTC)
    >>> article = AnalysedArticle.of(Article(id="1", arrived=now, title="Ferry", text="", site="pier.example"))
    >>> extractor = SiteReputation()
    >>> extractor.learn(article, True, 1.0)
    >>> round(extractor.extract(article)[0], 3)
    0.733
    """

    features: ClassVar[tuple[str, ...]] = ("site_reputation",)
    meanings: ClassVar[Mapping[str, str]] = {"site_reputation": "from a site you like more than others"}
    low_value_meanings: ClassVar[Mapping[str, str]] = {"site_reputation": "from a site you like less than others"}
    families: ClassVar[Mapping[str, str]] = {"site_reputation": "source"}

    def named(self, article: Metadata) -> tuple[str, ...]:
        return (article.site,) if article.site else ()


class AuthorReputation(Reputation):
    """By the author as given by the feed, ignoring case.

    >>> from datetime import UTC, datetime
    >>> from extractors import AnalysedArticle, Article
    >>> now = datetime(2026, 3, 2, tzinfo=UTC)
    >>> article = AnalysedArticle.of(Article(id="1", arrived=now, title="Ferry", text="", author="Ada Rossi"))
    >>> extractor = AuthorReputation()
    >>> extractor.learn(article, True, 1.0)
    >>> round(extractor.extract(article)[0], 3)
    0.733
    """

    features: ClassVar[tuple[str, ...]] = ("author_reputation",)
    meanings: ClassVar[Mapping[str, str]] = {"author_reputation": "by an author you like more than others"}
    low_value_meanings: ClassVar[Mapping[str, str]] = {"author_reputation": "by an author you like less than others"}
    families: ClassVar[Mapping[str, str]] = {"author_reputation": "source"}

    def named(self, article: Metadata) -> tuple[str, ...]:
        author = article.author.strip().casefold()
        return (author,) if author else ()


class CategoryReputation(Reputation):
    """By the article's categories as given by the feed, ignoring case; each once.

    >>> from datetime import UTC, datetime
    >>> from extractors import AnalysedArticle, Article
    >>> now = datetime(2026, 3, 2, tzinfo=UTC)
    >>> article = AnalysedArticle.of(Article(id="1", arrived=now, title="Ferry", text="", categories=("Sea",)))
    >>> extractor = CategoryReputation()
    >>> extractor.learn(article, True, 1.0)
    >>> round(extractor.extract(article)[0], 3)
    0.733
    """

    features: ClassVar[tuple[str, ...]] = ("category_reputation",)
    meanings: ClassVar[Mapping[str, str]] = {"category_reputation": "in a category you like more than others"}
    low_value_meanings: ClassVar[Mapping[str, str]] = {"category_reputation": "in a category you like less than others"}
    families: ClassVar[Mapping[str, str]] = {"category_reputation": "source"}

    def named(self, article: Metadata) -> tuple[str, ...]:
        return _each_once(article.categories)


class TagReputation(Reputation):
    """By the user's own tags on the feed, ignoring case; each once.

    Verdicts on one feed so count for other feeds with the same tag, which helps new feeds most.

    >>> from datetime import UTC, datetime
    >>> from extractors import AnalysedArticle, Article
    >>> now = datetime(2026, 3, 2, tzinfo=UTC)
    >>> article = AnalysedArticle.of(Article(id="1", arrived=now, title="Ferry", text="", tags=("sea",)))
    >>> extractor = TagReputation()
    >>> extractor.learn(article, True, 1.0)
    >>> round(extractor.extract(article)[0], 3)
    0.733
    """

    features: ClassVar[tuple[str, ...]] = ("tag_reputation",)
    meanings: ClassVar[Mapping[str, str]] = {"tag_reputation": "from feeds with a tag you like more than others"}
    low_value_meanings: ClassVar[Mapping[str, str]] = {
        "tag_reputation": "from feeds with a tag you like less than others"
    }
    families: ClassVar[Mapping[str, str]] = {"tag_reputation": "source"}

    def named(self, article: Metadata) -> tuple[str, ...]:
        return _each_once(article.tags)


def _each_once(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, (word.strip().casefold() for word in words))))
