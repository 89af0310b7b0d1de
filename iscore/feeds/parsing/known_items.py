"""The positions of a feed's items in its bytes, so that known ones can be left out before parsing.

One pass of expat (``item_scan``), which is cheap, finds them; feedparser, which is not, then sees only new items.
Unusual documents go to feedparser whole. The remaining items do not change: everything they inherit stays in the
document.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b
from xml.parsers import expat

from iscore.feeds.parsing.item_scan import ItemScan, Unusual

HASH_SIZE = 8


@dataclass(frozen=True, slots=True)
class Item:
    """One item of a document."""

    start: int
    """Offset of its first byte."""
    end: int
    """Offset behind its last byte."""
    identity: str
    """Its id, else the page that it links to, as far as the bytes show it; empty if neither."""
    has_id: bool
    """Whether ``identity`` is its id."""
    date: str
    """Its date as written, or empty."""
    hash: bytes
    """8 bytes over the item, what it inherits and where the document came from."""


def find_items(document: bytes, url: str) -> tuple[Item, ...] | None:
    """Return the items of a document in UTF-8, in their order, or None when it has to be parsed whole."""
    scan = ItemScan(document)
    try:
        scan.run()
    except (expat.ExpatError, Unusual):
        return None
    if scan.item_names is None:
        return None
    context = blake2b("\x1f".join((url, *scan.context)).encode(), digest_size=32).digest()
    return tuple(
        Item(
            start,
            end,
            identity,
            has_id,
            date,
            blake2b(document[start:end], digest_size=HASH_SIZE, key=context).digest(),
        )
        for start, end, identity, has_id, date in scan.items
    )


def split_hashes(hashes: bytes) -> frozenset[bytes]:
    """Split joined hashes."""
    return frozenset(hashes[start : start + HASH_SIZE] for start in range(0, len(hashes), HASH_SIZE))


def have_distinct_identities(items: Iterable[Item]) -> bool:
    """Whether every item has an identity of its own. Only then can some be left out, since the key of an item depends
    on the others.

    Ids and pages may not be mixed: an item without an id is identified by its page only if no other item links to it,
    and one that has an id may link anywhere.
    """
    items = tuple(items)
    counts = Counter(item.identity for item in items)
    mixed = len({item.has_id for item in items}) > 1
    return not mixed and not counts[""] and all(count == 1 for count in counts.values())


def without_items(document: bytes, unwanted: Iterable[Item]) -> bytes:
    """Return the document without some of its items, which are in their order."""
    pieces, position = [], 0
    for item in unwanted:
        pieces.append(document[position : item.start])
        position = item.end
    pieces.append(document[position:])
    return b"".join(pieces)
