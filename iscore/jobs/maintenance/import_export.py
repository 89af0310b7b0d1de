"""``iscore import``: adds subscriptions, rules, verdicts and marks of an export to a data folder.

    lines ─► validated ─► feeds.yaml, rules.yaml, articles with features, log of verdicts, marks, reading events

What is already here stays: a story that has a verdict keeps it. So importing the same file again changes nothing.
Settings are never imported. An export may come from anybody: every line is validated before anything is changed.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import IO, Any

from pydantic import ValidationError
from pydantic_core import from_json

from iscore.core import file_access
from iscore.core.data_folder import DataFolder
from iscore.core.errors import IscoreError
from iscore.core.settings_text import readable
from iscore.feeds.subscriptions import editing as subscriptions
from iscore.jobs.maintenance.export import ExportError
from iscore.jobs.maintenance.export_rows import (
    ROWS,
    ArticleRow,
    ImportRow,
    MarkRow,
    ReadingEventRow,
    Row,
    RuleRow,
    SettingsRow,
    SubscriptionRow,
    VerdictRow,
)
from iscore.rules import rules_file
from iscore.rules.rule import Rule, make_rule
from iscore.services.export import FORMAT
from iscore.services.interests.import_store import SavedArticle, save, saved_source
from iscore.services.learning.imported_item import item_weight
from iscore.services.news_filter import NewsFilter
from storage.exchange import export as exported
from storage.exchange.export import ArticleKey, ExportedEvent, ForeignArticle, LogRow
from storage.log.imports import UNNAMED
from storage.log.saved_items import saved_address
from storage.records.articles import Article, Features, NewArticle
from storage.records.feeds import Subscription
from storage.records.stories import Mark
from storage.records.users import Kind
from storage.stream.addresses import site

LONGEST_LINE = 20_000_000
"""Bytes; the largest feeds have 10 MB, and JSON may double them."""
NO_EXPORT = (
    "is not an export of iScore; `iscore feeds import` reads OPML, `iscore restore` a backup, "
    "`iscore interests learn-from` what other programs export"
)
_NUL = re.compile(rb"(?<!\\)((?:\\\\)*)\\u0000")
"""The character NUL in JSON: not behind a backslash that is itself escaped."""


@dataclass(frozen=True, slots=True)
class ImportView:
    """What an import added."""

    subscriptions: int
    verdicts: int
    known: int
    """Verdicts on stories that have one here already."""
    older: int
    """Always 0: kept for programs."""
    articles: int
    settings: str
    """``kept`` if the export has settings, else ``none``: they are never imported."""
    rules: int = 0
    left_out: tuple[str, ...] = ()
    """Names of the settings that the export has."""
    marks: int = 0
    marks_left_out: int = 0
    """Marks on articles that no feed has brought here, neither saved nor with a label."""
    reading_events: int = 0


def import_lines(
    folder: DataFolder, file: IO[bytes], name: str, *, user: str = "", reading_events: bool = False
) -> ImportView:
    """Import an export into the data folder, which is created if there is none, for a user, by default the first.

    ``name`` is for messages. Reading events are imported only with ``reading_events``.

    Raises ``ExportError`` before anything is changed, ``SubscriptionsError`` or ``RulesError`` for a file here that is
    not in order, ``ConfigError``, ``DataFolderError``, ``StorageError``.
    """
    rows: dict[type[Row], list[Any]] = {kind: [] for kind in (SettingsRow, SubscriptionRow, ImportRow)}
    rules: list[Rule] = []
    articles: dict[ArticleKey, ArticleRow] = {}
    verdicts: dict[ArticleKey, LogRow] = {}
    marks: dict[ArticleKey, Mark] = {}
    events: list[ExportedEvent] = []
    for number, row in _read(file, name):
        if isinstance(row, RuleRow):
            try:
                rules.append(make_rule(**row.model_dump()))
            except IscoreError as error:
                raise ExportError(name, str(error), line=number) from error
        elif isinstance(row, ArticleRow):
            articles[ArticleKey(row.feed, row.key)] = row
        elif isinstance(row, VerdictRow):
            key = ArticleKey(row.feed, row.key)
            if key not in articles:
                raise ExportError(name, "a verdict on an article that no earlier line has", line=number)
            verdicts.pop(key, None)  # the last row about an article counts, at its place
            weight = item_weight(row.form) if row.weight is None else row.weight
            origin = (row.form, row.import_, row.interest or UNNAMED, weight)
            verdicts[key] = LogRow(row.id, key, row.verdict, row.at, row.tags, *origin)
        elif isinstance(row, MarkRow):
            marks[ArticleKey(row.feed, row.key)] = Mark(row.read_at, row.kept_unread, row.saved_at, row.labels)
        elif isinstance(row, ReadingEventRow):
            article = ArticleKey(row.feed, row.key)
            events.append(ExportedEvent(row.id, article, row.act, row.at, row.visit, row.seconds))
        else:
            rows[type(row)].append(row)
    wanted = [Subscription(**each.model_dump()) for each in rows[SubscriptionRow]]
    sources = {each.number: (each.name, each.at) for each in rows[ImportRow]}
    new = [row for row in verdicts.values() if row.kind is not Kind.UNDO]
    _create(folder)
    with NewsFilter.open(folder.path, user=user) as news:
        subscriptions.load(news.context.feeds)  # both will be edited
        rules_file.read(news.context.rules)
        followed = subscriptions.add_all(news.context.feeds, wanted)
        added_rules = rules_file.add_all(news.context.rules, rules)
        news.subscriptions.follow()
        news.ingestion.catch_up()  # so that every stored article has its story
        with news.database.write(news.context.user_id, durable=True) as tx:  # now that the user follows the feeds
            marked = exported.add_marks(tx, news.context.user_id, marks)
            done = exported.add_events(tx, news.context.user_id, events if reading_events else [])
            missing = [key for key in exported.unplaced(tx, news.context.user_id, list(marks)) if key in articles]
        count, own = _save(news, {key: (articles[key], marks[key]) for key in missing})
        foreign = _foreign_articles(news, [articles[row.article] for row in new if row.article not in own])
        new = [replace(row, article=own.get(row.article, row.article)) for row in new]
        with news.database.write(durable=True) as tx:
            exported.add_articles(tx, foreign)
            added = exported.add_verdicts(tx, news.context.user_id, new, sources)
    return ImportView(
        subscriptions=len(followed),
        verdicts=added,
        known=len(new) - added,
        older=0,
        articles=len(foreign),
        settings="kept" if rows[SettingsRow] else "none",
        rules=len(added_rules),
        left_out=tuple(name for row in rows[SettingsRow] for name in readable(row.config)),
        marks=marked + count,
        marks_left_out=len(marks) - marked - count,
        reading_events=done,
    )


def settings_text(file: IO[bytes], name: str) -> str:
    """Return the config.toml of an export; empty without one. Raises ``ExportError``."""
    return next((row.config for _, row in _read(file, name) if isinstance(row, SettingsRow)), "")


def _read(file: IO[bytes], name: str) -> Iterator[tuple[int, Row]]:
    """Yield the rows behind the first line, with their line numbers."""
    number = 0
    while raw := file.readline(LONGEST_LINE + 1):
        number += 1
        try:
            if len(raw) > LONGEST_LINE:
                raise ValueError(f"longer than {LONGEST_LINE:,} bytes")
            raw = _NUL.sub(rb"\1\\ufffd", raw)  # PostgreSQL has no text with NUL, and no feed brings one
            row = _json(raw, name, number)
            kind = row.get("kind") if isinstance(row, dict) else ""
            if number == 1:
                _check_first_line(row, name)
            elif row is not None:
                if kind not in ROWS:
                    raise ValueError(f"unknown kind {str(kind)[:40]!r}")
                yield number, ROWS[kind].model_validate_json(raw)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(map(str, first["loc"]))
            raise ExportError(name, f"{where!r}: {first['msg']}", line=number) from error
        except ValueError as error:
            raise ExportError(name, str(error), line=number) from error
    if not number:
        _check_first_line(None, name)


def _json(raw: bytes, name: str, number: int) -> Any:
    """Return what a line says; None for an empty line. Raises ``ExportError``, ``ValueError``."""
    try:
        return from_json(raw) if raw.strip() else None
    except ValueError as error:
        if number == 1:
            raise ExportError(name, NO_EXPORT) from error
        raise ValueError("is not valid JSON") from error


def _check_first_line(row: Any, name: str) -> None:
    if not isinstance(row, dict) or row.get("kind") != "iscore":
        raise ExportError(name, NO_EXPORT)
    if row.get("format") != FORMAT:
        raise ExportError(name, "was written by a newer iScore; update iScore to import it")


def _create(folder: DataFolder) -> None:
    """Create the data folder, without feeds, unless it exists."""
    if not (folder.database.exists() or (folder.database_address and folder.feeds.exists())):
        folder.path.mkdir(mode=file_access.FOLDER, parents=True, exist_ok=True)
        if not folder.feeds.exists():
            file_access.write(folder.feeds, b"feeds: []\n")
        NewsFilter.create(folder.path).close()


def _foreign_articles(news: NewsFilter, given: list[ArticleRow]) -> list[ForeignArticle]:
    """Compute the features of those articles that are not stored, as if they arrived now."""
    with news.database.read() as tx:
        known = exported.find(tx, [ArticleKey(each.feed, each.key) for each in given])
    new = [each for each in given if ArticleKey(each.feed, each.key) not in known]
    rows: list[Features] = news.ingestion.analyse_apart([_document(each) for each in new]) if new else []
    return [
        ForeignArticle(ArticleKey(each.feed, each.key), each.source, _entry(each), each.arrived, features)
        for each, features in zip(new, rows, strict=True)
    ]


def _saved(given: ArticleRow, mark: Mark) -> SavedArticle:
    """Return an article that no feed has brought here, as the user's own."""
    return SavedArticle(_document(given), replace(_entry(given), key=f"{given.feed} {given.key}"), mark)


