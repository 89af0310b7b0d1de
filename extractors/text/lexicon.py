"""The lexicon: for each word the bucket of its stem, and whether it is a function word or a reporting verb.

Looking a word up in Python costs some microseconds, and the same words come again and again, so results are cached in a
table that a compiled loop reads. They depend on the word and the language only.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from functools import cache
from threading import Lock

import numpy as np
import Stemmer

from extractors.arrays import Bytes, Int32s, UInt32s, UInt64s
from extractors.numba_kernel import compiled
from extractors.text.characters import DENSE, N_CODES, characters
from extractors.text.function_words import FUNCTION_WORDS
from extractors.text.reporting_verbs import REPORTING_VERBS
from extractors.text.terms import N_TERMS
from extractors.text.tokens import Tokens

FUNCTION_WORD = 1
SAYING = 2
NO_TERM = -1
"""For function words and single letters."""

MAX_STEMMED = 40
"""Longer runs of letters are codes and addresses, not words with endings."""
_SLOTS = 1 << 18
_MAX_WORDS = _SLOTS // 2
"""The table is emptied when half full; 131,072 words are about what two languages of news use in a month."""

_STEMMERS = {
    "ar": "arabic",
    "ca": "catalan",
    "cs": "czech",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "es": "spanish",
    "et": "estonian",
    "eu": "basque",
    "fa": "persian",
    "fi": "finnish",
    "fr": "french",
    "ga": "irish",
    "hi": "hindi",
    "hu": "hungarian",
    "hy": "armenian",
    "id": "indonesian",
    "it": "italian",
    "lt": "lithuanian",
    "ne": "nepali",
    "nl": "dutch",
    "no": "norwegian",
    "pl": "polish",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sr": "serbian",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
    "yi": "yiddish",
}


def term_of(word: str, language: str) -> int:
    """Return the bucket of a lower-case word's stem, or ``NO_TERM``; the same on every machine and in every
    process."""
    if word in FUNCTION_WORDS.get(language, ()):
        return NO_TERM
    if len(word) == 1:
        code = ord(word)
        if code < N_CODES and not characters().kinds[code] & DENSE:
            return NO_TERM
    stem = word if len(word) > MAX_STEMMED else _stem(word, language)
    return zlib.crc32(stem.encode("utf-8", "surrogatepass")) & (N_TERMS - 1)


def flags_of(word: str, language: str) -> int:
    """Return the sum of ``FUNCTION_WORD`` and ``SAYING`` as they apply to a lower-case word."""
    return FUNCTION_WORD * (word in FUNCTION_WORDS.get(language, ())) + SAYING * (
        word in REPORTING_VERBS.get(language, ())
    )


class Lexicon:
    """A bounded table of answers by word and language; safe to share between threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._table = _empty()
        self._words = 0

    def look_up(self, codes: UInt32s, tokens: Tokens, languages: Sequence[str]) -> tuple[Int32s, Bytes]:
        """Return the bucket (or ``NO_TERM``) and the flags of every word, given each article's language; both of shape
        (words,)."""
        salts = np.array([_salt(language) for language in languages], dtype=np.uint64)
        keys = tokens.hashes ^ np.repeat(salts, np.diff(tokens.word_starts))
        terms = np.empty(len(keys), dtype=np.int32)
        flags = np.empty(len(keys), dtype=np.uint8)
        missing = np.empty(len(keys), dtype=np.int32)
        with self._lock:
            n_missing = _find(keys, *self._table, terms, flags, missing)
        if n_missing:
            places = missing[:n_missing]
            articles = np.searchsorted(tokens.word_starts, places, side="right") - 1
            answers = _answers(
                keys[places],
                tokens.starts[places],
                tokens.ends[places],
                codes,
                [languages[article] for article in articles.tolist()],
            )
            found = [answers[key] for key in keys[places].tolist()]
            terms[places] = [term for term, _ in found]
            flags[places] = [flag for _, flag in found]
            self._remember(answers)
        return terms, flags

    def _remember(self, answers: dict[int, tuple[int, int]]) -> None:
        keys = np.array(list(answers)[:_MAX_WORDS], dtype=np.uint64)
        terms = np.array([term for term, _ in answers.values()], dtype=np.int32)
        flags = np.array([flag for _, flag in answers.values()], dtype=np.uint8)
        with self._lock:
            if self._words + len(keys) > _MAX_WORDS:
                self._table = _empty()
                self._words = 0
            self._words += _enter(keys, terms, flags, *self._table)


def _empty() -> tuple[UInt64s, Int32s, Bytes]:
    return (
        np.zeros(_SLOTS, dtype=np.uint64),
        np.zeros(_SLOTS, dtype=np.int32),
        np.zeros(_SLOTS, dtype=np.uint8),
    )


@cache
def _salt(language: str) -> np.uint64:
    return np.uint64(zlib.crc32(language.encode()) * 0x9E3779B1)


def _stem(word: str, language: str) -> str:
    try:
        return _stemmer(language)(word)
    except UnicodeEncodeError:  # a lone surrogate: no word of any language
        return word


@cache
def _stemmer(language: str) -> Callable[[str], str]:
    if language not in _STEMMERS:
        return str
    # Without its own cache, which costs more than stemming: answers are kept here.
    stem: Callable[[str], str] = Stemmer.Stemmer(_STEMMERS[language], 0).stemWord
    return stem


def _answers(
    keys: UInt64s,
    starts: Int32s,
    ends: Int32s,
    codes: UInt32s,
    languages: Sequence[str],
) -> dict[int, tuple[int, int]]:
    """Return bucket and flags of the words of these languages that lie at these places, by their keys."""
    lower = _lower(codes)
    spans = zip(keys.tolist(), starts.tolist(), ends.tolist(), languages, strict=True)
    words = {key: (lower[start:end], language) for key, start, end, language in spans}
    return {key: (term_of(word, language), flags_of(word, language)) for key, (word, language) in words.items()}


def _lower(codes: UInt32s) -> str:
    """Return articles in lower case, code point by code point, so that their words lie where they lay.

    By the table that the hashes were taken with, not ``str.lower``, which knows the Greek sigma's places and more.
    """
    lower = characters().lower
    small = codes < N_CODES
    folded = np.where(small, lower[np.where(small, codes, 0)], codes)
    return folded.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")


@compiled
def _enter(
    keys: UInt64s,
    terms: Int32s,
    flags: Bytes,
    known: UInt64s,
    known_terms: Int32s,
    known_flags: Bytes,
) -> int:
    """Put answers into the table; return how many of the words are new to it."""
    added = 0
    for word in range(len(keys)):
        slot = np.int64(keys[word] & np.uint64(len(known) - 1))
        while known[slot] != 0 and known[slot] != keys[word]:
            slot = (slot + 1) & (len(known) - 1)
        added += known[slot] == 0
        known[slot] = keys[word]
        known_terms[slot] = terms[word]
        known_flags[slot] = flags[word]
    return added


@compiled
def _find(
    keys: UInt64s,
    known: UInt64s,
    known_terms: Int32s,
    known_flags: Bytes,
    terms: Int32s,
    flags: Bytes,
    missing: Int32s,
) -> int:
    n_missing = 0
    for place in range(len(keys)):
        key = keys[place]
        slot = np.int64(key & np.uint64(len(known) - 1))
        while known[slot] != 0 and known[slot] != key:
            slot = (slot + 1) & (len(known) - 1)
        if known[slot] == key:
            terms[place] = known_terms[slot]
            flags[place] = known_flags[slot]
        else:
            missing[n_missing] = place
            n_missing += 1
    return n_missing
