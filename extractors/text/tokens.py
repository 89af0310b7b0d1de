"""One pass over the characters of articles: their words, their sentences, and counts of kinds of characters.

A word is a run of letters, marks and digits; everything else, apostrophes and hyphens included, separates words (so
``dell'economia`` and ``l'accord`` are split). Scripts that are written without spaces give pairs of neighbouring
characters instead, as in full-text indexes (Nie & Ren 1999, "Chinese information retrieval: using characters or
words?").
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from extractors.arrays import Bools, Int32s, Int64s, UInt16s, UInt32s, UInt64s
from extractors.numba_kernel import compiled, inner
from extractors.text.characters import (
    DENSE,
    DIGIT,
    END,
    FULL_STOP,
    LETTER,
    LOWER,
    N_CODES,
    PUNCTUATION,
    QUOTE,
    SPACE,
    UPPER,
    Characters,
    characters,
)

HASH_START: Final = 0xCBF29CE484222325
HASH_FACTOR: Final = 0x100000001B3
"""FNV-1a with 64 bits, taken over lower-case code points instead of bytes."""

LETTERS, CAPITALS, DIGITS, PUNCTUATIONS, VISIBLE = range(5)
"""Places in ``Tokens.characters``."""

_NEWLINE = 10
_WORD = LETTER | DIGIT
_NOTHING_PENDING, _MAYBE, _CERTAIN = range(3)


class Tokens(NamedTuple):
    """The words of articles in order, each article's title before its body. Arrays have one element per word unless
    another shape is given."""

    hashes: UInt64s
    """Hash of the lower-case word."""
    starts: Int32s
    ends: Int32s
    """The word is ``codes[start:end]``."""
    sentence_of: Int32s
    """Number of the word's sentence within its article, from 0; the title's sentences come first and share none with
    the body."""
    quoted: Bools
    """Whether a quotation mark stands in the sentence; shape (sentences,)."""
    word_starts: Int64s
    """Article ``i`` owns the words ``word_starts[i]:word_starts[i + 1]``; shape (articles + 1,)."""
    sentence_starts: Int64s
    """The same for sentences."""
    n_title: Int64s
    """How many of the first words of an article are the title's; shape (articles,)."""
    characters: Int64s
    """Counts in the body: letters, capitals, digits, punctuation, all but white space; shape (articles, 5)."""


