"""iScore: a private news filter that learns what its user finds interesting.

Filter your own stream of articles; every verdict changes what comes next:

>>> from datetime import UTC, datetime, timedelta
>>> from iscore import LEARNERS, AdaptiveThreshold, Article, Pipeline, make_extractors
>>> pipeline = Pipeline(make_extractors(), LEARNERS["weighted-naive-bayes"](), AdaptiveThreshold())
>>> start = datetime(2026, 3, 2, tzinfo=UTC)
>>> for day in range(8):
...     for topic, liked in (("Solar storage doubles on the island grid", True), ("Striker joins the cup team", False)):
...         at = start + timedelta(days=day)
...         article = Article(id=f"{topic} {day}", arrived=at, title=topic, text=f"{topic}. Day {day}.")
...         decision = pipeline.decide(article, at=at)
...         pipeline.learn(article, liked, at=at)
>>> pipeline.decide(Article(id="new", arrived=at, title="Solar storage on the grid", text=""), at=at).interesting
True

Names are loaded when they are first used, so ``import iscore`` loads neither a database, numba nor scikit-learn.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from extractors import Context as Context
    from extractors.article import Article as Article
    from extractors.base import DocumentExtractor as DocumentExtractor
    from extractors.base import ReaderExtractor as ReaderExtractor
    from extractors.base import StreamExtractor as StreamExtractor
    from iscore.core.errors import IscoreError as IscoreError
    from iscore.filtering.delivery.decide import Decision as Decision
    from iscore.filtering.features.factory import make_extractors as make_extractors
    from iscore.filtering.paper import AdaptiveThreshold as AdaptiveThreshold
    from iscore.filtering.paper import ExpectedThreshold as ExpectedThreshold
    from iscore.filtering.pipeline import Pipeline as Pipeline
    from iscore.learners import LEARNERS as LEARNERS
    from iscore.services.news_filter import NewsFilter as NewsFilter

__version__ = "0.1.0"

_MODULES = {
    "AdaptiveThreshold": "iscore.filtering.paper",
    "Article": "extractors.article",
    "Context": "extractors",
    "Decision": "iscore.filtering.delivery.decide",
    "DocumentExtractor": "extractors.base",
    "ExpectedThreshold": "iscore.filtering.paper",
    "IscoreError": "iscore.core.errors",
    "LEARNERS": "iscore.learners",
    "NewsFilter": "iscore.services.news_filter",
    "Pipeline": "iscore.filtering.pipeline",
    "ReaderExtractor": "extractors.base",
    "StreamExtractor": "extractors.base",
    "make_extractors": "iscore.filtering.features.factory",
}
"""Where each public name is defined."""

__all__ = ["__version__", *_MODULES]  # noqa: PLE0604 -- the names are those of the table


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used (PEP 562)."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_MODULES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})
