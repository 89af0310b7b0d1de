"""The analysis of an article's words: done once at its arrival, shared by all extractors."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from extractors.compiled import compiled
from extractors.document import Document
from extractors.frequencies import Frequencies
from extractors.language import language_of
from extractors.lexicon import FUNCTION_WORD, NO_TERM, SAYING, Lexicon
from extractors.terms import TermVector
from extractors.tokens import Tokens, code_points, tokenise

TITLE_WEIGHT = 2
"""A word of the title counts as two of the body: a title names the topic, but it is no more than a
sentence."""

MAX_CHARACTERS = 100_000
"""Of longer bodies only the beginning is read: 15,000 words tell what an article is about, and what comes at
such a length is mostly a page that was not meant to be read as one."""

_lexicon = Lexicon()


@dataclass(frozen=True, slots=True, eq=False)
class Text:
    """The words of one article. Counts are of the body alone unless the name says title; arrays cover
    both."""

    language: str
    """Two-letter ISO 639-1 code, or empty when it cannot be told."""
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
    """Sentences with a quotation mark or a verb of saying."""
    word_terms: npt.NDArray[np.int32]
    """Bucket of each word's stem in order, title first, ``lexicon.NO_TERM`` for none; shape (title_words +
    words,)."""
    word_flags: npt.NDArray[np.uint8]
    """``lexicon.FUNCTION_WORD`` and ``lexicon.SAYING``; shape (title_words + words,)."""
    word_lengths: npt.NDArray[np.int32]
    """Characters of each word; shape (title_words + words,)."""
    sentence_of: npt.NDArray[np.int32]
    """Number of each word's sentence, from 0, ascending; shape (title_words + words,)."""
    terms: TermVector
    """Title and body together."""


def analyse(document: Document, frequencies: Frequencies) -> Text:
    """Return the analysis of an article, weighed with the frequencies of the articles before it.

    It changes nothing: ``frequencies.observe(text.terms)`` is the caller's to do, once, after the article's
    turn.
    """
    tokens, word_terms, word_flags, language, _ = read_words(document)
    lengths = tokens.ends - tokens.starts

    ids = np.empty(len(word_terms), dtype=np.int32)
    counts = np.empty(len(word_terms), dtype=np.float32)
    n_terms, distinct = _count_terms(word_terms, tokens.n_title, ids, counts)
    ids, counts = ids[:n_terms].copy(), counts[:n_terms].copy()
    sentences, speech, long_words, function_words, content_words = _count_words(
        tokens.n_title, tokens.sentence_of, tokens.quoted, lengths, word_terms, word_flags
    )
    letters, capitals, digits, punctuation, characters = tokens.characters.tolist()
    return Text(
        language=language,
        title_words=tokens.n_title,
        words=len(lengths) - tokens.n_title,
        sentences=sentences,
        letters=letters,
        capitals=capitals,
        digits=digits,
        punctuation=punctuation,
        characters=characters,
        long_words=long_words,
        function_words=function_words,
        content_words=content_words,
        distinct_terms=distinct,
        speech_sentences=speech,
        word_terms=word_terms,
        word_flags=word_flags,
        word_lengths=lengths,
        sentence_of=tokens.sentence_of,
        terms=TermVector(ids, counts, frequencies.weigh(ids, counts)),
    )


def read_words(
    document: Document,
) -> tuple[Tokens, npt.NDArray[np.int32], npt.NDArray[np.uint8], str, npt.NDArray[np.uint32]]:
    """Return the article's tokens, each word's bucket and flags, the language, and the code points they lie
    in."""
    title = unicodedata.normalize("NFC", document.title[:MAX_CHARACTERS])
    body = unicodedata.normalize("NFC", document.text[:MAX_CHARACTERS])
    codes = code_points(f"{title}\n\n{body}")
    tokens = tokenise(codes, len(title))
    language = language_of(document.language, tokens.hashes)
    word_terms, word_flags = _lexicon.look_up(codes, tokens, language)
    return tokens, word_terms, word_flags, language, codes


@compiled
def _count_terms(
    word_terms: npt.NDArray[np.int32],
    n_title: int,
    ids: npt.NDArray[np.int32],
    counts: npt.NDArray[np.float32],
) -> tuple[int, int]:
    # Each word as 2·term + (1 if in the title), sorted, so that equal terms meet. Returns the number of
    # different terms, and of those that the body has.
    keys = np.empty(len(word_terms), dtype=np.int32)
    n_keys = 0
    for word in range(len(word_terms)):
        if word_terms[word] != NO_TERM:
            keys[n_keys] = 2 * word_terms[word] + (word < n_title)
            n_keys += 1
    keys = np.sort(keys[:n_keys])
    n_terms, distinct = 0, 0
    last, last_of_body = -1, -1
    for key in keys:
        term, in_title = int(key) >> 1, int(key) & 1
        if term != last:
            ids[n_terms] = term
            counts[n_terms] = 0.0
            n_terms += 1
            last = term
        if not in_title and term != last_of_body:
            distinct += 1
            last_of_body = term
        counts[n_terms - 1] += TITLE_WEIGHT if in_title else 1
    return n_terms, distinct


@compiled
def _count_words(
    n_title: int,
    sentence_of: npt.NDArray[np.int32],
    quoted: npt.NDArray[np.bool_],
    lengths: npt.NDArray[np.int32],
    word_terms: npt.NDArray[np.int32],
    word_flags: npt.NDArray[np.uint8],
) -> tuple[int, int, int, int, int]:
    sentences, speech, long_words, function_words, content_words = 0, 0, 0, 0, 0
    last, spoken = -1, False
    for word in range(n_title, len(lengths)):
        if sentence_of[word] != last:
            last = sentence_of[word]
            sentences += 1
            spoken = quoted[last]
            speech += spoken
        if not spoken and word_flags[word] & SAYING:
            spoken = True
            speech += 1
        long_words += lengths[word] > 6
        function_words += (word_flags[word] & FUNCTION_WORD) > 0
        content_words += word_terms[word] != NO_TERM
    return sentences, speech, long_words, function_words, content_words
