"""The lines of an export: one JSON object each, with ``kind`` first. The user's guide documents them.

    iscore         what wrote it, and when; always the first line
    settings       config.toml, as it stands
    subscription   a feed that is followed
    rule           one of the person's own
    article        what a verdict is about; stands before the verdict
    import         what seeds came from; stands before the seeds
    verdict        a row of the log, in its order

An export may come from anybody: what a line says is checked before anything of it is used.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import IO, Any, TypeVar

from iscore.core.errors import IscoreError
from iscore.feeds.parsing.html_to_text import line as clean
from iscore.feeds.subscriptions.feeds_yaml import LONGEST, SHORTEST
from iscore.feeds.urls import check_url, safe_url
from iscore.jobs.maintenance.errors import ExportError
from iscore.jobs.maintenance.export_format_rules import rule_of
from iscore.rules.rule import Rule
from storage.export import Place, Said
from storage.records import Kind, Subscription

FORMAT = 1
_PASSWORD = re.compile(
    r"""^[ \t]*["']?mail_password["']?[ \t]*=[ \t]*(?:\"""(?s:.*?)\"""|'''(?s:.*?)'''|[^\n]*)[^\n]*(?:\n|\Z)""",
    re.MULTILINE,
)
LONGEST_LINE = 20_000_000
"""Bytes; the largest feeds have 10 MB, and JSON may double them."""
_EARLIEST, _LATEST = datetime(1970, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class PortableArticle:
    """An article that something was said of."""

    place: Place
    source: str
    url: str
    title: str
    author: str
    categories: tuple[str, ...]
    language: str
    published: datetime | None
    arrived: datetime
    text: str
    links: int
    pictures: int


@dataclass(slots=True)
class Export:
    """All that an export says."""

    settings: str | None = None
    subscriptions: list[Subscription] = field(default_factory=list)
    rules: list[Rule] = field(default_factory=list)
    articles: dict[Place, PortableArticle] = field(default_factory=dict)
    imports: dict[int, tuple[str, datetime]] = field(default_factory=dict)
    verdicts: list[Said] = field(default_factory=list)


def settings_line(text: str) -> dict[str, Any]:
    """Lay out the settings, without the password for mail."""
    return {"kind": "settings", "config": _PASSWORD.sub("# mail_password was left out\n", text)}


def subscription_line(wish: Subscription) -> dict[str, Any]:
    """Lay out a subscription."""
    return {
        "kind": "subscription",
        "url": wish.url,
        "title": wish.title,
        "tags": wish.tags,
        "interval": wish.interval,
        "fulltext": wish.fulltext,
        "enabled": wish.enabled,
    }


def article_line(article: PortableArticle) -> dict[str, Any]:
    """Lay out an article."""
    return {
        "kind": "article",
        "feed": article.place.feed,
        "key": article.place.key,
        "source": article.source,
        "url": article.url,
        "title": article.title,
        "author": article.author,
        "categories": article.categories,
        "language": article.language,
        "published": article.published and article.published.isoformat(),
        "arrived": article.arrived.isoformat(),
        "links": article.links,
        "pictures": article.pictures,
        "text": article.text,
    }


def import_line(number: int, name: str, at: datetime) -> dict[str, Any]:
    """Lay out an import of seeds."""
    return {"kind": "import", "number": number, "name": name, "at": at.isoformat()}


def verdict_line(said: Said) -> dict[str, Any]:
    """Lay out a row of the log."""
    row = {
        "kind": "verdict",
        "id": said.id,
        "verdict": said.kind.value,
        "at": said.at.isoformat(),
        "feed": said.place.feed,
        "key": said.place.key,
        "tags": said.tags,
    }
    return row | ({"import": said.source, "form": said.form} if said.kind is Kind.IMPORTED else {})


def read(file: IO[bytes], place: str) -> Export:
    """Read an export. Raises ``ExportError`` with the first line that is not in order."""
    export = Export()
    lines = _lines(file, place)
    number, first = next(lines, (0, {}))
    if first.get("kind") != "iscore":
        raise ExportError(place, "is no export of iScore")
    if first.get("format") != FORMAT:
        raise ExportError(place, "was written by a newer iScore; update iScore to import it")
    for number, said in lines:
        take = _TAKERS.get(str(said.get("kind")))
        if take is None:
            raise ExportError(place, f"unknown kind {str(said.get('kind'))[:40]!r}", line=number)
        try:
            take(export, said)
        except KeyError as error:
            raise ExportError(place, f"{error.args[0]!r} is missing", line=number) from error
        except (ValueError, IscoreError) as error:
            raise ExportError(place, str(error), line=number) from error
    return export


def _lines(file: IO[bytes], place: str) -> Iterator[tuple[int, dict[str, Any]]]:
    number = 0
    while raw := file.readline(LONGEST_LINE + 1):
        number += 1
        if len(raw) > LONGEST_LINE:
            raise ExportError(place, f"is longer than {LONGEST_LINE:,} bytes", line=number)
        if not raw.strip():
            continue
        try:
            said = json.loads(raw)
            raw.decode("utf-8")
        except (ValueError, RecursionError) as error:
            raise ExportError(place, "is no JSON", line=number) from error
        if not isinstance(said, dict):
            raise ExportError(place, "is no JSON object", line=number)
        yield number, said


def _take_settings(export: Export, said: dict[str, Any]) -> None:
    export.settings = _text(said, "config")


def _take_subscription(export: Export, said: dict[str, Any]) -> None:
    interval = None if said.get("interval") is None else _number(said, "interval")
    if interval is not None and not SHORTEST <= interval <= LONGEST:
        raise ValueError(f"'interval' is not from {SHORTEST} to {LONGEST} seconds")
    wish = Subscription(
        url=check_url(_text(said, "url")),
        title=clean(_text(said, "title")),
        tags=tuple(filter(None, map(clean, _words(said, "tags")))),
        interval=interval,
        fulltext=_of_type(said, "fulltext", bool),
        enabled=_of_type(said, "enabled", bool),
    )
    export.subscriptions.append(wish)


def _take_rule(export: Export, said: dict[str, Any]) -> None:
    export.rules.append(rule_of(said))


def _take_article(export: Export, said: dict[str, Any]) -> None:
    article = PortableArticle(
        place=_place(said),
        source=clean(_text(said, "source")),
        url=_page(_text(said, "url")),
        title=clean(_text(said, "title")),
        author=clean(_text(said, "author")),
        categories=tuple(map(clean, _words(said, "categories"))),
        language=_text(said, "language"),
        published=None if said.get("published") is None else _moment(said, "published"),
        arrived=_moment(said, "arrived"),
        text=_text(said, "text"),
        links=_number(said, "links"),
        pictures=_number(said, "pictures"),
    )
    export.articles[article.place] = article


def _take_import(export: Export, said: dict[str, Any]) -> None:
    export.imports[_number(said, "number")] = clean(_text(said, "name")), _moment(said, "at")


def _take_verdict(export: Export, said: dict[str, Any]) -> None:
    place, kind = _place(said), Kind(_text(said, "verdict"))
    if place not in export.articles:
        raise ValueError("this verdict is about an article that no line before has told")
    seed = kind is Kind.IMPORTED
    key = _text(said, "id")
    if not 0 < len(key) <= 100:
        raise ValueError("'id' has 1 to 100 characters")
    row = Said(
        id=key,
        place=place,
        kind=kind,
        at=_moment(said, "at"),
        tags=tuple(map(clean, _words(said, "tags"))),
        form=_text(said, "form") if seed else "",
        source=_number(said, "import") if seed else None,
    )
    export.verdicts.append(row)


_TAKERS: dict[str, Callable[[Export, dict[str, Any]], None]] = {
    "settings": _take_settings,
    "subscription": _take_subscription,
    "rule": _take_rule,
    "article": _take_article,
    "import": _take_import,
    "verdict": _take_verdict,
}


def _of_type(said: dict[str, Any], name: str, kind: type[Value]) -> Value:
    value = said[name]
    if type(value) is not kind:  # True is an int otherwise
        raise ValueError(f"{name!r} is not of the right type")
    return value


def _text(said: dict[str, Any], name: str) -> str:
    text = _of_type(said, name, str)
    text.encode("utf-8")  # half a surrogate pair is a ValueError
    return text


def _number(said: dict[str, Any], name: str) -> int:
    number = _of_type(said, name, int)
    if not 0 <= number < 1 << 31:
        raise ValueError(f"{name!r} is out of range")
    return number


def _words(said: dict[str, Any], name: str) -> list[str]:
    return [_text({name: word}, name) for word in _of_type(said, name, list)]


def _moment(said: dict[str, Any], name: str) -> datetime:
    moment = datetime.fromisoformat(_text(said, name))
    if moment.tzinfo is None:
        raise ValueError(f"{name!r} lacks its time zone")
    if not _EARLIEST <= moment <= _LATEST:
        raise ValueError(f"{name!r} is out of range")
    return moment.astimezone(UTC)


def _page(url: str) -> str:
    """The address of an article, by the judge of those that feeds name: it may have what no feed's may, a fragment."""
    safe = safe_url(url)
    return safe if safe or not url else check_url(url)


def _place(said: dict[str, Any]) -> Place:
    return Place(_text(said, "feed"), _text(said, "key"))
