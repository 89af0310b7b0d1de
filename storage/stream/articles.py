"""Articles, in order of arrival."""

from __future__ import annotations

import hashlib
from base64 import b32encode
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Integer, Row, Select, bindparam, exists, func, insert, select, update

from storage.engine.base_database import Transaction
from storage.engine.bulk_insert import CHUNK, Bulk, among, among_texts, chunks
from storage.records.articles import Article, Content, NewArticle, StorySource, dated
from storage.records.feeds import Stored
from storage.schema import articles, feedback, feeds, subscriptions, texts
from storage.schema.column_types import microseconds, microseconds_or_none, to_json
from storage.stream import contents, feed_names, search_index
from storage.stream.addresses import site
from storage.stream.headings import beginning, heading
from storage.stream.visibility import of_stories, visible

ID_LENGTH = 8
"""Characters of a public id. 40 bits: among a million articles one or none needs a ninth."""

SHORTEST_PREFIX = 4
"""Characters of an id that are enough to ask for an article."""

_CONTENT = (
    "url", "site", "title", "author", "categories", "language", "links", "pictures", "content_hash",
)  # fmt: skip

_new = ("id", "feed_id", "key", "arrived", "archive", "dated", "published", *_CONTENT)
_insert = Bulk(insert(articles), _new)
_insert_text = Bulk(
    insert(texts).from_select(
        ["seq", "text"],
        select(articles.c.seq, bindparam("text", type_=texts.c.text.type)).where(articles.c.id == bindparam("article")),
    ),
    others=("text", "article"),
)
_update = Bulk(update(articles).where(articles.c.seq == bindparam("article")), _CONTENT, ["article"])
_update_text = Bulk(update(texts).where(texts.c.seq == bindparam("article")), ["text"], ["article"])
_update_shorter_text = Bulk(
    update(texts).where(
        texts.c.seq == bindparam("article"), func.length(texts.c.text) < bindparam("length", type_=Integer)
    ),
    ["text"],
    ["article", "length"],
)

# Built once: they run for every feed that has changed.
_with_keys = select(articles.c.key, articles.c.seq, articles.c.content_hash).where(
    articles.c.feed_id == bindparam("feed"), among_texts(articles.c.key, "keys")
)
_with_ids = select(articles.c.id, articles.c.seq).where(among_texts(articles.c.id, "ids"))


def store(
    tx: Transaction,
    feed_id: int,
    feed_url: str,
    entries: Sequence[NewArticle],
    at: datetime,
    *,
    keep_longer: bool = False,
) -> Stored:
    """Store the entries of one feed: new ones in their order, changed ones in place, known ones not at all.

    A changed article keeps its number, its id, its arrival (archive or not), its story, its frozen features, and its
    date, so that its place in lists stays; with ``keep_longer`` its text, too, if that is longer than the new one.
    Known articles without contents get them.
    """
    entries = list({entry.key: entry for entry in reversed(entries)}.values())[::-1]  # one key counts once
    known = _known(tx, feed_id, [entry.key for entry in entries])
    new = [entry for entry in entries if entry.key not in known]
    met = [(*known[entry.key], entry) for entry in entries if entry.key in known]
    changed = [(seq, entry) for seq, content_hash, entry in met if content_hash != entry.content_hash]
    arrived = microseconds(at)
    ids = _new_ids(tx, feed_url, [entry.key for entry in new])
    _insert.run(
        tx,
        [
            (
                *(
                    key,
                    feed_id,
                    entry.key,
                    arrived,
                    entry.archive,
                    microseconds(dated(entry.published, at, archive=entry.archive)),
                ),
                *(microseconds_or_none(entry.published), *_content(entry)),
            )
            for key, entry in zip(ids, new, strict=True)
        ],
    )
    _insert_text.run(tx, [(entry.text, key) for key, entry in zip(ids, new, strict=True)])
    numbers = _seqs(tx, ids)
    contents.add(tx, {numbers[key]: entry.content for key, entry in zip(ids, new, strict=True)})
    search_index.add(tx, numbers.values())
    search_index.remove(tx, [seq for seq, _ in changed])
    _update.run(tx, [(*_content(entry), seq) for seq, entry in changed])
    if keep_longer:
        _update_shorter_text.run(tx, [(entry.text, seq, len(entry.text)) for seq, entry in changed])
    else:
        _update_text.run(tx, [(entry.text, seq) for seq, entry in changed])
    contents.renew(
        tx, dict(changed), {seq: entry for seq, content_hash, entry in met if content_hash == entry.content_hash}
    )
    search_index.add(tx, [seq for seq, _ in changed])
    return Stored(len(new), len(changed))


def replace_text(tx: Transaction, seq: int, text: str, content: Content) -> None:
    """Give an article another text, and what pages show beside it. Everything else stays, its features too."""
    search_index.remove(tx, [seq])
    _update_text.run(tx, [(text, seq)])
    contents.remove(tx, [seq])
    contents.add(tx, {seq: content})
    search_index.add(tx, [seq])


