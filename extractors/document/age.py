"""How old an article was when it arrived."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log1p
from typing import ClassVar

import numpy as np

from extractors.arrays import Floats
from extractors.article import Document
from extractors.extractor import BatchDocumentExtractor
from extractors.text.text import Texts


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
