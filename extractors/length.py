"""How long an article is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log1p
from typing import ClassVar

from extractors.document import Document
from extractors.extractor import DocumentExtractor
from extractors.text import Text


class Length(DocumentExtractor):
    """ln(1 + words) of the body, on a scale where twice as long is one step; and the words of the title. Both
    ≥ 0."""

    features: ClassVar[tuple[str, ...]] = ("length", "title_length")
    meanings: ClassVar[Mapping[str, str]] = {"length": "long", "title_length": "with a long title"}

    def extract(self, document: Document, text: Text) -> Sequence[float]:  # noqa: ARG002
        return [log1p(text.words), float(text.title_words)]
