"""Atom 1.0 (RFC 4287): what all our feeds write alike."""

from __future__ import annotations

from datetime import datetime
from xml.etree import ElementTree as ET

from iscore.core.sanitizing import document

NAMESPACE = "http://www.w3.org/2005/Atom"
MEDIA_TYPE = "application/atom+xml"
DECLARATION = '<?xml version="1.0" encoding="utf-8"?>\n'


def new_feed(**attributes: str) -> ET.Element:
    """Return the root of a feed."""
    return ET.Element("feed", {"xmlns": NAMESPACE} | attributes)


def add(parent: ET.Element, name: str, text: str | None = None, **attributes: str) -> ET.Element:
    """Append an element, and return it."""
    element = ET.SubElement(parent, name, attributes)
    element.text = text
    return element


def add_author(parent: ET.Element, name: str) -> None:
    """Append an author."""
    add(add(parent, "author"), "name", name)


def timestamp(moment: datetime) -> str:
    """Return a time of UTC in RFC 3339 format, in whole seconds.

    >>> from datetime import UTC
    >>> timestamp(datetime(2026, 3, 4, 18, tzinfo=UTC))
    '2026-03-04T18:00:00Z'
    """
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")


def render(root: ET.Element) -> str:
    """Return an XML document, to be stored as UTF-8, without characters that XML forbids."""
    return document(f"{DECLARATION}{ET.tostring(root, encoding='unicode')}\n")
