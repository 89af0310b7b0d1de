"""How much of an article is reported speech."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from extractors.document import Document
from extractors.extractor import DocumentExtractor
from extractors.text import Text
from extractors.verbs_of_saying import VERBS_OF_SAYING


class SpeechEvents(DocumentExtractor):
    """Share of the body's sentences that have a quotation mark or a verb of saying; in [0, 1].

    After the speech events of the iScore papers (Pon et al. 2008), in their simplest form. Missing for an
    empty body and for languages whose verbs of saying are not known.
    """

    features: ClassVar[tuple[str, ...]] = ("speech_events",)
    meanings: ClassVar[Mapping[str, str]] = {"speech_events": "quotes what people said"}

    def extract(self, document: Document, text: Text) -> Sequence[float]:  # noqa: ARG002
        if text.sentences == 0 or text.language not in VERBS_OF_SAYING:
            return [float("nan")]
        return [text.speech_sentences / text.sentences]
