"""Hashed pairs of neighbouring terms, such as "interest rate" or "Bank of Japan"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Self

import numpy as np

from extractors.arrays import Int32s, Int64s
from extractors.numba_kernel import compiled, inner
from extractors.text.lexicon import NO_TERM
from extractors.text.terms import N_TERMS

MAX_PAIRS: Final = 256
"""Maximum number of pairs of an article, from its start: 1 KB."""

_FACTOR: Final = 0x5BD1E9
_SHIFT: Final = 22
# A pair is a number of 40 bits; times 23 bits it still fits, and the bits in the middle depend on all of it.


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """The different pairs of many articles, as rows of a compressed sparse matrix without values."""

    indptr: Int64s
    """Article ``i`` owns ``ids[indptr[i]:indptr[i + 1]]``; shape (articles + 1,)."""
    ids: Int32s
    """Buckets in [0, N_TERMS), ascending within an article."""

    def __len__(self) -> int:
        return len(self.indptr) - 1

    def __getitem__(self, row: int) -> Int32s:
        return self.ids[self.indptr[row] : self.indptr[row + 1]]

    @classmethod
    def from_bytes(cls, rows: Sequence[bytes]) -> Self:
        """Read the pairs of single articles, each stored as little-endian 4-byte numbers."""
        indptr = np.zeros(len(rows) + 1, dtype=np.int64)
        np.cumsum([len(row) // 4 for row in rows], out=indptr[1:])
        # Writable, like fresh ones: compiled code is made anew for arrays that are not.
        return cls(indptr, np.frombuffer(bytearray().join(rows), dtype="<i4"))

    @classmethod
    def of(cls, rows: Sequence[Int32s]) -> Self:
        """Concatenate the pairs of single articles."""
        if len(rows) == 1:
            return cls(np.array([0, len(rows[0])], dtype=np.int64), rows[0])
        indptr = np.zeros(len(rows) + 1, dtype=np.int64)
        np.cumsum([len(row) for row in rows], out=indptr[1:])
        return cls(indptr, np.concatenate(rows, dtype=np.int32) if rows else np.empty(0, dtype=np.int32))


@inner
def sort(values: Int32s) -> None:
    """Sort in ascending order, in place (Shell 1959, with Knuth's gaps: 1, 4, 13, 40, …).

    For kernels: compiling numpy's takes seconds.
    """
    gap = 1
    while gap < len(values):
        gap = 3 * gap + 1
    while gap > 1:
        gap //= 3
        for i in range(gap, len(values)):
            value, at = values[i], i
            while at >= gap and values[at - gap] > value:
                values[at] = values[at - gap]
                at -= gap
            values[at] = value


@compiled
def find_pairs(
    word_starts: Int64s,
    sentence_of: Int32s,
    word_terms: Int32s,
    indptr: Int64s,
    ids: Int32s,
) -> None:
    """Write the different pairs of each article: terms that follow each other within a sentence, with nothing but
    function words between them.

    ``ids`` has room for one pair per word; ``indptr[-1]`` says how many there are.
    """
    found = np.empty(MAX_PAIRS, dtype=np.int32)
    total = 0
    for article in range(len(word_starts) - 1):
        n, last = 0, NO_TERM
        for word in range(word_starts[article], word_starts[article + 1]):
            if word > word_starts[article] and sentence_of[word] != sentence_of[word - 1]:
                last = NO_TERM
            term = word_terms[word]
            if term == NO_TERM:
                continue
            if last != NO_TERM:
                found[n] = (((np.int64(last) * N_TERMS + term) * _FACTOR) >> _SHIFT) & (N_TERMS - 1)
                n += 1
                if n == MAX_PAIRS:
                    break
            last = term
        ordered = found[:n]
        sort(ordered)
        for i in range(n):
            if i == 0 or ordered[i] != ordered[i - 1]:
                ids[total] = ordered[i]
                total += 1
        indptr[article + 1] = total
