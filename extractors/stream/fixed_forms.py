"""How near-duplicates are found by the hash of their terms, and what tells articles of one form apart: numbers, names.

Weather bulletins, exchange rates, releases of a program and announcements of dividends repeat their words, and only
numbers and names are new. Two texts that are alike otherwise are different news when

- each title has a number that the other has not: ``Version 3.8.7``, ``Version 3.8.8``;
- each title has a word, repeated where its text begins, that the other has not: ``Ohio fund pays dividend``,
  ``Minnesota fund pays dividend``. A headline that was only reworded has no such word: the text is the same;
- each text has numbers that the other has not, and less than half of all are in both: ``Money market report``.

Of the earlier article only the title and a sample of the numbers are remembered. So a token of its title must be
nowhere in the later article, but a token of the later title need only be missing in its title and that sample.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np

from extractors.arrays import Float32s, Int32s
from extractors.article import Document
from extractors.numba_kernel import compiled, inner
from extractors.text.terms import IN_OPENING, IN_TITLE, TermVector

TITLE_TOKENS = 12
"""Numbers and words of a title that are remembered: all numbers first, then the rarest words."""
SAMPLE = 16
"""Numbers of a text that are remembered: those with the smallest hashes, so that two texts remember the same."""
MAX_CHARACTERS = 100_000
"""As for words, only the beginning of longer texts is read."""

_NUMBER = re.compile(r"\d\d*(?:[.,:/'’]\d+)*")
"""A text is searched for a first digit in half the time that a first run of digits takes."""
_SEPARATORS = re.compile(r"\D")
_IS_NUMBER = 1 << 29
"""Set in the hashes of numbers; terms are smaller."""
_DISTINCT = 1 << 30
"""Set in a remembered token that tells its article apart from others without it: numbers, and words that the text
begins with, too."""
_TITLE_AND_OPENING = IN_TITLE | IN_OPENING


class Marks(NamedTuple):
    """The numbers and names of an article, as hashes."""

    tokens: Int32s
    """All its terms and numbers, ascending."""
    title: Int32s
    """Tokens of the title; 0 where there are no more; shape (TITLE_TOKENS,)."""
    numbers: Int32s
    """The smallest hashes of the numbers in its text, ascending, then 0; shape (SAMPLE,)."""

    @classmethod
    def of(cls, document: Document, terms: TermVector) -> Self:
        """Find the marks of an article with these terms."""
        in_title, in_text = numbers_of(document.title), numbers_of(document.text[:MAX_CHARACTERS])
        words = np.flatnonzero(terms.parts & IN_TITLE)
        words = words[np.argsort(-terms.weights[words], kind="stable")[:TITLE_TOKENS]]
        repeated = (terms.parts[words] & _TITLE_AND_OPENING) == _TITLE_AND_OPENING
        found = terms.ids[words] | np.where(repeated, np.int32(_DISTINCT), np.int32(0))
        title = [*(number | _DISTINCT for number in in_title), *found.tolist()]
        numbers = np.array(sorted({*in_title, *in_text}), dtype=np.int32)
        return cls(np.concatenate([terms.ids, numbers]), _padded(title, TITLE_TOKENS), _padded(in_text, SAMPLE))


def numbers_of(text: str) -> list[int]:
    """Return the hashes of the different numbers in a text, ascending; how their digits are grouped does not matter.

    >>> numbers_of("1,000 dollars at 8.30") == numbers_of("8:30 Uhr: 1.000 Dollar")
    True
    """
    digits = {_SEPARATORS.sub("", found) for found in _NUMBER.findall(text)}
    return sorted({zlib.crc32(each.encode()) & (_IS_NUMBER - 1) | _IS_NUMBER for each in digits})


def _padded(tokens: Sequence[int], size: int) -> Int32s:
    return np.array([*tokens[:size], *[0] * (size - len(tokens))], dtype=np.int32)


@compiled
def apart(marks: Marks, title: Int32s, numbers: Int32s) -> bool:
    """Whether an article is other news than an earlier one with this title and these numbers, in ``Marks``."""
    for kind in (_IS_NUMBER, 0):
        if _has_other(title, marks.tokens, kind) and _has_another(marks.title, title, numbers, kind):
            return True
    return _few_in_common(marks.numbers, numbers)


@inner
def _few_in_common(first: Int32s, second: Int32s) -> bool:
    """Whether each has a number of its own, and less than half of the smallest of both together are in both."""
    i, j, both, own, others = 0, 0, 0, 0, 0
    while both + own + others < SAMPLE:
        left, right = first[i] if i < SAMPLE else 0, second[j] if j < SAMPLE else 0
        if left == 0 and right == 0:
            break
        if left == right:
            both, i, j = both + 1, i + 1, j + 1
        elif right == 0 or (left != 0 and left < right):
            own, i = own + 1, i + 1
        else:
            others, j = others + 1, j + 1
    return own > 0 and others > 0 and both < own + others


@inner
def _has_other(title: Int32s, tokens: Int32s, kind: int) -> bool:
    """Whether a distinct token of this kind, number or word, in a title is not among the tokens."""
    for each in title:
        if each & _DISTINCT and each & _IS_NUMBER == kind and not _contains(tokens, each & ~_DISTINCT):
            return True
    return False


@inner
def _contains(tokens: Int32s, token: int) -> bool:
    """Whether a token is among ascending ones. ``np.searchsorted`` would take more than half a second to compile."""
    low, high = 0, len(tokens)
    while low < high:
        middle = (low + high) // 2
        if tokens[middle] < token:
            low = middle + 1
        else:
            high = middle
    return low < len(tokens) and tokens[low] == token


@inner
def _has_another(title: Int32s, other: Int32s, numbers: Int32s, kind: int) -> bool:
    """Whether a distinct token of this kind in one title is neither in the other nor among the numbers."""
    for each in title:
        if each & _DISTINCT and each & _IS_NUMBER == kind:
            token = each & ~_DISTINCT
            found = False
            for known in other:
                found = found or known & ~_DISTINCT == token
            for known in numbers:
                found = found or known == token
            if not found:
                return True
    return False


@compiled
def simhash_of(ids: Int32s, counts: Float32s) -> np.int64:
    """Return the SimHash of hashed terms weighted by the root of their counts, as a signed 64-bit number.

    Similar sets of terms have hashes that differ in few bits (Charikar 2002).
    """
    # splitmix64 spreads the bucket numbers over 64 bits; whole arrays wrap around without a warning.
    spread = ids.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    spread = (spread ^ (spread >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    spread = (spread ^ (spread >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    spread = spread ^ (spread >> np.uint64(31))
    sums = np.zeros(64)
    for entry in range(len(ids)):
        bits = spread[entry]
        weight = np.sqrt(np.float64(counts[entry]))
        for bit in range(64):
            if (bits >> np.uint64(bit)) & np.uint64(1):
                sums[bit] += weight
            else:
                sums[bit] -= weight
    simhash = np.uint64(0)
    for bit in range(64):
        if sums[bit] > 0.0:
            simhash |= np.uint64(1) << np.uint64(bit)
    return np.int64(simhash)
