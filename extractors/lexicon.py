"""What is known of a word: the bucket of its stem, and whether it is a function word or a verb of saying.

Stemming a word costs some 30 µs and the same words come again and again, so answers are kept in a hash table
that the compiled loop reads. They depend on the word and the language alone: the table changes the speed and
nothing else.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from functools import cache
from threading import Lock

import numpy as np
import numpy.typing as npt
import snowballstemmer

from extractors.characters import DENSE, N_CODES, characters
from extractors.compiled import compiled
from extractors.function_words import FUNCTION_WORDS
from extractors.terms import N_TERMS
from extractors.tokens import Tokens
from extractors.verbs_of_saying import VERBS_OF_SAYING

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
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "es": "spanish",
    "fi": "finnish",
    "fr": "french",
    "hu": "hungarian",
    "it": "italian",
    "nl": "dutch",
    "no": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sv": "swedish",
    "tr": "turkish",
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
    stem = word if len(word) > MAX_STEMMED else _stemmer(language)(word)
    return zlib.crc32(stem.encode("utf-8", "surrogatepass")) & (N_TERMS - 1)


def flags_of(word: str, language: str) -> int:
    """Return the sum of ``FUNCTION_WORD`` and ``SAYING`` as they apply to a lower-case word."""
    return FUNCTION_WORD * (word in FUNCTION_WORDS.get(language, ())) + SAYING * (
        word in VERBS_OF_SAYING.get(language, ())
    )


class Lexicon:
    """A bounded table of answers by word and language; safe to share between threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._table = _empty()
        self._words = 0

    def look_up(
        self, codes: npt.NDArray[np.uint32], tokens: Tokens, language: str
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.uint8]]:
        """Return the bucket (or ``NO_TERM``) and the flags of every word; both of shape (words,)."""
        keys = tokens.hashes ^ _salt(language)
        terms = np.empty(len(keys), dtype=np.int32)
        flags = np.empty(len(keys), dtype=np.uint8)
        missing = np.empty(len(keys), dtype=np.int32)
        n_missing = _find(keys, *self._table, terms, flags, missing)
        met: dict[int, tuple[int, int]] = {}
        for place in missing[:n_missing].tolist():
            key = int(keys[place])
            if key not in met:
                word = _spelling(codes[tokens.starts[place] : tokens.ends[place]])
                met[key] = term_of(word, language), flags_of(word, language)
                self._remember(keys[place], *met[key])
            terms[place], flags[place] = met[key]
        return terms, flags

    def _remember(self, key: np.uint64, term: int, flags: int) -> None:
        with self._lock:
            if self._words >= _MAX_WORDS:
                # A new table, not the old one wiped: another thread may be reading that.
                self._table = _empty()
                self._words = 0
            known, known_terms, known_flags = self._table
            slot = int(key) % _SLOTS
            while known[slot] not in (0, key):
                slot = (slot + 1) % _SLOTS
            self._words += int(known[slot] == 0)
            known_terms[slot] = term
            known_flags[slot] = flags
            known[slot] = key  # last: only now can a reader find the answer


def _empty() -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int32], npt.NDArray[np.uint8]]:
    return (
        np.zeros(_SLOTS, dtype=np.uint64),
        np.zeros(_SLOTS, dtype=np.int32),
        np.zeros(_SLOTS, dtype=np.uint8),
    )


@cache
def _salt(language: str) -> np.uint64:
    return np.uint64(zlib.crc32(language.encode()) * 0x9E3779B1)


@cache
def _stemmer(language: str) -> Callable[[str], str]:
    if language not in _STEMMERS:
        return str
    stem: Callable[[str], str] = snowballstemmer.stemmer(_STEMMERS[language]).stemWord
    return stem


def _spelling(codes: npt.NDArray[np.uint32]) -> str:
    # By the table that the hash was taken with, not ``str.lower``, which knows the Greek sigma's places and
    # more.
    lower = characters().lower
    small = codes < N_CODES
    folded = np.where(small, lower[np.where(small, codes, 0)], codes)
    return folded.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")


@compiled
def _find(
    keys: npt.NDArray[np.uint64],
    known: npt.NDArray[np.uint64],
    known_terms: npt.NDArray[np.int32],
    known_flags: npt.NDArray[np.uint8],
    terms: npt.NDArray[np.int32],
    flags: npt.NDArray[np.uint8],
    missing: npt.NDArray[np.int32],
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
