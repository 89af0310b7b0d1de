"""``iscore import``: adds subscriptions, rules, verdicts and marks of an export to a data folder.

    lines ─► validated ─► feeds.yaml, rules.yaml, articles with features, log of verdicts, marks, reading events

What is already here stays: a story that has a verdict keeps it. So importing the same file again changes nothing.
Settings are never imported. An export may come from anybody: every line is validated before anything is changed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import IO, Annotated, Any

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import from_json

from iscore.core import file_permissions
from iscore.core.data_folder import DataFolder
from iscore.core.errors import IscoreError
from iscore.core.settings_text import readable
from iscore.feeds.parsing.html_to_text import line as one_line
from iscore.feeds.subscriptions import editing as subscriptions
from iscore.feeds.subscriptions.feeds_yaml import LONGEST, SHORTEST
from iscore.feeds.urls import check_url, safe_url
from iscore.jobs.maintenance.errors import ExportError
from iscore.rules import rules_file
from iscore.rules.rule import Rule, make_rule
from iscore.services.export_format import FORMAT
from iscore.services.imports.item import item_weight
from iscore.services.imports.saved import SavedArticle, save, saved_source
from iscore.services.news_filter import NewsFilter
from iscore.services.reader import MAX_LABEL
from storage import export as log
from storage import reading_export
from storage.addresses import site
from storage.export import ArticleKey, ForeignArticle, LogRow
from storage.imports import UNNAMED
from storage.reading_export import ExportedEvent
from storage.records import Act, Article, Features, Kind, Mark, NewArticle, Priority, Subscription
from storage.saved_items import saved_address

LONGEST_LINE = 20_000_000
"""Bytes; the largest feeds have 10 MB, and JSON may double them."""
MOST_SECONDS = 1e7
"""Of a reading event; the sum of years."""
_EARLIEST, _LATEST = datetime(1970, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)


def _moment(at: datetime) -> datetime:
    if not _EARLIEST <= at <= _LATEST:
        raise ValueError("out of range")
    return at.astimezone(UTC)


def _feed_url(url: str) -> str:
    try:
        return check_url(url)
    except IscoreError as error:
        raise ValueError(str(error)) from error


def _page_url(url: str) -> str:
    return safe_url(url) or (_feed_url(url) if url else "")


Line = Annotated[str, AfterValidator(one_line)]
Moment = Annotated[AwareDatetime, AfterValidator(_moment)]
Count = Annotated[int, Field(ge=0, lt=1 << 31)]


class _Row(BaseModel):
    model_config = ConfigDict(strict=True)


class _Settings(_Row):
    config: str = ""


class _Subscription(_Row):
    url: Annotated[str, AfterValidator(_feed_url)]
    title: Line
    tags: Annotated[tuple[Line, ...], AfterValidator(lambda tags: tuple(filter(None, tags)))]
    interval: Annotated[int, Field(ge=SHORTEST, le=LONGEST)] | None = None
    fulltext: bool
    enabled: bool
    priority: Annotated[Priority, Field(strict=False)] = Priority.FILTERED


class _Rule(_Row):
    action: str
    field: str
    text: str
    boost: float | None
    in_title: bool
    until: date | None
    note: str


class _Article(_Row):
    feed: str
    key: str
    source: Line
    url: Annotated[str, AfterValidator(_page_url)]
    title: Line
    author: Line
    categories: tuple[Line, ...]
    language: str
    published: Moment | None = None
    arrived: Moment
    links: Count
    pictures: Count
    text: str


class _Import(_Row):
    number: Count
    name: Line
    at: Moment


class _Verdict(_Row):
    id: Annotated[str, Field(min_length=1, max_length=100)]
    verdict: Kind
    at: Moment
    feed: str
    key: str
    tags: tuple[Line, ...]
    form: str = ""
    import_: Annotated[Count | None, Field(alias="import")] = None
    interest: Line = UNNAMED
    weight: Annotated[float, Field(gt=0, le=1)] | None = None
    """Earlier versions wrote none: an item's form decides."""


class _Mark(_Row):
    feed: str
    key: str
    read_at: Moment | None
    kept_unread: bool
    saved_at: Moment | None
    labels: tuple[Annotated[Line, Field(min_length=1, max_length=MAX_LABEL)], ...]