def known_keys(tx: Transaction, feed_id: int, keys: Sequence[str]) -> set[str]:
    """Return which of one feed's entries are stored, by their keys."""
    return set(_known(tx, feed_id, keys))


def seqs_by_key(tx: Transaction, feed_id: int, keys: Sequence[str]) -> dict[str, int]:
    """Return the ``seq`` of one feed's stored entries, by their keys."""
    return {key: seq for key, (seq, _) in _known(tx, feed_id, keys).items()}


def newest(tx: Transaction, feed_id: int, limit: int) -> list[Article]:
    """List the articles of a feed that arrived last."""
    query = _articles().where(articles.c.feed_id == feed_id).order_by(articles.c.seq.desc()).limit(limit)
    return [read(row) for row in tx.connection.execute(query)]


def without_features(tx: Transaction, limit: int, after_seq: int = 0) -> list[Article]:
    """List the articles without features and story yet, in order of arrival, from behind ``after_seq``."""
    query = (
        _articles().where(articles.c.story.is_(None), articles.c.seq > after_seq).order_by(articles.c.seq).limit(limit)
    )
    return [read(row) for row in tx.connection.execute(query)]


def with_texts(tx: Transaction, newest: int, limit: int, after_seq: int = 0) -> list[Article]:
    """List ingested articles whose texts are kept, in order of arrival, from behind ``after_seq``.

    They are the ``newest`` and all that a user's log names.
    """
    ingested = articles.c.story.is_not(None), texts.c.text.is_not(None)
    first = select(articles.c.seq).where(articles.c.story.is_not(None)).order_by(articles.c.seq.desc())
    begin = tx.connection.execute(first.offset(newest - 1).limit(1)).scalar() or 0
    wanted = (articles.c.seq >= begin) | articles.c.seq.in_(select(feedback.c.seq))
    query = _articles().where(*ingested, wanted, articles.c.seq > after_seq).order_by(articles.c.seq).limit(limit)
    return [read(row) for row in tx.connection.execute(query)]


def get(tx: Transaction, seqs: Sequence[int]) -> list[Article]:
    """Return articles in the order of ``seqs``, with sources as learning knows them; unknown ones are left out."""
    found: dict[int, Article] = {}
    for piece in chunks(seqs):
        found |= {row.seq: read(row) for row in tx.connection.execute(_articles().where(among(articles.c.seq, piece)))}
    return [found[seq] for seq in seqs if seq in found]


def find(tx: Transaction, user_id: int, id_or_prefix: str) -> list[int]:
    """Return the ``seq`` of the articles that an id refers to: one for a full id, else all whose id begins with it.

    Empty for an unknown id or an article that the user may not see, and for a beginning shorter than
    ``SHORTEST_PREFIX``.
    """
    wanted = id_or_prefix.strip().lower()
    mine = select(articles.c.seq).where(visible(user_id))
    exact = tx.connection.execute(mine.where(articles.c.id == wanted)).scalars().all()
    if exact or len(wanted) < SHORTEST_PREFIX:
        return list(exact)
    # A range, since LIKE would pass by the index; "~" sorts behind every letter and digit.
    begins = articles.c.id.between(wanted, wanted + "~")
    return list(tx.connection.execute(mine.where(begins).order_by(articles.c.seq)).scalars())


def seqs(tx: Transaction, user_id: int, ids: Sequence[str]) -> dict[str, int]:
    """Return the ``seq`` of articles by their full ids; those that the user may not see are left out."""
    found: dict[str, int] = {}
    for start in range(0, len(ids), CHUNK):
        query = select(articles.c.id, articles.c.seq).where(articles.c.id.in_(ids[start : start + CHUNK]))
        query = query.where(visible(user_id))
        found |= dict(tx.connection.execute(query).all())
    return found


def ids(tx: Transaction, seqs: Sequence[int]) -> list[str]:
    """Return the full ids of articles in the order of ``seqs``; unknown ones are left out."""
    found: dict[int, str] = {}
    for piece in chunks(seqs):
        query = select(articles.c.seq, articles.c.id).where(among(articles.c.seq, piece))
        found |= dict(tx.connection.execute(query).all())
    return [found[seq] for seq in seqs if seq in found]


def story_sources(tx: Transaction, user_id: int, stories: Sequence[int]) -> dict[int, tuple[StorySource, ...]]:
    """Return each story's sources, by its leading article: the first article of each feed, in order of arrival.

    With the names that the user sees; of articles that the user may see.
    """
    rows: list[Any] = []
    for piece in chunks(stories):
        c = articles.c
        rows += tx.connection.execute(of_stories(user_id, piece, c.feed_id, c.title, beginning, c.url))
    names = feed_names.shown(tx, user_id, [row.feed_id for row in rows])
    found: dict[int, dict[str, StorySource]] = {}
    for story, _seq, feed_id, title, text, url in rows:
        name = names[feed_id]
        found.setdefault(story, {}).setdefault(name, StorySource(name, heading(title, text), url))
    return {story: tuple(sources.values()) for story, sources in found.items()}


