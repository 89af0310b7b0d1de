"""How much of an article is reported speech."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from extractors.article import Document
from extractors.extractor import DocumentExtractor, Floats
from extractors.text.reporting_verbs import VERBS_OF_SAYING
from extractors.text.text import Texts


class SpeechEvents(DocumentExtractor):
    """Share of the body's sentences that have a quotation mark or a verb of saying; in [0, 1].

    After the speech events of the iScore papers (Pon et al. 2008), in their simplest form. Missing for an
    empty body and for languages whose verbs of saying are not known.
    """

    features: ClassVar[tuple[str, ...]] = ("speech_events",)
    meanings: ClassVar[Mapping[str, str]] = {"speech_events": "quotes what people said"}

    def extract_many(self, documents: Sequence[Document], texts: Texts) -> Floats:  # noqa: ARG002
        knows = np.array([language in VERBS_OF_SAYING for language in texts.languages]) & (texts.sentences > 0)
        return np.where(knows, texts.speech_sentences / np.maximum(texts.sentences, 1), np.nan)[:, np.newaxis]
