"""Which language an article is in: what its feed says, checked against the function words that are found."""

from __future__ import annotations

from collections.abc import Sequence
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


def languages_of(
    declared: Sequence[str], hashes: npt.NDArray[np.uint64], word_starts: npt.NDArray[np.int64]
) -> tuple[str, ...]:
    """Return the two-letter code of each article's language, or empty if it cannot be told.

    ``declared`` is what the feeds say, or empty; it stands if it is none of ``LANGUAGES``, since nothing can then be
    said against it. Article ``i`` has the words with ``hashes[word_starts[i]:word_starts[i + 1]]``. A guess needs more
    votes than any other language has.
    """
    votes = np.zeros((len(declared), len(LANGUAGES)), dtype=np.int64)
    _vote(hashes, word_starts, *_masks(), votes)
    return tuple(_elected(said[:2].lower(), row) for said, row in zip(declared, votes.tolist(), strict=True))


def _elected(declared: str, votes: list[int]) -> str:
    if declared and declared not in LANGUAGES:
        return declared
    if declared:
        votes[LANGUAGES.index(declared)] += HEAD_START
    most = max(votes)
    return "" if most == 0 or votes.count(most) > 1 else LANGUAGES[votes.index(most)]


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
    word_starts: npt.NDArray[np.int64],
    keys: npt.NDArray[np.uint64],
    masks: npt.NDArray[np.uint16],
    votes: npt.NDArray[np.int64],
) -> None:
    for article in range(len(word_starts) - 1):
        start, end = word_starts[article], word_starts[article + 1]
        for word in range(start, min(end, start + MAX_VOTERS)):
            slot = np.int64(hashes[word] & np.uint64(len(keys) - 1))
            while keys[slot] != 0:
                if keys[slot] == hashes[word]:
                    for language in range(votes.shape[1]):
                        votes[article, language] += (int(masks[slot]) >> language) & 1
                    break
                slot = (slot + 1) & (len(keys) - 1)
