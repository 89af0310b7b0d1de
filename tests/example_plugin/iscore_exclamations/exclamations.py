"""How often an article shouts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import ClassVar

from extractors.article import Document
from extractors.extractor import DocumentExtractor
from extractors.text.text import Text


class Exclamations(DocumentExtractor):
    """ln(1 + exclamation marks in title and body); never missing."""

    features: ClassVar[tuple[str, ...]] = ("exclamations",)
    meanings: ClassVar[Mapping[str, str]] = {"exclamations": "with many exclamation marks"}

    def extract(self, document: Document, text: Text) -> Sequence[float]:  # noqa: ARG002
        return [math.log1p(document.title.count("!") + document.text.count("!"))]
