"""Items as several APIs write them. Pure."""

from __future__ import annotations

import json
from typing import Any
from xml.etree import ElementTree as ET

from iscore.presentation import atom
from iscore.services.views.client_apps import ClientItem


def to_json(value: Any) -> bytes:
    """Write a value as JSON in UTF-8.

    >>> to_json({"title": "Café", "id": 7})
    b'{"title":"Caf\\xc3\\xa9","id":7}'
    """
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def add_article(entry: ET.Element, item: ClientItem) -> None:
    """Append to an Atom entry what every feed has of an article: title, times, address and enclosures."""
    atom.add(entry, "title", item.title, type="text")
    atom.add(entry, "published", atom.timestamp(item.published))
    atom.add(entry, "updated", atom.timestamp(item.arrived))
    if item.url:
        atom.add(entry, "link", rel="alternate", type="text/html", href=item.url)
    for file in item.enclosures:
        atom.add(entry, "link", rel="enclosure", href=file.url, **{"type": file.type} if file.type else {})
