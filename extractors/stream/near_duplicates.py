"""Near-duplicates: copies of an article in several feeds are one story, led by the article that arrived first.

Two articles belong together when their 64-bit SimHashes (Charikar 2002) differ in at most ``MAX_DISTANCE`` bits and
nothing tells them apart (``fixed_forms``), or when two feeds link to the same page with them. Within one feed a shared
page does not count: podcasts link all their episodes to the page of the show. A hash is made from the term counts, not
from tf-idf weights, since document frequencies move and two copies of a text must hash alike whenever they arrive. It
is cut into six bands: if five bits differ, at least one band is equal, so only leaders that share a band are compared
(Manku, Jain, Das Sarma 2007).

New articles are compared with leaders only, so a story cannot drift from copy to copy. The last ``CAPACITY`` leaders
are stored in a ring.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import numpy as np

from extractors.arrays import Int32s, Int64s
from extractors.article import Document
from extractors.numba_kernel import compiled, inner
from extractors.stream.fixed_forms import SAMPLE, TITLE_TOKENS, Marks, apart, simhash_of
from extractors.text.terms import TermVector

MAX_DISTANCE = 5
MIN_TERMS = 8
"""Shorter texts ("Sports results") are compared by their address only."""
WINDOW = timedelta(days=7)
"""A text that is repeated after a week is news again, or a column with a fixed form."""
CAPACITY = 1 << 15

_BANDS = np.array([0, 11, 22, 33, 44, 54, 64], dtype=np.uint64)
_N_BANDS = 6
_ALL_BITS = (1 << 64) - 1
_BUCKETS = 1 << 11
_NONE = -1


class Stories:
    """Finds the story of each article, in order of arrival."""

    def __init__(self) -> None:
        self._count = 0
        """Leaders ever seen; leader number ``n`` lies in slot ``n % CAPACITY``."""
        self._leaders: Int64s = np.zeros(CAPACITY, dtype=np.int64)
        self._hashes: Int64s = np.zeros(CAPACITY, dtype=np.int64)
        self._addresses: Int64s = np.zeros(CAPACITY, dtype=np.int64)
        self._feeds: Int64s = np.zeros(CAPACITY, dtype=np.int64)
        self._arrived: Int64s = np.zeros(CAPACITY, dtype=np.int64)
        self._titles: Int32s = np.zeros((CAPACITY, TITLE_TOKENS), dtype=np.int32)
        self._numbers: Int32s = np.zeros((CAPACITY, SAMPLE), dtype=np.int32)
        self._clear_index()

    def place(
        self, seq: int, document: Document, terms: TermVector, page: str, feed: int, arrived: datetime
    ) -> tuple[int, int]:
        """Return the ``seq`` of the story's leader (its own when the story is new) and the article's SimHash.

        ``page`` is the article's address as ``iscore.feeds.urls.page_key`` gives it, or empty; ``feed`` the number of
        the feed that brought it.
        """
        terms = terms.words  # copies are at other hosts
        simhash = int(simhash_of(terms.ids, terms.counts))
        marks = Marks.of(document, terms)
        address = _address_hash(page)
        now = int(arrived.timestamp())
        slot = self._find(simhash, marks, len(terms) >= MIN_TERMS, address, feed, now)
        if slot != _NONE:
            return int(self._leaders[slot]), simhash
        self._append(seq, simhash, marks, address, feed, now)
        return seq, simhash

    def state(self) -> dict[str, Any]:
        """Return the remembered leaders, oldest first."""
        rows = self._rows_in_use()
        return {
            "count": self._count,
            "leaders": self._leaders[rows],
            "hashes": self._hashes[rows],
            "addresses": self._addresses[rows],
            "feeds": self._feeds[rows],
            "arrived": self._arrived[rows],
            "titles": self._titles[rows],
            "numbers": self._numbers[rows],
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Become the instance that returned ``state``."""
        self._count = int(state["count"])
        self._clear_index()
        numbers = np.arange(self._count - len(state["leaders"]), self._count, dtype=np.int64)
        slots = numbers % CAPACITY
        for column, name in (
            (self._leaders, "leaders"),
            (self._hashes, "hashes"),
            (self._addresses, "addresses"),
            (self._feeds, "feeds"),
            (self._arrived, "arrived"),
            (self._titles, "titles"),
            (self._numbers, "numbers"),
        ):
            column[slots] = state[name]
        addresses = zip(self._addresses[slots].tolist(), numbers.tolist(), strict=True)
        self._by_address.update((address, number) for address, number in addresses if address)
        _enter_all(self._hashes[slots], numbers, self._heads, self._next)

    def _rows_in_use(self) -> Int64s:
        first = max(0, self._count - CAPACITY)
        return np.arange(first, self._count, dtype=np.int64) % CAPACITY

    def _clear_index(self) -> None:
        self._by_address: dict[int, int] = {}
        self._heads: Int64s = np.full((_N_BANDS, _BUCKETS), _NONE, dtype=np.int64)
        self._next: Int64s = np.full((_N_BANDS, CAPACITY), _NONE, dtype=np.int64)

    def _append(self, leader: int, simhash: int, marks: Marks, address: int, feed: int, arrived: int) -> None:
        slot = self._count % CAPACITY
        if self._count >= CAPACITY and self._by_address.get(int(self._addresses[slot])) == self._count - CAPACITY:
            del self._by_address[int(self._addresses[slot])]
        self._leaders[slot] = leader
        self._hashes[slot] = simhash
        self._addresses[slot] = address
        self._feeds[slot] = feed
        self._arrived[slot] = arrived
        self._titles[slot] = marks.title
        self._numbers[slot] = marks.numbers
        if address:
            self._by_address[address] = self._count
        _enter(np.int64(simhash), self._count, self._heads, self._next)
        self._count += 1

    def _find(self, simhash: int, marks: Marks, long_enough: bool, address: int, feed: int, now: int) -> int:
        oldest = now - int(WINDOW.total_seconds())
        number = self._by_address.get(address) if address else None
        if number is not None and self._arrived[number % CAPACITY] >= oldest:
            slot = number % CAPACITY
            distance = ((int(self._hashes[slot]) ^ simhash) & _ALL_BITS).bit_count()
            if self._feeds[slot] != feed or (
                distance <= MAX_DISTANCE and not apart(marks, self._titles[slot], self._numbers[slot])
            ):
                return slot
        if not long_enough:
            return _NONE
        leaders = _Leaders(self._hashes, self._arrived, self._titles, self._numbers, self._heads, self._next)
        return int(_nearest(np.int64(simhash), marks, self._count, oldest, leaders))


