"""How much of an article is reported speech."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from extractors.arrays import Floats
from extractors.article import Document
from extractors.extractor import BatchDocumentExtractor
from extractors.text.reporting_verbs import REPORTING_VERBS
from extractors.text.text import Texts


class SpeechEvents(BatchDocumentExtractor):
    """Share of the body's sentences that have a quotation mark or a reporting verb; in [0, 1].

    The speech events of Pon et al. (2008) in their simplest form. Missing for an empty body and for languages without a
    list of reporting verbs.

    >>> from datetime import UTC, datetime
    >>> from extractors import Article, analyse
    >>> text = "The strike is over, the union said. Boats sail again."
    >>> article = Article(id="1", arrived=datetime(2026, 3, 2, tzinfo=UTC), title="Ferry", text=text, language="en")
    >>> SpeechEvents().extract(article, analyse(article))
    [0.5]
    """

    features: ClassVar[tuple[str, ...]] = ("speech_events",)
    meanings: ClassVar[Mapping[str, str]] = {"speech_events": "quotes people often"}
    low_value_meanings: ClassVar[Mapping[str, str]] = {"speech_events": "quotes nobody"}
    limits: ClassVar[Mapping[str, tuple[float, float]]] = {"speech_events": (0.0, 0.3)}
    families: ClassVar[Mapping[str, str]] = {"speech_events": "speech events"}

    def extract_many(self, documents: Sequence[Document], texts: Texts) -> Floats:  # noqa: ARG002 -- the base class's parameters
        known = np.array([code in REPORTING_VERBS for code in texts.languages], dtype=np.bool_) & (texts.sentences > 0)
        return np.where(known, texts.speech_sentences / np.maximum(texts.sentences, 1), np.nan)[:, np.newaxis]
