"""An article of a labelled stream."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from extractors.article import Article


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledArticle(Article):
    """An article with what its readers think of it."""

    labels: Mapping[str, bool]
    """Reader → verdict. A reader who is missing has none."""
    features: Mapping[str, float] = field(default_factory=dict)
    """Ratings that come with the article, for sets that have no texts."""
