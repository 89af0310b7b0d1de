"""Which language an article is in: what its feed says, checked against the function words that are found."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from extractors.characters import characters
from extractors.compiled import compiled
from extractors.function_words import FUNCTION_WORDS
from extractors.tokens import code_points, word_hash

LANGUAGES = tuple(FUNCTION_WORDS)
"""The languages that can be told from their function words."""

MAX_VOTERS = 300
"""So many words from the start are asked: more never changed the answer."""
HEAD_START = 5
"""Votes for what the feed says: many feeds carry their software's default, ``en-US``, over texts in other
languages."""
_SIZE = 1 << 12
"""Slots of the hash table, four times the words."""


def language_of(declared: str, hashes: npt.NDArray[np.uint64]) -> str:
    """Return the two-letter code of the language of the words with these hashes, or empty if it cannot be
    told.

    ``declared`` is what the feed says, or empty. It stands if it is none of ``LANGUAGES``, since nothing can
    then be said against it. A guess needs more votes than any other language has.
    """
    declared = declared[:2].lower()
    if declared and declared not in LANGUAGES:
        return declared
    votes = np.zeros(len(LANGUAGES), dtype=np.int64)
    _vote(hashes[:MAX_VOTERS], *_masks(), votes)
    if declared:
        votes[LANGUAGES.index(declared)] += HEAD_START
    best = int(np.argmax(votes))
    tied = int(np.count_nonzero(votes == votes[best])) > 1
    return "" if votes[best] == 0 or tied else LANGUAGES[best]


@cache
def _masks() -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint16]]:
    # An open-addressing table: the hash of a function word, and one bit for each language that has it.
    keys = np.zeros(_SIZE, dtype=np.uint64)
    masks = np.zeros(_SIZE, dtype=np.uint16)
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
    hashes: npt.NDArray[np.uint64],
    keys: npt.NDArray[np.uint64],
    masks: npt.NDArray[np.uint16],
    votes: npt.NDArray[np.int64],
) -> None:
    for word in range(len(hashes)):
        slot = np.int64(hashes[word] & np.uint64(len(keys) - 1))
        while keys[slot] != 0:
            if keys[slot] == hashes[word]:
                for language in range(len(votes)):
                    votes[language] += (int(masks[slot]) >> language) & 1
                break
            slot = (slot + 1) & (len(keys) - 1)
