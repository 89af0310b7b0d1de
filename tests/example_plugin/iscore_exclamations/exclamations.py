"""How often an article shouts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import ClassVar

from extractors.article import Document
from extractors.base import DocumentExtractor
from extractors.text.text import Text


class Exclamations(DocumentExtractor):
    """ln(1 + exclamation marks in title and body); never missing."""

    features: ClassVar[tuple[str, ...]] = ("exclamations",)
    meanings: ClassVar[Mapping[str, str]] = {"exclamations": "at least 3 exclamation marks"}
    low_value_meanings: ClassVar[Mapping[str, str]] = {"exclamations": "no exclamation marks"}
    limits: ClassVar[Mapping[str, tuple[float, float]]] = {"exclamations": (0.0, math.log1p(3))}
    families: ClassVar[Mapping[str, str]] = {"exclamations": "form and rhythm"}

    def extract(self, document: Document, text: Text) -> Sequence[float]:  # noqa: ARG002 -- the base class's parameters
        return [math.log1p(document.title.count("!") + document.text.count("!"))]
