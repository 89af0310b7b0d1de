"""Lists of the reader: which list an address names, and what the template shows of it. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import parse_qs, quote, unquote, urlencode, urlsplit

from iscore.core.sanitizing import line
from iscore.core.translation import gettext, ngettext
from iscore.presentation.wording.story import StoryEntry
from iscore.services.reading.reader import ListName, StoryList
from iscore.services.reading.search import SearchQuery
from iscore.services.views.stories import Navigation
from iscore.web.menu import NO_NAME, feed_path, folder_path, label_path
from storage.stories.article_filter import ArticleFilter

LONGEST_QUERY = 200
"""Characters of a search."""
LONGEST_ADDRESS = 1000
"""Characters of a list's address."""

_PATH = re.compile(r"/(?:(?:hidden|maybe|all|saved|search)?|feed/[0-9]{1,12}|(?:folder|label)/[^/?#]+)")
_NAMES = {
    "/": ListName.FOR_YOU,
    "/maybe": ListName.MAYBE,
    "/hidden": ListName.HIDDEN,
    "/saved": ListName.SAVED,
}
"""Of the lists that are not all articles, or some of all."""


@dataclass(frozen=True, slots=True)
class Address:
    """The address of a list: its path, and how it is shown."""

    path: str
    best_first: bool = False
    unread: bool = False
    compact: bool = False
    query: str = ""
    """Of a search."""

    @property
    def text(self) -> str:
        """The address itself, from the root of the app."""
        values = {"q": self.query} if self.query else {}
        values |= {"order": "best"} if self.best_first else {}
        values |= {"unread": "1"} if self.unread else {}
        values |= {"view": "compact"} if self.compact else {}
        return self.path + (f"?{urlencode(values)}" if values else "")

    @property
    def ways(self) -> tuple[tuple[str, str, bool], ...]:
        """What else the list can look like: the words of a link, its address, and whether it looks so now."""
        orders = (
            (gettext("Newest first"), replace(self, best_first=False)),
            (gettext("Best first"), replace(self, best_first=True)),
        )
        found = [(words, each.text, each == self) for words, each in orders] if self.has_order else []
        found.append((gettext("Unread only"), replace(self, unread=not self.unread).text, self.unread))
        found.append((gettext("Compact"), replace(self, compact=not self.compact).text, self.compact))
        return tuple(found)

    @property
    def has_order(self) -> bool:
        """Whether the list can be read by time and by score."""
        return self.path == "/all" or self.path.startswith(("/feed/", "/folder/"))


def with_place(text: str, after: str) -> str:
    """Return the address of the page of a list that begins behind a place; of its first page for an empty one."""
    return f"{text}{'&' if '?' in text else '?'}after={quote(after, safe='')}" if after else text


def address(path: str, values: Mapping[str, str]) -> Address | None:
    """Read the address of a list; None for any other."""
    if not _PATH.fullmatch(path):
        return None
    return Address(
        path,
        best_first=values.get("order") == "best",
        unread=values.get("unread") == "1",
        compact=values.get("view") == "compact",
        query=values.get("q", "")[:LONGEST_QUERY].strip() if path == "/search" else "",
    )


def address_in_form(text: str) -> Address | None:
    """Read the address of a list from a form; None for any other, so that a form redirects to no other site."""
    parts = urlsplit(text[:LONGEST_ADDRESS]) if text.startswith("/") and not text.startswith("//") else None
    if parts is None:
        return None
    return address(parts.path, {name: each[-1] for name, each in parse_qs(parts.query).items()})


def story_list(where: Address, search: SearchQuery | None = None) -> StoryList:
    """Return the list that an address names; ``search`` is its query, read."""
    kind, _, name = where.path[1:].partition("/")
    only = search.only if search else ArticleFilter()
    if kind == "feed":
        only = replace(only, feed=int(name))
    elif kind == "folder":
        only = replace(only, tag=unquote(name))
    elif kind == "label":
        only = replace(only, label=unquote(name))
    if where.unread:
        only = replace(only, unread=True)
    words = search.words if search else ()
    return StoryList(_NAMES.get(where.path, ListName.ALL), only, words, best_first=where.best_first)


def path_as_linked(path: str) -> str:
    """Return a path, as the server has decoded it, as links write it: names of folders can have any character.

    >>> path_as_linked("/folder/arts/and more")
    '/folder/arts%2Fand%20more'
    """
    for kind in ("/folder/", "/label/"):
        if path.startswith(kind):
            return kind + quote(path.removeprefix(kind), safe="")
    return path


def heading(where: Address, view: Navigation) -> str:
    """Return the name of a list; empty for a feed, a folder or a label that the user does not have."""
    fixed = {
        "/maybe": gettext("Maybe"),
        "/all": gettext("All"),
        "/saved": gettext("Saved"),
        "/search": gettext("Search"),
    }
    if where.path in fixed:
        return fixed[where.path]
    names = {folder_path(each.name): each.name for each in view.folders}
    names |= {label_path(name): name for name, _ in view.labels}
    feeds = (*view.feeds, *(each for folder in view.folders for each in folder.feeds))
    names |= {feed_path(each.number): each.name for each in feeds}
    return line(names[where.path]) or gettext(NO_NAME) if where.path in names else ""


def introduction(where: Address) -> str:
    """Return what a list shows, as a sentence; empty where its name says it."""
    if where.path == "/maybe":
        return gettext("Almost recommended, or chosen to learn from. A verdict here teaches the filter most.")
    if where.path == "/search":
        return gettext("Words, “phrases”, feed: author: label: is:saved is:unread before:2026-03-01 after:7d")
    by_score = where.best_first and where.has_order
    return gettext("The stories of the last days that you have not rated.") if by_score else ""


def why_empty(where: Address) -> str:
    """Return why a list has no stories."""
    if where.path == "/search":
        return gettext("Nothing found.") if where.query else ""
    if where.path == "/saved":
        return gettext("You have saved nothing yet. Saved stories keep their text for good.")
    return gettext("Nothing unread here.") if where.unread else gettext("Nothing here yet.")


def marked_words(count: int) -> str:
    """Return what "mark all as read" did."""
    if not count:
        return gettext("Everything was read already.")
    return ngettext("Marked %(count)s story as read.", "Marked %(count)s stories as read.", count)


def undone_words(count: int) -> str:
    """Return what its undo did."""
    return ngettext("%(count)s story is unread again.", "%(count)s stories are unread again.", count)


def sections(
    named: Sequence[tuple[str, Sequence[str]]], rows: Mapping[str, StoryEntry]
) -> tuple[tuple[str, tuple[StoryEntry, ...]], ...]:
    """Return the sections of a digest that have stories, with their headings."""
    found = ((heading, tuple(rows[each] for each in ids if each in rows)) for heading, ids in named)
    return tuple((heading, each) for heading, each in found if each)
