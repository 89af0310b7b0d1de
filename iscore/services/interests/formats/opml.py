"""Subscriptions of another feed reader (OPML): feeds that the user trusts.

They are not subscribed to. A feed's item says that its site is liked, and a little of its topic: by name, description
and folders.
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.parsers import expat

from iscore.core.translation import gettext
from iscore.feeds.parsing.encoding import to_utf8
from iscore.feeds.parsing.html_to_text import line_of_markup, prose
from iscore.feeds.urls import safe_url
from iscore.services.interests.formats.builder import MalformedError
from iscore.services.learning.imported_item import Form, ImportedItem

DEEPEST = 50
"""Folders within folders; real ones have two or three levels."""


def read_opml(data: bytes) -> Iterator[ImportedItem]:
    """Yield an item per feed.

    Raises ``MalformedError`` for what is no OPML, or has a document type of its own, and after the feeds before a
    damaged end.
    """
    reader, problem = _Reader(), ""
    parser = expat.ParserCreate(encoding="utf-8")
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.StartDoctypeDeclHandler = _refuse
    try:
        parser.Parse(to_utf8(data), True)
    except (expat.ExpatError, UnicodeError) as error:
        problem = gettext("it is not well-formed OPML: %(error)s", error=error)
    if not (reader.is_opml or problem):
        raise MalformedError(gettext("it is XML, but not OPML"))
    yield from reader.items
    if problem:
        raise MalformedError(problem)


def _refuse(*_: object) -> None:
    raise MalformedError(gettext("it defines its own entities, which no feed reader exports"))


class _Reader:
    def __init__(self) -> None:
        self.is_opml = False
        self.items: list[ImportedItem] = []
        self._depth = 0
        self._folders: list[str] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if self._depth == 0:
            self.is_opml = name.lower() == "opml"
        self._depth += 1
        if name.lower() != "outline":
            return
        values = {key.lower(): value for key, value in attributes.items()}
        title = line_of_markup(values.get("title") or values.get("text") or "")
        if values.get("xmlurl"):
            self._feed(values, title)
        self._folders.append("" if values.get("xmlurl") else title)
        if len(self._folders) > DEEPEST:
            raise MalformedError(gettext("its folders are nested deeper than %(number)s levels", number=DEEPEST))

    def end(self, name: str) -> None:
        self._depth -= 1
        if name.lower() == "outline" and self._folders:
            self._folders.pop()

    def _feed(self, values: dict[str, str], title: str) -> None:
        url = safe_url(values.get("htmlurl", "")) or safe_url(values["xmlurl"])
        if not url:
            return
        words = [folder for folder in self._folders if folder]
        words.append(prose(values.get("description", "")).text)
        self.items.append(ImportedItem(Form.FEED, title, url=url, text="\n\n".join(word for word in words if word)))
