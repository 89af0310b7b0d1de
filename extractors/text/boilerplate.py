"""Boilerplate: what many entries of a feed begin or end with, and the host that nearly all of them link to.

``The post … appeared first on Example``, ``Points: 2 # Comments: 0``, ``| Example News`` at the end of each title: such
words say nothing about an article. They are found per feed as pairs of neighbouring words, numbers being all alike, in
titles and near the beginning and the end of bodies. A subject's word alone is never boilerplate, however many entries
of a feed about one subject have it: among other feeds it says most.

The pairs of a feed are counted in a table of fixed size. A new pair takes the place of one that was met seldom and long
ago, and all counts are halved from time to time, so that a feed that changes is followed.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from hashlib import blake2b
from typing import Final, NamedTuple

import numpy as np

from extractors.arrays import Bools, Bytes, Int64s, State, UInt16s, UInt32s, array
from extractors.numba_kernel import compiled, inner
from extractors.text.characters import DIGIT, LETTER, N_CODES, PUNCTUATION, SPACE, UPPER, characters
from extractors.text.tokens import CAPITALS, DIGITS, HASH_FACTOR, LETTERS, PUNCTUATIONS, VISIBLE, Tokens

FIRST: Final = 10
"""From this entry of a feed on its boilerplate is known."""
SHARE: Final = 0.3
"""Share of a feed's entries above which a pair of words is boilerplate."""
EDGE: Final = 32
"""Words at each end of a body, and at the beginning of a title, among which boilerplate is looked for."""
MAX_FEEDS: Final = 4096
"""Feeds that are remembered, those of the newest articles."""
WINDOW: Final = 200
"""Entries after which a feed's counts are halved; below 256."""

_SETS, _WAYS = 32, 8
"""A pair can be in each place of one set of the table."""
_END, _NUMBER, _TITLE = 0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
"""Stand for the end of a title or body, for any number, and for being in a title."""


class _Tables(NamedTuple):
    """One row a feed."""

    entries: Bytes
    """Counted entries; shape (feeds,)."""
    keys: UInt32s
    """Pairs of words and hosts, hashed; 0 is an empty place; shape (feeds, places)."""
    counts: Bytes
    """How many of the entries have it; shape as ``keys``."""
    seen: Bytes
    """The last entry that has it; shape as ``keys``."""

    @classmethod
    def empty(cls, feeds: int) -> _Tables:
        shape = feeds, _SETS * _WAYS
        return cls(
            np.zeros(feeds, dtype=np.uint8),
            np.zeros(shape, dtype=np.uint32),
            np.zeros(shape, dtype=np.uint8),
            np.zeros(shape, dtype=np.uint8),
        )


class Boilerplate:
    """The boilerplate of the stream's feeds so far; a feed is known by ``Document.source``."""

    def __init__(self) -> None:
        self._rows: dict[int, int] = {}
        """Row of each feed by the hash of its name, that of the newest article last."""
        self._tables = _Tables.empty(16)

    def take_out(
        self,
        codes: UInt32s,
        article_starts: Sequence[int],
        tokens: Tokens,
        sources: Sequence[str],
        hosts: Sequence[Sequence[str]],
        *,
        count: bool = True,
    ) -> tuple[Tokens, Int64s]:
        """Return the words of consecutive articles without boilerplate, and which of its hosts each article is about.

        ``hosts`` are those that an article links to, the first of which is taken if all are usual in its feed. Articles
        without a source stay as they are. ``count``: each article is counted, before its own boilerplate is taken out.
        Of ``tokens``, which are changed, there may be ``MAX_FEEDS`` articles.
        """
        rows = np.array([self._row(source, claim=count) for source in sources], dtype=np.int64)
        host_starts = np.zeros(len(hosts) + 1, dtype=np.int64)
        np.cumsum([len(each) for each in hosts], out=host_starts[1:])
        host_keys = np.array([zlib.crc32(host.encode()) or 1 for each in hosts for host in each], dtype=np.uint32)
        chosen = np.zeros(len(hosts), dtype=np.int64)
        bounds = np.array(article_starts, dtype=np.int64)
        n = _take_out(
            codes, bounds, characters().kinds, tokens, rows, self._tables, host_keys, host_starts, chosen, count
        )
        kept = {name: getattr(tokens, name)[:n] for name in ("hashes", "starts", "ends", "sentence_of")}
        return tokens._replace(**kept), chosen

    def state(self) -> State:
        """Return the tables of all feeds, that of the newest article last."""
        rows = list(self._rows.values())
        tables = {name: table[rows] for name, table in self._tables._asdict().items()}
        return {"feeds": np.array(list(self._rows), dtype=np.int64), **tables}

    def restore(self, state: State) -> None:
        """Become the instance that returned ``state``."""
        feeds = array(state, "feeds", np.int64).tolist()
        self._rows = {feed: row for row, feed in enumerate(feeds)}
        self._tables = _Tables.empty(max(len(feeds), 16))
        for name, table in self._tables._asdict().items():
            table[: len(feeds)] = state[name]

    def _row(self, source: str, *, claim: bool) -> int:
        """Return the feed's row, -1 without one; with ``claim`` it gets one.

        If all are taken, it is that of the feed that was silent longest.
        """
        if not source:
            return -1
        feed = int.from_bytes(
            blake2b(source.encode(errors="surrogatepass"), digest_size=8).digest(), "big", signed=True
        )
        if not claim:
            return self._rows.get(feed, -1)
        row = self._rows.pop(feed, -1)
        if row < 0 and len(self._rows) == MAX_FEEDS:
            row = self._rows.pop(next(iter(self._rows)))
            for table in self._tables:
                table[row] = 0
        elif row < 0:
            row = len(self._rows)
            if row == len(self._tables.entries):
                self._tables = _Tables(*(np.concatenate([each, np.zeros_like(each)]) for each in self._tables))
        self._rows[feed] = row
        return row


