"""Stores imported items: finds known ones, computes features of the others, and recognises those that arrive later.

    ImportedItem … ─► known by address? ─► else features apart from the stream ─► stored, and a row of the log each
                                                                   └─► saved elsewhere? ─► as an article of its own

A link to an article of a feed counts as a verdict on that article. An item that a feed delivers later is marked as seen
and is not in the inbox.

What was saved elsewhere, in another reader or data folder, becomes a saved article here:

    saved elsewhere ─► a feed has brought the page here? ─► its story is marked
                       └─► else stored as an article of its own, from a source of its own: in Saved and in the search

See ``storage.log.saved_items`` for what such an article is.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from iscore.feeds.urls import page_key
from iscore.services.learning.imported_item import Form, ImportedItem, item_weight
from storage.engine.base_database import Transaction
from storage.log import feedback, imports, marks, saved_items
from storage.log.imports import UNNAMED, NewImportedItem, StoredImportedItem
from storage.log.saved_items import SavedItem
from storage.opening.database import Database
from storage.records.articles import Article, Features, NewArticle
from storage.records.stories import Mark
from storage.records.users import Kind
from storage.stream import features
from storage.stream.addresses import site

Measure = Callable[[Sequence[Article]], list[Features]]
"""Measures documents apart from the stream."""


@dataclass(frozen=True, slots=True)
class SavedArticle:
    """An article that was saved elsewhere."""

    document: Article
    """As it is measured."""
    entry: NewArticle
    """As it is stored; ``key`` identifies it among the user's."""
    mark: Mark


def saved_source(article: SavedArticle) -> str:
    """Return the name of the feed of the user's own that has an article: its source there, else its site."""
    return article.document.source or article.document.site


def save(database: Database, user_id: int, found: Sequence[SavedArticle], measure: Measure) -> int:
    """Store articles with their marks, but those that were stored before; return how many."""
    items = _measured(database, user_id, found, measure)
    if not items:
        return 0
    with database.write(durable=True) as tx:
        return len(_add_saved(tx, user_id, items))


def _measured(database: Database, user_id: int, found: Sequence[SavedArticle], measure: Measure) -> list[SavedItem]:
    """Measure articles that are not stored yet, so that they can be; each once."""
    with database.read() as tx:
        known = saved_items.known(tx, user_id, [each.entry.key for each in found])
    new = list({each.entry.key: each for each in found if each.entry.key not in known}.values())
    rows = measure([each.document for each in new]) if new else []
    return [
        SavedItem(saved_source(each), each.entry, each.document.arrived, row, each.mark)
        for each, row in zip(new, rows, strict=True)
    ]


def _add_saved(tx: Transaction, user_id: int, items: Sequence[SavedItem]) -> dict[str, int]:
    """Store measured articles that nobody has stored meanwhile, and return their numbers by their keys."""
    from iscore.filtering.delivery.limits import UNKNOWN_THRESHOLD
    from iscore.filtering.delivery.tuning import UNKNOWN_SCORE

    known = saved_items.known(tx, user_id, [item.entry.key for item in items])
    return saved_items.add(
        tx, user_id, [item for item in items if item.entry.key not in known], UNKNOWN_SCORE, UNKNOWN_THRESHOLD
    )


@dataclass(frozen=True, slots=True)
class ClassifiedItems:
    """Seeds by what the database knows of them."""

    new: tuple[ImportedItem, ...]
    """Known to no user."""
    known: tuple[StoredImportedItem, ...]
    """Stored, through a feed or by an earlier import, and without a verdict."""
    old: int
    """Those with a verdict, or imported before."""


@dataclass(frozen=True, slots=True)
class ImportResult:
    """What an import did."""

    learned: int
    known: int
    """Of these, what was stored already."""
    number: int | None
    """The import's; None when there was nothing to learn and to save."""
    saved: int = 0
    """Stories that were saved or labelled."""
    without_words: int = 0
    """New items that were left out: nothing can be compared with them."""


def classify(
    database: Database, user_id: int, found: Sequence[ImportedItem], interest: str = UNNAMED
) -> ClassifiedItems:
    """Classify items by what is stored. Writes nothing.

    What was imported before is old, but known if it may become an example of a named ``interest``.
    """
    taught = feedback.READ if interest != UNNAMED else (*feedback.READ, Kind.IMPORTED)
    pages: dict[str, list[int]] = {}
    own: dict[str, int] = {}
    own_articles: set[int] = set()
    with database.read() as tx:
        for address in imports.addresses(tx, user_id):
            if address.key:
                own[address.key] = address.seq
            if address.saved:
                own_articles.add(address.seq)
            if address.url and not address.key.startswith(Form.FEED):
                pages.setdefault(page_key(address.url), []).append(address.seq)
        news = {seq for places in pages.values() for seq in places} - set(own.values())
        new, known, old = [], [], 0
        for item in found:
            on_page = pages.get(page_key(item.url), []) if item.url and item.form is not Form.FEED else []
            places = list(dict.fromkeys([*on_page, *([own[item.key]] if item.key in own else [])]))
            if any(feedback.verdict(tx, user_id, feedback.story(tx, user_id, seq)) in taught for seq in places):
                old += 1
                continue
            arrived = [seq for seq in places if seq in news]
            if arrived:
                form = item.form if arrived[0] in own_articles else Form.TEXT
                known.append(StoredImportedItem(arrived[0], form, item_weight(form)))
            elif item.key in own:
                known.append(StoredImportedItem(own[item.key], item.form, item_weight(item.form)))
            else:
                new.append(item)
    return ClassifiedItems(tuple(new), tuple(known), old)


