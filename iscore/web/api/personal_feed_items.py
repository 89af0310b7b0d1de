"""Personal feeds as documents: Atom (RFC 4287), JSON Feed 1.1, and OPML of all followed feeds. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import quote
from uuid import NAMESPACE_URL, uuid5
from xml.etree import ElementTree as ET

from iscore.core.sanitizing import line
from iscore.presentation import atom
from iscore.presentation.digest.feed_items import rating_links
from iscore.services.apps.personal_feeds import PersonalFeed
from iscore.services.views.client_apps import ClientFeed, ClientItem
from iscore.web.api.items import add_article, to_json

JSON_FEED = "https://jsonfeed.org/version/1.1"


@dataclass(frozen=True, slots=True)
class Addresses:
    """What a document links to."""

    feed: str
    """Its own address."""
    identity: str
    """Of the user: ids of entries are made from it, and never change."""
    story: Callable[[int], str]
    """The page of a story, where it can be rated."""


def atom_feed(feed: PersonalFeed, where: Addresses, now: datetime) -> bytes:
    """Write a feed as Atom."""
    root = atom.new_feed()
    atom.add(root, "id", _urn(where, feed.title))
    atom.add(root, "title", _title(feed))
    atom.add(root, "updated", atom.timestamp(max((each.arrived for each in feed.items), default=now)))
    atom.add(root, "generator", "iScore")
    atom.add(root, "link", rel="self", type=atom.MEDIA_TYPE, href=where.feed)
    for each in feed.items:
        entry = atom.add(root, "entry")
        atom.add(entry, "id", _urn(where, each.state.seq))
        add_article(entry, each)
        atom.add(entry, "link", rel="related", type="text/html", href=where.story(each.state.seq))
        atom.add_author(entry, _author(each))
        atom.add(entry, "content", _content(each, where), type="html")
    return atom.render(root).encode()


def json_feed(feed: PersonalFeed, where: Addresses) -> bytes:
    """Write a feed as JSON Feed."""
    items: list[dict[str, Any]] = [
        {
            "id": _urn(where, each.state.seq),
            "title": each.title,
            "content_html": _content(each, where),
            "date_published": atom.timestamp(each.published),
            "date_modified": atom.timestamp(each.arrived),
            "authors": [{"name": _author(each)}],
            "attachments": [
                {"url": file.url, "mime_type": file.type or "application/octet-stream"}
                | ({"size_in_bytes": file.length} if file.length else {})
                for file in each.enclosures
            ],
        }
        | ({"url": each.url} if each.url else {})
        for each in feed.items
    ]
    return to_json({"version": JSON_FEED, "title": _title(feed), "feed_url": where.feed, "items": items})


def opml(feeds: Iterable[ClientFeed], address: Callable[[int], str]) -> bytes:
    """Write the addresses of all followed feeds, each without what is hidden, as other readers import them."""
    root = ET.Element("opml", {"version": "2.0"})
    atom.add(atom.add(root, "head"), "title", "iScore")
    body = atom.add(root, "body")
    folders: dict[str, ET.Element] = {}
    for each in feeds:
        parent = body
        if each.folders:
            name = each.folders[0]
            if name not in folders:
                folders[name] = ET.SubElement(body, "outline", {"text": name, "title": name})
            parent = folders[name]
        named = {"type": "rss", "text": each.name, "title": each.name}
        ET.SubElement(parent, "outline", named | {"xmlUrl": address(each.number)})
    return atom.render(root).encode()


def _content(item: ClientItem, where: Addresses) -> str:
    return item.html + rating_links(where.story(item.state.seq))


def _title(feed: PersonalFeed) -> str:
    return f"iScore: {line(feed.title)}"


def _author(item: ClientItem) -> str:
    return f"{item.author} ({item.source})" if item.author else item.source


def _urn(where: Addresses, what: object) -> str:
    return uuid5(NAMESPACE_URL, f"{where.identity}:{quote(str(what))}").urn
