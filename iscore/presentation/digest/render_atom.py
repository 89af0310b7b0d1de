"""The digest feed as Atom 1.0 (RFC 4287)."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from iscore.core.translation import gettext, language
from iscore.presentation import atom
from iscore.presentation.digest.feed_items import DESCRIPTION, TITLE, Feed, Item


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
