"""How old an article was when it arrived."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log1p
from typing import ClassVar

from extractors.document import Document
from extractors.extractor import DocumentExtractor
from extractors.text import Text


class Age(DocumentExtractor):
    """ln(1 + hours) from publication to arrival; ≥ 0, and 0 for what claims to come from the future.

    Missing when the feed gives no time.
    """

    features: ClassVar[tuple[str, ...]] = ("age",)
    meanings: ClassVar[Mapping[str, str]] = {"age": "published long before it arrived"}

    def extract(self, document: Document, text: Text) -> Sequence[float]:  # noqa: ARG002
        if document.published is None:
            return [float("nan")]
        hours = (document.arrived - document.published).total_seconds() / 3600.0
        return [log1p(max(0.0, hours))]