def code_points(text: str) -> UInt32s:
    """Return the code points of a text, lone surrogates included; shape (characters,)."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")


def tokenise(codes: UInt32s, article_starts: Sequence[int], title_ends: Sequence[int]) -> Tokens:
    """Return the words and sentences of articles that lie one after the other in ``codes``.

    Article ``i`` is ``codes[article_starts[i]:article_starts[i + 1]]``, the last start being the end of all; its title
    ends before ``codes[title_ends[i]]``. A blank line has to stand between title and body.
    """
    n_articles = len(title_ends)
    room = len(codes) + n_articles + 1
    tokens = Tokens(
        hashes=np.empty(room, dtype=np.uint64),
        starts=np.empty(room, dtype=np.int32),
        ends=np.empty(room, dtype=np.int32),
        sentence_of=np.empty(room, dtype=np.int32),
        quoted=np.zeros(room, dtype=np.bool_),
        word_starts=np.zeros(n_articles + 1, dtype=np.int64),
        sentence_starts=np.zeros(n_articles + 1, dtype=np.int64),
        n_title=np.zeros(n_articles, dtype=np.int64),
        characters=np.zeros((n_articles, 5), dtype=np.int64),
    )
    article_bounds, title_bounds = np.array(article_starts, dtype=np.int64), np.array(title_ends, dtype=np.int64)
    _scan_all(codes, article_bounds, title_bounds, characters(), tokens)
    n_words, n_sentences = tokens.word_starts[-1], tokens.sentence_starts[-1]
    return tokens._replace(
        hashes=tokens.hashes[:n_words],
        starts=tokens.starts[:n_words],
        ends=tokens.ends[:n_words],
        sentence_of=tokens.sentence_of[:n_words],
        quoted=tokens.quoted[:n_sentences],
    )


@compiled
def word_hash(codes: UInt32s, lower: UInt32s, start: int, end: int) -> np.uint64:
    """Return the hash of the lower-case form of ``codes[start:end]``."""
    value = np.uint64(HASH_START)
    for i in range(start, end):
        code = codes[i]
        if code < N_CODES:
            code = lower[code]
        value = (value ^ np.uint64(code)) * np.uint64(HASH_FACTOR)
    return value


@inner
def _kind(code: int, kinds: UInt16s) -> int:
    if code < N_CODES:
        return int(kinds[code])
    if code < 0x323B0:  # the planes of rare ideographs
        return LETTER | DENSE
    return 0


@inner
def _abbreviates(
    codes: UInt32s,
    kinds: UInt16s,
    starts: Int32s,
    word: int,
    at: int,
) -> bool:
    # "J. Smith", "U.S.", and forms of address: "Mr.", "Ms.", "Dr.", "Sr.", "St.", "Lt."
    start = starts[word]
    if codes[at] != ord("."):
        return False
    if at - start == 1:
        return (_kind(codes[start], kinds) & LETTER) > 0
    ending = codes[at - 1]
    addresses = ending == ord("r") or ending == ord("s") or ending == ord("t")
    return at - start == 2 and addresses and (_kind(codes[start], kinds) & UPPER) > 0


@inner
def _scan(  # noqa: PLR0912, PLR0915 — one pass is the point
    codes: UInt32s, title_end: int, table: Characters, words: Tokens, counts: Int64s
) -> tuple[int, int, int]:
    """Write the words of one article; return the numbers of its words, of those of its title, and of its sentences."""
    kinds, lower = table
    hashes, starts, ends, sentence_of, quoted = words.hashes, words.starts, words.ends, words.sentence_of, words.quoted
    n, n_title, sentence = 0, 0, 0
    # Of the word or dense run that is open; of a literal, the compiler makes a type and ``word_hash`` of its own.
    start: Any = np.int64(-1)
    dense = False  # whether it is a dense run
    pending = _NOTHING_PENDING  # an end of sentence has been seen; the next word begins a new one
    spaced = False  # white space since then
    quote_ahead = False  # a quotation mark that belongs to the sentence that the next word is in
    for i in range(len(codes) + 1):
        kind = _kind(codes[i], kinds) if i < len(codes) else SPACE
        if i >= title_end:
            counts[LETTERS] += (kind & LETTER) > 0
            counts[CAPITALS] += (kind & UPPER) > 0
            counts[DIGITS] += (kind & DIGIT) > 0
            counts[PUNCTUATIONS] += (kind & PUNCTUATION) > 0
            counts[VISIBLE] += i < len(codes) and (kind & SPACE) == 0
        in_word = (kind & _WORD) > 0
        is_dense = (kind & DENSE) > 0

        if start >= 0 and (not in_word or is_dense != dense):
            if not dense or i - start == 1:
                hashes[n] = word_hash(codes, lower, start, i)
                starts[n], ends[n], sentence_of[n] = start, i, sentence
                n += 1
            start = -1
        if in_word:
            if start < 0:
                if pending == _MAYBE and not spaced and not is_dense:
                    pending = _NOTHING_PENDING  # "3.5", "example.org"
                if n > 0 and (pending == _CERTAIN or (pending == _MAYBE and (kind & LOWER) == 0)):
                    sentence += 1
                pending, spaced = _NOTHING_PENDING, False
                if quote_ahead:
                    quoted[sentence] = True
                    quote_ahead = False
                start, dense = i, is_dense
            elif dense:
                hashes[n] = word_hash(codes, lower, i - 1, i + 1)
                starts[n], ends[n], sentence_of[n] = i - 1, i + 1, sentence
                n += 1
        elif (kind & FULL_STOP) > 0:
            pending = _CERTAIN
        elif (kind & END) > 0 and n > 0 and pending == _NOTHING_PENDING:
            if not (ends[n - 1] == i and _abbreviates(codes, kinds, starts, n - 1, i)):
                pending, spaced = _MAYBE, False
        elif (kind & QUOTE) > 0:
            if pending == _NOTHING_PENDING or (pending == _MAYBE and not spaced):
                # Between words it may open (then white space precedes it) or close; both are in this
                # sentence.
                quoted[sentence] = True
            else:
                quote_ahead = True
        elif (kind & SPACE) > 0:
            spaced = True
            if i < len(codes) and codes[i] == _NEWLINE and i > 0 and codes[i - 1] == _NEWLINE:
                pending = _CERTAIN
        if i == title_end:
            n_title = n
    return n, n_title, (sentence + 1 if n > 0 else 0)


@compiled
def _scan_all(codes: UInt32s, article_starts: Int64s, title_ends: Int64s, table: Characters, tokens: Tokens) -> None:
    hashes, starts, ends, sentence_of, quoted, word_starts, sentence_starts, n_title, counts = tokens
    for article in range(len(title_ends)):
        begin, word, sentence = article_starts[article], word_starts[article], sentence_starts[article]
        of_article = Tokens(
            hashes[word:],
            starts[word:],
            ends[word:],
            sentence_of[word:],
            quoted[sentence:],
            word_starts,
            sentence_starts,
            n_title,
            counts,
        )
        n_words, n_title[article], n_sentences = _scan(
            codes[begin : article_starts[article + 1]], title_ends[article] - begin, table, of_article, counts[article]
        )
        for each in range(word, word + n_words):
            starts[each] += begin
            ends[each] += begin
        quoted[sentence + n_sentences] = False  # a quotation mark that no word followed
        word_starts[article + 1] = word + n_words
        sentence_starts[article + 1] = sentence + n_sentences