class _ReadingEvent(_Row):
    id: Annotated[str, Field(min_length=1, max_length=100)]
    feed: str
    key: str
    act: Act
    at: Moment
    visit: Annotated[str, Field(max_length=100)]
    seconds: Annotated[float, Field(ge=0, le=MOST_SECONDS, allow_inf_nan=False)]


_ROWS: dict[str, type[_Row]] = {
    "settings": _Settings,
    "subscription": _Subscription,
    "rule": _Rule,
    "article": _Article,
    "import": _Import,
    "verdict": _Verdict,
    "mark": _Mark,
    "reading_event": _ReadingEvent,
}


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
    rows: dict[type[_Row], list[Any]] = {kind: [] for kind in (_Settings, _Subscription, _Import)}
    rules: list[Rule] = []
    articles: dict[ArticleKey, _Article] = {}
    verdicts: dict[ArticleKey, LogRow] = {}
    marks: dict[ArticleKey, Mark] = {}
    events: list[ExportedEvent] = []
    for number, row in _read(file, name):
        if isinstance(row, _Rule):
            try:
                rules.append(make_rule(**row.model_dump()))
            except IscoreError as error:
                raise ExportError(name, str(error), line=number) from error
        elif isinstance(row, _Article):
            articles[ArticleKey(row.feed, row.key)] = row
        elif isinstance(row, _Verdict):
            key = ArticleKey(row.feed, row.key)
            if key not in articles:
                raise ExportError(name, "a verdict on an article that no earlier line has", line=number)
            verdicts.pop(key, None)  # the last row about an article counts, at its place
            weight = item_weight(row.form) if row.weight is None else row.weight
            origin = (row.form, row.import_, row.interest or UNNAMED, weight)
            verdicts[key] = LogRow(row.id, key, row.verdict, row.at, row.tags, *origin)
        elif isinstance(row, _Mark):
            marks[ArticleKey(row.feed, row.key)] = Mark(row.read_at, row.kept_unread, row.saved_at, row.labels)
        elif isinstance(row, _ReadingEvent):
            article = ArticleKey(row.feed, row.key)
            events.append(ExportedEvent(row.id, article, row.act, row.at, row.visit, row.seconds))
        else:
            rows[type(row)].append(row)
    wanted = [Subscription(**each.model_dump()) for each in rows[_Subscription]]
    sources = {each.number: (each.name, each.at) for each in rows[_Import]}
    new = [row for row in verdicts.values() if row.kind is not Kind.UNDO]
    _create(folder)
    with NewsFilter.open(folder.path, user=user) as news:
        subscriptions.load(news.context.feeds)  # both will be edited
        rules_file.read(news.context.rules)
        followed = subscriptions.add_all(news.context.feeds, wanted)
        added_rules = rules_file.add_all(news.context.rules, rules)
        news.subscriptions.follow()
        news.ingestion.catch_up()  # so that every stored article has its story
        with news.database.write(durable=True) as tx:  # now that the user follows the feeds
            marked = reading_export.add_marks(tx, news.context.user_id, marks)
            done = reading_export.add_events(tx, news.context.user_id, events if reading_events else [])
            missing = [key for key in reading_export.unplaced(tx, news.context.user_id, list(marks)) if key in articles]
        count, own = _save(news, {key: (articles[key], marks[key]) for key in missing})
        foreign = _foreign_articles(news, [articles[row.article] for row in new if row.article not in own])
        new = [replace(row, article=own.get(row.article, row.article)) for row in new]
        with news.database.write(durable=True) as tx:
            log.add_articles(tx, foreign)
            added = log.add_verdicts(tx, news.context.user_id, new, sources)
    return ImportView(
        subscriptions=len(followed),
        verdicts=added,
        known=len(new) - added,
        older=0,
        articles=len(foreign),
        settings="kept" if rows[_Settings] else "none",
        rules=len(added_rules),
        left_out=tuple(name for row in rows[_Settings] for name in readable(row.config)),
        marks=marked + count,
        marks_left_out=len(marks) - marked - count,
        reading_events=done,
    )


