"""Items, feeds, folders and labels as the Google Reader API writes them: JSON, and Atom (RFC 4287). Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain
from typing import Any
from unicodedata import bidirectional
from xml.etree import ElementTree as ET

from iscore.presentation import atom
from iscore.services.views.other_programs import ClientFeed, ClientItem, UnreadCount
from iscore.web.api.google_reader_names import FEED, LABEL, LABELS, STATE, item_id, long_id
from iscore.web.api.requests import add_article, to_json
from iscore.web.pages.icons import ICON
from storage.records.users import Kind
from storage.schema.column_types import microseconds
from storage.stories.client_items import State

READER = "http://www.google.com/schemas/reader/atom/"
SCHEME = "http://www.google.com/reader/"
"""Of categories that are states of an item."""

RIGHT_TO_LEFT = frozenset(("ar", "dv", "fa", "he", "iw", "ji", "ks", "ps", "sd", "ug", "ur", "yi"))
"""Languages by their ISO 639 codes, of now and of before."""

_VERDICTS = {Kind.LIKE: State.LIKE, Kind.DISLIKE: State.DISLIKE}

ET.register_namespace("gr", READER)


def item_refs(numbers: Sequence[int], continuation: str) -> bytes:
    """Write the ids of items, in decimal."""
    # Put together by hand: ten thousand objects take longer to make than to write.
    refs = ",".join(f'{{"id":"{item_id(each)}"}}' for each in numbers)
    rest = f',"continuation":"{continuation}"' if continuation else ""
    return f'{{"itemRefs":[{refs}]{rest}}}'.encode()


def items(pieces: Iterable[Sequence[ClientItem]], stream: str, now: datetime, continuation: str) -> Iterator[bytes]:
    """Write items with their contents, piece by piece. The first says in which direction the stream is written."""
    rest = iter(pieces)
    first = next(rest, ())
    ways = {direction(each.language, each.title) for each in first}
    head = {"direction": "rtl" if ways == {"rtl"} else "ltr", "id": stream, "updated": int(now.timestamp())}
    text, comma = to_json(head)[:-1] + b',"items":[', b""
    for found in chain([first], rest):
        if found:
            text += comma + b",".join(to_json(item(each)) for each in found)
            comma = b","
        yield text
        text = b""
    yield b"]" + (b',"continuation":' + to_json(continuation) if continuation else b"") + b"}"


def item(found: ClientItem) -> dict[str, Any]:
    """Return an item with its content."""
    arrived = microseconds(found.arrived)
    written: dict[str, Any] = {
        "id": long_id(found.state.seq),
        "crawlTimeMsec": str(arrived // 1000),
        "timestampUsec": str(arrived),
        "published": int(found.published.timestamp()),
        "updated": int(found.published.timestamp()),
        "title": found.title,
        "summary": {"direction": direction(found.language, found.title), "content": found.html},
        "canonical": [{"href": found.url}],  # one app reads the first without looking whether there is one
        "alternate": [{"href": found.url, "type": "text/html"}] if found.url else [],
        "categories": categories(found),
        "origin": {"streamId": f"{FEED}{found.state.feed_id}", "htmlUrl": found.site, "title": found.source},
    }
    if found.author:
        written["author"] = found.author
    if found.enclosures:
        written["enclosure"] = [
            {"href": each.url, "type": each.type} | ({"length": each.length} if each.length else {})
            for each in found.enclosures
        ]
    return written


def direction(language: str, text: str) -> str:
    """Return how an article is written, by its language, and by its first letter: many feeds name no or a wrong one.

    >>> direction("he", "Linux 7.0"), direction("en", "«שלום»"), direction("de", "Hallo")
    ('rtl', 'rtl', 'ltr')
    """
    first = next((each for each in map(bidirectional, text) if each in ("L", "R", "AL")), "L")
    return "ltr" if first == "L" and language not in RIGHT_TO_LEFT else "rtl"


def categories(found: ClientItem) -> list[str]:
    """List the streams that an item is in, besides its feed."""
    states = {"read": found.state.read, "kept-unread": found.state.kept_unread, "starred": found.state.saved}
    names = [f"{STATE}reading-list", *(f"{STATE}{name}" for name, holds in states.items() if holds)]
    labelled = {State.BEST: found.state.best, State.MAYBE: found.state.maybe, State.HIDDEN: found.state.hidden}
    if found.verdict in _VERDICTS:
        labelled[_VERDICTS[found.verdict]] = True
    own = [LABELS[state] for state, holds in labelled.items() if holds]
    return list(dict.fromkeys([*names, *(f"{LABEL}{each}" for each in (*found.folders, *found.mark.labels, *own))]))


def tags(folders: Iterable[str], labels: Iterable[str]) -> bytes:
    """Write all folders and labels."""
    found: list[dict[str, str]] = [{"id": f"{STATE}starred"}]
    found += [{"id": f"{LABEL}{each}", "type": "folder"} for each in folders]
    known = dict.fromkeys([*labels, *LABELS.values()])
    return to_json({"tags": [*found, *({"id": f"{LABEL}{each}", "type": "tag"} for each in known)]})


def subscriptions(feeds: Iterable[ClientFeed], root: str) -> bytes:
    """Write the feeds that a user follows; their icons are at addresses that begin with ``root``."""
    return to_json(
        {
            "subscriptions": [
                {
                    "id": f"{FEED}{each.number}",
                    "title": each.name,
                    "categories": [{"id": f"{LABEL}{folder}", "label": folder} for folder in each.folders],
                    "url": each.url,
                    "htmlUrl": each.site,
                    "iconUrl": f"{root}{ICON}{each.icon}.png" if each.icon else "",
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


def atom_feed(found: Iterable[ClientItem], stream: str, title: str, now: datetime, continuation: str = "") -> bytes:
    """Write items as an Atom feed; states are categories of the scheme ``SCHEME``."""
    root = atom.new_feed()
    atom.add(root, "id", f"tag:google.com,2005:reader/{stream}")
    atom.add(root, "title", title)
    atom.add(root, "updated", atom.timestamp(now))
    atom.add(root, "generator", "iScore")
    if continuation:
        atom.add(root, f"{{{READER}}}continuation", continuation)
    for each in found:
        entry = atom.add(root, "entry")
        atom.add(entry, "id", long_id(each.state.seq))
        for name in categories(each):
            atom.add(entry, "category", term=name, scheme=SCHEME, label=name.rpartition("/")[2])
        if not each.state.read:
            atom.add(entry, "category", term=f"{STATE}fresh", scheme=SCHEME, label="fresh")
        add_article(entry, each)
        atom.add_author(entry, each.author or each.source)
        source = atom.add(entry, "source")
        atom.add(source, "id", f"tag:google.com,2005:reader/{FEED}{each.state.feed_id}")
        atom.add(source, "title", each.source)
        atom.add(entry, "content", each.html, type="html")
    return atom.render(root).encode()
