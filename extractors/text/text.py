"""The words of one article, and of many: analysed once at arrival and shared by all extractors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from extractors.arrays import Bools, Bytes, Int32s, Int64s, UInt64s
from extractors.text.pairs import Pairs
from extractors.text.terms import TermBatch, TermVector


@dataclass(frozen=True, slots=True, eq=False)
class Text:
    """The words of one article. Counts are of the body alone unless the name says title; arrays cover
    both."""

    language: str
    """Two-letter ISO 639-1 code, or empty when unknown."""
    title_words: int
    words: int
    """Words of the body; in scripts without spaces, pairs of neighbouring characters."""
    sentences: int
    letters: int
    capitals: int
    digits: int
    punctuation: int
    characters: int
    """All characters of the body but white space."""
    long_words: int
    """Words of more than 6 characters."""
    function_words: int
    content_words: int
    """Words that are terms."""
    distinct_terms: int
    """Different terms among ``content_words``."""
    speech_sentences: int
    """Sentences with a quotation mark or a reporting verb."""
    word_hashes: UInt64s
    """Hash of each lower-case word in order, title first; shape (title_words + words,)."""
    word_terms: Int32s
    """Bucket of each word's stem, ``lexicon.NO_TERM`` for none; shape (title_words + words,)."""
    word_flags: Bytes
    """``lexicon.FUNCTION_WORD`` and ``lexicon.SAYING``; shape (title_words + words,)."""
    sentence_of: Int32s
    """Number of each word's sentence, from 0, ascending; shape (title_words + words,). The title's come first, and
    share none with the body."""
    quoted: Bools
    """Whether a quotation mark stands in the sentence; shape (sentences of title and body,)."""
    terms: TermVector
    """Title and body together."""
    pairs: Int32s
    """Buckets of the different pairs of neighbouring terms (``pairs.py``), ascending."""


@dataclass(frozen=True, slots=True, eq=False)
class Texts:
    """The words of many articles, column by column; ``Text`` says what each column means.

    Counts have one element per article. Of what has one element per word, article ``i`` owns
    ``word_starts[i]:word_starts[i + 1]``; of what has one per sentence, ``sentence_starts[i]:sentence_starts[i + 1]``.
    """

    languages: tuple[str, ...]
    title_words: Int64s
    words: Int64s
    sentences: Int64s
    letters: Int64s
    capitals: Int64s
    digits: Int64s
    punctuation: Int64s
    characters: Int64s
    long_words: Int64s
    function_words: Int64s
    content_words: Int64s
    distinct_terms: Int64s
    speech_sentences: Int64s
    word_starts: Int64s
    word_hashes: UInt64s
    word_terms: Int32s
    word_flags: Bytes
    sentence_of: Int32s
    """Numbers within the article."""
    sentence_starts: Int64s
    quoted: Bools
    terms: TermBatch
    pairs: Pairs

    def __len__(self) -> int:
        return len(self.languages)

    def __getitem__(self, row: int) -> Text:
        words = slice(self.word_starts[row], self.word_starts[row + 1])
        return Text(
            language=self.languages[row],
            title_words=int(self.title_words[row]),
            words=int(self.words[row]),
            sentences=int(self.sentences[row]),
            letters=int(self.letters[row]),
            capitals=int(self.capitals[row]),
            digits=int(self.digits[row]),
            punctuation=int(self.punctuation[row]),
            characters=int(self.characters[row]),
            long_words=int(self.long_words[row]),
            function_words=int(self.function_words[row]),
            content_words=int(self.content_words[row]),
            distinct_terms=int(self.distinct_terms[row]),
            speech_sentences=int(self.speech_sentences[row]),
            word_hashes=self.word_hashes[words],
            word_terms=self.word_terms[words],
            word_flags=self.word_flags[words],
            sentence_of=self.sentence_of[words],
            quoted=self.quoted[self.sentence_starts[row] : self.sentence_starts[row + 1]],
            terms=self.terms[row],
            pairs=self.pairs[row],
        )

    @classmethod
    def of(cls, text: Text) -> Self:
        """Return the batch whose only article this is."""
        return cls(
            languages=(text.language,),
            title_words=_one(text.title_words),
            words=_one(text.words),
            sentences=_one(text.sentences),
            letters=_one(text.letters),
            capitals=_one(text.capitals),
            digits=_one(text.digits),
            punctuation=_one(text.punctuation),
            characters=_one(text.characters),
            long_words=_one(text.long_words),
            function_words=_one(text.function_words),
            content_words=_one(text.content_words),
            distinct_terms=_one(text.distinct_terms),
            speech_sentences=_one(text.speech_sentences),
            word_starts=_span(len(text.word_hashes)),
            word_hashes=text.word_hashes,
            word_terms=text.word_terms,
            word_flags=text.word_flags,
            sentence_of=text.sentence_of,
            sentence_starts=_span(len(text.quoted)),
            quoted=text.quoted,
            terms=TermBatch.of([text.terms]),
            pairs=Pairs.of([text.pairs]),
        )


def _one(count: int) -> Int64s:
    return np.array([count], dtype=np.int64)


def _span(length: int) -> Int64s:
    return np.array([0, length], dtype=np.int64)