def settings_text(file: IO[bytes], name: str) -> str:
    """Return the config.toml of an export; empty without one. Raises ``ExportError``."""
    return next((row.config for _, row in _read(file, name) if isinstance(row, _Settings)), "")


def _read(file: IO[bytes], name: str) -> Iterator[tuple[int, _Row]]:
    """Yield the rows behind the first line, with their line numbers."""
    number = 0
    while raw := file.readline(LONGEST_LINE + 1):
        number += 1
        try:
            if len(raw) > LONGEST_LINE:
                raise ValueError(f"longer than {LONGEST_LINE:,} bytes")
            row = from_json(raw) if raw.strip() else None
            kind = row.get("kind") if isinstance(row, dict) else ""
            if number == 1:
                _check_first_line(row, name)
            elif row is not None:
                if kind not in _ROWS:
                    raise ValueError(f"unknown kind {str(kind)[:40]!r}")
                yield number, _ROWS[kind].model_validate_json(raw)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(map(str, first["loc"]))
            raise ExportError(name, f"{where!r}: {first['msg']}", line=number) from error
        except ValueError as error:
            raise ExportError(name, str(error), line=number) from error
    if not number:
        _check_first_line(None, name)


def _check_first_line(row: Any, name: str) -> None:
    if not isinstance(row, dict) or row.get("kind") != "iscore":
        raise ExportError(name, "is not an export of iScore")
    if row.get("format") != FORMAT:
        raise ExportError(name, "was written by a newer iScore; update iScore to import it")


def _create(folder: DataFolder) -> None:
    """Create the data folder, without feeds, unless it exists."""
    if not folder.database.exists():
        folder.path.mkdir(mode=file_permissions.FOLDER, parents=True, exist_ok=True)
        if not folder.feeds.exists():
            file_permissions.write(folder.feeds, b"feeds: []\n")
        NewsFilter.create(folder.path).close()


def _foreign_articles(news: NewsFilter, given: list[_Article]) -> list[ForeignArticle]:
    """Compute the features of those articles that are not stored, as if they arrived now."""
    with news.database.read() as tx:
        known = log.find(tx, [ArticleKey(each.feed, each.key) for each in given])
    new = [each for each in given if ArticleKey(each.feed, each.key) not in known]
    rows: list[Features] = news.ingestion.analyse_apart([_document(each) for each in new]) if new else []
    return [
        ForeignArticle(ArticleKey(each.feed, each.key), each.source, _entry(each), each.arrived, features)
        for each, features in zip(new, rows, strict=True)
    ]


def _saved(given: _Article, mark: Mark) -> SavedArticle:
    """Return an article that no feed has brought here, as the user's own."""
    return SavedArticle(_document(given), replace(_entry(given), key=f"{given.feed} {given.key}"), mark)


def _save(
    news: NewsFilter, found: Mapping[ArticleKey, tuple[_Article, Mark]]
) -> tuple[int, dict[ArticleKey, ArticleKey]]:
    """Store what is saved or labelled and no feed has brought here; return how many, and their keys here.

    A verdict on one of them is about the article that is saved, unless an earlier import stored it for the verdict.
    """
    saved = {key: _saved(given, mark) for key, (given, mark) in found.items() if mark.saved_at or mark.labels}
    with news.database.read() as tx:
        stored = log.find(tx, list(saved))
    count = save(news.database, news.context.user_id, list(saved.values()), news.imports.measure)
    own = {key: each for key, each in saved.items() if key not in stored}
    feeds = {key: saved_address(news.context.user_id, saved_source(each)) for key, each in own.items()}
    return count, {key: ArticleKey(feeds[key], each.entry.key) for key, each in own.items()}


_SHARED = {"url", "title", "author", "categories", "text", "language", "published", "links", "pictures"}


def _document(given: _Article) -> Article:
    fields = given.model_dump(include=_SHARED | {"source", "arrived"})
    return Article(seq=0, id=f"{given.feed} {given.key}", feed_id=0, site=site(given.url), story=None, **fields)


def _entry(given: _Article) -> NewArticle:
    content = "\0".join((given.key, given.title, given.text, given.author, *given.categories))
    content_hash = hashlib.blake2b(content.encode(), digest_size=16).digest()
    return NewArticle(key=given.key, content_hash=content_hash, **given.model_dump(include=_SHARED))
