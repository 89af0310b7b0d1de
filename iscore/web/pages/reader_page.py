"""Lists of the reader: which list an address names, and what the template shows of it. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta, tzinfo
from urllib.parse import parse_qs, quote, unquote, urlencode, urlsplit

from iscore.core.sanitizing import line
from iscore.core.translation import gettext, ngettext
from iscore.presentation.wording.dates import day_of_month
from iscore.presentation.wording.story import StoryEntry
from iscore.services.reading.reader import ListName, StoryList
from iscore.services.reading.search import SearchQuery
from iscore.services.views.stories import Navigation
from iscore.web.menu import NO_NAME, feed_path, folder_path, label_path
from iscore.web.pages.list_page import Section as Part
from storage.stories.article_filter import ArticleFilter
from storage.stories.story_query import Section

LONGEST_QUERY = 200
"""Characters of a search."""
LONGEST_ADDRESS = 1000
"""Characters of a list's address."""

VIEWS = ("headlines", "comfortable", "cards")
KINDS = {"you": Section.LISTED, "maybe": Section.MAYBE, "hidden": Section.BELOW}
"""What a list by time can be restricted to, by the words of its address."""

_PATH = re.compile(r"/(?:(?:hidden|maybe|all|saved|search)?|feed/[0-9]{1,12}|(?:folder|label)/[^/?#]+)")
_NAMES = {
    "/": ListName.FOR_YOU,
    "/maybe": ListName.MAYBE,
    "/hidden": ListName.HIDDEN,
    "/saved": ListName.SAVED,
}
"""Of the lists that are not all articles, or some of all."""
_STATE = ("order", "unread", "show", "view", "after")
"""Parameters of an address that say how a list is shown: without any it is shown as the user saw it last."""


@dataclass(frozen=True, slots=True)
class Address:
    """The address of a list: its path, and how it is shown."""

    path: str
    best_first: bool = False
    unread: bool = False
    view: str = VIEWS[0]
    show: tuple[str, ...] = ()
    """Only these of ``KINDS``; empty for all."""
    query: str = ""
    """Of a search."""

    @property
    def state(self) -> dict[str, str]:
        """How it is shown, as far as that is not the usual way."""
        values = {"order": "best"} if self.best_first else {}
        values |= {"unread": "1"} if self.unread else {}
        values |= {"show": " ".join(self.show)} if self.show else {}
        return values | ({"view": self.view} if self.view != usual_view(self.path) else {})

    @property
    def text(self) -> str:
        """The address itself, from the root of the app."""
        values = ({"q": self.query} if self.query else {}) | self.state
        return self.path + (f"?{urlencode(values)}" if values else "")

    @property
    def views(self) -> tuple[tuple[str, str, bool], ...]:
        """The views of a list: name, words, and whether it is shown so."""
        words = (gettext("Headlines"), gettext("Comfortable"), gettext("Cards"))
        return tuple((each, text, each == self.view) for each, text in zip(VIEWS, words, strict=True))

    @property
    def ways(self) -> tuple[tuple[str, str, bool], ...]:
        """What else the list can be: the words of a button, the change that it makes, and whether it is so now."""
        orders = ((gettext("Newest"), "order=newest", False), (gettext("Best"), "order=best", True))
        found = [(words, change, best == self.best_first) for words, change, best in orders] if self.has_order else []
        if self.path not in ("/", "/hidden"):
            found.append((gettext("Unread"), f"unread={int(not self.unread)}", self.unread))
        return tuple(found)

    @property
    def has_order(self) -> bool:
        """Whether the list can be read by time and by score, and has stories of all kinds."""
        return self.path == "/all" or self.path.startswith(("/feed/", "/folder/"))

    def kinds(self, counts: Sequence[int]) -> tuple[tuple[str, str, int, str, bool], ...]:
        """Return name, words, number, the change that a button makes, and whether it is shown, of each kind."""
        words = (gettext("for you"), gettext("maybe"), gettext("hidden"))
        shown = self.show or tuple(KINDS)
        found = []
        for name, text, count in zip(KINDS, words, counts, strict=False):
            after = [each for each in KINDS if (each in shown) != (each == name)]
            found.append((name, text, count, f"show={'+'.join(after)}", name in shown))
        return tuple(found)


def usual_view(path: str) -> str:
    """Return the view of a list whose user has chosen none."""
    return "comfortable" if path == "/" else VIEWS[0]


def with_place(text: str, after: str) -> str:
    """Return the address of the page of a list that begins behind a place; of its first page for an empty one."""
    return f"{text}{'&' if '?' in text else '?'}after={quote(after, safe='')}" if after else text


