"""When in the day and the week an article was published, and how old it was when it arrived."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from math import log1p
from typing import ClassVar

import numpy as np

from extractors.arrays import Floats
from extractors.article import Document
from extractors.base import BatchDocumentExtractor
from extractors.text.text import Texts


class PublicationTime(BatchDocumentExtractor):
    """The hour, in [0, 24) with minutes as fractions, and the day of the week, 0 Monday to 6 Sunday; both in UTC.

    Missing when the feed gives no time: the time of arrival would be that of the poll.

    >>> from datetime import UTC, datetime
    >>> from extractors import Article, analyse
    >>> monday = datetime(2026, 3, 2, 6, 30, tzinfo=UTC)
    >>> article = Article(id="1", arrived=monday, published=monday, title="Ferry strike ends", text="")
    >>> PublicationTime().extract(article, analyse(article))
    [6.5, 0.0]
    """

    features: ClassVar[tuple[str, ...]] = ("hour", "weekday")
    meanings: ClassVar[Mapping[str, str]] = {
        "hour": "published after 18:00 UTC",
        "weekday": "published on a weekend (UTC)",
    }
    low_value_meanings: ClassVar[Mapping[str, str]] = {
        "hour": "published before 6:00 UTC",
        "weekday": "published on a Monday or Tuesday (UTC)",
    }
    limits: ClassVar[Mapping[str, tuple[float, float]]] = {"hour": (6.0, 18.0), "weekday": (1.0, 5.0)}
    families: ClassVar[Mapping[str, str]] = dict.fromkeys(features, "form and rhythm")

    def extract_many(self, documents: Sequence[Document], texts: Texts) -> Floats:  # noqa: ARG002 -- the base class's parameters
        return np.array([_moment(document.published) for document in documents]).reshape(-1, 2)


def _moment(published: datetime | None) -> tuple[float, float]:
    if published is None:
        return float("nan"), float("nan")
    return published.hour + published.minute / 60.0, float(published.weekday())


class Age(BatchDocumentExtractor):
    """ln(1 + hours) from publication to arrival; ≥ 0, and 0 for publication times in the future.

    Missing when the feed gives no time.

    >>> from datetime import UTC, datetime
    >>> from extractors import Article, analyse
    >>> noon, evening = datetime(2026, 3, 2, 12, tzinfo=UTC), datetime(2026, 3, 2, 18, tzinfo=UTC)
    >>> article = Article(id="1", arrived=evening, published=noon, title="Ferry strike ends", text="")
    >>> Age().extract(article, analyse(article))
    [1.9459101490553132]
    """

    features: ClassVar[tuple[str, ...]] = ("age",)
    meanings: ClassVar[Mapping[str, str]] = {"age": "published days before it arrived"}
    low_value_meanings: ClassVar[Mapping[str, str]] = {"age": "published within the hour before it arrived"}
    limits: ClassVar[Mapping[str, tuple[float, float]]] = {"age": (log1p(1.0), log1p(48.0))}
    families: ClassVar[Mapping[str, str]] = {"age": "freshness"}

    def extract_many(self, documents: Sequence[Document], texts: Texts) -> Floats:  # noqa: ARG002 -- the base class's parameters
        return np.array([[_age(document)] for document in documents]).reshape(-1, 1)


def _age(document: Document) -> float:
    if document.published is None:
        return float("nan")
    return log1p(max(0.0, (document.arrived - document.published).total_seconds() / 3600.0))
