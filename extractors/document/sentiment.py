"""What an article expresses beside facts; one look at its sentences serves all these measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from extractors.article import Document
from extractors.document.attitudes import attitudes
from extractors.document.intensity import intensity
from extractors.document.polarity import polarity
from extractors.document.speech_attitude import speech_attitude
from extractors.document.subjectivity import subjectivity
from extractors.extractor import DocumentExtractor, Floats
from extractors.text.text import Texts


class Sentiment(DocumentExtractor):
    """Subjectivity, polarity and intensity of a body, and its speech events by subjectivity.

    Each formula stands in the file of its name, the last two in ``speech_attitude.py``. The sentences are judged by
    a classifier that was trained on film reviews (``training/sentence_weights.py``); of news they tell comment from
    report, and little about who is praised for what. All are missing in other languages than English and for a body
    without words, whatever the title says.
    """

    features: ClassVar[tuple[str, ...]] = (
        "subjectivity",
        "polarity",
        "intensity",
        "speech_events_objective",
        "speech_events_subjective",
    )
    meanings: ClassVar[Mapping[str, str]] = {
        "subjectivity": "opinions rather than facts",
        "polarity": "favourable rather than unfavourable",
        "intensity": "strong feelings, for or against",
        "speech_events_objective": "quotes what people know",
        "speech_events_subjective": "quotes what people think",
    }

    def extract_many(self, documents: Sequence[Document], texts: Texts) -> Floats:  # noqa: ARG002
        sentences = attitudes(texts)
        return np.column_stack(
            [subjectivity(sentences), polarity(sentences), intensity(sentences), *speech_attitude(sentences)]
        )