def address(path: str, values: Mapping[str, str]) -> Address | None:
    """Read the address of a list; None for any other."""
    if not _PATH.fullmatch(path):
        return None
    view, show = values.get("view"), values.get("show", "").split(" ")
    shown = tuple(each for each in KINDS if each in show)
    found = Address(
        path,
        best_first=values.get("order") == "best",
        unread=values.get("unread") == "1",
        view=view if view in VIEWS else usual_view(path),
        query=values.get("q", "")[:LONGEST_QUERY].strip() if path == "/search" else "",
    )
    return replace(found, show=shown) if found.has_order and len(shown) < len(KINDS) else found


def as_remembered(path: str, values: Mapping[str, str], state: str) -> Address | None:
    """Read the address of a list; one that does not say how it is shown is shown as the user saw it last."""
    if any(each in values for each in _STATE):
        return address(path, values)
    return address(path, _values(state) | {"q": values.get("q", "")})


def changed(where: Address, change: str) -> Address | None:
    """Return a list as a button changes it: ``view=cards``, ``show=you+maybe``."""
    return address(where.path, where.state | {"q": where.query} | _values(change[:LONGEST_ADDRESS]))


def _values(query: str) -> dict[str, str]:
    return {name: each[-1] for name, each in parse_qs(query, keep_blank_values=True).items()}


def address_in_form(text: str) -> Address | None:
    """Read the address of a list from a form; None for any other, so that a form redirects to no other site."""
    parts = urlsplit(text[:LONGEST_ADDRESS]) if text.startswith("/") and not text.startswith("//") else None
    if parts is None:
        return None
    return address(parts.path, _values(parts.query))


def place_in_form(text: str) -> str:
    """Return the place behind which the page of a list begins from which a form comes."""
    return _values(urlsplit(text[:LONGEST_ADDRESS]).query).get("after", "")


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
    kinds = tuple(KINDS[each] for each in where.show)
    return StoryList(_NAMES.get(where.path, ListName.ALL), only, words, where.best_first, kinds)


def path_as_linked(path: str) -> str:
    """Return a path, as the server has decoded it, as links write it: names of folders can have any character.

    >>> path_as_linked("/folder/arts/and more")
    '/folder/arts%2Fand%20more'
    """
    for kind in ("/folder/", "/label/"):
        if path.startswith(kind):
            return kind + quote(path.removeprefix(kind), safe="")
    return path


def heading(where: Address, view: Navigation | None = None) -> str:
    """Return the name of a list; empty for a feed, a folder or a label that the user does not have."""
    fixed = {
        "/": gettext("For you"),
        "/hidden": gettext("Hidden"),
        "/maybe": gettext("Maybe"),
        "/all": gettext("All"),
        "/saved": gettext("Saved"),
        "/search": gettext("Search"),
    }
    if where.path in fixed:
        return fixed[where.path]
    if view is None:
        return ""
    names = {folder_path(each.name): each.name for each in view.folders}
    names |= {label_path(name): name for name, _ in view.labels}
    feeds = (*view.feeds, *(each for folder in view.folders for each in folder.feeds))
    names |= {feed_path(each.number): each.name for each in feeds}
    return line(names[where.path]) or gettext(NO_NAME) if where.path in names else ""


def introduction(where: Address) -> str:
    """Return what a list shows, as a sentence; empty where its name says it."""
    if where.path == "/maybe":
        return gettext("Almost recommended, or chosen to learn from. A verdict here teaches the filter most.")
    if where.path == "/search" and not where.query:
        return gettext("Words, “phrases”, feed: author: label: is:saved is:unread before:2026-03-01 after:7d")
    return ""


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


def days(entries: Sequence[StoryEntry], now: datetime, zone: tzinfo | None) -> tuple[Part, ...]:
    """Divide a list by time into days."""
    found: list[tuple[date, list[StoryEntry]]] = []
    for each in entries:
        day = each.time.astimezone(zone).date()
        if not found or found[-1][0] != day:
            found.append((day, []))
        found[-1][1].append(each)
    today = now.astimezone(zone).date()
    named = {today: gettext("Today"), today - timedelta(days=1): gettext("Yesterday")}
    return tuple(
        Part(f"day-{number}", named.get(day) or day_of_month(each[0].time.astimezone(zone)), tuple(each))
        for number, (day, each) in enumerate(found)
    )


def sections(named: Sequence[tuple[str, Sequence[str]]], rows: Mapping[str, StoryEntry]) -> tuple[Part, ...]:
    """Return the sections of a digest that have stories, with their headings."""
    found = ((heading, tuple(rows[each] for each in ids if each in rows)) for heading, ids in named)
    return tuple(Part(f"section-{number}", heading, each) for number, (heading, each) in enumerate(found) if each)
