"""A user's verdict log, exported from one database and imported into another.

A row is exported with its verdict and the leading article of its story, which the verdict was learned from. In the
other database an article that no feed has delivered is stored like an imported item: in no story, never scored,
delivered or counted.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import func, insert, select

from storage import articles as stored
from storage import features, feedback
from storage.feeds import add as add_feed
from storage.feeds import address_without_password
from storage.records import Features, Kind, NewArticle, Verdict
from storage.schema import articles, feeds, imports, seeds
from storage.schema import feedback as log
from storage.transaction import Transaction


@dataclass(frozen=True, slots=True)
class Place:
    """What identifies an article in every database: its feed's address, and its key within the feed."""

    feed: str
    key: str


@dataclass(frozen=True, slots=True)
class Said:
    """A row of the log."""

    id: str
    place: Place
    kind: Kind
    at: datetime
    tags: tuple[str, ...]
    form: str = ""
    """Of an imported item: how much was known of it."""
    source: int | None = None
    """Of an imported item: the number of its import."""


@dataclass(frozen=True, slots=True)
class Stranger:
    """An article that the other database does not have, measured."""

    place: Place
    source: str
    """What readers see of its feed."""
    entry: NewArticle
    arrived: datetime
    features: Features
    """``seq`` and ``story`` do not matter."""


@dataclass(frozen=True, slots=True)
class Merged:
    """What became of the rows."""

    added: int
    known: int
    """By their ids, or as an imported item with a verdict."""
    older: int
    """There is a later verdict on the same story here."""


def rows(tx: Transaction, user_id: int) -> list[tuple[int, Said]]:
    """List the whole log in order, each row with the number of its story's leading article."""
    query = (
        select(
            articles.c.seq, log.c.id, feeds.c.url, articles.c.key, log.c.kind, log.c.at, log.c.tags,
            seeds.c.form, seeds.c.import_id,
        )
        .join(articles, articles.c.seq == log.c.story)
        .join(feeds, feeds.c.id == articles.c.feed_id)
        .outerjoin(seeds, (seeds.c.user_id == log.c.user_id) & (seeds.c.row == log.c.row))
        .where(log.c.user_id == user_id)
        .order_by(log.c.row)
    )  # fmt: skip
    return [
        (seq, Said(key, Place(feed, name), Kind(kind), at, tags, form or "", source))
        for seq, key, feed, name, kind, at, tags, form, source in tx.connection.execute(query)
    ]


def known(tx: Transaction, places: Sequence[Place]) -> dict[Place, int]:
    """Find the articles that are here, by their places."""
    by_feed: dict[str, list[str]] = {}
    for place in places:
        by_feed.setdefault(place.feed, []).append(place.key)
    found: dict[Place, int] = {}
    for url, keys in by_feed.items():
        feed = _feed(tx, url)
        if feed is not None:
            found |= {Place(url, key): seq for key, seq in stored.seqs_by_key(tx, feed, keys).items()}
    return found


def merge(
    tx: Transaction,
    user_id: int,
    strangers: Sequence[Stranger],
    said: Sequence[Said],
    sources: Mapping[int, tuple[str, datetime]],
) -> Merged:
    """Append the rows that are not here yet, in their order, and store the articles that only they need.

    The later verdict on a story counts: a row is left out when there was one as late or later here before. ``sources``
    names and dates the imports of imported items. Every place of ``said`` is known or among ``strangers``.
    """
    _store(tx, strangers)
    places = known(tx, list(dict.fromkeys(row.place for row in said)))
    last = feedback.last_row(tx, user_id)
    numbers: dict[int | None, int] = {}
    added = passed = older = 0
    for row in said:
        verdict = Verdict(_id(row), user_id, places[row.place], row.kind, row.at, row.tags)
        story = feedback.story(tx, verdict.seq)
        if _has(tx, user_id, verdict.id) or (row.kind is Kind.IMPORTED and feedback.verdict(tx, user_id, story)):
            passed += 1
        elif _later_than(tx, user_id, story, last, row.at):
            older += 1
        else:
            feedback.append(tx, [verdict])
            added += 1
            if row.kind is Kind.IMPORTED:
                if row.source not in numbers:
                    numbers[row.source] = _new_import(tx, user_id, *sources.get(row.source or 0, ("import", row.at)))
                place = select(log.c.row).where(log.c.user_id == user_id, log.c.id == verdict.id).scalar_subquery()
                seed = {"user_id": user_id, "row": place, "import_id": numbers[row.source], "form": row.form}
                tx.connection.execute(insert(seeds).values(seed))
    return Merged(added, passed, older)


def _store(tx: Transaction, strangers: Sequence[Stranger]) -> None:
    for stranger in strangers:
        url = stranger.place.feed
        feed = _feed(tx, url)
        if feed is None:
            feed = add_feed(tx, url, stranger.source or address_without_password(url))
        if stored.known_keys(tx, feed, [stranger.place.key]):
            continue  # a poll was faster
        stored.store(tx, feed, url, [stranger.entry], stranger.arrived)
        (seq,) = stored.seqs_by_key(tx, feed, [stranger.place.key]).values()
        features.add(tx, [replace(stranger.features, seq=seq, story=0)])


def _feed(tx: Transaction, url: str) -> int | None:
    found: int | None = tx.connection.execute(select(feeds.c.id).where(feeds.c.url == url)).scalar_one_or_none()
    return found


def _id(row: Said) -> str:
    """Return an id that no other data folder uses for something else: those of imported items count from 1 in each."""
    if row.source is None and not row.id.startswith(("seed-", "undo-")):
        return row.id
    content = "\0".join((row.place.feed, row.place.key, row.kind, row.at.isoformat()))
    return f"moved-{hashlib.sha256(content.encode()).hexdigest()[:32]}"


def _has(tx: Transaction, user_id: int, key: str) -> bool:
    query = select(log.c.row).where(log.c.user_id == user_id, log.c.id == key)
    return tx.connection.execute(query).first() is not None


def _later_than(tx: Transaction, user_id: int, story: int, last: int, at: datetime) -> bool:
    """Return whether a story has a verdict of that time or later, in the rows up to ``last``."""
    newest = func.max(log.c.at, type_=log.c.at.type)
    query = select(newest).where(log.c.user_id == user_id, log.c.story == story, log.c.row <= last)
    found = tx.connection.execute(query).scalar_one()
    return found is not None and found >= at


def _new_import(tx: Transaction, user_id: int, name: str, at: datetime) -> int:
    key = tx.connection.execute(insert(imports).values(user_id=user_id, name=name, at=at)).inserted_primary_key
    assert key is not None  # noqa: S101 -- an insert of one row always gives it
    return int(key[0])
