"""Style features that can be counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from extractors.arrays import Floats
from extractors.article import Document
from extractors.base import BatchDocumentExtractor
from extractors.text.function_words import FUNCTION_WORDS
from extractors.text.reporting_verbs import REPORTING_VERBS
from extractors.text.text import Texts

MIN_WORDS = 5
"""Shorter bodies have no style worth counting."""

WITHOUT_SPACES = frozenset({"bo", "ja", "km", "lo", "my", "th", "zh"})
"""Languages without spaces between words: their tokens are pairs of characters, whose length says nothing."""


class Style(BatchDocumentExtractor):
    """Readability, sentences, words, and shares of kinds of characters, over the body alone.

    ``lix`` = words/sentences + 100·long words/words, long being more than 6 characters (Björnsson 1968,
    "Läsbarhet"): 20 very easy, 60 very hard, in any language. ``ari`` = 4.71·characters/words +
    0.5·words/sentences − 21.43, the American school grade (Smith & Senter 1967, "Automated readability
    index"), characters being letters and digits. ``vocabulary`` = different stems / √(words that have stems),
    Guiraud's (1954) index, which unlike the plain ratio does not fall with length alone. ``capitals`` is the
    share of letters, ``digits`` and ``punctuation`` the shares of all visible characters, ``function_words``
    the share of words. All ≥ 0 but ``ari``; shares ≤ 1.

    All are missing for bodies of fewer than ``MIN_WORDS`` words; ``lix``, ``ari`` and ``word_length`` for languages
    ``WITHOUT_SPACES``, too, ``function_words`` for languages whose function words are not known, ``capitals`` without
    letters.

    >>> from datetime import UTC, datetime
    >>> from extractors import Article, analyse
    >>> text = "The strike is over. All 12 boats sail again."
    >>> article = Article(id="1", arrived=datetime(2026, 3, 2, tzinfo=UTC), title="Ferry", text=text, language="en")
    >>> values = Style().extract(article, analyse(article))
    >>> dict(zip(Style.features, values))["sentence_length"]
    4.5
    """

    features: ClassVar[tuple[str, ...]] = (
        "lix",
        "ari",
        "sentence_length",
        "word_length",
        "vocabulary",
        "capitals",
        "digits",
        "punctuation",
        "function_words",
    )
    meanings: ClassVar[Mapping[str, str]] = {
        "lix": "hard to read",
        "ari": "written for college readers",
        "sentence_length": "long sentences",
        "word_length": "long words",
        "vocabulary": "a rich vocabulary",
        "capitals": "many capital letters",
        "digits": "many digits",
        "punctuation": "a lot of punctuation",
        "function_words": "flowing sentences",
    }
    low_value_meanings: ClassVar[Mapping[str, str]] = {
        "lix": "easy to read",
        "ari": "simple enough for young readers",
        "sentence_length": "short sentences",
        "word_length": "short words",
        "vocabulary": "few different words",
        "capitals": "few capital letters",
        "digits": "hardly any digits",
        "punctuation": "little punctuation",
        "function_words": "lists and keywords more than sentences",
    }
    limits: ClassVar[Mapping[str, tuple[float, float]]] = {
        "lix": (30.0, 50.0),  # easy, difficult: Björnsson's scale
        "ari": (6.0, 13.0),  # school grades
        "sentence_length": (11.0, 22.0),
        "word_length": (4.2, 5.5),
        "vocabulary": (4.5, 10.0),
        "capitals": (0.03, 0.1),
        "digits": (0.005, 0.05),
        "punctuation": (0.02, 0.06),
        "function_words": (0.25, 0.45),
    }
    families: ClassVar[Mapping[str, str]] = dict.fromkeys(features, "writing style")

    def extract_many(self, documents: Sequence[Document], texts: Texts) -> Floats:  # noqa: ARG002 -- the base class's parameters
        styled = texts.words >= MIN_WORDS
        words = np.where(styled, texts.words, np.nan)
        sentence_length = words / np.maximum(texts.sentences, 1)
        spaced = np.array([language not in WITHOUT_SPACES for language in texts.languages])
        word_length = np.where(spaced, (texts.letters + texts.digits) / words, np.nan)
        known = np.array([language in FUNCTION_WORDS for language in texts.languages])
        characters = np.where(styled, texts.characters, np.nan)
        return np.column_stack([
            np.where(spaced, sentence_length + 100.0 * texts.long_words / words, np.nan),
            4.71 * word_length + 0.5 * sentence_length - 21.43,
            sentence_length,
            word_length,
            np.where(styled, texts.distinct_terms / np.sqrt(np.maximum(texts.content_words, 1)), np.nan),
            np.where(styled & (texts.letters > 0), texts.capitals / np.maximum(texts.letters, 1), np.nan),
            texts.digits / characters,
            texts.punctuation / characters,
            np.where(known, texts.function_words / words, np.nan),
        ])  # fmt: skip


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
