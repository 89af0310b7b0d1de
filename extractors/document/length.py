"""How long an article is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log1p
from typing import ClassVar

import numpy as np

from extractors.article import Document
from extractors.extractor import DocumentExtractor, Floats
from extractors.text.text import Texts


class Length(DocumentExtractor):
    """ln(1 + words) of the body, on a scale where twice as long is one step; and the words of the title. Both
    ≥ 0."""

    features: ClassVar[tuple[str, ...]] = ("length", "title_length")
    meanings: ClassVar[Mapping[str, str]] = {"length": "a long text", "title_length": "with a long title"}

    def extract_many(self, documents: Sequence[Document], texts: Texts) -> Floats:  # noqa: ARG002
        rows = zip(texts.words.tolist(), texts.title_words.tolist(), strict=True)
        return np.array([(log1p(words), float(title_words)) for words, title_words in rows])
