"""The digest feed: the stories of the last digests, as Atom 1.0 (RFC 4287) and JSON Feed 1.1 (jsonfeed.org).

The id and URL of an item never change. Explored stories are left out where a reader of the feed cannot vote on them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, tzinfo
from html import escape
from types import MappingProxyType
from typing import Any
from uuid import UUID, uuid5
from xml.etree import ElementTree as ET

from iscore.core.translation import gettext, gettext_noop, language
from iscore.presentation import atom
from iscore.presentation.digest.layout import Digest, build_digest
from iscore.presentation.html import render
from iscore.presentation.wording.scores import STRENGTHS
from iscore.presentation.wording.story import StoryEntry, web_address
from iscore.services.views.digests import DigestListView

TITLE = "iScore"
DESCRIPTION = gettext_noop("Recommended by iScore.")
_NO_PAGES: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Item:
    """One story."""

    id: str
    """A URN."""
    title: str
    url: str
    """An http or https address, or empty."""
    related: tuple[tuple[str, str], ...]
    """Title and URL of the other sources, and of the page with the vote buttons."""
    author: str
    published: datetime | None
    updated: datetime
    """When its digest was made, minus a second per number, so that sorting by it puts the best first."""
    category: str
    html: str
    entry: StoryEntry
    digest: Digest


@dataclass(frozen=True, slots=True)
class Feed:
    """The feed."""

    id: str
    """A URN."""
    address: str
    """The URL of the feed, or empty."""
    updated: datetime
    items: tuple[Item, ...]
    """Newest digest first; in each, best first."""


def feed_of(view: DigestListView, *, zone: tzinfo | None = UTC, pages: Mapping[str, str] = _NO_PAGES) -> Feed:
    """Build the feed of the last digests; times in words are in ``zone``.

    ``pages`` has the addresses at which anybody who reads the feed can rate stories, by the ids of their articles.
    """
    identity = UUID(view.identity)
    digest = [build_digest(each, zone=zone) for each in view.digests]
    items = [item for each in digest for item in _items(identity, each, pages)]
    return Feed(
        id=identity.urn,
        address=web_address(view.feed_address),
        updated=max((each.made for each in digest), default=view.at),
        items=tuple(items),
    )


def rating_links(page: str) -> str:
    """Return the end of an entry: links to the page of its story. Nothing happens before that page is answered."""
    choices = (
        (f"{page}?choose=like", gettext("More like this")),
        (f"{page}?choose=dislike", gettext("Less like this")),
        (page, gettext("Why")),
    )
    links = " · ".join(f'<a href="{escape(address)}" rel="nofollow">{escape(words)}</a>' for address, words in choices)
    return f"<p>{links}</p>"


def _items(identity: UUID, digest: Digest, pages: Mapping[str, str]) -> Sequence[Item]:
    return [
        _item(identity, digest, section.heading, entry, pages.get(entry.id, ""))
        for section in digest.sections
        for entry in section.entries
        if section.name != "explore" or entry.id in pages
    ]


def _item(identity: UUID, digest: Digest, category: str, entry: StoryEntry, page: str) -> Item:
    related = [(other.source, other.url) for other in entry.others if other.url]
    if page or entry.answer:
        related.append((gettext("Like or dislike"), page or entry.answer))
    if page:
        entry = replace(entry, answer="")  # the links at the end need no sign-in
    html = render("iscore.presentation.digest", "feed_item.html", entry=entry, digest=digest, strengths=STRENGTHS)
    return Item(
        id=uuid5(identity, entry.id).urn,
        title=entry.title,
        url=entry.url,
        related=tuple(related),
        author=f"{entry.author} ({entry.source})" if entry.author else entry.source,
        published=entry.time.astimezone(UTC),
        updated=(digest.made - timedelta(seconds=entry.number)).astimezone(UTC).replace(microsecond=0),
        category=category,
        html=html.strip() + (rating_links(page) if page else ""),
        entry=entry,
        digest=digest,
    )


def render_atom(feed: Feed) -> str:
    """Return the feed as an XML document, to be stored as UTF-8.

    Texts have no characters that XML forbids (``sanitizing.line``, ``html.render``); the serialiser escapes the rest.
    """
    root = atom.new_feed(**{"xml:lang": language()})
    atom.add(root, "id", feed.id)
    atom.add(root, "title", TITLE)
    atom.add(root, "subtitle", gettext(DESCRIPTION))
    atom.add(root, "updated", atom.timestamp(feed.updated))
    atom.add_author(root, TITLE)
    atom.add(root, "generator", "iScore")
    if feed.address:
        atom.add(root, "link", rel="self", type=atom.MEDIA_TYPE, href=feed.address)
    for item in feed.items:
        _entry(root, item)
    ET.indent(root)
    return atom.render(root)


def _entry(root: ET.Element, item: Item) -> None:
    entry = atom.add(root, "entry")
    atom.add(entry, "id", item.id)
    atom.add(entry, "title", item.title, **{"xml:lang": item.entry.language} if item.entry.language else {})
    if item.url:
        atom.add(entry, "link", rel="alternate", href=item.url)
    for title, href in item.related:
        atom.add(entry, "link", rel="related", href=href, title=title)
    if item.published is not None:
        atom.add(entry, "published", atom.timestamp(item.published))
    atom.add(entry, "updated", atom.timestamp(item.updated))
    atom.add_author(entry, item.author)
    atom.add(entry, "category", term=item.category)
    atom.add(entry, "content", item.html, type="html")


JSON_FEED = "https://jsonfeed.org/version/1.1"


def render_json_feed(feed: Feed) -> str:
    """Return the feed as a JSON document in ASCII. iScore's own fields are under ``_iscore``, as the spec asks."""
    document: dict[str, Any] = {"version": JSON_FEED, "title": TITLE, "description": gettext(DESCRIPTION)}
    if feed.address:
        document["feed_url"] = feed.address
    document["items"] = [_json_item(item) for item in feed.items]
    return json.dumps(document, indent=1, allow_nan=False) + "\n"


def _json_item(item: Item) -> dict[str, Any]:
    story = item.entry
    shown: dict[str, Any] = {
        "id": item.id,
        "url": item.url,
        "title": item.title,
        "content_html": item.html,
        "summary": story.summary,
        "date_published": item.published.isoformat(timespec="seconds") if item.published else "",
        "date_modified": item.updated.isoformat(timespec="seconds"),
        "authors": [{"name": item.author}],
        "tags": [item.category],
        "language": story.language,
        "_iscore": {
            "id": story.id,
            "digest": item.digest.date.isoformat(),
            "number": story.number,
            "strength": story.strength,
            "strength_words": story.strength_words,
            "rule_outcome": story.rule,
            "reasons": list(story.reasons),
            "sources": [story.source, *(other.source for other in story.others)],
        },
    }
    return {key: value for key, value in shown.items() if value}