def text_lengths(tx: Transaction, seqs: Sequence[int]) -> dict[int, int]:
    """Return the number of characters of each article's text."""
    found: dict[int, int] = {}
    for piece in chunks(seqs):
        query = select(texts.c.seq, func.length(texts.c.text)).where(among(texts.c.seq, piece))
        found |= dict(tx.connection.execute(query).all())
    return found


def count(tx: Transaction, user_id: int) -> int:
    """Count the articles that came through feeds that the user follows."""
    followed = select(subscriptions.c.feed_id).where(subscriptions.c.user_id == user_id)
    everything = select(func.count()).select_from(articles).where(articles.c.feed_id.in_(followed))
    imported = everything.where(articles.c.story == 0)  # both from an index: a row has everything else
    return int(tx.connection.execute(everything).scalar_one()) - int(tx.connection.execute(imported).scalar_one())


def has_any(tx: Transaction, user_id: int) -> bool:
    """Whether any article came through a feed that the user follows."""
    mine = subscriptions.c.user_id == user_id, subscriptions.c.feed_id == articles.c.feed_id
    brought = exists().where(*mine, func.coalesce(articles.c.story, 1) > 0)  # imported items have the story 0
    return bool(tx.connection.execute(select(brought)).scalar_one())


def ingested_count(tx: Transaction) -> int:
    """Count the articles that have features and came through a feed."""
    return int(tx.connection.execute(select(func.count()).where(articles.c.story > 0)).scalar_one())


def last_seq(tx: Transaction) -> int:
    """Return the number of the newest article; 0 when there is none."""
    return int(tx.connection.execute(select(func.coalesce(func.max(articles.c.seq), 0))).scalar_one())


def _articles() -> Select[Any]:
    return (
        select(articles, feeds.c.name.label("source"), func.coalesce(texts.c.text, "").label("text"))
        .join(feeds, feeds.c.id == articles.c.feed_id)
        .outerjoin(texts, texts.c.seq == articles.c.seq)
    )


def read(row: Row[Any]) -> Article:
    """Make the record of a row that has all columns of ``articles``, ``source`` and ``text``."""
    return Article(
        seq=row.seq,
        id=row.id,
        feed_id=row.feed_id,
        source=row.source,
        url=row.url,
        site=row.site,
        title=row.title,
        author=row.author,
        categories=row.categories,
        text=row.text,
        language=row.language,
        published=row.published,
        arrived=row.arrived,
        links=row.links,
        pictures=row.pictures,
        story=row.story,
        archive=row.archive,
    )


def _content(entry: NewArticle) -> tuple[Any, ...]:
    return (
        entry.url,
        site(entry.url),
        entry.title,
        entry.author,
        to_json(entry.categories),
        entry.language,
        entry.links,
        entry.pictures,
        entry.content_hash,
    )


def _known(tx: Transaction, feed_id: int, keys: Sequence[str]) -> dict[str, tuple[int, bytes]]:
    """Find which of one feed's entries are stored: key → number and content hash."""
    known: dict[str, tuple[int, bytes]] = {}
    for start in range(0, len(keys), CHUNK):
        rows = tx.connection.execute(_with_keys, {"feed": feed_id, "keys": keys[start : start + CHUNK]})
        known |= {key: (seq, content_hash) for key, seq, content_hash in rows}
    return known


def _new_ids(tx: Transaction, feed_url: str, keys: Sequence[str]) -> list[str]:
    """Make public ids: the start of a hash of feed and entry; if it is taken, of another, one longer."""
    first = [_hash(feed_url, key, 0) for key in keys]
    taken = set(_seqs(tx, first))
    ids = []
    for key, name in zip(keys, first, strict=True):
        attempt, free = 0, name
        while free in taken or (attempt and _exists(tx, free)):
            attempt += 1
            free = _hash(feed_url, key, attempt)
        ids.append(free)
        taken.add(free)
    return ids


def _seqs(tx: Transaction, ids: Sequence[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for start in range(0, len(ids), CHUNK):
        found |= dict(tx.connection.execute(_with_ids, {"ids": ids[start : start + CHUNK]}).all())
    return found


def _exists(tx: Transaction, article_id: str) -> bool:
    return tx.connection.execute(select(articles.c.seq).where(articles.c.id == article_id)).first() is not None


def _hash(feed_url: str, key: str, attempt: int) -> str:
    digest = hashlib.sha256(f"{feed_url}\0{key}\0{attempt}".encode()).digest()
    return b32encode(digest[:15]).decode().lower()[: ID_LENGTH + attempt]