def _save(
    news: NewsFilter, found: Mapping[ArticleKey, tuple[ArticleRow, Mark]]
) -> tuple[int, dict[ArticleKey, ArticleKey]]:
    """Store what is saved or labelled and no feed has brought here; return how many, and their keys here.

    A verdict on one of them is about the article that is saved, unless an earlier import stored it for the verdict.
    """
    saved = {key: _saved(given, mark) for key, (given, mark) in found.items() if mark.saved_at or mark.labels}
    with news.database.read() as tx:
        stored = exported.find(tx, list(saved))
    count = save(news.database, news.context.user_id, list(saved.values()), news.imports.measure)
    own = {key: each for key, each in saved.items() if key not in stored}
    feeds = {key: saved_address(news.context.user_id, saved_source(each)) for key, each in own.items()}
    return count, {key: ArticleKey(feeds[key], each.entry.key) for key, each in own.items()}


_SHARED = {"url", "title", "author", "categories", "text", "language", "published", "links", "pictures"}


def _document(given: ArticleRow) -> Article:
    fields = given.model_dump(include=_SHARED | {"source", "arrived"})
    return Article(seq=0, id=f"{given.feed} {given.key}", feed_id=0, site=site(given.url), story=None, **fields)


def _entry(given: ArticleRow) -> NewArticle:
    content = "\0".join((given.key, given.title, given.text, given.author, *given.categories))
    content_hash = hashlib.blake2b(content.encode(), digest_size=16).digest()
    return NewArticle(key=given.key, content_hash=content_hash, **given.model_dump(include=_SHARED))
