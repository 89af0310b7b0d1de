"""An article of a labelled stream."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True)
class LabelledArticle:
    """An article with what its readers think of it. It satisfies ``extractors.article.Document``."""

    id: str
    arrived: datetime
    """When it comes to the filter; never before the article that stands before it in the stream."""
    title: str
    text: str
    labels: Mapping[str, bool]
    """Reader → verdict. A reader who is missing has none."""
    published: datetime | None = None
    source: str = ""
    url: str = ""
    site: str = ""
    author: str = ""
    categories: tuple[str, ...] = ()
    language: str = ""
    features: Mapping[str, float] = field(default_factory=dict)
    """Ratings that come with the article, for sets that have no texts."""
    links: int = 0
    pictures: int = 0
    tags: tuple[str, ...] = ()