class _Leaders(NamedTuple):
    """The arrays of ``Stories``, as compiled functions take them."""

    hashes: Int64s
    arrived: Int64s
    titles: Int32s
    numbers: Int32s
    heads: Int64s
    following: Int64s


def _address_hash(page: str) -> int:
    """Hash a page's address into 1 … 2⁶³-1; 0 is "no page", also for a whole site."""
    if "/" not in page and "?" not in page:
        return 0
    data = page.encode()
    return (zlib.crc32(data) << 31 | zlib.crc32(data[::-1]) >> 1) + 1


@inner
def _bucket(simhash: np.int64, band: int) -> np.int64:
    width = _BANDS[band + 1] - _BANDS[band]
    return np.int64((np.uint64(simhash) >> _BANDS[band]) & ((np.uint64(1) << width) - np.uint64(1)))


@compiled
def _enter(simhash: np.int64, number: int, heads: Int64s, following: Int64s) -> None:
    """Put leader ``number`` at the head of its six chains."""
    for band in range(_N_BANDS):
        bucket = _bucket(simhash, band)
        following[band, number % CAPACITY] = heads[band, bucket]
        heads[band, bucket] = number


@compiled
def _enter_all(simhashes: Int64s, numbers: Int64s, heads: Int64s, following: Int64s) -> None:
    for leader in range(len(numbers)):
        _enter(simhashes[leader], numbers[leader], heads, following)


@compiled
def _nearest(simhash: np.int64, marks: Marks, count: int, oldest: int, leaders: _Leaders) -> int:
    """Return the slot of the nearest leader within reach that nothing tells apart, the newest among equals; -1 for
    none.

    Chains run from newer to older, so a chain ends where the ring has been overwritten.
    """
    best = -1
    best_number = np.int64(-1)
    best_distance = MAX_DISTANCE + 1
    for band in range(_N_BANDS):
        number = leaders.heads[band, _bucket(simhash, band)]
        while number >= 0 and number >= count - CAPACITY:
            slot = number % CAPACITY
            if leaders.arrived[slot] >= oldest:
                difference = np.uint64(leaders.hashes[slot] ^ simhash)
                distance = 0
                while difference and distance <= best_distance:
                    difference &= difference - np.uint64(1)
                    distance += 1
                nearer = distance < best_distance or (distance == best_distance and number > best_number)
                if (
                    nearer
                    and distance <= MAX_DISTANCE
                    and not apart(marks, leaders.titles[slot], leaders.numbers[slot])
                ):
                    best_distance = distance
                    best = slot
                    best_number = number
            number = leaders.following[band, slot]
    return best
