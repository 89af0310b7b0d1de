"""Evidence for the language of a text: its function words, and the script of its letters."""

from __future__ import annotations

from functools import cache
from typing import Final

import numpy as np

from extractors.arrays import Int64s, UInt16s, UInt32s, UInt64s
from extractors.numba_kernel import compiled
from extractors.text.characters import LETTER, N_CODES, characters
from extractors.text.function_words import FUNCTION_WORDS
from extractors.text.tokens import code_points, word_hash

LANGUAGES: Final = tuple(FUNCTION_WORDS)
"""The languages that words can vote for, in the order of the votes."""

MAX_VOTERS: Final = 300
"""Words from the start that vote: more never changed the answer."""

_LAST_LATIN: Final = 0x024F
_SIZE: Final = 1 << 13
"""Slots of the hash table, four times the words."""


def votes_of(hashes: UInt64s, word_starts: Int64s) -> Int64s:
    """Return how many words of each article are function words of each language; shape (articles, ``LANGUAGES``).

    Article ``i`` has the words with ``hashes[word_starts[i]:word_starts[i + 1]]``.
    """
    votes = np.zeros((len(word_starts) - 1, len(LANGUAGES)), dtype=np.int64)
    _vote(hashes, word_starts, *_masks(), votes)
    return votes


def scripts_of(codes: UInt32s, article_starts: Int64s, sample: int) -> Int64s:
    """Return how many letters of each article are Latin, and how many are not, among its first ``sample`` characters;
    shape (articles, 2). Article ``i`` is ``codes[article_starts[i]:article_starts[i + 1]]``."""
    scripts = np.zeros((len(article_starts) - 1, 2), dtype=np.int64)
    _count_letters(codes, article_starts, sample, characters().kinds, scripts)
    return scripts


@cache
def _masks() -> tuple[UInt64s, UInt32s]:
    # An open-addressing table: the hash of a function word, and one bit for each language that has it.
    keys = np.zeros(_SIZE, dtype=np.uint64)
    masks = np.zeros(_SIZE, dtype=np.uint32)
    lower = characters().lower
    for bit, words in enumerate(FUNCTION_WORDS.values()):
        for word in words:
            codes = code_points(word)
            key = int(word_hash(codes, lower, 0, len(codes)))
            slot = key % _SIZE
            while keys[slot] not in (0, key):
                slot = (slot + 1) % _SIZE
            keys[slot] = key
            masks[slot] |= 1 << bit
    return keys, masks


@compiled
def _vote(
    hashes: UInt64s,
    word_starts: Int64s,
    keys: UInt64s,
    masks: UInt32s,
    votes: Int64s,
) -> None:
    for article in range(len(word_starts) - 1):
        start, end = word_starts[article], word_starts[article + 1]
        for word in range(start, min(end, start + MAX_VOTERS)):
            slot = np.int64(hashes[word] & np.uint64(len(keys) - 1))
            while keys[slot] != 0:
                if keys[slot] == hashes[word]:
                    mask, language = np.int64(masks[slot]), 0
                    while mask > 0:
                        votes[article, language] += mask & 1
                        mask >>= 1
                        language += 1
                    break
                slot = (slot + 1) & (len(keys) - 1)


@compiled
def _count_letters(
    codes: UInt32s,
    article_starts: Int64s,
    sample: int,
    kinds: UInt16s,
    scripts: Int64s,
) -> None:
    for article in range(len(scripts)):
        start, end = article_starts[article], article_starts[article + 1]
        for at in range(start, min(end, start + sample)):
            code = codes[at]
            if code >= N_CODES or kinds[code] & LETTER:
                scripts[article, int(code > _LAST_LATIN)] += 1
