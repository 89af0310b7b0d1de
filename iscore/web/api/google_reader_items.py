"""Items, feeds, folders and labels as the Google Reader API writes them: JSON, and Atom (RFC 4287). Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any
from xml.etree import ElementTree as ET

from iscore.core.sanitizing import document
from iscore.services.views.client_apps import ClientFeed, ClientItem, UnreadCount
from iscore.web.api.google_reader_names import FEED, LABEL, LABELS, STATE, item_id, long_id
from storage.client_items import State
from storage.columns import microseconds
from storage.records import Kind

ATOM = "http://www.w3.org/2005/Atom"
READER = "http://www.google.com/schemas/reader/atom/"
SCHEME = "http://www.google.com/reader/"
"""Of categories that are states of an item."""

_VERDICTS = {Kind.LIKE: State.LIKE, Kind.DISLIKE: State.DISLIKE}

ET.register_namespace("gr", READER)


def to_json(value: Any) -> bytes:
    """Write a value as JSON in UTF-8."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def item_refs(numbers: Sequence[int], continuation: str) -> bytes:
    """Write the ids of items, in decimal."""
    # Put together by hand: ten thousand objects take longer to make than to write.
    refs = ",".join(f'{{"id":"{item_id(each)}"}}' for each in numbers)
    rest = f',"continuation":"{continuation}"' if continuation else ""
    return f'{{"itemRefs":[{refs}]{rest}}}'.encode()


def items(found: Iterable[ClientItem], stream: str, now: datetime, continuation: str = "") -> bytes:
    """Write items with their contents."""
    written: dict[str, Any] = {
        "direction": "ltr",
        "id": stream,
        "updated": int(now.timestamp()),
        "items": [item(each) for each in found],
    }
    return to_json(written | ({"continuation": continuation} if continuation else {}))


def item(found: ClientItem) -> dict[str, Any]:
    """Return an item with its content."""
    arrived = microseconds(found.arrived)
    written: dict[str, Any] = {
        "id": long_id(found.number),
        "crawlTimeMsec": str(arrived // 1000),
        "timestampUsec": str(arrived),
        "published": int(found.published.timestamp()),
        "title": found.title,
        "summary": {"content": found.html},
        "canonical": [{"href": found.url}] if found.url else [],
        "alternate": [{"href": found.url, "type": "text/html"}] if found.url else [],
        "categories": categories(found),
        "origin": {"streamId": f"{FEED}{found.feed}", "title": found.feed_name},
    }
    if found.author:
        written["author"] = found.author
    if found.enclosures:
        written["enclosure"] = [
            {"href": each.url, "type": each.type} | ({"length": each.length} if each.length else {})
            for each in found.enclosures
        ]
    return written


def categories(found: ClientItem) -> list[str]:
    """List the streams that an item is in, besides its feed."""
    states = {"read": found.read, "kept-unread": found.kept_unread, "starred": found.saved}
    names = [f"{STATE}reading-list", *(f"{STATE}{name}" for name, holds in states.items() if holds)]
    labelled = {State.BEST: found.best, State.MAYBE: found.maybe, State.HIDDEN: found.hidden}
    if found.verdict in _VERDICTS:
        labelled[_VERDICTS[found.verdict]] = True
    own = [LABELS[state] for state, holds in labelled.items() if holds]
    return list(dict.fromkeys([*names, *(f"{LABEL}{each}" for each in (*found.folders, *found.labels, *own))]))


def tags(folders: Iterable[str], labels: Iterable[str]) -> bytes:
    """Write all folders and labels."""
    found: list[dict[str, str]] = [{"id": f"{STATE}starred"}]
    found += [{"id": f"{LABEL}{each}", "type": "folder"} for each in folders]
    known = dict.fromkeys([*labels, *LABELS.values()])
    return to_json({"tags": [*found, *({"id": f"{LABEL}{each}", "type": "tag"} for each in known)]})


def subscriptions(feeds: Iterable[ClientFeed]) -> bytes:
    """Write the feeds that a user follows."""
    return to_json(
        {
            "subscriptions": [
                {
                    "id": f"{FEED}{each.number}",
                    "title": each.name,
                    "categories": [{"id": f"{LABEL}{folder}", "label": folder} for folder in each.folders],
                    "url": each.url,
                    "htmlUrl": each.site,
                    "iconUrl": each.icon,
                }
                for each in feeds
            ]
        }
    )


def unread_counts(counts: Mapping[int, UnreadCount], feeds: Iterable[ClientFeed]) -> bytes:
    """Write how many items are unread, of each feed and folder and of all."""
    lists: dict[str, list[UnreadCount]] = {}
    for each in feeds:
        if each.number in counts:
            names = (f"{FEED}{each.number}", *(f"{LABEL}{folder}" for folder in each.folders), f"{STATE}reading-list")
            for name in names:
                lists.setdefault(name, []).append(counts[each.number])
    written = [
        {
            "id": name,
            "count": sum(each.count for each in found),
            "newestItemTimestampUsec": str(max(microseconds(each.newest) for each in found)),
        }
        for name, found in lists.items()
    ]
    total = sum(each.count for each in lists.get(f"{STATE}reading-list", ()))
    return to_json({"max": total, "unreadcounts": written})


def atom(found: Iterable[ClientItem], stream: str, title: str, now: datetime, continuation: str = "") -> bytes:
    """Write items as an Atom feed; states are categories of the scheme ``SCHEME``."""
    root = ET.Element("feed", {"xmlns": ATOM})
    _add(root, "id", f"tag:google.com,2005:reader/{stream}")
    _add(root, "title", title)
    _add(root, "updated", _moment(now))
    _add(root, "generator", "iScore")
    if continuation:
        _add(root, f"{{{READER}}}continuation", continuation)
    for each in found:
        entry = _add(root, "entry")
        _add(entry, "id", long_id(each.number))
        for name in categories(each):
            _add(entry, "category", term=name, scheme=SCHEME, label=name.rpartition("/")[2])
        if not each.read:
            _add(entry, "category", term=f"{STATE}fresh", scheme=SCHEME, label="fresh")
        _add(entry, "title", each.title, type="text")
        _add(entry, "published", _moment(each.published))
        _add(entry, "updated", _moment(each.arrived))
        if each.url:
            _add(entry, "link", rel="alternate", type="text/html", href=each.url)
        for file in each.enclosures:
            _add(entry, "link", rel="enclosure", href=file.url, **{"type": file.type} if file.type else {})
        _add(_add(entry, "author"), "name", each.author or each.feed_name)
        source = _add(entry, "source")
        _add(source, "id", f"tag:google.com,2005:reader/{FEED}{each.feed}")
        _add(source, "title", each.feed_name)
        _add(entry, "content", each.html, type="html")
    text = ET.tostring(root, encoding="unicode")
    return document(f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n').encode()


def _add(parent: ET.Element, name: str, text: str | None = None, **attributes: str) -> ET.Element:
    element = ET.SubElement(parent, name, attributes)
    element.text = text
    return element


def _moment(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")