@inner
def _pair(codes: UInt32s, kinds: UInt16s, tokens: Tokens, word: int, end: int, salt: int) -> np.uint32:
    """Return the key of a word and the next one before ``end``."""
    value = np.uint64(salt)
    for each in range(word, word + 2):
        if each == end:
            part = np.uint64(_END)
        elif codes[tokens.starts[each]] < N_CODES and kinds[codes[tokens.starts[each]]] & DIGIT:
            part = np.uint64(_NUMBER)
        else:
            part = tokens.hashes[each]
        value = (value ^ part) * np.uint64(HASH_FACTOR)
    return np.uint32(max(value >> np.uint64(32), np.uint64(1)))


@inner
def _is_usual(key: np.uint32, row: int, tables: _Tables, count: bool) -> bool:
    """Return whether a feed's entries mostly have this; ``count``: the present one has it."""
    keys, counts, seen = tables.keys[row], tables.counts[row], tables.seen[row]
    entries = int(tables.entries[row])
    first = (int(key) % _SETS) * _WAYS
    place, least = -1, 1 << 30
    for each in range(first, first + _WAYS):
        if keys[each] == key:
            place = each
            break
        # What it has for it: how often it was met, less how long ago.
        worth = int(counts[each]) + int(seen[each]) - (1 << 20 if keys[each] == 0 else 0)
        if worth < least:
            place, least = each, worth
    if keys[place] != key:
        if not count:
            return False
        keys[place], counts[place], seen[place] = key, 0, 0
    if count and seen[place] != entries:
        counts[place] += 1
        seen[place] = entries
    return entries >= FIRST and counts[place] > SHARE * entries


@inner
def _halve(row: int, tables: _Tables) -> None:
    tables.entries[row] //= 2
    for place in range(tables.keys.shape[1]):
        tables.counts[row, place] //= 2
        tables.seen[row, place] = max(int(tables.seen[row, place]) - WINDOW // 2, 0)
        if tables.counts[row, place] == 0:
            tables.keys[row, place] = 0


@inner
def _mark(
    codes: UInt32s, kinds: UInt16s, tokens: Tokens, start: int, end: int, salt: int, row: int, tables: _Tables,
    count: bool, dropped: Bools,
) -> bool:  # fmt: skip
    """Mark the boilerplate among the words of a title or body; return whether nothing else is there."""
    left = end - start
    for word in range(start, end):
        near = word < start + EDGE or (salt == 0 and word >= end - EDGE)
        if near and _is_usual(_pair(codes, kinds, tokens, word, end, salt), row, tables, count):
            dropped[word] = True
            if word + 1 < end:
                dropped[word + 1] = True
        left -= dropped[word]
    return left == 0


@inner
def _uncount(codes: UInt32s, kinds: UInt16s, start: int, end: int, counted: Int64s) -> None:
    for at in range(start, end):
        kind = kinds[codes[at]] if codes[at] < N_CODES else LETTER
        counted[LETTERS] -= (kind & LETTER) > 0
        counted[CAPITALS] -= (kind & UPPER) > 0
        counted[DIGITS] -= (kind & DIGIT) > 0
        counted[PUNCTUATIONS] -= (kind & PUNCTUATION) > 0
        counted[VISIBLE] -= (kind & SPACE) == 0


@inner
def _enter(row: int, tables: _Tables) -> None:
    """Count one more entry of a feed."""
    if tables.entries[row] == WINDOW:
        _halve(row, tables)
    tables.entries[row] += 1


@compiled
def _take_out(
    codes: UInt32s, article_starts: Int64s, kinds: UInt16s, tokens: Tokens, rows: Int64s, tables: _Tables,
    host_keys: UInt32s, host_starts: Int64s, chosen: Int64s, count: bool,
) -> int:  # fmt: skip
    """Move the words that stay together, and count no characters of the others; return how many stay."""
    dropped = np.zeros(len(tokens.hashes), dtype=np.bool_)
    n, start = 0, 0
    for article in range(len(rows)):
        row, title_end, end = rows[article], start + tokens.n_title[article], tokens.word_starts[article + 1]
        if row >= 0:
            if count:
                _enter(row, tables)
            for host in range(host_starts[article + 1] - 1, host_starts[article] - 1, -1):
                if not _is_usual(host_keys[host], row, tables, count):
                    chosen[article] = host - host_starts[article]
            # A title stays what it is if nothing else would be left, and so does a body without a title.
            if _mark(codes, kinds, tokens, start, title_end, _TITLE, row, tables, count, dropped):
                dropped[start:title_end] = False
            if _mark(codes, kinds, tokens, title_end, end, 0, row, tables, count, dropped) and title_end == start:
                dropped[start:end] = False
        for word in range(start, end):
            if not dropped[word]:
                tokens.hashes[n], tokens.sentence_of[n] = tokens.hashes[word], tokens.sentence_of[word]
                tokens.starts[n], tokens.ends[n] = tokens.starts[word], tokens.ends[word]
                n += 1
            elif word < title_end:
                tokens.n_title[article] -= 1
            else:
                behind = tokens.starts[word + 1] if word + 1 < end else article_starts[article + 1]
                _uncount(codes, kinds, tokens.starts[word], behind, tokens.characters[article])
        start = end
        tokens.word_starts[article + 1] = n
    return n
