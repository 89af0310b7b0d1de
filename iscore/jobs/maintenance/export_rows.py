"""The rows of an export as an import validates them; ``iscore.services.export`` writes them."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Annotated

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field, PlainValidator

from iscore.core.errors import IscoreError
from iscore.core.settings_text import updated
from iscore.feeds.parsing.html_to_text import line as one_line
from iscore.feeds.subscriptions.feeds_yaml import LONGEST, SHORTEST
from iscore.feeds.urls import check_url, safe_url
from iscore.services.reading.reader import MAX_LABEL
from storage.log.imports import UNNAMED
from storage.records.feeds import Priority
from storage.records.reading_events import Act
from storage.records.users import Kind
from storage.stream.addresses import IMPORTED_ITEMS

MOST_SECONDS = 1e7
"""Of a reading event; the sum of years."""
_FORMER_ITEMS, _FORMER_KIND = "iscore:seeds/", "seed"
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


def _address(feed: str) -> str:
    """Return the address of a feed; exports from before the first schema call that of imported items otherwise."""
    return IMPORTED_ITEMS + feed.removeprefix(_FORMER_ITEMS) if feed.startswith(_FORMER_ITEMS) else feed


def _kind(verdict: str) -> Kind:
    return Kind.IMPORTED if verdict == _FORMER_KIND else Kind(verdict)


def _settings(config: str) -> str:
    """Return a config.toml as today's program reads it; one that cannot be edited stays."""
    try:
        return updated(config)
    except ValueError:
        return config


Address = Annotated[str, AfterValidator(_address)]
Line = Annotated[str, AfterValidator(one_line)]
Moment = Annotated[AwareDatetime, AfterValidator(_moment)]
Count = Annotated[int, Field(ge=0, lt=1 << 31)]


class Row(BaseModel):
    model_config = ConfigDict(strict=True)


class SettingsRow(Row):
    config: Annotated[str, AfterValidator(_settings)] = ""


class SubscriptionRow(Row):
    url: Annotated[str, AfterValidator(_feed_url)]
    title: Line
    tags: Annotated[tuple[Line, ...], AfterValidator(lambda tags: tuple(filter(None, tags)))]
    interval: Annotated[int, Field(ge=SHORTEST, le=LONGEST)] | None = None
    fulltext: bool
    enabled: bool
    priority: Annotated[Priority, Field(strict=False)] = Priority.FILTERED


class RuleRow(Row):
    action: str
    field: str
    text: str
    boost: float | None
    in_title: bool
    until: date | None
    note: str


class ArticleRow(Row):
    feed: Address
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


class ImportRow(Row):
    number: Count
    name: Line
    at: Moment


class VerdictRow(Row):
    id: Annotated[str, Field(min_length=1, max_length=100)]
    verdict: Annotated[Kind, PlainValidator(_kind)]
    at: Moment
    feed: Address
    key: str
    tags: tuple[Line, ...]
    form: str = ""
    import_: Annotated[Count | None, Field(alias="import")] = None
    interest: Line = UNNAMED
    weight: Annotated[float, Field(gt=0, le=1)] | None = None
    """Earlier versions wrote none: an item's form decides."""


class MarkRow(Row):
    feed: Address
    key: str
    read_at: Moment | None
    kept_unread: bool
    saved_at: Moment | None
    labels: tuple[Annotated[Line, Field(min_length=1, max_length=MAX_LABEL)], ...]


class ReadingEventRow(Row):
    id: Annotated[str, Field(min_length=1, max_length=100)]
    feed: Address
    key: str
    act: Act
    at: Moment
    visit: Annotated[str, Field(max_length=100)]
    seconds: Annotated[float, Field(ge=0, le=MOST_SECONDS, allow_inf_nan=False)]


ROWS: dict[str, type[Row]] = {
    "settings": SettingsRow,
    "subscription": SubscriptionRow,
    "rule": RuleRow,
    "article": ArticleRow,
    "import": ImportRow,
    "verdict": VerdictRow,
    "mark": MarkRow,
    "reading_event": ReadingEventRow,
}
