"""What an article holds beside words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log1p
from typing import ClassVar

from extractors.document import Document
from extractors.extractor import DocumentExtractor
from extractors.text import Text


class Form(DocumentExtractor):
    """ln(1 + links) and ln(1 + pictures) in the body's markup; both ≥ 0."""

    features: ClassVar[tuple[str, ...]] = ("links", "pictures")
    meanings: ClassVar[Mapping[str, str]] = {"links": "with many links", "pictures": "with many pictures"}

    def extract(self, document: Document, text: Text) -> Sequence[float]:  # noqa: ARG002
        return [log1p(max(0, document.links)), log1p(max(0, document.pictures))]
