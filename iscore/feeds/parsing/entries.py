"""feedparser's entries → drafts of articles: the right one of an entry's many fields, cleaned."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from iscore.feeds.parsing import dates
from iscore.feeds.parsing.article_html import cleaned_for_text
from iscore.feeds.parsing.html_to_text import Prose, line, line_of_markup, plain_text, prose, prose_of_html
from iscore.feeds.parsing.identity import Draft
from iscore.feeds.urls import canonical_url, safe_url
from storage.records.articles import NewArticle

MAX_CATEGORIES = 50
"""More are search engine bait."""
MAX_GUID = 4000

_LOOKS_LIKE_MARKUP = re.compile(
    r"</(?:p|div|a|b|i|em|strong|span|ul|ol|li|h\d|blockquote)>|<(?:br|p|img)\b[^<>]{0,500}>"
)
_LANGUAGE = re.compile(r"([A-Za-z]{2})(?:[-_]|$)")

Fields = dict[str, Any]


def draft(entry: Fields, feed: Fields, *, url: str, now: datetime) -> Draft:
    """Convert one entry into an article without a key. ``feed`` has the defaults for its fields."""
    value, kind, _ = _longest(entry)
    html = cleaned_for_text(value) if _is_markup(value, kind) else ""
    text = prose_of_html(html) if html else _text(value, kind)
    guid = line(_string(entry, "id"), MAX_GUID)
    published = dates.from_utc_fields(_own(entry, "published_parsed") or _own(entry, "updated_parsed"))
    article = NewArticle(
        key="",
        url=canonical_url(_link(entry, guid, url)),
        title=title(entry),
        author=author(entry) or author(feed),
        categories=categories(tag.get("label") or tag.get("term") for tag in entry.get("tags", ())),
        text=text.text,
        language=_entry_language(entry) or language(_string(feed, "language")),
        published=dates.plausible(published, now),
        links=text.links,
        pictures=text.pictures,
        content_hash=b"",
    )
    return Draft(guid, article, entry, html)


def markup(entry: Fields, article: NewArticle, *, url: str) -> tuple[str, str]:
    """Return the HTML of an entry, which may be empty, and what relative addresses in the entry are meant against.

    That is ``xml:base``, else the article's page, else ``url``, where the document came from.
    """
    value, kind, base = _longest(entry)
    return value if _is_markup(value, kind) else "", base if base and base != url else article.url or url


def author(fields: Fields) -> str:
    """Return the author's name, else what the feed has instead."""
    detail = fields.get("author_detail") or {}
    return line(detail.get("name") or _string(fields, "author"))


def categories(names: Iterable[object]) -> tuple[str, ...]:
    """Return the categories in the feed's order, each once."""
    cleaned = (line_of_markup(name, 200) for name in names if isinstance(name, str))
    return tuple(dict.fromkeys(name for name in cleaned if name))[:MAX_CATEGORIES]


def language(code: str) -> str:
    """Return ``en`` of ``en-US``; empty without a two-letter code."""
    found = _LANGUAGE.match(code.strip())
    return found[1].lower() if found else ""


def title(fields: Fields) -> str:
    """The title as one line. Only what the feed calls plain text is taken literally."""
    value = _string(fields, "title")
    kind = (fields.get("title_detail") or {}).get("type", "")
    return line(value) if kind == "text/plain" else line_of_markup(value)


def _longest(entry: Fields) -> tuple[str, str, str]:
    """The longer of content and summary, either of which may be a teaser: its value, media type and base address."""
    summary = _string(entry, "summary")
    detail = entry.get("summary_detail") or {}
    versions = [(summary, detail.get("type", "text/html"), _string(detail, "base"))] if summary else []
    versions += [
        (each["value"], each.get("type") or "text/html", _string(each, "base"))
        for each in entry.get("content", ())
        if isinstance(each.get("value"), str)
    ]
    value, kind, _ = max(versions, key=lambda version: len(version[0]), default=("", "text/plain", ""))
    return value, kind, next((base for same, _, base in versions if same == value and base), "")


def _text(value: str, kind: str) -> Prose:
    if _is_markup(value, kind):
        return prose(value)
    return Prose(plain_text(value) if kind == "text/plain" else "", 0, 0)


def _is_markup(value: str, kind: str) -> bool:
    if kind == "text/plain":
        return _LOOKS_LIKE_MARKUP.search(value) is not None
    return kind in ("text/html", "application/xhtml+xml")


def _link(entry: Fields, guid: str, base: str) -> str:
    candidates = [_string(entry, "link")]
    candidates += [link.get("href", "") for link in entry.get("links", ()) if link.get("rel") in ("alternate", "via")]
    if guid.startswith(("http://", "https://")):
        candidates.append(guid)
    candidates += [link.get("href", "") for link in entry.get("links", ())]
    return next((safe for safe in (safe_url(candidate, base) for candidate in candidates if candidate) if safe), "")


def _entry_language(entry: Fields) -> str:
    details = (entry.get("title_detail"), entry.get("summary_detail"), *entry.get("content", ()))
    declared = (_string(entry, "language"), *(_string(detail, "language") for detail in details if detail))
    return next(filter(None, map(language, declared)), "")


def _own(entry: Fields, name: str) -> Any:
    """The field itself: ``get`` would return another date, with a warning, when one is missing."""
    return dict.get(entry, name)


def _string(fields: Fields, name: str) -> str:
    value = fields.get(name)
    return value if isinstance(value, str) else ""