def store(
    database: Database,
    user_id: int,
    name: str,
    sorted_: ClassifiedItems,
    measure: Measure,
    *,
    at: datetime,
    interest: str = UNNAMED,
    save: Sequence[ImportedItem] = (),
) -> ImportResult:
    """Measure what is new, and store everything in one transaction; when this returns it is on disk.

    ``save`` are items that are saved or labelled here as well. Those that no feed has brought become articles of the
    user's own, and are learned as such.
    """
    here = places(database, user_id, save)
    with_text = {item.key: item for item in sorted_.new}
    own = [with_text.get(item.key, item) for item in save if item.key not in here]
    keys = {item.key for item in own}
    articles = _measured(database, user_id, [_saved_article(item, at) for item in own], measure)
    measured = with_features(database, [item for item in sorted_.new if item.key not in keys], measure, at)
    new = [each for each in measured if each.features.terms or each.form == Form.FEED]  # a feed teaches its site
    learned_own = [item for item in own if item.key in with_text]
    marked = [(here[item.key], _mark(item, at)) for item in save if item.key in here]
    with database.write(durable=True) as tx:
        stories = marks.stories(tx, user_id, [seq for seq, _ in marked])
        wanted = [(stories[seq], mark) for seq, mark in marked if seq in stories]
        before = marks.get(tx, user_id, [story for story, _ in wanted])
        added = _add_saved(tx, user_id, articles)
        marks.add(tx, user_id, wanted)
        after = marks.get(tx, user_id, [*before, *(story for story, _ in wanted), *added.values()])
        known = [StoredImportedItem(added[each.key], each.form, item_weight(each.form)) for each in learned_own]
        number, learned = imports.add_import(tx, user_id, name, new, [*sorted_.known, *known], at, interest)
        if number is None and before != after:
            number = imports.create(tx, user_id, name, at)
        count = imports.record_marks(tx, user_id, number, before, after) if number is not None else 0
    found = sum(item.seq in learned for item in sorted_.known)
    return ImportResult(len(learned), found, number, count, len(measured) - len(new))


def with_features(
    database: Database, items: Sequence[ImportedItem], measure: Measure, at: datetime
) -> list[NewImportedItem]:
    """Measure items as articles that arrive now, so that they can be stored.

    A few words are too few to recognise a language: they are taken for the language of most news.
    """
    if not items:
        return []
    with database.read() as tx:
        usual = features.usual_language(tx)
    documents = [_document(item, at, usual if item.form is Form.KEYWORDS else "") for item in items]
    rows = zip(items, measure(documents), strict=True)
    return [NewImportedItem(_entry(item), row, item.form, item_weight(item.form)) for item, row in rows]


def places(database: Database, user_id: int, items: Sequence[ImportedItem]) -> dict[str, int]:
    """Return the articles of items that a feed has brought, or that were saved before, by the items' keys."""
    with database.read() as tx:
        pages = {page_key(each.url): each.seq for each in imports.addresses(tx, user_id) if each.url and not each.key}
    found = {item.key: pages.get(page_key(item.url)) for item in items if item.url}
    return {key: seq for key, seq in found.items() if seq is not None}


def numbers(database: Database, user_id: int, items: Sequence[ImportedItem]) -> dict[str, int]:
    """Return the articles of items that are stored, by the items' keys: those of ``places``, else their own."""
    with database.read() as tx:
        own = {each.key: each.seq for each in imports.addresses(tx, user_id) if each.key}
    found = {item.key: own[item.key] for item in items if item.key in own}
    return found | places(database, user_id, items)


def mark_arrived(database: Database, user_id: int) -> int:
    """Find imported items among the articles ingested since the last poll, by their pages; count the stories."""
    with database.read() as tx:
        wanted = {page_key(item.url): item.seq for item in imports.learned_addresses(tx, user_id)}
        if not wanted:
            return 0
        arrived = ((story, wanted.get(page_key(url))) for story, url in imports.new_arrivals(tx, user_id))
        found = {story: item for story, item in arrived if item not in (None, story)}
    if found:
        with database.write(user_id) as tx:
            imports.mark_arrived(tx, user_id, found)
    return len(found)


def _saved_article(item: ImportedItem, at: datetime) -> SavedArticle:
    """Return an item as an article of the user's own; it arrived when it was saved, as far as that is known."""
    mark = _mark(item, at)
    return SavedArticle(_document(item, mark.read_at or at, ""), _entry(item), mark)


def _mark(item: ImportedItem, at: datetime) -> Mark:
    """Return the marks of an item: read, and saved when it was saved elsewhere, as far as that is known."""
    then = min(item.added or at, at)
    return Mark(read_at=then, saved_at=then if item.saved else None, labels=item.labels)


def _entry(item: ImportedItem) -> NewArticle:
    content = "\0".join((item.key, item.title, item.text, item.author, *item.categories))
    return NewArticle(
        key=item.key,
        url=item.url,
        title=item.title,
        author=item.author,
        categories=item.categories,
        text=item.text,
        language="",
        published=None,
        links=item.links,
        pictures=item.pictures,
        content_hash=hashlib.blake2b(content.encode(), digest_size=16).digest(),
    )


def _document(item: ImportedItem, at: datetime, language: str) -> Article:
    """Return an item as an article that arrives now; it has no source, since it comes from no feed."""
    return Article(
        seq=0,
        id=item.key,
        feed_id=0,
        source="",
        url=item.url,
        site=site(item.url),
        title=item.title,
        author=item.author,
        categories=item.categories,
        text=item.text,
        language=language,
        published=None,
        arrived=at,
        links=item.links,
        pictures=item.pictures,
        story=None,
    )
