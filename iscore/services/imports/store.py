"""Seeds on their way into the log: which are known, what the others measure, and which later arrive through a feed.

    Seed … ─► known by address? ─► else measured apart from the stream ─► stored, and a row of the log each

A link that a feed brought anyway is liked where it is. A seed that a feed brings later has been seen, and does not wait
for its reader again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from iscore.feeds.urls import page_key
from iscore.services.imports.item import Form, ImportedItem
from storage import feedback, imports
from storage.articles import site
from storage.database import Database
from storage.imports import NewImportedItem, StoredImportedItem
from storage.records import Article, Features, NewArticle

Measure = Callable[[Sequence[Article]], list[Features]]
"""Measures documents apart from the stream."""


@dataclass(frozen=True, slots=True)
class Sorted:
    """Seeds by what the database knows of them."""

    new: tuple[ImportedItem, ...]
    """Known to nobody."""
    known: tuple[StoredImportedItem, ...]
    """Stored, through a feed or by an import that was taken back, and nothing is said of them."""
    old: int
    """Those that the person has judged or brought before."""


@dataclass(frozen=True, slots=True)
class Planted:
    """What an import did."""

    learned: int
    known: int
    """Of these, what was stored already."""
    number: int | None
    """The import's; None when there was nothing to learn."""


def sort(database: Database, user_id: int, found: Sequence[ImportedItem]) -> Sorted:
    """Tell which seeds are new. Writes nothing."""
    pages: dict[str, list[int]] = {}
    own: dict[str, int] = {}
    with database.read() as tx:
        for address in imports.addresses(tx, user_id):
            if address.key:
                own[address.key] = address.seq
            if address.url and not address.key.startswith(Form.FEED):
                pages.setdefault(page_key(address.url), []).append(address.seq)
        news = {seq for places in pages.values() for seq in places} - set(own.values())
        new, known, old = [], [], 0
        for seed in found:
            on_page = pages.get(page_key(seed.url), []) if seed.url and seed.form is not Form.FEED else []
            places = list(dict.fromkeys([*on_page, *([own[seed.key]] if seed.key in own else [])]))
            if any(feedback.verdict(tx, user_id, feedback.story(tx, seq)) is not None for seq in places):
                old += 1
                continue
            arrived = [seq for seq in places if seq in news]
            if arrived:
                known.append(StoredImportedItem(arrived[0], Form.TEXT))
            elif seed.key in own:
                known.append(StoredImportedItem(own[seed.key], seed.form))
            else:
                new.append(seed)
    return Sorted(tuple(new), tuple(known), old)


def plant(database: Database, user_id: int, name: str, sorted_: Sorted, measure: Measure, *, at: datetime) -> Planted:
    """Measure what is new, and enter everything into the log in one transaction; when this returns it is on disk."""
    new = []
    if sorted_.new:
        documents = [_document(seed, at) for seed in sorted_.new]
        rows = zip(sorted_.new, measure(documents), strict=True)
        new = [NewImportedItem(_entry(seed), row, seed.form) for seed, row in rows]
    if not (new or sorted_.known):
        return Planted(0, 0, None)
    with database.write(durable=True) as tx:
        number, learned = imports.plant(tx, user_id, name, new, sorted_.known, at)
    return Planted(len(learned), sum(seed.seq in learned for seed in sorted_.known), number)


def recognise(database: Database, user_id: int) -> int:
    """Find seeds among what has arrived since the last round, by their pages; count the stories."""
    with database.read() as tx:
        wanted = {page_key(seed.url): seed.seq for seed in imports.standing_addresses(tx, user_id)}
        if not wanted:
            return 0
        arrived = ((story, wanted.get(page_key(url))) for story, url in imports.arrivals(tx, user_id))
        found = {story: seed for story, seed in arrived if seed is not None}
    if found:
        with database.write() as tx:
            imports.recognise(tx, user_id, found)
    return len(found)


def _entry(seed: ImportedItem) -> NewArticle:
    content = "\0".join((seed.key, seed.title, seed.text, seed.author, *seed.categories))
    return NewArticle(
        key=seed.key,
        url=seed.url,
        title=seed.title,
        author=seed.author,
        categories=seed.categories,
        text=seed.text,
        language="",
        published=None,
        links=seed.links,
        pictures=seed.pictures,
        content_hash=hashlib.blake2b(content.encode(), digest_size=16).digest(),
    )


def _document(seed: ImportedItem, at: datetime) -> Article:
    """Lay a seed out as an article that arrives now; it has no source, since no feed of the person's brought it."""
    return Article(
        seq=0,
        id=seed.key,
        feed_id=0,
        source="",
        url=seed.url,
        site=site(seed.url),
        title=seed.title,
        author=seed.author,
        categories=seed.categories,
        text=seed.text,
        language="",
        published=None,
        arrived=at,
        links=seed.links,
        pictures=seed.pictures,
        story=None,
    )
