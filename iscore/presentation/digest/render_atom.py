"""The digest feed as Atom 1.0 (RFC 4287)."""

from __future__ import annotations

from datetime import datetime
from xml.etree import ElementTree as ET

from iscore.core.translation import gettext, language
from iscore.presentation.digest.feed_items import DESCRIPTION, TITLE, Feed, Item

NAMESPACE = "http://www.w3.org/2005/Atom"


def render_atom(feed: Feed) -> str:
    """Return the feed as an XML document, to be stored as UTF-8.

    Texts have no characters that XML forbids (``sanitizing.line``, ``html.render``); the serialiser escapes the rest.
    """
    root = ET.Element("feed", {"xmlns": NAMESPACE, "xml:lang": language()})
    _add(root, "id", feed.id)
    _add(root, "title", TITLE)
    _add(root, "subtitle", gettext(DESCRIPTION))
    _add(root, "updated", _moment(feed.updated))
    ET.SubElement(_add(root, "author"), "name").text = TITLE
    _add(root, "generator", "iScore")
    if feed.address:
        _add(root, "link", rel="self", type="application/atom+xml", href=feed.address)
    for item in feed.items:
        _entry(root, item)
    ET.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _entry(root: ET.Element, item: Item) -> None:
    entry = _add(root, "entry")
    _add(entry, "id", item.id)
    _add(entry, "title", item.title, **{"xml:lang": item.entry.story.language} if item.entry.story.language else {})
    if item.url:
        _add(entry, "link", rel="alternate", href=item.url)
    for title, href in item.related:
        _add(entry, "link", rel="related", href=href, title=title)
    if item.published is not None:
        _add(entry, "published", _moment(item.published))
    _add(entry, "updated", _moment(item.updated))
    ET.SubElement(_add(entry, "author"), "name").text = item.author
    _add(entry, "category", term=item.category)
    _add(entry, "content", item.html, type="html")


def _add(parent: ET.Element, name: str, text: str | None = None, **attributes: str) -> ET.Element:
    element = ET.SubElement(parent, name, attributes)
    element.text = text
    return element


def _moment(moment: datetime) -> str:
    """Return a time in RFC 3339 format."""
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")
