"""How old an article was when it arrived."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log1p
from typing import ClassVar

import numpy as np

from extractors.article import Document
from extractors.extractor import DocumentExtractor, Floats
from extractors.text.text import Texts


class Age(DocumentExtractor):
    """ln(1 + hours) from publication to arrival; ≥ 0, and 0 for what claims to come from the future.

    Missing when the feed gives no time.
    """

    features: ClassVar[tuple[str, ...]] = ("age",)
    meanings: ClassVar[Mapping[str, str]] = {"age": "published long before it arrived"}

    def extract_many(self, documents: Sequence[Document], texts: Texts) -> Floats:  # noqa: ARG002
        return np.array([[_age(document)] for document in documents])


def _age(document: Document) -> float:
    if document.published is None:
        return float("nan")
    return log1p(max(0.0, (document.arrived - document.published).total_seconds() / 3600.0))
