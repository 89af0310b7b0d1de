"""What goes wrong when it goes wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from extractors.article import Document
from extractors.base import DocumentExtractor
from extractors.text.text import Text


class Unlucky(DocumentExtractor):
    """Always fails; its feature is always missing."""

    features: ClassVar[tuple[str, ...]] = ("luck",)
    meanings: ClassVar[Mapping[str, str]] = {"luck": "lucky"}

    def extract(self, document: Document, text: Text) -> Sequence[float]:  # noqa: ARG002 -- the base class's parameters
        raise RuntimeError("it was not my day")
