"""Restricts lists of articles to a source, a tag, a time or a language."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, case, or_

from storage import feed_names
from storage.bulk_insert import chunks
from storage.errors import UnknownName
from storage.schema import articles
from storage.transaction import Transaction
from storage.visibility import of_stories


@dataclass(frozen=True, slots=True)
class ArticleFilter:
    """Which articles a list is restricted to: those that fit everything given here."""

    source: str = ""
    """Name of a feed, the user's or its own, its host, or a part of one of these; in any case."""
    tag: str = ""
    """A tag of the user's, in any case."""
    since: datetime | None = None
    """Published, or without a believable date arrived, at or after this."""
    before: datetime | None = None
    """Published, or without a believable date arrived, before this."""
    language: str = ""
    """ISO 639 code: ``en`` also finds ``en-GB``."""


dated = case((articles.c.published < articles.c.arrived, articles.c.published), else_=articles.c.arrived)
"""When an article was published, as far as that can be believed."""
EVERYTHING = ArticleFilter()
"""Restricts nothing."""


def conditions(tx: Transaction, user_id: int, only: ArticleFilter) -> list[ColumnElement[bool]]:
    """Return what a row of ``articles`` must fulfil; empty for an empty filter.

    Raises ``UnknownName`` for a source or a tag that the user does not have.
    """
    found: list[ColumnElement[bool]] = []
    if only.source or only.tag:
        names = feed_names.all_names(tx, user_id)
        chosen = set(names)
        if only.source:
            chosen &= _of_source(names, only.source)
        if only.tag:
            chosen &= _of_tag(names, only.tag)
        found.append(articles.c.feed_id.in_(chosen))
    if only.since is not None:
        found.append(dated >= only.since)
    if only.before is not None:
        found.append(dated < only.before)
    if only.language:
        code, language = only.language.lower(), articles.c.language
        found.append(or_(language == code, language.between(f"{code}-", f"{code}-~")))
    return found


def stories(tx: Transaction, user_id: int, seqs: list[int], only: ArticleFilter) -> set[int]:
    """Return which of these stories, by leading articles, have an article that fits. Raises ``UnknownName``."""
    fitting = conditions(tx, user_id, only)
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


def _nearest(wanted: str, names: list[str]) -> str:
    from difflib import get_close_matches  # verdicts need none of this

    by_key = {name.casefold(): name for name in names}
    near = get_close_matches(wanted.casefold(), by_key, 1)
    return by_key[near[0]] if near else ""
