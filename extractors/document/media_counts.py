"""What an article holds beside words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log1p
from typing import ClassVar

import numpy as np

from extractors.article import Document
from extractors.extractor import DocumentExtractor, Floats
from extractors.text.text import Texts


class MediaCounts(DocumentExtractor):
    """ln(1 + links) and ln(1 + pictures) in the body's markup; both ≥ 0."""

    features: ClassVar[tuple[str, ...]] = ("links", "pictures")
    meanings: ClassVar[Mapping[str, str]] = {"links": "with many links", "pictures": "with many pictures"}

    def extract_many(self, documents: Sequence[Document], texts: Texts) -> Floats:  # noqa: ARG002
        return np.array([(log1p(max(0, d.links)), log1p(max(0, d.pictures))) for d in documents])
