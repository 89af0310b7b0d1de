"""Term vectors: the words of an article as sparse, hashed, weighted vectors.

A term is a stem hashed into ``N_TERMS`` buckets, so no vocabulary has to be kept, and arrays indexed by term
have a bounded size. Vectors are computed when the article arrives and never change, so that learning can be
replayed.

As bytes a term's bucket has its ``parts`` in the upper bits. Old vectors have 0 there: positions unknown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Self, TypeVar

import numpy as np
import numpy.typing as npt

from extractors.arrays import Bytes, Float32s, Floats, Int8s, Int32s, Int64s
from extractors.numba_kernel import compiled

if TYPE_CHECKING:
    from scipy.sparse import csr_array

T = TypeVar("T", bound=np.generic)

N_TERMS = 1 << 20
"""Number of hash buckets. With 200,000 different stems one in six shares its bucket, mostly among the
rarest."""

IN_TITLE, IN_OPENING, HOST = 1, 2, 4
"""Bits of ``TermVector.parts``."""
_PARTS_SHIFT = 24


def _unknown() -> Bytes:
    return np.empty(0, dtype=np.uint8)


@dataclass(frozen=True, slots=True, eq=False)
class TermVector:
    """The terms of one article. All arrays have the length of the number of different terms."""

    ids: Int32s
    """Buckets, ascending, in [0, N_TERMS)."""
    counts: Float32s
    """How often each term occurs, title words counted with their extra weight; > 0."""
    weights: Float32s
    """tf-idf with the document frequencies known at arrival, scaled to Euclidean length 1; >= 0."""
    parts: Bytes = field(default_factory=_unknown)
    """Position of each term: ``IN_TITLE``, ``IN_OPENING``, both, or 0 for further down or unknown; ``HOST`` for
    the host of a linked page, which is no word."""
    meaning: Int8s | None = None
    """Of the whole article, not of a term (``extractors.text.meaning``); None without one."""

    def __post_init__(self) -> None:
        if len(self.parts) != len(self.ids):
            object.__setattr__(self, "parts", np.zeros(len(self.ids), dtype=np.uint8))

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def words(self) -> TermVector:
        """The same without the host; weights stay as they are."""
        return TermBatch.of([self]).words[0]

    def to_bytes(self) -> bytes:
        """Return ids with parts, counts and weights as little-endian 4-byte numbers, one array after the other."""
        marked = self.ids | (self.parts.astype(np.int32) << _PARTS_SHIFT)
        return b"".join(
            (
                marked.astype("<i4", copy=False).tobytes(),
                self.counts.astype("<f4", copy=False).tobytes(),
                self.weights.astype("<f4", copy=False).tobytes(),
            )
        )

    @classmethod
    def from_bytes(cls, data: bytes | bytearray) -> Self:
        """Read what ``to_bytes`` wrote. Raises ``ValueError`` when the length is not a multiple of 12."""
        size, rest = divmod(len(data), 12)
        if rest:
            raise ValueError(f"a term vector has 12 bytes a term; {len(data)} bytes were given")
        # Writable, like fresh vectors: compiled code is made anew for arrays that are not.
        data = bytearray(data)
        marked = np.frombuffer(data, dtype="<i4", count=size)
        return cls(
            ids=marked & (N_TERMS - 1),
            counts=np.frombuffer(data, dtype="<f4", count=size, offset=4 * size),
            weights=np.frombuffer(data, dtype="<f4", count=size, offset=8 * size),
            parts=(marked >> _PARTS_SHIFT).astype(np.uint8),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Vocabulary:
    """The different terms of some articles, so that each term is looked up once and not once for each article."""

    terms: Int32s
    """Each once, in the order in which they come."""
    places: Int32s
    """For each entry of the articles, the index of its term in ``terms``."""

    def __len__(self) -> int:
        return len(self.terms)

    @classmethod
    def of(cls, ids: Int32s) -> Self:
        """Find the different ones among terms."""
        terms, places = np.empty(min(len(ids), N_TERMS), dtype=np.int32), np.empty(len(ids), dtype=np.int32)
        n = _number(ids, np.zeros(N_TERMS, dtype=np.int32), terms, places)
        return cls(terms[:n], places)

    @classmethod
    def of_one(cls, ids: Int32s) -> Self:
        """Take the terms of a single article, which are all different."""
        return cls(ids, np.arange(len(ids), dtype=np.int32))


class TermRows(NamedTuple):
    """The arrays of a ``TermBatch``, as compiled functions take them."""

    indptr: Int64s
    """Article ``i`` owns the entries ``indptr[i]:indptr[i + 1]``; shape (articles + 1,)."""
    ids: Int32s
    counts: Float32s
    weights: Float32s
    parts: Bytes


@dataclass(frozen=True, slots=True, eq=False)
class TermBatch:
    """The term vectors of many articles as one compressed sparse row matrix."""

    indptr: Int64s
    """Article ``i`` owns the entries ``indptr[i]:indptr[i + 1]``; shape (articles + 1,)."""
    ids: Int32s
    counts: Float32s
    weights: Float32s
    parts: Bytes
    numbers: Int64s | None = None
    """Number of each article, negative where there is none; None: no article has one. The same number, the same terms.
    """
    meanings: Int8s | None = None
    """Meaning of each article, 0 where there is none; None: no article has one."""
    _vocabulary: list[Vocabulary] = field(default_factory=list, repr=False)

    def __len__(self) -> int:
        return len(self.indptr) - 1

    def rows(self) -> TermRows:
        """Return the arrays."""
        return TermRows(self.indptr, self.ids, self.counts, self.weights, self.parts)

    @property
    def words(self) -> TermBatch:
        """The same articles without the hosts; weights stay as they are."""
        kept = self.parts != HOST
        indptr = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(kept)])[self.indptr]
        arrays = self.ids[kept], self.counts[kept], self.weights[kept], self.parts[kept]
        return TermBatch(indptr, *arrays, self.numbers)

    def renumbered(self, ids: Int32s) -> TermBatch:
        """Return the same articles with other numbers for their terms, one for each entry."""
        return TermBatch(self.indptr, ids, self.counts, self.weights, self.parts, self.numbers, self.meanings)

    def distinct(self) -> tuple[TermBatch, Int64s]:
        """Return each number's article once, in the order in which they come, and of each row its place among these.

        An article without a number is different from all others.

        >>> batch = TermBatch.from_bytes([bytes(12), bytes(24), bytes(12)], [7, 3, 7])
        >>> each, places = batch.distinct()
        >>> len(each), places.tolist()
        (2, [0, 1, 0])
        """
        rows = np.arange(len(self))
        if self.numbers is None:
            return self, rows
        numbers = np.where(self.numbers < 0, -1 - rows, self.numbers)
        _, first, places = np.unique(numbers, return_index=True, return_inverse=True)
        chosen = np.zeros(len(self), dtype=np.bool_)
        chosen[first] = True
        sizes = np.diff(self.indptr)
        entries = np.repeat(chosen, sizes)
        indptr = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes[chosen])])
        found = (self.ids[entries], self.counts[entries], self.weights[entries], self.parts[entries])
        meanings = None if self.meanings is None else self.meanings[chosen]
        return TermBatch(indptr, *found, self.numbers[chosen], meanings), (np.cumsum(chosen) - 1)[first][places]

    @property
    def vocabulary(self) -> Vocabulary:
        """The different terms of all articles together, found when first asked for."""
        if not self._vocabulary:
            self._vocabulary.append(Vocabulary.of_one(self.ids) if len(self) == 1 else Vocabulary.of(self.ids))
        return self._vocabulary[0]

    def lengths(self) -> Floats:
        """Return Σ counts of each article's terms, 0 without any; shape (articles,)."""
        return self.sums(self.counts, np.ones(len(self.vocabulary)))

    def sums(self, values: Float32s, of_terms: Floats) -> Floats:
        """Return Σ value · number of the term over each article's entries, in their order; shape (articles,).

        ``values`` are the batch's counts or weights; ``of_terms`` has one number for each term of the vocabulary.
        """
        found = np.empty(len(self), dtype=np.float64)
        _add_up(self.indptr, self.vocabulary.places, values, of_terms, found)
        return found

    def __getitem__(self, row: int) -> TermVector:
        span = slice(self.indptr[row], self.indptr[row + 1])
        meaning = None if self.meanings is None or not self.meanings[row].any() else self.meanings[row]
        return TermVector(self.ids[span], self.counts[span], self.weights[span], self.parts[span], meaning)

    def to_csr(self) -> csr_array:
        """Return the weights as a sparse matrix (articles, ``N_TERMS``), which shares ``weights`` and ``ids``."""
        from scipy.sparse import csr_array  # takes longer to load than most commands run

        # Of the same type as the terms: SciPy would copy them otherwise.
        return csr_array((self.weights, self.ids, self.indptr.astype(np.int32)), shape=(len(self), N_TERMS))

    @classmethod
    def from_csr(cls, weights: csr_array, counts: Float32s | None = None) -> Self:
        """Take the term vectors of articles from a sparse matrix of weights, shape (articles, ``N_TERMS``).

        The batch shares the arrays of a matrix of 4-byte numbers with ascending terms. ``counts`` has one number for
        each entry; None: each term occurs once. Positions of terms are unknown.

        Raises ``ValueError`` for another number of columns, and when terms do not ascend or come twice in an article.
        """
        if weights.shape[1] != N_TERMS:
            raise ValueError(f"a term vector has {N_TERMS} terms, not {weights.shape[1]}")
        if not weights.has_canonical_format:
            raise ValueError("terms must be ascending, each once in an article; call sum_duplicates() before")
        found = weights.data[: weights.nnz].astype(np.float32, copy=False)  # a matrix may have room to spare
        return cls(
            weights.indptr.astype(np.int64),
            weights.indices[: weights.nnz].astype(np.int32, copy=False),
            np.ones_like(found) if counts is None else counts,
            found,
            np.zeros(len(found), dtype=np.uint8),
        )

    @classmethod
    def from_bytes(
        cls, rows: Sequence[bytes], numbers: Sequence[int] | None = None, meanings: Sequence[bytes | None] = ()
    ) -> Self:
        """Read what ``TermVector.to_bytes`` wrote for each article. Raises ``ValueError`` as reading one does."""
        sizes = np.array([len(row) for row in rows], dtype=np.int64)
        if (sizes % 12).any():
            raise ValueError("a term vector has 12 bytes a term")
        indptr = np.zeros(len(rows) + 1, dtype=np.int64)
        np.cumsum(sizes // 12, out=indptr[1:])
        n = int(indptr[-1])
        batch = cls(
            indptr,
            np.empty(n, dtype=np.int32),
            np.empty(n, dtype=np.float32),
            np.empty(n, dtype=np.float32),
            np.empty(n, dtype=np.uint8),
            None if numbers is None else np.array(numbers, dtype=np.int64),
            _meanings([np.frombuffer(each, dtype=np.int8)[np.newaxis] if each else None for each in meanings]),
        )
        stored = bytearray().join(rows)
        marked, fractions = np.frombuffer(stored, dtype="<i4"), np.frombuffer(stored, dtype="<f4")
        _read(indptr, marked, fractions, batch.ids, batch.parts, batch.counts, batch.weights)
        return batch

    @classmethod
    def of(cls, vectors: Sequence[TermVector]) -> Self:
        """Concatenate vectors; none gives an empty batch."""
        if len(vectors) == 1:  # as for every verdict
            only = vectors[0]
            own = None if only.meaning is None else only.meaning[np.newaxis]
            indptr = np.array([0, len(only)], dtype=np.int64)
            return cls(indptr, only.ids, only.counts, only.weights, only.parts, meanings=own)
        indptr = np.zeros(len(vectors) + 1, dtype=np.int64)
        np.cumsum([len(vector) for vector in vectors], out=indptr[1:])
        return cls(
            indptr=indptr,
            ids=_joined([vector.ids for vector in vectors], np.int32),
            counts=_joined([vector.counts for vector in vectors], np.float32),
            weights=_joined([vector.weights for vector in vectors], np.float32),
            parts=_joined([vector.parts for vector in vectors], np.uint8),
            meanings=_meanings([None if each.meaning is None else each.meaning[np.newaxis] for each in vectors]),
        )

    @classmethod
    def joined(cls, batches: Sequence[TermBatch]) -> Self:
        """Concatenate batches."""
        sizes = [np.diff(batch.indptr) for batch in batches]
        indptr = np.zeros(sum(len(size) for size in sizes) + 1, dtype=np.int64)
        np.cumsum(np.concatenate([np.empty(0, dtype=np.int64), *sizes]), out=indptr[1:])
        return cls(
            indptr,
            _joined([batch.ids for batch in batches], np.int32),
            _joined([batch.counts for batch in batches], np.float32),
            _joined([batch.weights for batch in batches], np.float32),
            _joined([batch.parts for batch in batches], np.uint8),
            _numbers(batches),
            _meanings([batch.meanings for batch in batches], [len(batch) for batch in batches]),
        )


def _numbers(batches: Sequence[TermBatch]) -> Int64s | None:
    if all(batch.numbers is None for batch in batches):
        return None
    known = [np.full(len(batch), -1) if batch.numbers is None else batch.numbers for batch in batches]
    return np.concatenate(known, dtype=np.int64)


def _meanings(blocks: Sequence[Int8s | None], sizes: Sequence[int] = ()) -> Int8s | None:
    """Concatenate blocks of these sizes, by default of one row each; None if there is none."""
    known = [block for block in blocks if block is not None]
    if not known:
        return None
    none, sizes = np.zeros_like(known[0][:1]), sizes or [1] * len(blocks)
    every = zip(blocks, sizes, strict=True)
    return np.concatenate([none.repeat(size, axis=0) if each is None else each for each, size in every])


def _joined(arrays: Sequence[npt.NDArray[T]], dtype: type[T]) -> npt.NDArray[T]:
    return np.concatenate(arrays, dtype=dtype) if arrays else np.empty(0, dtype=dtype)


@compiled
def _number(
    ids: Int32s,
    numbers: Int32s,
    terms: Int32s,
    places: Int32s,
) -> int:
    """Number the different ids from 1 in ``numbers``, which is 0; return how many there are."""
    n = 0
    for entry in range(len(ids)):
        number = numbers[ids[entry]]
        if number == 0:
            terms[n] = ids[entry]
            n += 1
            number = numbers[ids[entry]] = n
        places[entry] = number - 1
    return n


@compiled
def _add_up(
    indptr: Int64s,
    places: Int32s,
    values: Float32s,
    of_terms: Floats,
    sums: Floats,
) -> None:
    for row in range(len(indptr) - 1):
        total = 0.0
        for entry in range(indptr[row], indptr[row + 1]):
            total += values[entry] * of_terms[places[entry]]
        sums[row] = total


@compiled
def _read(
    indptr: Int64s,
    numbers: Int32s,
    fractions: Float32s,
    ids: Int32s,
    parts: Bytes,
    counts: Float32s,
    weights: Float32s,
) -> None:
    """Split concatenated rows into ids, counts and weights; both views show all bytes."""
    for row in range(len(indptr) - 1):
        begin, end = indptr[row], indptr[row + 1]
        size, first = end - begin, 3 * begin
        for i in range(size):
            ids[begin + i] = numbers[first + i] & (N_TERMS - 1)
            parts[begin + i] = numbers[first + i] >> _PARTS_SHIFT
            counts[begin + i] = fractions[first + size + i]
            weights[begin + i] = fractions[first + 2 * size + i]
