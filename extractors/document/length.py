"""How long an article is, and how many links and pictures it has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log1p
from typing import ClassVar

import numpy as np

from extractors.arrays import Floats
from extractors.article import Document
from extractors.base import BatchDocumentExtractor
from extractors.text.text import Texts


class Length(BatchDocumentExtractor):
    """ln(1 + words) of the body, so that doubling the length adds a constant; and the words of the title. Both ≥ 0.

    >>> from datetime import UTC, datetime
    >>> from extractors import Article, analyse
    >>> now = datetime(2026, 3, 2, tzinfo=UTC)
    >>> article = Article(id="1", arrived=now, title="Ferry strike ends", text="Boats sail again.")
    >>> Length().extract(article, analyse(article))
    [1.3862943611198906, 3.0]
    """

    features: ClassVar[tuple[str, ...]] = ("length", "title_length")
    meanings: ClassVar[Mapping[str, str]] = {
        "length": "a long text (over 800 words)",
        "title_length": "a long title",
    }
    low_value_meanings: ClassVar[Mapping[str, str]] = {
        "length": "a short text (under 100 words)",
        "title_length": "a short title",
    }
    limits: ClassVar[Mapping[str, tuple[float, float]]] = {
        "length": (log1p(99.0), log1p(801.0)),
        "title_length": (4.0, 13.0),
    }
    families: ClassVar[Mapping[str, str]] = dict.fromkeys(features, "form and rhythm")

    def extract_many(self, documents: Sequence[Document], texts: Texts) -> Floats:  # noqa: ARG002 -- the base class's parameters
        rows = zip(texts.words.tolist(), texts.title_words.tolist(), strict=True)
        return np.array([(log1p(words), float(title_words)) for words, title_words in rows]).reshape(-1, 2)


class MediaCounts(BatchDocumentExtractor):
    """ln(1 + links) and ln(1 + pictures) in the body's markup; both ≥ 0.

    >>> from datetime import UTC, datetime
    >>> from extractors import Article, analyse
    >>> article = Article(id="1", arrived=datetime(2026, 3, 2, tzinfo=UTC), title="Ferry strike ends", text="", links=1)
    >>> MediaCounts().extract(article, analyse(article))
    [0.6931471805599453, 0.0]
    """

    features: ClassVar[tuple[str, ...]] = ("links", "pictures")
    meanings: ClassVar[Mapping[str, str]] = {"links": "at least 10 links", "pictures": "at least 3 pictures"}
    low_value_meanings: ClassVar[Mapping[str, str]] = {"links": "no links", "pictures": "no pictures"}
    limits: ClassVar[Mapping[str, tuple[float, float]]] = {
        "links": (0.0, log1p(10.0)),
        "pictures": (0.0, log1p(3.0)),
    }
    families: ClassVar[Mapping[str, str]] = dict.fromkeys(features, "form and rhythm")

    def extract_many(self, documents: Sequence[Document], texts: Texts) -> Floats:  # noqa: ARG002 -- the base class's parameters
        rows = [(log1p(max(0, document.links)), log1p(max(0, document.pictures))) for document in documents]
        return np.array(rows).reshape(-1, 2)
