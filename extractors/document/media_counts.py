"""Links and pictures in an article."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log1p
from typing import ClassVar

import numpy as np

from extractors.arrays import Floats
from extractors.article import Document
from extractors.extractor import BatchDocumentExtractor
from extractors.text.text import Texts


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
