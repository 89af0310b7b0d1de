"""What pages show of articles beside their texts: HTML, enclosures, thumbnails. Nothing is learned from it.

    articles.store ─► add, renew ─► contents ─► get, thumbnails        pruning.remove ─► remove

HTML is compressed: over 119 real feeds it takes 40 % of its length. An article that has nothing but its text has no
row. What was stored before there were contents gets them when its feed brings the entry again.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Row, delete, func, insert, select

from storage.engine.base_database import Transaction
from storage.engine.bulk_insert import Bulk, among, chunks
from storage.records.articles import NO_CONTENT, Content, Enclosure, NewArticle
from storage.schema import articles, contents, feeds, texts

MAX_HTML = 1 << 20
"""Bytes of an article's HTML that are read: no article has a third of it."""

_LEVEL = 3
"""Of compression: a quarter less time than at zlib's usual level, for 4 % more bytes."""

_insert = Bulk(insert(contents), ("seq", "html", "enclosures", "thumbnail"))


def get(tx: Transaction, seq: int) -> Content:
    """Return an article's content; ``NO_CONTENT`` if it has none but its text, or was pruned."""
    row = tx.connection.execute(select(contents).where(contents.c.seq == seq)).first()
    return NO_CONTENT if row is None else _read(row)


def get_all(tx: Transaction, seqs: Sequence[int]) -> dict[int, Content]:
    """Return the contents of articles; those that have none but their text are left out."""
    found: dict[int, Content] = {}
    for piece in chunks(seqs):
        for row in tx.connection.execute(select(contents).where(among(contents.c.seq, piece))):
            found[row.seq] = _read(row)
    return found


def thumbnails(tx: Transaction, seqs: Sequence[int]) -> dict[int, str]:
    """Return the addresses of articles' thumbnails; those without one are left out."""
    found: dict[int, str] = {}
    for piece in chunks(seqs):
        query = select(contents.c.seq, contents.c.thumbnail).where(
            among(contents.c.seq, piece), contents.c.thumbnail != ""
        )
        found |= dict(tx.connection.execute(query).all())
    return found


def feed_address(tx: Transaction, seq: int) -> str:
    """Return the address of an article's feed; empty for an unknown article."""
    query = select(feeds.c.url).join(articles, articles.c.feed_id == feeds.c.id)
    return tx.connection.execute(query.where(articles.c.seq == seq)).scalar() or ""


def add(tx: Transaction, found: Mapping[int, Content]) -> None:
    """Store the contents of articles that have none."""
    _insert.run(tx, [_row(seq, content) for seq, content in found.items() if content != NO_CONTENT])


def renew(tx: Transaction, changed: Mapping[int, NewArticle], unchanged: Mapping[int, NewArticle]) -> None:
    """Store the contents of known articles, after their texts: of ``unchanged`` ones only where there is none.

    An article whose text was pruned gets none. One whose stored text is longer than the entry's has the text of its
    page: it keeps what it has of that page's HTML, and does not get the entry's.
    """
    missing = {seq: entry for seq, entry in unchanged.items() if entry.content != NO_CONTENT}
    for piece in chunks(list(missing)):
        for seq in tx.connection.execute(select(contents.c.seq).where(among(contents.c.seq, piece))).scalars():
            del missing[seq]
    wanted = {**missing, **changed}
    lengths: dict[int, int] = {}
    for piece in chunks(list(wanted)):
        query = select(texts.c.seq, func.length(texts.c.text)).where(among(texts.c.seq, piece))
        lengths |= dict(tx.connection.execute(query).all())
    of_entry = [seq for seq, length in lengths.items() if length <= len(wanted[seq].text)]
    remove(tx, [seq for seq in of_entry if seq in changed])
    add(tx, {seq: wanted[seq].content for seq in of_entry})
    of_page = {seq: wanted[seq].content for seq in lengths.keys() & missing.keys() - set(of_entry)}
    add(tx, {seq: Content("", each.enclosures, each.thumbnail) for seq, each in of_page.items()})


def remove(tx: Transaction, seqs: Sequence[int]) -> None:
    """Remove the contents of articles, which may have none."""
    for piece in chunks(seqs):
        tx.connection.execute(delete(contents).where(among(contents.c.seq, piece)))


def _read(row: Row[Any]) -> Content:
    enclosures = tuple(Enclosure(url, kind, length) for url, kind, length in json.loads(row.enclosures))
    return Content(_unpacked(row.html), enclosures, row.thumbnail)


def _row(seq: int, content: Content) -> tuple[Any, ...]:
    html = zlib.compress(content.html.encode(), _LEVEL) if content.html else b""
    enclosures = [[each.url, each.type, each.length] for each in content.enclosures]
    return seq, html, json.dumps(enclosures, ensure_ascii=False, separators=(",", ":")), content.thumbnail


def _unpacked(html: bytes) -> str:
    """Return stored HTML; empty if it is damaged."""
    try:
        return zlib.decompressobj().decompress(html, MAX_HTML).decode("utf-8", "replace")
    except zlib.error:
        return ""
