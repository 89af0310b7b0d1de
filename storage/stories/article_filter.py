"""Restricts lists of articles: to a source, a tag, an author, a time, a language, or what the user has marked."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import ColumnElement, FromClause, func, not_, or_

from storage.engine.base_database import Transaction
from storage.engine.bulk_insert import chunks
from storage.engine.errors import UnknownName
from storage.log import marks
from storage.schema import articles
from storage.stream import feed_names
from storage.stream.visibility import of_stories


@dataclass(frozen=True, slots=True)
class ArticleFilter:
    """Which articles a list is restricted to: those that fit everything given here."""

    source: str = ""
    """Name of a feed, the user's or its own, its host, or a part of one of these; in any case."""
    tag: str = ""
    """A tag of the user's, in any case."""
    since: datetime | None = None
    """Published at or after this, by ``records.articles.dated``."""
    before: datetime | None = None
    """Published before this."""
    language: str = ""
    """ISO 639 code: ``en`` also finds ``en-GB``."""
    feed: int = 0
    """The number of a feed; 0 for all."""
    author: str = ""
    """A part of the author's name, in any case of ASCII letters."""
    label: str = ""
    """A label of the user's, in any case."""
    saved: bool = False
    """Only what the user saved."""
    unread: bool = False
    """Only what the user has not read."""


EVERYTHING = ArticleFilter()
"""Restricts nothing."""


def conditions(
    tx: Transaction, user_id: int, only: ArticleFilter, article: FromClause = articles
) -> list[ColumnElement[bool]]:
    """Return what a row of ``articles`` must fulfil; empty for an empty filter.

    Raises ``UnknownName`` for a source, a tag or a label that the user does not have.
    """
    found: list[ColumnElement[bool]] = []
    c = article.c
    if only.source or only.tag:
        # Feeds that are not followed have no tags; to find those that have articles, all articles are read.
        names = feed_names.all_names(tx, user_id) if only.source else feed_names.followed(tx, user_id)
        chosen = set(names)
        if only.source:
            chosen &= _of_source(names, only.source)
        if only.tag:
            chosen &= _of_tag(names, only.tag)
        # A sum uses no index: reading the newest articles until enough are of these feeds is faster than sorting all.
        found.append((c.feed_id + 0).in_(chosen))
    if only.feed:
        found.append(c.feed_id == only.feed)
    if only.since is not None:
        found.append(c.dated >= only.since)
    if only.before is not None:
        found.append(c.dated < only.before)
    if only.language:
        code, language = only.language.lower(), c.language
        found.append(or_(language == code, language.between(f"{code}-", f"{code}-~")))
    if only.author:
        found.append(func.lower(c.author).contains(only.author.lower(), autoescape=True))
    if only.label:
        found.append(marks.has_label(user_id, _known_label(tx, user_id, only.label), article))
    if only.saved:
        found.append(marks.is_saved(user_id, article))
    if only.unread:
        found.append(not_(marks.is_read(user_id, article)))
    return found


def stories(tx: Transaction, user_id: int, seqs: list[int], only: ArticleFilter, up_to: int | None = None) -> set[int]:
    """Return which of these stories, by leading articles, have an article that fits; of those with a number ``up_to``.

    Raises ``UnknownName``.
    """
    fitting = conditions(tx, user_id, replace(only, feed=0))
    if only.feed:  # a sum uses no index: few of a feed's articles are of these stories
        fitting.append(articles.c.feed_id + 0 == only.feed)
    if up_to is not None:
        fitting.append(articles.c.seq <= up_to)
    found: set[int] = set()
    for piece in chunks(seqs):
        found |= set(tx.connection.execute(of_stories(user_id, piece).where(*fitting)).scalars())
    return found


def _of_source(names: dict[int, feed_names.FeedNames], wanted: str) -> set[int]:
    """Return the feeds with exactly this name, or without any, those with it in their name."""
    key = wanted.casefold()
    known = {number: [name.casefold() for name in each.known] for number, each in names.items()}
    same = {number for number, mine in known.items() if key in mine}
    alike = same or {number for number, mine in known.items() if any(key in name for name in mine)}
    if not alike:
        raise UnknownName("feed", wanted, _nearest(wanted, [each.shown for each in names.values()]))
    return alike


def _of_tag(names: dict[int, feed_names.FeedNames], wanted: str) -> set[int]:
    found = {number for number, each in names.items() if wanted.casefold() in map(str.casefold, each.tags)}
    if not found:
        raise UnknownName("tag", wanted, _nearest(wanted, [tag for each in names.values() for tag in each.tags]))
    return found


def _known_label(tx: Transaction, user_id: int, wanted: str) -> str:
    """Return a label as the user writes it. Raises ``UnknownName``."""
    known = list(marks.label_counts(tx, user_id))
    for each in known:
        if each.casefold() == wanted.casefold():
            return each
    raise UnknownName("label", wanted, _nearest(wanted, known))


def _nearest(wanted: str, names: list[str]) -> str:
    from difflib import get_close_matches  # verdicts need none of this

    by_key = {name.casefold(): name for name in names}
    near = get_close_matches(wanted.casefold(), by_key, 1)
    return by_key[near[0]] if near else ""
